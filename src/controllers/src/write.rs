//! Small writes several controllers share.

use flybridge_client::Objects;
use flybridge_runtime::Object;
use serde_json::{Value, json};

use crate::Result;

/// Takes `finalizer` off an object; does nothing if it is not on.
///
/// # Errors
/// As the API answers; a conflict if the object changed since it was read.
pub async fn remove_finalizer(objects: &Objects, object: &Object, finalizer: &str) -> Result<()> {
    if !object.has_finalizer(finalizer) {
        return Ok(());
    }
    let kept: Vec<&Value> = object["metadata"]["finalizers"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|have| *have != finalizer)
        .collect();
    let patch = json!({"metadata": {
        "finalizers": kept,
        "resourceVersion": object["metadata"]["resourceVersion"],
    }});
    match objects.merge_patch(object.name(), &patch).await {
        Ok(_patched) => Ok(()),
        Err(error) if flybridge_client::is_not_found(&error) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Puts `finalizer` on an object; does nothing if it is on.
///
/// # Errors
/// As the API answers.
pub async fn add_finalizer(objects: &Objects, object: &Object, finalizer: &str) -> Result<()> {
    if object.has_finalizer(finalizer) {
        return Ok(());
    }
    let mut list: Vec<Value> = object["metadata"]["finalizers"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    list.push(json!(finalizer));
    let patch = json!({"metadata": {
        "finalizers": list,
        "resourceVersion": object["metadata"]["resourceVersion"],
    }});
    objects.merge_patch(object.name(), &patch).await?;
    Ok(())
}

/// Whether two objects differ in more than status, managed fields and resource version.
pub fn differs_beyond_status(old: &Value, new: &Value) -> bool {
    fn same_but(old: &Value, new: &Value, skipped: &[&str]) -> bool {
        let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
            return old == new;
        };
        let relevant = |key: &&String| !skipped.contains(&key.as_str());
        old.keys().filter(relevant).all(|key| new.contains_key(key))
            && new
                .iter()
                .filter(|(key, _)| relevant(key))
                .all(|(key, value)| old.get(key) == Some(value))
    }
    let metadata = ["managedFields", "resourceVersion"];
    !(same_but(old, new, &["status", "metadata"])
        && same_but(&old["metadata"], &new["metadata"], &metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_and_versions_are_no_difference() {
        let old =
            json!({"metadata": {"name": "a", "resourceVersion": "1"}, "status": 1, "spec": 1});
        let mut new = json!({"metadata": {"name": "a", "resourceVersion": "2"}, "spec": 1});
        assert!(!differs_beyond_status(&old, &new));
        new["metadata"]["labels"] = json!({"a": "b"});
        assert!(differs_beyond_status(&old, &new));
        assert!(differs_beyond_status(&new, &old));
        let other = json!({"metadata": {"name": "a"}, "spec": 2});
        assert!(differs_beyond_status(&old, &other));
    }
}
