//! What a manifest takes over from the copy it replaces in the member.

use serde_json::{Map, Value};

use crate::operation::{not_handled, type_of};
use crate::{Error, Operation, Result};

/// Marks workloads whose members own the replicas, for example through an autoscaler.
const RETAIN_REPLICAS: &str = "resourcetemplate.karmada.io/retain-replicas";
/// The type of Secrets that hold a service account's token.
const TOKEN_SECRET: &str = "kubernetes.io/service-account-token";

/// Moves into `desired` what the kind's rule keeps of `observed`.
///
/// # Errors
/// No rule for the kind, or the parts to keep do not have the expected shape.
pub fn retain(desired: &mut Value, observed: &Value) -> Result<()> {
    match type_of(desired) {
        ("apps/v1", "Deployment") => deployment(desired, observed),
        ("batch/v1", "Job") => {
            take(desired, observed, &["spec", "selector", "matchLabels"]);
            take(
                desired,
                observed,
                &["spec", "template", "metadata", "labels"],
            );
            Ok(())
        }
        ("v1", "Pod") => {
            pod(desired, observed);
            Ok(())
        }
        ("v1", "Service") => service(desired, observed),
        ("v1", "ServiceAccount") => {
            union_by_name(desired, observed, "secrets")?;
            union_by_name(desired, observed, "imagePullSecrets")
        }
        ("v1", "PersistentVolumeClaim") => {
            if observed["spec"]["volumeName"]
                .as_str()
                .is_some_and(|name| !name.is_empty())
            {
                take(desired, observed, &["spec", "volumeName"]);
            }
            Ok(())
        }
        ("v1", "PersistentVolume") => {
            take(desired, observed, &["spec", "claimRef"]);
            Ok(())
        }
        ("v1", "Secret") => {
            if desired["type"] == TOKEN_SECRET {
                take(desired, observed, &["data"]);
            }
            Ok(())
        }
        _ => not_handled(desired, Operation::Retain),
    }
}

/// Copies the value at `path` if the observed object has one.
fn take(desired: &mut Value, observed: &Value, path: &[&str]) {
    let Some(kept) = path.iter().try_fold(observed, |value, key| value.get(*key)) else {
        return;
    };
    let Some((last, parents)) = path.split_last() else {
        return;
    };
    let mut target = desired;
    for key in parents {
        if !target.is_object() {
            *target = Value::Object(Map::new());
        }
        target = &mut target[*key];
    }
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    target[*last] = kept.clone();
}

fn deployment(desired: &mut Value, observed: &Value) -> Result<()> {
    if desired["metadata"]["labels"][RETAIN_REPLICAS] != "true" {
        return Ok(());
    }
    let replicas = &observed["spec"]["replicas"];
    if !replicas.is_i64() {
        return Err(Error::invalid(
            "the member's copy states no replicas to retain",
        ));
    }
    take(desired, observed, &["spec", "replicas"]);
    Ok(())
}

fn service(desired: &mut Value, observed: &Value) -> Result<()> {
    let spec = &observed["spec"];
    match &spec["clusterIP"] {
        Value::Null => {}
        Value::String(address) if address.is_empty() => {}
        Value::String(_) => take(desired, observed, &["spec", "clusterIP"]),
        _ => return Err(Error::invalid("the member's clusterIP is no text")),
    }
    match &spec["healthCheckNodePort"] {
        Value::Null => {}
        port => {
            let port = port.as_i64();
            let port = port
                .ok_or_else(|| Error::invalid("the member's healthCheckNodePort is no number"))?;
            if port > 0 {
                take(desired, observed, &["spec", "healthCheckNodePort"]);
            }
        }
    }
    Ok(())
}

/// Appends to the desired list what the observed one has under other names.
fn union_by_name(desired: &mut Value, observed: &Value, field: &str) -> Result<()> {
    let list = |object: &Value| match &object[field] {
        Value::Null => Ok(None),
        Value::Array(entries) => Ok(Some(entries.clone())),
        _ => Err(Error::invalid(format!("{field} is no list"))),
    };
    let Some(kept) = list(observed)? else {
        return Ok(());
    };
    let mut merged = list(desired)?.unwrap_or_default();
    for entry in kept {
        if !merged.iter().any(|have| have["name"] == entry["name"]) {
            merged.push(entry);
        }
    }
    desired[field] = Value::Array(merged);
    Ok(())
}

fn pod(desired: &mut Value, observed: &Value) {
    for field in ["nodeName", "serviceAccountName", "volumes"] {
        if observed["spec"].get(field).is_some() {
            take(desired, observed, &["spec", field]);
        } else if let Some(spec) = desired.get_mut("spec").and_then(Value::as_object_mut) {
            spec.remove(field);
        }
    }
    for field in ["containers", "initContainers"] {
        let kept = observed["spec"][field]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let wanted = desired.get_mut("spec").and_then(|spec| spec.get_mut(field));
        for container in wanted.and_then(Value::as_array_mut).into_iter().flatten() {
            retain_mounts(container, kept);
        }
    }
}

fn retain_mounts(container: &mut Value, observed: &[Value]) {
    let Some(same) = observed
        .iter()
        .find(|have| have["name"] == container["name"])
    else {
        return;
    };
    if let Some(fields) = container.as_object_mut() {
        match same.get("volumeMounts") {
            Some(mounts) => fields.insert("volumeMounts".to_owned(), mounts.clone()),
            None => fields.remove("volumeMounts"),
        };
    }
}
