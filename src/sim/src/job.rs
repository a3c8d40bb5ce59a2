//! Job: run pods until enough of them have succeeded.
//!
//! A finished pod is counted exactly once: its uid goes into the status, then its finalizer goes, then
//! the number is raised and the uid leaves the status. Source: upstream's job controller; pod failure
//! policies and per-index back-off are left out.

mod counting;
mod status;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::api::core::v1::Pod;

use crate::object::{Kind, annotation, is_deleting, name, owner_reference, uid};
use crate::plan::{Action, Note, Plan, delete, reference};
use crate::pods;
use crate::replicaset::pod_names;
use crate::seed::Seed;
use crate::time::after;

pub(crate) use counting::{FINALIZER, without_finalizer};

/// Who reports the events.
const COMPONENT: &str = "job-controller";
/// Which of an indexed job's completions a pod is for.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// Plans one step for `job`, whose own pods are `pods`.
pub fn plan(job: &Job, pods: &[Arc<Pod>], now: Timestamp, seed: Seed) -> Plan {
    let mut plan = Plan::idle();
    let spec = job.spec.clone().unwrap_or_default();
    if status::is_finished(job) {
        release(pods, &mut plan);
        expire(job, &spec, now, &mut plan);
        return plan;
    }
    let view = View {
        job,
        spec,
        pods,
        now,
        seed,
    };
    let counted = counting::count(&view, &mut plan);
    let end = status::end(&view, &counted);
    if end.is_some() {
        for pod in view.active() {
            plan.push(delete(Kind::Pod, &pod.metadata, None));
        }
    } else if !is_deleting(&job.metadata) {
        run(&view, &counted, &mut plan);
    }
    status::write(&view, counted, end, &mut plan);
    plan
}

struct View<'a> {
    job: &'a Job,
    spec: JobSpec,
    pods: &'a [Arc<Pod>],
    now: Timestamp,
    seed: Seed,
}

impl<'a> View<'a> {
    fn active(&self) -> impl Iterator<Item = &'a Pod> + use<'a> {
        let pods = self.pods.iter().map(Arc::as_ref);
        pods.filter(|pod| pods::is_active(pod))
    }

    fn is_suspended(&self) -> bool {
        self.spec.suspend == Some(true)
    }

    fn is_indexed(&self) -> bool {
        self.spec.completion_mode.as_deref() == Some("Indexed")
    }

    fn start_time(&self) -> Option<Timestamp> {
        let status = self.job.status.as_ref()?;
        status.start_time.as_ref().map(|start| start.0)
    }
}

/// Creates or deletes pods so that as many run as may.
fn run(view: &View<'_>, counted: &counting::Counted, plan: &mut Plan) {
    let parallelism = view.spec.parallelism.unwrap_or(1);
    let wanted = if view.is_suspended() {
        0
    } else {
        match view.spec.completions {
            Some(completions) => parallelism.min(completions - counted.succeeded()),
            // Without a number, the first success means that no more pods start.
            None if counted.succeeded() > 0 => 0,
            None => parallelism,
        }
    };
    let wanted = usize::try_from(wanted).unwrap_or(0);
    let active: Vec<&Pod> = view.active().collect();
    if active.len() > wanted && (view.is_suspended() || view.spec.completions.is_some()) {
        for pod in active.iter().rev().take(active.len() - wanted) {
            plan.push(delete(Kind::Pod, &pod.metadata, None));
        }
    } else if active.len() < wanted {
        let resume = back_off(view);
        if resume.is_some_and(|resume| resume > view.now) {
            plan.again = resume;
        } else {
            create(view, wanted - active.len(), plan);
        }
    }
}

/// After a failure new pods wait: 10 s, then twice as long each time, up to 10 minutes.
fn back_off(view: &View<'_>) -> Option<Timestamp> {
    let failures = view.pods.iter().filter(|pod| pods::phase(pod) == "Failed");
    let ends: Vec<Timestamp> = failures.filter_map(|pod| counting::ended(pod)).collect();
    let last = ends.iter().max()?;
    let doublings = u32::try_from(ends.len() - 1).unwrap_or(u32::MAX);
    let delay = Duration::from_secs(10).saturating_mul(2_u32.saturating_pow(doublings));
    Some(after(*last, delay.min(Duration::from_secs(600))))
}

