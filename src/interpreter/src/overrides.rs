//! Changing a manifest for one cluster, as override policies say.
//!
//! Each overrider sees what the ones before it left. Any failure spoils the whole.

mod field;
mod image;
mod words;

use flybridge_apis::Overriders;
use flybridge_apis::override_policy::{
    LabelAnnotationOverrider, OverriderOperator, PlaintextOverrider,
};
use flybridge_patch::json_patch;
use serde_json::{Map, Value, json};

use crate::{Error, Result};

/// Applies the overriders of one rule: images, commands, arguments, labels, annotations, fields,
/// then plain operations.
///
/// # Errors
/// An overrider does not fit the object; the object is then half changed.
pub fn apply_overriders(object: &mut Value, overriders: &Overriders) -> Result<()> {
    for overrider in &overriders.image_overrider {
        image::apply(object, overrider)?;
    }
    for overrider in &overriders.command_overrider {
        words::apply(object, "command", overrider)?;
    }
    for overrider in &overriders.args_overrider {
        words::apply(object, "args", overrider)?;
    }
    for overrider in &overriders.labels_overrider {
        entries(object, "labels", overrider)?;
    }
    for overrider in &overriders.annotations_overrider {
        entries(object, "annotations", overrider)?;
    }
    for overrider in &overriders.field_overrider {
        field::apply(object, overrider)?;
    }
    plaintext(object, &overriders.plaintext)
}

/// The path of the pod spec in the kinds whose containers are overridden by name.
fn pod_spec_path(object: &Value) -> Option<&'static [&'static str]> {
    match object["kind"].as_str()? {
        "Pod" => Some(&["spec"]),
        "ReplicaSet" | "Deployment" | "DaemonSet" | "StatefulSet" | "Job" => {
            Some(&["spec", "template", "spec"])
        }
        _ => None,
    }
}

/// The containers of a pod or workload.
fn containers_mut(object: &mut Value) -> Option<&mut Vec<Value>> {
    let path = pod_spec_path(object)?;
    let spec = path
        .iter()
        .try_fold(object, |value, key| value.get_mut(*key))?;
    spec.get_mut("containers")?.as_array_mut()
}

fn entries(object: &mut Value, field: &str, overrider: &LabelAnnotationOverrider) -> Result<()> {
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    let metadata = metadata.ok_or_else(|| Error::invalid("the object has no metadata"))?;
    if overrider.operator == OverriderOperator::Add {
        let slot = metadata
            .entry(field)
            .or_insert_with(|| Value::Object(Map::new()));
        if slot.is_null() {
            *slot = Value::Object(Map::new());
        }
    }
    let Some(map) = metadata.get_mut(field).and_then(Value::as_object_mut) else {
        return Ok(());
    };
    for (key, value) in &overrider.value {
        match overrider.operator {
            OverriderOperator::Add => {
                map.insert(key.clone(), json!(value));
            }
            OverriderOperator::Replace => {
                if let Some(have) = map.get_mut(key) {
                    *have = json!(value);
                }
            }
            OverriderOperator::Remove => {
                map.remove(key);
            }
        }
    }
    Ok(())
}

fn plaintext(object: &mut Value, overriders: &[PlaintextOverrider]) -> Result<()> {
    if overriders.is_empty() {
        return Ok(());
    }
    let operations: Vec<Value> = overriders
        .iter()
        .map(|o| operation(o.operator, &o.path, o.value.as_ref()))
        .collect();
    patched(object, operations)
}

fn operation(operator: OverriderOperator, path: &str, value: Option<&Value>) -> Value {
    json!({"op": operator.as_str(), "path": path, "value": value})
}

/// Applies operations in order; to replace what is not there is an error here, unlike in the API.
fn patched(document: &mut Value, operations: Vec<Value>) -> Result<()> {
    for operation in operations {
        let path = operation["path"].as_str().unwrap_or_default();
        if operation["op"] == OverriderOperator::Replace.as_str()
            && document.pointer(path).is_none()
        {
            return Err(Error::invalid(format!(
                "there is nothing to replace at {path}"
            )));
        }
        json_patch(document, &Value::Array(vec![operation]))
            .map_err(|error| Error::invalid(error.to_string()))?;
    }
    Ok(())
}
