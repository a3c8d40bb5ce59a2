//! Templates, their hashes, and the numbering of ReplicaSets.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, ReplicaSetSpec};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;

use super::strategy::room;
use super::{View, patch_set, scaling, size};
use crate::object::{Kind, annotation, is_deleting, name, owner_reference};
use crate::plan::{Action, Plan, delete, key};

/// The label that tells the pods of one template from those of another.
pub(super) const HASH_LABEL: &str = "pod-template-hash";
/// The number of a rollout.
pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
/// The size of the deployment when the ReplicaSet was last sized.
pub(super) const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
/// That size with its surge.
pub(super) const MAXIMUM: &str = "deployment.kubernetes.io/max-replicas";
/// The numbers a ReplicaSet had before, after roll-backs.
const HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// Annotations of a deployment that its ReplicaSets do not inherit.
const NOT_INHERITED: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    HISTORY,
    DESIRED,
    MAXIMUM,
    "deprecated.deployment.rollback.to",
];

/// Whether the set was made from the deployment's present template.
pub(super) fn has_template_of(set: &ReplicaSet, deployment: &Deployment) -> bool {
    let present = without_hash(&deployment.spec.template);
    let template = set.spec.template.as_ref();
    template.is_some_and(|template| without_hash(template) == present)
}

fn without_hash(template: &PodTemplateSpec) -> PodTemplateSpec {
    let mut template = template.clone();
    if let Some(metadata) = &mut template.metadata {
        if let Some(labels) = &mut metadata.labels {
            labels.remove(HASH_LABEL);
        }
        // A server may or may not stamp templates.
        metadata.creation_timestamp = None;
    }
    template
}

/// A short name for a template: the same for equal templates.
///
/// Differs: upstream hashes a debug print of the Go structure; this one hashes the JSON, so the
/// letters differ from a real cluster's and their form does not.
pub(crate) fn template_hash(template: &PodTemplateSpec, collisions: i32) -> String {
    let mut text = serde_json::to_string(&without_hash(template)).unwrap_or_default();
    if collisions > 0 {
        text.push_str(&collisions.to_string());
    }
    let mut hash = 0x811c_9dc5_u32;
    for byte in text.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    safe_encode(&hash.to_string())
}

/// Digits turned into letters that cannot form words.
fn safe_encode(digits: &str) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    digits
        .bytes()
        .map(|byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()]))
        .collect()
}

