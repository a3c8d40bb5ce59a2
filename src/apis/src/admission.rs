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
    ClusterOverridePolicy, ClusterPropagationPolicy, ClusterResourceBinding, OverridePolicy,
    PropagationPolicy, ResourceBinding, Work,
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy(placement: Value) -> Value {
        json!({
            "apiVersion": "policy.karmada.io/v1alpha1",
            "kind": "PropagationPolicy",
            "metadata": {"name": "p", "namespace": "shop"},
            "spec": {
                "resourceSelectors": [{"apiVersion": "apps/v1", "kind": "Deployment"}],
                "placement": placement,
            },
        })
    }

    fn create(object: &mut Value) -> (Vec<String>, Vec<FieldError>) {
        let gvk = Gvk::new("policy.karmada.io", "v1alpha1", "PropagationPolicy");
        let warnings = mutate(&gvk, None, object, &Ids::seeded(1), Timestamp::UNIX_EPOCH);
        (warnings, validate(&gvk, None, object))
    }

    #[test]
    fn the_accepted_spelling_of_label_selectors_is_stored_as_the_real_one() {
        let labels = json!({"matchLabels": {"env": "prod"}});
        let mut object = policy(json!({"clusterAffinity": {"clusterLabels": labels}}));
        let (warnings, errors) = create(&mut object);
        assert_eq!(errors, []);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with("spec.placement.clusterAffinity.clusterLabels"));
        assert_eq!(
            object["spec"]["placement"]["clusterAffinity"],
            json!({"labelSelector": labels})
        );
    }

    #[test]
    fn a_given_label_selector_wins_over_the_accepted_spelling() {
        let mut object = policy(json!({"clusterAffinity": {
            "clusterLabels": {"matchLabels": {"a": "b"}},
            "labelSelector": {"matchLabels": {"env": "prod"}},
        }}));
        let (warnings, errors) = create(&mut object);
        assert_eq!((warnings.len(), errors.len()), (1, 0));
        assert_eq!(
            object["spec"]["placement"]["clusterAffinity"],
            json!({"labelSelector": {"matchLabels": {"env": "prod"}}})
        );
    }

    #[test]
    fn every_write_gets_a_new_permanent_id_on_creation_only() {
        let mut object = policy(json!({}));
        object["metadata"]["labels"] = json!({labels::PROPAGATION_POLICY_PERMANENT_ID: "mine"});
        create(&mut object);
        let id = object["metadata"]["labels"][labels::PROPAGATION_POLICY_PERMANENT_ID].clone();
        assert_ne!(id, "mine");
        let old = object.clone();
        let gvk = Gvk::new("policy.karmada.io", "v1alpha1", "PropagationPolicy");
        mutate(
            &gvk,
            Some(&old),
            &mut object,
            &Ids::seeded(2),
            Timestamp::UNIX_EPOCH,
        );
        assert_eq!(object, old);
    }

    #[test]
    fn only_the_exact_value_protects_from_deletion() {
        let object =
            |value: &str| json!({"metadata": {"labels": {labels::DELETION_PROTECTED: value}}});
        assert!(deletion_denied(&object("Always")).is_some());
        assert!(deletion_denied(&object("always")).is_none());
        assert!(deletion_denied(&json!({})).is_none());
    }

    #[test]
    fn kinds_of_others_are_left_alone() {
        let gvk = Gvk::new("apps", "v1", "Deployment");
        let mut object = json!({"spec": {"clusterLabels": {}}});
        let before = object.clone();
        assert!(
            mutate(
                &gvk,
                None,
                &mut object,
                &Ids::seeded(1),
                Timestamp::UNIX_EPOCH
            )
            .is_empty()
        );
        assert_eq!(
            (object, validate(&gvk, None, &before)),
            (before, Vec::new())
        );
    }
}
