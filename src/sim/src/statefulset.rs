//! StatefulSet: numbered pods, one after the other.
//!
//! Source: upstream's statefulset controller. Claims are created bound; deleting them with the set
//! (`persistentVolumeClaimRetentionPolicy`) is left out.

mod status;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{ControllerRevision, StatefulSet};
use k8s_openapi::api::core::v1::{
    PersistentVolumeClaim, PersistentVolumeClaimStatus, PersistentVolumeClaimVolumeSource, Pod,
    PodTemplateSpec, Volume,
};

use crate::object::{Kind, is_deleting, label, name, owner_reference};
use crate::plan::{Action, Note, Plan, delete, reference};
use crate::pods;
use crate::revisions::{self, Current, HASH_LABEL};
use crate::seed::Seed;

/// Who reports the events.
const COMPONENT: &str = "statefulset-controller";

/// Plans one step for `set`, whose own pods and revisions are given.
pub fn plan(
    set: &StatefulSet,
    pods: &[Arc<Pod>],
    revisions: &[Arc<ControllerRevision>],
    now: Timestamp,
) -> Plan {
    let mut plan = Plan::idle();
    let owner = owner_reference("apps/v1", "StatefulSet", &set.metadata);
    let update = revisions::synchronise(
        (&set.metadata, owner),
        &set.spec.template,
        revisions,
        &mut plan,
    );
    let view = View::of(set, pods, revisions, update, now);
    if !is_deleting(&set.metadata) {
        step(&view, &mut plan);
    }
    status::write(&view, &mut plan);
    let limit = set.spec.revision_history_limit.unwrap_or(10);
    let used = [view.update.name.as_str(), view.current_revision.as_str()];
    revisions::clean_up(revisions, &used, limit, &mut plan);
    plan
}

struct View<'a> {
    set: &'a StatefulSet,
    /// The set's pods by their number.
    pods: BTreeMap<i32, &'a Pod>,
    revisions: &'a [Arc<ControllerRevision>],
    update: Current,
    current_revision: String,
    now: Timestamp,
}

impl<'a> View<'a> {
    fn of(
        set: &'a StatefulSet,
        pods: &'a [Arc<Pod>],
        revisions: &'a [Arc<ControllerRevision>],
        update: Current,
        now: Timestamp,
    ) -> Self {
        let prefix = format!("{}-", name(&set.metadata));
        let number = |pod: &Pod| name(&pod.metadata).strip_prefix(&prefix)?.parse().ok();
        let current = set.status.as_ref().and_then(|s| s.current_revision.clone());
        Self {
            set,
            pods: pods
                .iter()
                .filter_map(|pod| Some((number(pod)?, pod.as_ref())))
                .collect(),
            revisions,
            current_revision: current
                .filter(|revision| !revision.is_empty())
                .unwrap_or_else(|| update.name.clone()),
            update,
            now,
        }
    }

    fn first(&self) -> i32 {
        self.set
            .spec
            .ordinals
            .as_ref()
            .and_then(|o| o.start)
            .unwrap_or(0)
    }

    fn end(&self) -> i32 {
        self.first() + self.set.spec.replicas.unwrap_or(1)
    }

    fn is_available(&self, pod: &Pod) -> bool {
        let min_ready = self.set.spec.min_ready_seconds.unwrap_or(0);
        !is_deleting(&pod.metadata)
            && pods::available_at(pod, min_ready).is_some_and(|at| at <= self.now)
    }

    fn is_parallel(&self) -> bool {
        self.set.spec.pod_management_policy.as_deref() == Some("Parallel")
    }

    /// Below this number pods keep the current template; `None` if they are never replaced.
    fn partition(&self) -> Option<i32> {
        let strategy = self.set.spec.update_strategy.as_ref();
        if strategy.and_then(|s| s.type_.as_deref()) == Some("OnDelete") {
            return None;
        }
        let rolling = strategy.and_then(|s| s.rolling_update.as_ref());
        Some(rolling.and_then(|r| r.partition).unwrap_or(0))
    }

    /// The template and revision name of a new pod.
    fn template_for(&self, number: i32) -> (PodTemplateSpec, String) {
        let kept = self
            .partition()
            .is_some_and(|partition| number < self.first() + partition);
        let old = kept.then_some(self.current_revision.as_str());
        let template = old.and_then(|old| {
            let revision = self.revisions.iter().find(|r| name(&r.metadata) == old)?;
            revisions::template_of(revision)
        });
        match (template, old) {
            (Some(template), Some(old)) => (template, old.to_owned()),
            _ => (self.set.spec.template.clone(), self.update.name.clone()),
        }
    }
}

fn step(view: &View<'_>, plan: &mut Plan) {
    if grow(view, plan) && shrink(view, plan) {
        update(view, plan);
    }
}