/// The number a set carries; 0 without one.
pub(super) fn revision_of(metadata: &ObjectMeta) -> i64 {
    annotation(metadata, REVISION)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

/// The number the new set must have: one above all old ones.
fn next_revision(view: &View<'_>) -> i64 {
    let old = view.old.iter().map(|set| revision_of(&set.metadata));
    old.max().unwrap_or(0) + 1
}

fn inherited(view: &View<'_>) -> BTreeMap<String, String> {
    view.deployment
        .metadata
        .annotations
        .iter()
        .flatten()
        .filter(|(key, _)| !NOT_INHERITED.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The annotations that record the size a set was planned for.
pub(super) fn size_annotations(view: &View<'_>) -> [(&'static str, String); 2] {
    let replicas = view.replicas();
    let surge = room(view.deployment, replicas).surge;
    [
        (DESIRED, replicas.to_string()),
        (MAXIMUM, (replicas + surge).to_string()),
    ]
}

/// The ReplicaSet of the present template.
pub(super) fn new_replica_set(view: &View<'_>) -> ReplicaSet {
    let deployment = view.deployment;
    let spec = deployment.spec.clone();
    let collisions = deployment
        .status
        .as_ref()
        .and_then(|status| status.collision_count)
        .unwrap_or(0);
    let hash = template_hash(&spec.template, collisions);
    let mut template = spec.template;
    let labels = template
        .metadata
        .get_or_insert_default()
        .labels
        .get_or_insert_default();
    labels.insert(HASH_LABEL.to_owned(), hash.clone());
    let labels = labels.clone();
    let mut selector = spec.selector;
    selector
        .match_labels
        .get_or_insert_default()
        .insert(HASH_LABEL.to_owned(), hash.clone());
    let mut annotations = inherited(view);
    annotations.insert(REVISION.to_owned(), next_revision(view).to_string());
    for (key, value) in size_annotations(view) {
        annotations.insert(key.to_owned(), value);
    }
    ReplicaSet {
        metadata: ObjectMeta {
            name: Some(format!("{}-{hash}", name(&deployment.metadata))),
            namespace: deployment.metadata.namespace.clone(),
            labels: Some(labels),
            annotations: Some(annotations),
            owner_references: Some(vec![owner_reference(
                "apps/v1",
                "Deployment",
                &deployment.metadata,
            )]),
            ..ObjectMeta::default()
        },
        spec: ReplicaSetSpec {
            replicas: Some(scaling::new_size(view)),
            min_ready_seconds: spec.min_ready_seconds,
            selector,
            template: Some(template),
        },
        status: None,
    }
}

/// Brings the new set's annotations and the deployment's number up to date.
///
/// Returns whether the set had to be written: then the step ends here.
pub(super) fn synchronise(view: &View<'_>, new: &ReplicaSet, plan: &mut Plan) -> bool {
    let mut wanted = inherited(view);
    let (present, next) = (revision_of(&new.metadata), next_revision(view));
    if present < next {
        wanted.insert(REVISION.to_owned(), next.to_string());
        if present > 0 {
            let mut history: Vec<String> = annotation(&new.metadata, HISTORY)
                .into_iter()
                .flat_map(|text| text.split(',').map(str::to_owned))
                .collect();
            history.push(present.to_string());
            wanted.insert(HISTORY.to_owned(), history.join(","));
        }
    }
    wanted.retain(|key, value| annotation(&new.metadata, key) != Some(value));
    let min_ready = view.deployment.spec.min_ready_seconds;
    let present_min_ready = new.spec.min_ready_seconds;
    let same_min_ready = min_ready.unwrap_or(0) == present_min_ready.unwrap_or(0);
    if wanted.is_empty() && same_min_ready {
        number(view, present, plan);
        return false;
    }
    number(view, present.max(next), plan);
    plan.push(patch_set(
        new,
        &json!({
            "metadata": {"annotations": wanted},
            "spec": {"minReadySeconds": min_ready.unwrap_or(0)},
        }),
    ));
    true
}

/// Writes the number of the present rollout to the deployment.
fn number(view: &View<'_>, revision: i64, plan: &mut Plan) {
    let metadata = &view.deployment.metadata;
    if revision > 0 && revision_of(metadata) != revision {
        plan.push(Action::Patch {
            key: key(Kind::Deployment, metadata),
            patch: json!({
                "metadata": {
                    "uid": metadata.uid,
                    "annotations": {REVISION: revision.to_string()},
                },
            }),
        });
    }
}

/// Deletes the oldest empty sets beyond the history limit.
pub(super) fn clean_up(view: &View<'_>, plan: &mut Plan) {
    let limit = view.deployment.spec.revision_history_limit;
    let limit = usize::try_from(limit.unwrap_or(10)).unwrap_or(0);
    let mut empty: Vec<&ReplicaSet> = view
        .old
        .iter()
        .copied()
        .filter(|set| size(set) == 0 && !is_deleting(&set.metadata))
        .filter(|set| {
            let status = set.status.as_ref();
            status.is_none_or(|s| s.replicas == 0)
                && status.and_then(|s| s.observed_generation) >= set.metadata.generation
        })
        .collect();
    empty.sort_by_key(|set| (revision_of(&set.metadata), name(&set.metadata)));
    let surplus = empty.len().saturating_sub(limit);
    for set in empty.into_iter().take(surplus) {
        plan.push(delete(Kind::ReplicaSet, &set.metadata, None));
    }
}
