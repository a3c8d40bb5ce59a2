//! What to do about one manifest, given what the member has.

use flybridge_apis::prune::prune;
use flybridge_apis::{annotations, labels};
use flybridge_interpreter::prepare_update;
use serde_json::Value;

use crate::Result;

/// What to do about a manifest.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Create it.
    Create,
    /// Replace the member's copy with this.
    Replace(Value),
    /// Leave the member's copy: it is as it should be.
    Keep,
    /// Leave the member's copy: it is not ours.
    Refuse(String),
}

/// Decides about a manifest.
///
/// # Errors
/// The member's copy cannot be merged into the manifest.
pub fn plan(manifest: &Value, observed: Option<&Value>) -> Result<Step> {
    let Some(observed) = observed else {
        return Ok(Step::Create);
    };
    if !may_replace(manifest, observed) {
        let kind = manifest["kind"].as_str().unwrap_or_default();
        let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
        return Ok(Step::Refuse(format!(
            "resource({kind}/{name}) already exists in the cluster and the conflict-resolution \
             strategy is empty: it is not managed by karmada"
        )));
    }
    let mut desired = manifest.clone();
    prepare_update(&mut desired, observed)?;
    let mut theirs = observed.clone();
    prune(&mut theirs);
    let mut ours = desired.clone();
    prune(&mut ours);
    if theirs == ours {
        return Ok(Step::Keep);
    }
    Ok(Step::Replace(desired))
}

/// Whether the member's copy is managed already, or may be taken over.
fn may_replace(manifest: &Value, observed: &Value) -> bool {
    is_managed(observed)
        || manifest["metadata"]["annotations"][annotations::CONFLICT_RESOLUTION]
            == annotations::CONFLICT_OVERWRITE
}

/// Whether an object is managed by a control plane.
pub fn is_managed(object: &Value) -> bool {
    object["metadata"]["labels"][labels::MANAGED] == labels::TRUE
}

/// The manifest of a Work whose objects stay in the member: without what ties it to the Work.
pub fn released(manifest: &Value) -> Value {
    let mut manifest = manifest.clone();
    let strip = |metadata: &mut Value, field: &str, keys: &[&str]| {
        if let Some(entries) = metadata.get_mut(field).and_then(Value::as_object_mut) {
            for key in keys {
                entries.remove(*key);
            }
        }
    };
    let metadata = &mut manifest["metadata"];
    strip(
        metadata,
        "labels",
        &[
            labels::PROPAGATION_POLICY_PERMANENT_ID,
            labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID,
            labels::RESOURCE_BINDING_PERMANENT_ID,
            labels::CLUSTER_RESOURCE_BINDING_PERMANENT_ID,
            labels::WORK_PERMANENT_ID,
            labels::MANAGED,
        ],
    );
    strip(
        metadata,
        "annotations",
        &[
            annotations::PROPAGATION_POLICY_NAMESPACE,
            annotations::PROPAGATION_POLICY_NAME,
            annotations::CLUSTER_PROPAGATION_POLICY_NAME,
            annotations::MANAGED_ANNOTATIONS,
            annotations::MANAGED_LABELS,
            annotations::RESOURCE_BINDING_NAMESPACE,
            annotations::RESOURCE_BINDING_NAME,
            annotations::CLUSTER_RESOURCE_BINDING_NAME,
            annotations::CONFLICT_RESOLUTION,
            annotations::TEMPLATE_UID,
            annotations::TEMPLATE_GENERATION,
            annotations::WORK_NAME,
            annotations::WORK_NAMESPACE,
        ],
    );
    manifest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manifest() -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "c", "labels": {labels::MANAGED: "true"}}, "data": {"a": "1"}})
    }

    #[test]
    fn what_is_absent_is_created() {
        assert_eq!(plan(&manifest(), None).unwrap(), Step::Create);
    }

    #[test]
    fn a_copy_that_differs_only_by_the_servers_own_fields_is_kept() {
        let mut observed = manifest();
        observed["metadata"]["resourceVersion"] = json!("5");
        observed["metadata"]["uid"] = json!("U");
        observed["metadata"]["labels"]["theirs"] = json!("x");
        assert_eq!(plan(&manifest(), Some(&observed)).unwrap(), Step::Keep);
    }

    #[test]
    fn drift_is_replaced_at_the_observed_version() {
        let mut observed = manifest();
        observed["metadata"]["resourceVersion"] = json!("5");
        observed["data"]["a"] = json!("2");
        let Step::Replace(desired) = plan(&manifest(), Some(&observed)).unwrap() else {
            panic!("expected a replacement");
        };
        assert_eq!(desired["metadata"]["resourceVersion"], "5");
        assert_eq!(desired["data"]["a"], "1");
    }

    #[test]
    fn foreign_objects_are_refused_unless_overwriting_is_asked_for() {
        let observed = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "c"}, "data": {"a": "1"}});
        let mut wanted = manifest();
        assert!(matches!(
            plan(&wanted, Some(&observed)).unwrap(),
            Step::Refuse(_)
        ));
        wanted["metadata"]["annotations"] = json!({annotations::CONFLICT_RESOLUTION: "overwrite"});
        assert!(matches!(
            plan(&wanted, Some(&observed)).unwrap(),
            Step::Replace(_)
        ));
    }

    #[test]
    fn released_manifests_carry_no_ties() {
        let released = released(&manifest());
        assert_eq!(released["metadata"]["labels"], json!({}));
    }
}