/// Creates missing pods in order; returns whether all are there and available.
fn grow(view: &View<'_>, plan: &mut Plan) -> bool {
    for number in view.first()..view.end() {
        match view.pods.get(&number) {
            None => create(view, number, plan),
            Some(pod) if is_deleting(&pod.metadata) => {}
            Some(pod) if pods::is_finished(pod) => {
                plan.push(delete(Kind::Pod, &pod.metadata, None));
            }
            Some(pod) if view.is_available(pod) => continue,
            Some(_) => {}
        }
        if !view.is_parallel() {
            return false;
        }
    }
    true
}

/// Deletes surplus pods from the top; returns whether none is left.
fn shrink(view: &View<'_>, plan: &mut Plan) -> bool {
    let kept = view.first()..view.end();
    let surplus = view.pods.iter().rev().filter(|(n, _)| !kept.contains(n));
    let mut none = true;
    for (_, pod) in surplus {
        none = false;
        if !is_deleting(&pod.metadata) {
            remove(view, pod, plan);
        }
        if !view.is_parallel() {
            break;
        }
    }
    none
}

/// Replaces one pod of an old template, from the top.
fn update(view: &View<'_>, plan: &mut Plan) {
    let Some(partition) = view.partition() else {
        return;
    };
    let from = view.first() + partition;
    for (number, pod) in view.pods.iter().rev() {
        if *number < from {
            return;
        }
        let revision = label(&pod.metadata, HASH_LABEL);
        if revision != Some(&view.update.name) && !is_deleting(&pod.metadata) {
            remove(view, pod, plan);
            return;
        }
        if !view.is_available(pod) {
            return;
        }
    }
}

fn remove(view: &View<'_>, pod: &Pod, plan: &mut Plan) {
    plan.push(delete(Kind::Pod, &pod.metadata, None));
    plan.note(note(
        view,
        "SuccessfulDelete",
        "delete",
        name(&pod.metadata),
    ));
}

fn note(view: &View<'_>, reason: &'static str, verb: &str, pod: &str) -> Note {
    let set = name(&view.set.metadata);
    Note::normal(
        COMPONENT,
        reference("apps/v1", "StatefulSet", &view.set.metadata),
        reason,
        format!("{verb} Pod {pod} in StatefulSet {set} successful"),
    )
}

fn create(view: &View<'_>, number: i32, plan: &mut Plan) {
    let set = view.set;
    let pod_name = format!("{}-{number}", name(&set.metadata));
    let (template, revision) = view.template_for(number);
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    let owner = owner_reference("apps/v1", "StatefulSet", &set.metadata);
    let mut pod = pods::from_template(&template, namespace, pod_name.clone(), owner);
    let labels = pod.metadata.labels.get_or_insert_default();
    for (key, value) in [
        ("statefulset.kubernetes.io/pod-name", pod_name.clone()),
        ("apps.kubernetes.io/pod-index", number.to_string()),
        (HASH_LABEL, revision),
    ] {
        labels.insert(key.to_owned(), value);
    }
    let spec = pod.spec.get_or_insert_default();
    spec.hostname = Some(pod_name.clone());
    spec.subdomain.clone_from(&set.spec.service_name);
    for template in set.spec.volume_claim_templates.iter().flatten() {
        let claim = format!("{}-{pod_name}", name(&template.metadata));
        claim_actions(set, template, &claim, plan);
        let volumes = spec.volumes.get_or_insert_default();
        volumes.retain(|volume| volume.name != name(&template.metadata));
        volumes.push(Volume {
            name: name(&template.metadata).to_owned(),
            persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
                claim_name: claim,
                read_only: None,
            }),
            ..Volume::default()
        });
    }
    plan.push(Action::Create(pod.into()));
    plan.note(note(view, "SuccessfulCreate", "create", &pod_name));
}

/// Creates a claim and binds it at once; an existing claim is taken as it is.
fn claim_actions(set: &StatefulSet, template: &PersistentVolumeClaim, name: &str, plan: &mut Plan) {
    let mut claim = template.clone();
    claim.metadata.name = Some(name.to_owned());
    claim.metadata.namespace.clone_from(&set.metadata.namespace);
    claim.status = None;
    let selector = set.spec.selector.match_labels.clone().unwrap_or_default();
    claim
        .metadata
        .labels
        .get_or_insert_default()
        .extend(selector);
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    let spec = claim.spec.get_or_insert_default();
    let volume = Seed::new(0).of(&["volume", namespace, name]).uuid();
    spec.volume_name = Some(format!("pvc-{volume}"));
    let status = PersistentVolumeClaimStatus {
        phase: Some("Bound".to_owned()),
        access_modes: spec.access_modes.clone(),
        capacity: spec.resources.as_ref().and_then(|r| r.requests.clone()),
        ..PersistentVolumeClaimStatus::default()
    };
    let mut bound = claim.clone();
    bound.status = Some(status);
    plan.push(Action::Create(claim.into()));
    plan.push(Action::Status(bound.into()));
}

#[cfg(test)]
mod tests;
