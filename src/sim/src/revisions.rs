//! ControllerRevisions: the numbered templates of StatefulSets and DaemonSets.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use serde_json::{Value, json};

use crate::deployment::template_hash;
use crate::object::{Kind, name};
use crate::plan::{Action, Plan, delete, key};

/// The label that carries a revision's hash, and on pods says which template made them.
pub(crate) const HASH_LABEL: &str = "controller-revision-hash";

/// The revision of the present template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Current {
    /// The hash of the template.
    pub hash: String,
    /// The name of the revision.
    pub name: String,
}

/// Makes sure that the present template has a revision with the highest number, and that no more
/// than `limit` others are kept beside those in use.
pub(crate) fn synchronise(
    owner: (&ObjectMeta, OwnerReference),
    template: &PodTemplateSpec,
    revisions: &[Arc<ControllerRevision>],
    plan: &mut Plan,
) -> Current {
    let (metadata, reference) = owner;
    let hash = template_hash(template, 0);
    let current = Current {
        name: format!("{}-{hash}", name(metadata)),
        hash,
    };
    let numbers = revisions.iter().filter_map(|revision| revision.revision);
    let highest = numbers.max().unwrap_or(0);
    let present = revisions
        .iter()
        .find(|revision| name(&revision.metadata) == current.name);
    match present {
        None => plan.push(Action::Create(
            new(metadata, reference, template, &current, highest + 1).into(),
        )),
        Some(revision) if revision.revision < Some(highest) => plan.push(Action::Patch {
            key: key(Kind::ControllerRevision, &revision.metadata),
            patch: json!({
                "metadata": {"uid": revision.metadata.uid},
                "revision": highest + 1,
            }),
        }),
        Some(_) => {}
    }
    current
}

/// Deletes the oldest revisions beyond `limit` that are not in `used`.
pub(crate) fn clean_up(
    revisions: &[Arc<ControllerRevision>],
    used: &[&str],
    limit: i32,
    plan: &mut Plan,
) {
    let mut unused: Vec<&ControllerRevision> = revisions
        .iter()
        .map(Arc::as_ref)
        .filter(|revision| !used.contains(&name(&revision.metadata)))
        .collect();
    unused.sort_by_key(|revision| revision.revision);
    let surplus = unused
        .len()
        .saturating_sub(usize::try_from(limit).unwrap_or(0));
    for revision in unused.into_iter().take(surplus) {
        plan.push(delete(Kind::ControllerRevision, &revision.metadata, None));
    }
}

/// The template a revision keeps.
pub(crate) fn template_of(revision: &ControllerRevision) -> Option<PodTemplateSpec> {
    let mut template = revision.data.0.get("spec")?.get("template")?.clone();
    if let Value::Object(fields) = &mut template {
        fields.remove("$patch");
    }
    serde_json::from_value(template).ok()
}

fn new(
    metadata: &ObjectMeta,
    reference: OwnerReference,
    template: &PodTemplateSpec,
    current: &Current,
    number: i64,
) -> ControllerRevision {
    let mut data = serde_json::to_value(template).unwrap_or_default();
    data["$patch"] = json!("replace");
    let template_labels = template.metadata.as_ref().and_then(|m| m.labels.clone());
    let mut labels = template_labels.unwrap_or_default();
    labels.insert(HASH_LABEL.to_owned(), current.hash.clone());
    ControllerRevision {
        metadata: ObjectMeta {
            name: Some(current.name.clone()),
            namespace: metadata.namespace.clone(),
            labels: Some(labels),
            owner_references: Some(vec![reference]),
            ..ObjectMeta::default()
        },
        data: RawExtension(json!({"spec": {"template": data}})),
        revision: Some(number),
    }
}
