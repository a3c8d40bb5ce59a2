//! Objects as the server stored them.

use flybridge_apiserver::defaults;
use flybridge_machinery::object::{self, path_str};
use serde_json::{Value, json};

use crate::records::{records, report};

/// Takes out what allocation, admission and the generic registry add, which are not defaults.
fn without_admission(kind: &str, stored: &mut Value) {
    for field in ["managedFields", "generation"] {
        object::remove_path(stored, &["metadata", field]);
    }
    match kind {
        "Pod" => without_pod_admission(stored),
        "Service" if path_str(stored, &["spec", "clusterIP"]) == Some("<clusterIP>") => {
            object::remove_path(stored, &["spec", "clusterIP"]);
            object::remove_path(stored, &["spec", "clusterIPs"]);
        }
        "Node" => retain(stored, &["spec", "taints"], |taint| {
            taint["key"] != "node.kubernetes.io/not-ready"
        }),
        "PersistentVolume" => {
            object::remove_path(stored, &["status", "lastPhaseTransitionTime"]);
        }
        _ => {}
    }
    if let Some(ports) = stored
        .pointer_mut("/spec/ports")
        .and_then(Value::as_array_mut)
    {
        for port in ports {
            if port["nodePort"] == 32769 {
                port.as_object_mut().unwrap().remove("nodePort");
            }
        }
    }
}

fn without_pod_admission(pod: &mut Value) {
    for field in ["priority", "preemptionPolicy"] {
        object::remove_path(pod, &["spec", field]);
    }
    for field in ["serviceAccountName", "serviceAccount"] {
        if path_str(pod, &["spec", field]) == Some("default") {
            object::remove_path(pod, &["spec", field]);
        }
    }
    let added = |name: &Value| {
        name.as_str()
            .is_some_and(|name| name.starts_with("kube-api-access"))
    };
    retain(pod, &["spec", "volumes"], |volume| !added(&volume["name"]));
    retain(pod, &["spec", "tolerations"], |toleration| {
        toleration["tolerationSeconds"] != 300
            || !toleration["key"]
                .as_str()
                .unwrap_or_default()
                .starts_with("node.kubernetes.io/")
    });
    for list in ["containers", "initContainers"] {
        let containers = pod
            .pointer_mut(&format!("/spec/{list}"))
            .and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            retain(container, &["volumeMounts"], |mount| !added(&mount["name"]));
        }
    }
}

/// Keeps some items of a list, and the list only while it has items.
fn retain(value: &mut Value, path: &[&str], keep: impl Fn(&Value) -> bool) {
    let pointer = format!("/{}", path.join("/"));
    let Some(items) = value.pointer_mut(&pointer).and_then(Value::as_array_mut) else {
        return;
    };
    items.retain(keep);
    if items.is_empty() {
        object::remove_path(value, path);
    }
}

fn check(record: &Value) -> Result<(), String> {
    let kind = path_str(record, &["kind"]).unwrap();
    let mut ours = record["object"].clone();
    object::set_uid(&mut ours, "<uid:1>");
    if let Some(namespace) = path_str(&record["stored"], &["metadata", "namespace"]) {
        object::set_namespace(&mut ours, namespace);
    }
    let gvk = object::gvk(&ours).unwrap();
    defaults::apply_for_create(&gvk, &mut ours);
    object::remove_path(&mut ours, &["metadata", "uid"]);
    let mut theirs = record["stored"].clone();
    without_admission(kind, &mut theirs);
    without_admission(kind, &mut ours);
    let mut differences = Vec::new();
    differ("", &ours, &theirs, &mut differences);
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} {kind}: {}",
        record["id"],
        differences.join("; ")
    ))
}

fn differ(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for key in ours
                .keys()
                .chain(theirs.keys().filter(|key| !ours.contains_key(*key)))
            {
                match (ours.get(key), theirs.get(key)) {
                    (Some(ours), Some(theirs)) => {
                        differ(&format!("{path}.{key}"), ours, theirs, found);
                    }
                    (Some(ours), None) => found.push(format!("{path}.{key} {ours} too much")),
                    (None, theirs) => found.push(format!("{path}.{key} {theirs:?} missing")),
                }
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                differ(&format!("{path}[{index}]"), ours, theirs, found);
            }
        }
        (ours, theirs) if ours == theirs => {}
        (ours, theirs) => found.push(format!("{path} {ours}, not {theirs}")),
    }
}

#[test]
fn created_objects_are_those_of_a_real_server() {
    let mut records = records("defaults.jsonl");
    // Recorded with a feature off: the field was dropped, ours keeps it.
    records.retain(|record| {
        record
            .pointer("/object/spec/updateStrategy/rollingUpdate/maxUnavailable")
            .is_none()
            || record["kind"] != "StatefulSet"
    });
    let failures: Vec<String> = records
        .iter()
        .filter_map(|record| check(record).err())
        .collect();
    report(records.len(), 60, &failures);
}

#[test]
fn defaulting_twice_changes_nothing_more() {
    for record in records("defaults.jsonl") {
        let mut once = record["object"].clone();
        let gvk = object::gvk(&once).unwrap();
        defaults::apply(&gvk, &mut once);
        let mut twice = once.clone();
        defaults::apply(&gvk, &mut twice);
        assert_eq!(once, twice, "{}", record["id"]);
    }
}

#[test]
fn odd_shapes_are_left_alone() {
    for (kind, odd) in [
        ("Pod", json!({"spec": "text"})),
        (
            "Pod",
            json!({"spec": {"containers": "text", "volumes": [1]}}),
        ),
        ("Service", json!({"spec": {"ports": [1, "x"]}})),
        ("Secret", json!({"stringData": []})),
        ("Node", json!([])),
    ] {
        let mut object = odd.clone();
        defaults::apply(&flybridge_machinery::Gvk::new("", "v1", kind), &mut object);
        assert_eq!(object.is_object(), odd.is_object(), "{odd}");
    }
}
