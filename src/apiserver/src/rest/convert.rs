//! One stored object, many versions: what a request's version shows and what is stored.
//!
//! Custom resources differ in apiVersion only (strategy None). Among the built-in kinds only events
//! and autoscalers are served in two shapes.

use bytes::{BufMut, Bytes, BytesMut};
use flybridge_machinery::object;
use flybridge_schema::Schema;
use flybridge_store::Record;
use serde_json::{Map, Value, json};

use crate::record;
use crate::registry::{Definition, Origin};
use crate::request::Answer;

/// Core field, `events.k8s.io` field.
const EVENT_FIELDS: [(&str, &str); 8] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
    ("reportingInstance", "reportingInstance"),
];

/// Whether objects are stored as the version shows them.
pub(crate) fn is_stored_as_shown(definition: &Definition) -> bool {
    definition.storage_api_version() == definition.api_version()
}

/// Turns a stored object into what the version shows; one that is shown already stays.
pub(crate) fn show(definition: &Definition, value: &mut Value) {
    let wanted = definition.api_version();
    if object::api_version(value) == wanted || object::kind(value) != definition.kind {
        return;
    }
    match (definition.group.as_str(), wanted.as_str()) {
        ("events.k8s.io", _) => show_event(value),
        (_, "autoscaling/v1") => show_autoscaler_v1(value),
        _ => {}
    }
    value["apiVersion"] = json!(wanted);
}

/// A stored object as the version shows it, with defaults its type has got since it was stored.
pub(crate) fn read(definition: &Definition, record: &Record) -> Answer<Value> {
    let mut value = record::decode(&record.value)?;
    show(definition, &mut value);
    if let Some(schema) = stale_schema(definition, record) {
        schema.prune(&mut value);
        schema.default(&mut value);
    }
    Ok(value)
}

/// Bytes of [`read`]; decodes nothing if there is nothing to do.
pub(crate) fn read_bytes(definition: &Definition, record: &Record) -> Answer<Bytes> {
    if stale_schema(definition, record).is_some() {
        return crate::http::present::encode(&read(definition, record)?);
    }
    if is_stored_as_shown(definition) {
        Ok(record.value.clone())
    } else {
        show_bytes(definition, &record.value)
    }
}

/// The schema, if it is younger than the record.
fn stale_schema<'a>(definition: &'a Definition, record: &Record) -> Option<&'a Schema> {
    match definition.origin {
        Origin::Custom { revision, .. } if record.mod_revision < revision => {
            definition.schema.as_ref()
        }
        _ => None,
    }
}

/// Turns an object of the version into what is stored.
pub(crate) fn store(definition: &Definition, value: &mut Value) {
    match (definition.group.as_str(), definition.version.as_str()) {
        ("events.k8s.io", _) => store_event(value),
        ("autoscaling", "v1") => store_autoscaler_v1(value),
        _ => {}
    }
    value["apiVersion"] = json!(definition.storage_api_version());
}

/// [`show`] on bytes. Custom resources are not decoded: stored bytes begin with their apiVersion.
///
/// # Errors
/// 500 if the bytes are no object.
pub(crate) fn show_bytes(definition: &Definition, bytes: &Bytes) -> Answer<Bytes> {
    if matches!(definition.origin, Origin::Custom { .. }) {
        let stored = format!("{{\"apiVersion\":\"{}\"", definition.storage_api_version());
        let Some(rest) = bytes.strip_prefix(stored.as_bytes()) else {
            return Ok(bytes.clone());
        };
        let mut shown = BytesMut::with_capacity(bytes.len() + 16);
        shown.put_slice(b"{\"apiVersion\":\"");
        shown.put_slice(definition.api_version().as_bytes());
        shown.put_u8(b'"');
        shown.put_slice(rest);
        return Ok(shown.freeze());
    }
    let mut value = record::decode(bytes)?;
    show(definition, &mut value);
    crate::http::present::encode(&value)
}

fn rename(fields: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = fields.remove(from) {
        fields.insert(to.to_owned(), value);
    }
}

fn show_event(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else {
        return;
    };
    for (core, shown) in EVENT_FIELDS {
        rename(fields, core, shown);
    }
    for name in ["reportingController", "reportingInstance", "note"] {
        if fields.get(name).is_some_and(|text| text == "") {
            fields.remove(name);
        }
    }
}

fn store_event(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else {
        return;
    };
    for (core, shown) in EVENT_FIELDS {
        rename(fields, shown, core);
    }
    for name in ["reportingComponent", "reportingInstance"] {
        fields.entry(name).or_insert(json!(""));
    }
    fields.entry("involvedObject").or_insert(json!({}));
    fields.entry("source").or_insert(json!({}));
    for name in ["firstTimestamp", "lastTimestamp", "eventTime"] {
        fields.entry(name).or_insert(Value::Null);
    }
}

fn cpu_utilization(metrics: &Value, part: &str) -> Option<Value> {
    let of_cpu =
        |metric: &&Value| metric["type"] == "Resource" && metric["resource"]["name"] == "cpu";
    let metric = metrics.as_array().into_iter().flatten().find(of_cpu)?;
    Some(metric["resource"][part]["averageUtilization"].clone()).filter(|value| !value.is_null())
}

/// Other metrics than the utilization of CPU have no place in the first version.
fn show_autoscaler_v1(value: &mut Value) {
    let target = cpu_utilization(&value["spec"]["metrics"], "target");
    let current = cpu_utilization(&value["status"]["currentMetrics"], "current");
    for path in [
        ["spec", "metrics"],
        ["spec", "behavior"],
        ["status", "currentMetrics"],
        ["status", "conditions"],
    ] {
        object::remove_path(value, &path);
    }
    if let Some(target) = target {
        value["spec"]["targetCPUUtilizationPercentage"] = target;
    }
    if let Some(current) = current {
        value["status"]["currentCPUUtilizationPercentage"] = current;
    }
    if value["status"].is_object() && value["status"]["currentReplicas"].is_null() {
        value["status"]["currentReplicas"] = json!(0);
    }
}

fn store_autoscaler_v1(value: &mut Value) {
    let utilization = |part: &str, percent: Value| {
        let mut resource = json!({"name": "cpu"});
        resource[part] = json!({"averageUtilization": percent});
        if part == "target" {
            resource[part]["type"] = json!("Utilization");
        }
        json!([{"type": "Resource", "resource": resource}])
    };
    if let Some(percent) = object::remove_path(value, &["spec", "targetCPUUtilizationPercentage"]) {
        value["spec"]["metrics"] = utilization("target", percent);
    }
    if let Some(percent) =
        object::remove_path(value, &["status", "currentCPUUtilizationPercentage"])
    {
        value["status"]["currentMetrics"] = utilization("current", percent);
    } else if value["status"].is_object() && value["status"]["currentMetrics"].is_null() {
        value["status"]["currentMetrics"] = Value::Null;
    }
}
