//! Counting each finished pod once.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::batch::v1::UncountedTerminatedPods;
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

use super::View;
use crate::object::{Kind, uid};
use crate::plan::{Action, Plan, key};
use crate::pods;

/// Keeps a finished pod until its job has counted it.
pub(crate) const FINALIZER: &str = "batch.kubernetes.io/job-tracking";

/// What a job has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// Successes whose pods have been let go.
    succeeded: i32,
    /// Failures whose pods have been let go.
    failed: i32,
    /// Successes on their way.
    uncounted_succeeded: Vec<String>,
    /// Failures on their way.
    uncounted_failed: Vec<String>,
}

impl Counted {
    /// All successes seen.
    pub(super) fn succeeded(&self) -> i32 {
        self.succeeded + length(&self.uncounted_succeeded)
    }

    /// All failures seen.
    pub(super) fn failed(&self) -> i32 {
        self.failed + length(&self.uncounted_failed)
    }

    /// The numbers as the status carries them.
    pub(super) const fn settled(&self) -> (i32, i32) {
        (self.succeeded, self.failed)
    }

    /// Whether no pod is on its way.
    pub(super) const fn is_settled(&self) -> bool {
        self.uncounted_succeeded.is_empty() && self.uncounted_failed.is_empty()
    }

    /// The uids on their way.
    pub(super) fn uncounted(self) -> UncountedTerminatedPods {
        let some = |uids: Vec<String>| (!uids.is_empty()).then_some(uids);
        UncountedTerminatedPods {
            succeeded: some(self.uncounted_succeeded),
            failed: some(self.uncounted_failed),
        }
    }
}

fn length(uids: &[String]) -> i32 {
    i32::try_from(uids.len()).unwrap_or(i32::MAX)
}

/// Counts what has finished, and lets go of pods whose uid the stored status already carries.
pub(super) fn count(view: &View<'_>, plan: &mut Plan) -> Counted {
    let status = view.job.status.clone().unwrap_or_default();
    let stored = status.uncounted_terminated_pods.unwrap_or_default();
    let mut counted = Counted {
        succeeded: status.succeeded.unwrap_or(0),
        failed: status.failed.unwrap_or(0),
        ..Counted::default()
    };
    for (uids, succeeded) in [(stored.succeeded, true), (stored.failed, false)] {
        for uid in uids.into_iter().flatten() {
            match held(view, &uid) {
                Some(pod) => {
                    plan.actions.extend(without_finalizer(pod));
                    counted.on_its_way(uid, succeeded);
                }
                None if succeeded => counted.succeeded += 1,
                None => counted.failed += 1,
            }
        }
    }
    for pod in view.pods.iter().filter(|pod| is_held(pod)) {
        // A pod deleted before it finished counts as failed, or its finalizer would stay for ever.
        let lost = pod.metadata.deletion_timestamp.is_some() && pods::node_name(pod).is_none();
        let succeeded = pods::phase(pod) == "Succeeded";
        let uid = uid(&pod.metadata).to_owned();
        if (pods::is_finished(pod) || lost) && !counted.has(&uid) {
            counted.on_its_way(uid, succeeded);
        }
    }
    counted
}

impl Counted {
    fn on_its_way(&mut self, uid: String, succeeded: bool) {
        if succeeded {
            self.uncounted_succeeded.push(uid);
        } else {
            self.uncounted_failed.push(uid);
        }
    }

    fn has(&self, uid: &String) -> bool {
        self.uncounted_succeeded.contains(uid) || self.uncounted_failed.contains(uid)
    }
}

fn held<'a>(view: &View<'a>, wanted: &str) -> Option<&'a Pod> {
    let pods = view.pods.iter().map(Arc::as_ref);
    pods.filter(|pod| is_held(pod))
        .find(|pod| uid(&pod.metadata) == wanted)
}

fn is_held(pod: &Pod) -> bool {
    let finalizers = pod.metadata.finalizers.as_ref();
    finalizers.is_some_and(|finalizers| finalizers.iter().any(|f| f == FINALIZER))
}

/// The write that lets go of a pod, if it is held.
pub(crate) fn without_finalizer(pod: &Pod) -> Option<Action> {
    let present = pod.metadata.finalizers.as_ref()?;
    let kept: Vec<&String> = present.iter().filter(|f| *f != FINALIZER).collect();
    (kept.len() != present.len()).then(|| Action::Patch {
        key: key(Kind::Pod, &pod.metadata),
        patch: json!({"metadata": {"uid": pod.metadata.uid, "finalizers": kept}}),
    })
}

/// When a finished pod's last container ended.
pub(super) fn ended(pod: &Pod) -> Option<Timestamp> {
    let statuses = pod.status.as_ref()?.container_statuses.as_ref()?;
    let ends = statuses.iter().filter_map(|status| {
        let terminated = status.state.as_ref()?.terminated.as_ref()?;
        terminated.finished_at.as_ref().map(|at| at.0)
    });
    ends.max()
}
