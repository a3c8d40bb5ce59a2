//! Defaulting and validation of the kinds, as the API server applies them on writes.
//!
//! Callers run [`mutate`] first, then [`validate`] on its result. Both look at JSON, so that members
//! this build does not know survive.

mod affinity;
mod cluster;
mod cluster_endpoint;
mod mutating;
mod override_policy;
mod placement;
mod propagation_policy;
mod resource_binding;

use flybridge_base::Ids;
use flybridge_machinery::{FieldError, Gvk};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::labels;
use crate::{
    ClusterOverridePolicy, ClusterPropagationPolicy, ClusterResourceBinding,
    OverridePolicy, PropagationPolicy, ResourceBinding, Work,
};

pub use cluster::{canonicalize as canonicalize_cluster, default_resource_models};

/// The kinds this module deals with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Admitted {
    PropagationPolicy,
    ClusterPropagationPolicy,
    OverridePolicy,
    ClusterOverridePolicy,
    Work,
    ResourceBinding,
    ClusterResourceBinding,
    Cluster,
}

fn admitted(gvk: &Gvk) -> Option<Admitted> {
    Some(match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("policy.karmada.io", "PropagationPolicy") => Admitted::PropagationPolicy,
        ("policy.karmada.io", "ClusterPropagationPolicy") => Admitted::ClusterPropagationPolicy,
        ("policy.karmada.io", "OverridePolicy") => Admitted::OverridePolicy,
        ("policy.karmada.io", "ClusterOverridePolicy") => Admitted::ClusterOverridePolicy,
        ("work.karmada.io", "Work") => Admitted::Work,
        ("work.karmada.io", "ResourceBinding") => Admitted::ResourceBinding,
        ("work.karmada.io", "ClusterResourceBinding") => Admitted::ClusterResourceBinding,
        ("cluster.karmada.io", "Cluster") => Admitted::Cluster,
        _ => return None,
    })
}

/// Fills in what the writer left out; `old` is the stored object on updates. Returns warnings for the writer.
///
/// `now` stamps the taints of clusters.
pub fn mutate(
    gvk: &Gvk,
    old: Option<&Value>,
    new: &mut Value,
    ids: &Ids,
    now: Timestamp,
) -> Vec<String> {
    let mut warnings = Vec::new();
    match admitted(gvk) {
        Some(Admitted::PropagationPolicy) => {
            mutating::propagation_policy(old, new, ids, true, &mut warnings);
        }
        Some(Admitted::ClusterPropagationPolicy) => {
            mutating::propagation_policy(old, new, ids, false, &mut warnings);
        }
        Some(Admitted::OverridePolicy) => {
            mutating::affinity_spelling(new, &mut warnings);
            mutating::selector_namespaces(new);
        }
        Some(Admitted::ClusterOverridePolicy) => mutating::affinity_spelling(new, &mut warnings),
        Some(Admitted::Work) => mutating::work(new, ids),
        Some(Admitted::ResourceBinding) => {
            mutating::permanent_id(new, labels::RESOURCE_BINDING_PERMANENT_ID, ids);
        }
        Some(Admitted::ClusterResourceBinding) => {
            mutating::permanent_id(new, labels::CLUSTER_RESOURCE_BINDING_PERMANENT_ID, ids);
        }
        Some(Admitted::Cluster) => cluster::canonicalize(new, old.is_none(), now),
        None => {}
    }
    warnings
}

/// Complaints about an object that has been through [`mutate`]; `old` is the stored object on updates.
pub fn validate(gvk: &Gvk, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    match admitted(gvk) {
        Some(Admitted::PropagationPolicy) => typed(new, |policy: &PropagationPolicy| {
            propagation_policy::validate(old, &policy.metadata, &policy.spec, true)
        }),
        Some(Admitted::ClusterPropagationPolicy) => {
            typed(new, |policy: &ClusterPropagationPolicy| {
                propagation_policy::validate(old, &policy.metadata, &policy.spec, false)
            })
        }
        Some(Admitted::OverridePolicy) => typed(new, |policy: &OverridePolicy| {
            override_policy::validate(&policy.spec, policy.metadata.namespace.as_deref())
        }),
        Some(Admitted::ClusterOverridePolicy) => typed(new, |policy: &ClusterOverridePolicy| {
            override_policy::validate(&policy.spec, None)
        }),
        Some(Admitted::ResourceBinding) => typed(new, |binding: &ResourceBinding| {
            resource_binding::validate(&binding.metadata)
        }),
        Some(Admitted::ClusterResourceBinding) => {
            typed(new, |_: &ClusterResourceBinding| Vec::new())
        }
        Some(Admitted::Work) => typed(new, |_: &Work| Vec::new()),
        Some(Admitted::Cluster) => typed(new, cluster::validate),
        None => Vec::new(),
    }
}

/// Validates the typed form; an object that has none is one complaint.
fn typed<T: DeserializeOwned>(
    object: &Value,
    check: impl FnOnce(&T) -> Vec<FieldError>,
) -> Vec<FieldError> {
    match T::deserialize(object) {
        Ok(typed) => check(&typed),
        Err(error) => vec![FieldError::type_invalid(
            "",
            Value::Null,
            &format!("cannot decode the object: {error}"),
        )],
    }
}

/// Why the object may not be deleted, if its label protects it.
pub fn deletion_denied(object: &Value) -> Option<String> {
    let value = object
        .pointer("/metadata/labels")
        .and_then(|entries| entries.get(labels::DELETION_PROTECTED))
        .and_then(Value::as_str)?;
    (value == labels::DELETION_PROTECTED_ALWAYS).then(|| {
        format!(
            "this resource is protected, please make sure to remove the label: {}",
            labels::DELETION_PROTECTED
        )
    })
}