fn create(view: &View<'_>, count: usize, plan: &mut Plan) {
    let metadata = &view.job.metadata;
    let taken: BTreeSet<&str> = view.pods.iter().map(|pod| name(&pod.metadata)).collect();
    let indexes: Vec<Option<i32>> = if view.is_indexed() {
        let free = free_indexes(view).into_iter().map(Some);
        free.take(count).collect()
    } else {
        vec![None; count]
    };
    let base = name(metadata);
    for (position, index) in (0_u64..).zip(indexes) {
        let owner = index.map_or_else(|| base.to_owned(), |index| format!("{base}-{index}"));
        let seed = view.seed.at(position);
        let mut names = pod_names(&owner, uid(metadata), &taken, view.now, seed);
        let pod_name = names.next().unwrap_or_default();
        plan.push(Action::Create(job_pod(view, &pod_name, index).into()));
        plan.note(Note::normal(
            COMPONENT,
            reference("batch/v1", "Job", metadata),
            "SuccessfulCreate",
            format!("Created pod: {pod_name}"),
        ));
    }
}

/// The completions no pod works at and none has reached.
fn free_indexes(view: &View<'_>) -> Vec<i32> {
    let busy: BTreeSet<i32> = view
        .pods
        .iter()
        .filter(|pod| pods::is_active(pod) || pods::phase(pod) == "Succeeded")
        .filter_map(|pod| annotation(&pod.metadata, INDEX)?.parse().ok())
        .collect();
    (0..view.spec.completions.unwrap_or(0))
        .filter(|index| !busy.contains(index))
        .collect()
}

fn job_pod(view: &View<'_>, pod_name: &str, index: Option<i32>) -> Pod {
    let metadata = &view.job.metadata;
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    let owner = owner_reference("batch/v1", "Job", metadata);
    let template = &view.spec.template;
    let mut pod = pods::from_template(template, namespace, pod_name.to_owned(), owner);
    let labels = pod.metadata.labels.get_or_insert_default();
    for (key, value) in [
        ("batch.kubernetes.io/controller-uid", uid(metadata)),
        ("batch.kubernetes.io/job-name", name(metadata)),
        ("controller-uid", uid(metadata)),
        ("job-name", name(metadata)),
    ] {
        labels.insert(key.to_owned(), value.to_owned());
    }
    if let Some(index) = index {
        labels.insert(INDEX.to_owned(), index.to_string());
        let annotations = pod.metadata.annotations.get_or_insert_default();
        annotations.insert(INDEX.to_owned(), index.to_string());
        pod.spec.get_or_insert_default().hostname = Some(format!("{}-{index}", name(metadata)));
    }
    let finalizers = pod.metadata.finalizers.get_or_insert_default();
    finalizers.push(FINALIZER.to_owned());
    pod
}

/// Lets go of pods that a finished job no longer counts.
fn release(pods: &[Arc<Pod>], plan: &mut Plan) {
    for pod in pods {
        plan.actions.extend(without_finalizer(pod));
    }
}

/// Deletes a finished job when its time is up.
fn expire(job: &Job, spec: &JobSpec, now: Timestamp, plan: &mut Plan) {
    let Some(seconds) = spec.ttl_seconds_after_finished else {
        return;
    };
    let Some(finished) = status::finished_at(job) else {
        return;
    };
    let seconds = u64::try_from(seconds).unwrap_or(0);
    let expires = after(finished, Duration::from_secs(seconds));
    if expires > now {
        plan.wake(expires);
    } else if !is_deleting(&job.metadata) {
        plan.push(delete(Kind::Job, &job.metadata, None));
    }
}

#[cfg(test)]
mod tests;
