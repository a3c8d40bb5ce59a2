//! Preparing the update of a member's copy: what is kept around the kind's own rule.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::operation::type_of;
use crate::{Operation, Result, hook_enabled, retain};

/// Lists the labels that came from the control plane.
const MANAGED_LABELS: &str = "resourcetemplate.karmada.io/managed-labels";
/// Lists the annotations that came from the control plane.
const MANAGED_ANNOTATIONS: &str = "resourcetemplate.karmada.io/managed-annotations";

/// Makes a manifest fit to replace `observed`: identity, owners and finalizers stay the member's,
/// labels and annotations are merged, and the kind's rule keeps what it keeps.
///
/// # Errors
/// The kind's rule fails.
pub fn prepare_update(desired: &mut Value, observed: &Value) -> Result<()> {
    for field in ["resourceVersion", "finalizers", "ownerReferences"] {
        let kept = observed["metadata"].get(field).cloned();
        let Some(metadata) = desired.get_mut("metadata").and_then(Value::as_object_mut) else {
            continue;
        };
        match kept {
            Some(kept) => metadata.insert(field.to_owned(), kept),
            None => metadata.remove(field),
        };
    }
    merge_metadata(desired, observed);
    let (api_version, kind) = type_of(desired);
    if hook_enabled(api_version, kind, Operation::Retain) {
        retain(desired, observed)?;
    }
    Ok(())
}

/// Adds the labels and annotations that only the member's copy has, except those that the
/// control plane once set and has withdrawn.
pub fn merge_metadata(desired: &mut Value, observed: &Value) {
    for (field, record) in [
        ("labels", MANAGED_LABELS),
        ("annotations", MANAGED_ANNOTATIONS),
    ] {
        let Some(kept) = observed["metadata"][field].as_object() else {
            continue;
        };
        let managed = recorded(observed, record);
        let Some(metadata) = desired.get_mut("metadata").and_then(Value::as_object_mut) else {
            continue;
        };
        let slot = metadata
            .entry(field)
            .or_insert_with(|| Value::Object(Map::new()));
        if slot.is_null() {
            *slot = Value::Object(Map::new());
        }
        let Some(wanted) = slot.as_object_mut() else {
            continue;
        };
        for (key, value) in kept {
            if !wanted.contains_key(key) && !managed.contains(key.as_str()) {
                wanted.insert(key.clone(), value.clone());
            }
        }
        if wanted.is_empty() {
            metadata.remove(field);
        }
    }
}

fn recorded<'a>(observed: &'a Value, record: &str) -> BTreeSet<&'a str> {
    let text = observed["metadata"]["annotations"][record].as_str();
    text.unwrap_or_default().split(',').collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn foreign_keys_stay_and_withdrawn_keys_go() {
        let mut desired = json!({"metadata": {"labels": {"ours": "new"}}});
        let observed = json!({"metadata": {
            "labels": {"ours": "old", "withdrawn": "x", "foreign": "y"},
            "annotations": {MANAGED_LABELS: "ours,withdrawn", "note": "n"},
            "resourceVersion": "9", "finalizers": ["member/f"],
        }});
        prepare_update(&mut desired, &observed).unwrap();
        assert_eq!(
            desired["metadata"]["labels"],
            json!({"ours": "new", "foreign": "y"})
        );
        assert_eq!(desired["metadata"]["resourceVersion"], "9");
        assert_eq!(desired["metadata"]["finalizers"], json!(["member/f"]));
        assert_eq!(desired["metadata"]["annotations"]["note"], "n");
    }
}
