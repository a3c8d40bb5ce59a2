//! JSON schemas of foreign types and the rewriting that makes derived schemas structural.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// The structural schema of a type: everything inlined, no null types, plain enumerations.
pub(crate) fn structural<T: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::openapi3();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut value = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    rewrite(&mut value);
    Schema::try_from(value).unwrap_or_default()
}

fn rewrite(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for key in ["title", "nullable", "$schema", "components"] {
                if !matches!(map.get(key), Some(Value::Object(_))) || key == "components" {
                    map.remove(key);
                }
            }
            drop_default_of_required(map);
            plain_type(map);
            plain_optional(map);
            plain_enum(map);
            for child in map.values_mut() {
                rewrite(child);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A default that deserialization falls back to is no default of the API where the member is required or compound.
fn drop_default_of_required(map: &mut Map<String, Value>) {
    let required = map.get("required").cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = map.get_mut("properties") else {
        return;
    };
    for (name, property) in properties {
        let Some(property) = property.as_object_mut() else {
            continue;
        };
        let named = required
            .as_array()
            .is_some_and(|names| names.iter().any(|listed| listed == name));
        let scalar = property
            .get("default")
            .is_some_and(|value| value.is_string() || value.is_number() || value.is_boolean());
        if named || !scalar {
            property.remove("default");
        }
    }
}

/// `type: [T, null]` becomes `type: T`.
fn plain_type(map: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = map.get("type") else {
        return;
    };
    if let Some(kind) = types.iter().find(|kind| **kind != json!("null")).cloned() {
        map.insert("type".to_owned(), kind);
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// `anyOf: [X, null]` becomes `X`.
fn plain_optional(map: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = map.get("anyOf") else {
        return;
    };
    let mut real = branches.iter().filter(|branch| !is_null_schema(branch));
    let (Some(Value::Object(only)), None) = (real.next(), real.next()) else {
        return;
    };
    let only = only.clone();
    map.remove("anyOf");
    for (key, value) in only {
        map.entry(key).or_insert(value);
    }
}

fn is_null_schema(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("null"))
        || schema.get("const") == Some(&Value::Null)
        || schema.get("enum") == Some(&json!([null]))
}

/// `oneOf` of documented constants becomes an `enum`.
fn plain_enum(map: &mut Map<String, Value>) {
    let Some(Value::Array(branches)) = map.get("oneOf") else {
        return;
    };
    let mut words = Vec::new();
    for branch in branches {
        match (branch.get("const"), branch.get("enum")) {
            (Some(word), _) => words.push(word.clone()),
            (None, Some(Value::Array(values))) => words.extend(values.iter().cloned()),
            _ => return,
        }
    }
    map.remove("oneOf");
    map.insert("type".to_owned(), json!("string"));
    map.entry("enum").or_insert(Value::Array(words));
}

/// Adds the accepted spelling `clusterLabels` of a cluster affinity's label selector.
pub(crate) fn with_cluster_labels(schema: &mut Schema) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    if let Some(selector) = properties.get("labelSelector").cloned() {
        properties.insert("clusterLabels".to_owned(), selector);
    }
}

/// Serde functions that keep an explicit null apart from an absent member.
pub(crate) mod present {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Value>, D::Error> {
        Value::deserialize(deserializer).map(Some)
    }
}

pub(crate) fn any(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
}

pub(crate) fn free_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

pub(crate) fn manifests(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
        },
    })
}

pub(crate) fn time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time" })
}

const QUANTITY: &str = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

fn quantity_value() -> Value {
    json!({
        "anyOf": [{ "type": "integer" }, { "type": "string" }],
        "pattern": QUANTITY,
        "x-kubernetes-int-or-string": true,
    })
}

pub(crate) fn quantity(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [{ "type": "integer" }, { "type": "string" }],
        "pattern": QUANTITY,
        "x-kubernetes-int-or-string": true,
    })
}

pub(crate) fn resource_list(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": quantity_value() })
}

pub(crate) fn label_selector(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "matchLabels": { "type": "object", "additionalProperties": { "type": "string" } },
            "matchExpressions": { "type": "array", "items": requirement() },
        },
        "x-kubernetes-map-type": "atomic",
    })
}

fn requirement() -> Value {
    json!({
        "type": "object",
        "required": ["key", "operator"],
        "properties": {
            "key": { "type": "string" },
            "operator": { "type": "string" },
            "values": { "type": "array", "items": { "type": "string" } },
        },
    })
}

pub(crate) fn node_selector(_: &mut SchemaGenerator) -> Schema {
    let requirements = || json!({ "type": "array", "items": requirement() });
    json_schema!({
        "type": "object",
        "required": ["nodeSelectorTerms"],
        "properties": {
            "nodeSelectorTerms": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "matchExpressions": requirements(),
                        "matchFields": requirements(),
                    },
                },
            },
        },
    })
}

pub(crate) fn tolerations(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "key": { "type": "string" },
                "operator": { "type": "string" },
                "value": { "type": "string" },
                "effect": { "type": "string" },
                "tolerationSeconds": { "type": "integer", "format": "int64" },
            },
        },
    })
}

pub(crate) fn taints(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["effect", "key"],
            "properties": {
                "key": { "type": "string" },
                "value": { "type": "string" },
                "effect": { "type": "string" },
                "timeAdded": { "type": "string", "format": "date-time" },
            },
        },
    })
}

pub(crate) fn conditions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["lastTransitionTime", "message", "reason", "status", "type"],
            "properties": {
                "lastTransitionTime": { "type": "string", "format": "date-time" },
                "message": { "type": "string", "maxLength": 32768 },
                "observedGeneration": { "type": "integer", "format": "int64", "minimum": 0 },
                "reason": {
                    "type": "string",
                    "maxLength": 1024,
                    "minLength": 1,
                    "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
                },
                "status": { "type": "string", "enum": ["True", "False", "Unknown"] },
                "type": {
                    "type": "string",
                    "maxLength": 316,
                    "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
                },
            },
        },
    })
}
