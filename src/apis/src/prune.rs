//! What is stripped from a template before it becomes a manifest, and the record of what stays.

use serde_json::{Map, Value};

use crate::annotations::{MANAGED_ANNOTATIONS, MANAGED_LABELS};

const METADATA: [&str; 10] = [
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
    "ownerReferences",
    "finalizers",
];

const JOB_LABELS: [&str; 4] = [
    "controller-uid",
    "job-name",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
];

/// Removes what a control plane or a member's API server fills in by itself.
///
/// Source: the reference dispatches on the kind alone, whatever the API group.
pub fn prune(manifest: &mut Value) {
    let Some(object) = manifest.as_object_mut() else {
        return;
    };
    object.remove("status");
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for member in METADATA {
            metadata.remove(member);
        }
    }
    let kind = object
        .get("kind")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    match kind.as_str() {
        "Deployment" => remove_annotations(
            object,
            &[
                "deployment.kubernetes.io/revision",
                "deployment.kubernetes.io/revision-history",
            ],
        ),
        "Job" => prune_job(object),
        "ServiceAccount" => prune_service_account(object),
        "Service" => prune_service(object),
        "Secret" => prune_secret(object),
        "PersistentVolumeClaim" => {
            remove_annotations(object, &["volume.kubernetes.io/selected-node"]);
        }
        _ => {}
    }
}

fn member<'a>(
    object: &'a mut Map<String, Value>,
    path: &[&str],
) -> Option<&'a mut Map<String, Value>> {
    let mut current = object;
    for name in path {
        current = current.get_mut(*name)?.as_object_mut()?;
    }
    Some(current)
}

/// Removes keys from a nested map, and the map itself once it is empty.
fn remove_keys(object: &mut Map<String, Value>, parent: &[&str], map: &str, keys: &[&str]) {
    let Some(parent) = member(object, parent) else {
        return;
    };
    let Some(entries) = parent.get_mut(map).and_then(Value::as_object_mut) else {
        return;
    };
    let before = entries.len();
    for key in keys {
        entries.remove(*key);
    }
    if entries.is_empty() && before > 0 {
        parent.remove(map);
    }
}

fn remove_annotations(object: &mut Map<String, Value>, keys: &[&str]) {
    remove_keys(object, &["metadata"], "annotations", keys);
}

fn prune_job(object: &mut Map<String, Value>) {
    let Some(spec) = member(object, &["spec"]) else {
        return;
    };
    spec.remove("ttlSecondsAfterFinished");
    if spec.get("manualSelector") == Some(&Value::Bool(true)) {
        return;
    }
    remove_keys(spec, &["selector"], "matchLabels", &JOB_LABELS);
    remove_keys(spec, &["template", "metadata"], "labels", &JOB_LABELS);
}

fn prune_service_account(object: &mut Map<String, Value>) {
    let prefix = member(object, &["metadata"])
        .and_then(|metadata| metadata.get("name"))
        .and_then(Value::as_str)
        .map(|name| format!("{name}-token-"));
    let (Some(prefix), Some(Value::Array(secrets))) = (prefix, object.get_mut("secrets")) else {
        return;
    };
    secrets.retain(|secret| {
        !secret
            .get("name")
            .and_then(Value::as_str)
            .is_some_and(|name| name.starts_with(&prefix))
    });
}

fn prune_service(object: &mut Map<String, Value>) {
    let Some(spec) = member(object, &["spec"]) else {
        return;
    };
    if spec.get("clusterIP").and_then(Value::as_str) == Some("None") {
        return;
    }
    spec.remove("clusterIP");
    spec.remove("clusterIPs");
}

fn prune_secret(object: &mut Map<String, Value>) {
    if object.get("type").and_then(Value::as_str) != Some("kubernetes.io/service-account-token") {
        return;
    }
    object.remove("data");
    remove_annotations(object, &["kubernetes.io/service-account.uid"]);
}

