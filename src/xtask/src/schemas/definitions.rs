//! JSON schema definitions back in the shape of Kubernetes' own OpenAPI document.
//!
//! The published set made scalars nullable, moved references, and spelled out the two types that
//! are a string or a number; all three are undone here.

use anyhow::Context;
use serde_json::{Map, Value, json};

const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const INT_OR_STRING: &str = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

/// Keys of associative lists that have a default: only the OpenAPI v3 documents carry them.
const KEY_DEFAULTS: [(&str, &str, &str); 2] = [
    ("io.k8s.api.core.v1.ContainerPort", "protocol", "TCP"),
    ("io.k8s.api.core.v1.ServicePort", "protocol", "TCP"),
];

/// Definitions by name, and their texts apart.
pub(crate) struct Definitions {
    /// Name to schema, without descriptions.
    pub(crate) graph: Value,
    /// Name to (field to description); the empty field is the definition itself.
    pub(crate) descriptions: Value,
}

/// Splits and restores the definitions of a document.
pub(crate) fn convert(document: &Value) -> anyhow::Result<Definitions> {
    let all = document
        .get("$defs")
        .and_then(Value::as_object)
        .context("the document has no $defs")?;
    let mut graph = Map::new();
    let mut descriptions = Map::new();
    for (name, definition) in all {
        let mut definition = definition.clone();
        let texts = take_descriptions(&mut definition);
        if !texts.is_empty() {
            descriptions.insert(name.clone(), Value::Object(texts));
        }
        restore(&mut definition);
        if name == QUANTITY {
            definition = json!({"type": "string"});
        } else if name == INT_OR_STRING {
            definition = json!({"type": "string", "format": "int-or-string"});
        }
        graph.insert(name.clone(), definition);
    }
    for (name, field, default) in KEY_DEFAULTS {
        if let Some(Value::Object(property)) = graph
            .get_mut(name)
            .and_then(|definition| definition.pointer_mut(&format!("/properties/{field}")))
        {
            property.insert("default".to_owned(), default.into());
        }
    }
    Ok(Definitions {
        graph: Value::Object(graph),
        descriptions: Value::Object(descriptions),
    })
}

fn take_descriptions(definition: &mut Value) -> Map<String, Value> {
    let mut texts = Map::new();
    let Some(object) = definition.as_object_mut() else {
        return texts;
    };
    if let Some(text) = object.remove("description") {
        texts.insert(String::new(), text);
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (field, property) in properties {
            if let Some(text) = property
                .as_object_mut()
                .and_then(|property| property.remove("description"))
            {
                texts.insert(field.clone(), text);
            }
        }
    }
    texts
}

fn restore(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(types)) = object.get("type") {
        let scalar = types.iter().find(|name| name.as_str() != Some("null"));
        if let Some(scalar) = scalar.cloned() {
            object.insert("type".to_owned(), scalar);
        }
    }
    if let Some(Value::String(reference)) = object.get_mut("$ref")
        && let Some((_, name)) = reference.rsplit_once('/')
    {
        *reference = name.to_owned();
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (field, property) in properties {
            // The set pins these two to the values of its file; Kubernetes does not.
            if (field == "apiVersion" || field == "kind")
                && let Some(property) = property.as_object_mut()
            {
                property.remove("enum");
            }
            restore(property);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = object.get_mut(key) {
            restore(inner);
        }
    }
}