/// Writes the annotations that list which annotations and labels come from the control plane.
pub fn record_managed(manifest: &mut Value) {
    let Some(metadata) = metadata_mut(manifest) else {
        return;
    };
    let labels = sorted_keys(metadata.get("labels"));
    let annotations = entries_mut(metadata, "annotations");
    annotations.insert(MANAGED_ANNOTATIONS.to_owned(), Value::Null);
    annotations.insert(MANAGED_LABELS.to_owned(), Value::from(labels));
    let keys = sorted_keys(metadata.get("annotations"));
    entries_mut(metadata, "annotations").insert(MANAGED_ANNOTATIONS.to_owned(), keys.into());
}

fn metadata_mut(manifest: &mut Value) -> Option<&mut Map<String, Value>> {
    manifest
        .as_object_mut()?
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()
}

fn entries_mut<'a>(metadata: &'a mut Map<String, Value>, name: &str) -> &'a mut Map<String, Value> {
    let entry = metadata
        .entry(name)
        .or_insert_with(|| Value::Object(Map::new()));
    if !entry.is_object() {
        *entry = Value::Object(Map::new());
    }
    entry.as_object_mut().expect("set just above")
}

fn sorted_keys(entries: Option<&Value>) -> String {
    let mut keys: Vec<&str> = entries
        .and_then(Value::as_object)
        .map(|entries| entries.keys().map(String::as_str).collect())
        .unwrap_or_default();
    keys.sort_unstable();
    keys.join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pruned(mut manifest: Value) -> Value {
        prune(&mut manifest);
        manifest
    }

    #[test]
    fn strips_what_an_api_server_fills_in() {
        let manifest = pruned(json!({
            "kind": "Deployment",
            "metadata": {
                "name": "web", "uid": "u", "resourceVersion": "1", "finalizers": ["f"],
                "annotations": {"deployment.kubernetes.io/revision": "1", "keep": "me"},
            },
            "spec": {"replicas": 2},
            "status": {"replicas": 2},
        }));
        assert_eq!(
            manifest,
            json!({
                "kind": "Deployment",
                "metadata": {"name": "web", "annotations": {"keep": "me"}},
                "spec": {"replicas": 2},
            })
        );
    }

    #[test]
    fn jobs_lose_generated_labels_unless_the_selector_is_manual() {
        let job = |manual: bool| {
            json!({"kind": "Job", "spec": {
                "manualSelector": manual,
                "ttlSecondsAfterFinished": 5,
                "selector": {"matchLabels": {"controller-uid": "u"}},
                "template": {"metadata": {"labels": {"job-name": "j", "app": "a"}}},
            }})
        };
        assert_eq!(
            pruned(job(false))["spec"],
            json!({
                "manualSelector": false,
                "selector": {},
                "template": {"metadata": {"labels": {"app": "a"}}},
            })
        );
        assert_eq!(
            pruned(job(true))["spec"]["selector"]["matchLabels"]["controller-uid"],
            "u"
        );
    }

    #[test]
    fn headless_services_keep_their_address() {
        let service = |address: &str| json!({"kind": "Service", "spec": {"clusterIP": address}});
        assert_eq!(pruned(service("10.0.0.1"))["spec"], json!({}));
        assert_eq!(pruned(service("None"))["spec"]["clusterIP"], "None");
    }

    #[test]
    fn generated_tokens_of_service_accounts_stay_behind() {
        let account = pruned(json!({
            "kind": "ServiceAccount",
            "metadata": {"name": "sa"},
            "secrets": [{"name": "sa-token-1"}, {"name": "sa-token-2"}, {"name": "mine"}],
        }));
        assert_eq!(account["secrets"], json!([{"name": "mine"}]));
    }

    #[test]
    fn the_record_lists_itself() {
        let mut manifest = json!({"metadata": {"labels": {"b": "1", "a": "2"}}});
        record_managed(&mut manifest);
        let annotations = &manifest["metadata"]["annotations"];
        assert_eq!(annotations[MANAGED_LABELS], "a,b");
        assert_eq!(
            annotations[MANAGED_ANNOTATIONS],
            format!("{MANAGED_ANNOTATIONS},{MANAGED_LABELS}")
        );
        let once = manifest.clone();
        record_managed(&mut manifest);
        assert_eq!(manifest, once);
    }
}
