//! The schemas of custom resources: read from a CRD and completed with what every object has.

use flybridge_machinery::FieldError;
use serde_json::Value;

use crate::graph::raw::RawNode;
use crate::graph::{Graph, NodeData, NodeId, Target, Type};
use crate::{Catalog, Schema, SchemaError};

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

impl Schema {
    /// Reads `openAPIV3Schema` of one version of a CRD.
    ///
    /// # Errors
    /// Violations of the rules of structural schemas, with paths below the schema.
    pub fn from_crd(schema: &Value) -> Result<Self, Vec<FieldError>> {
        let errors = structural_errors(schema);
        if !errors.is_empty() {
            return Err(errors);
        }
        let malformed = |error: &SchemaError| vec![FieldError::invalid("", Value::Null, &error.to_string())];
        let raw: RawNode = serde_json::from_value(schema.clone())
            .map_err(|error| malformed(&SchemaError::Parse(error)))?;
        let mut graph = Graph::default();
        let root = graph.add(raw).map_err(|error| malformed(&error))?;
        complete(&mut graph, root);
        Ok(Self::shared(graph, root))
    }
}

/// Every object has apiVersion, kind and metadata, whether its schema says so or not.
fn complete(graph: &mut Graph, root: NodeId) {
    let meta = Catalog::builtin().definition_id(OBJECT_META);
    let count = NodeId::try_from(graph.nodes.len()).unwrap_or(NodeId::MAX);
    for id in 0..count {
        let node = &graph.nodes[id as usize];
        if id != root && !node.embedded_resource {
            continue;
        }
        for name in ["apiVersion", "kind"] {
            let text = graph.push(NodeData { kind: Type::String, ..NodeData::default() });
            graph.nodes[id as usize].properties.entry(name.into()).or_insert(text);
        }
        if let Some(meta) = meta {
            let target = Some(Target::Builtin(meta));
            let reference = graph.push(NodeData { target, ..NodeData::default() });
            graph.nodes[id as usize].properties.insert("metadata".into(), reference);
        }
    }
}

fn structural_errors(schema: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    match schema["type"].as_str() {
        Some("object") => {}
        None => errors.push(FieldError::required("type", "must not be empty at the root")),
        Some(other) => errors.push(FieldError::invalid("type", other, "must be object at the root")),
    }
    walk(schema, "", &mut errors);
    errors
}

fn join(base: &str, part: &str) -> String {
    if base.is_empty() { part.to_owned() } else { format!("{base}.{part}") }
}

fn walk(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(reference) = schema["$ref"].as_str() {
        errors.push(FieldError::forbidden(join(path, "$ref"), &format!("{reference} is not supported")));
    }
    let exempt = schema["x-kubernetes-int-or-string"] == true
        || schema["x-kubernetes-preserve-unknown-fields"] == true;
    if !path.is_empty() && schema["type"].is_null() && !exempt {
        let detail = "must not be empty for specified object fields";
        errors.push(FieldError::required(join(path, "type"), detail));
    }
    if let Some(pattern) = schema["pattern"].as_str()
        && let Err(error) = regex::Regex::new(pattern)
    {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        errors.push(FieldError::invalid(join(path, "pattern"), pattern, &detail));
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        walk(property, &join(path, &format!("properties[{name}]")), errors);
    }
    if schema["items"].is_object() {
        walk(&schema["items"], &join(path, "items"), errors);
    }
    if schema["additionalProperties"].is_object() {
        walk(&schema["additionalProperties"], &join(path, "additionalProperties"), errors);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_object_has_metadata() {
        let schema = Schema::from_crd(&json!({
            "type": "object",
            "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
        }))
        .unwrap();
        let object = json!({
            "apiVersion": "g/v1", "kind": "K",
            "metadata": {"name": "a", "labels": {"x": "y"}, "odd": 1},
            "spec": {"size": 1, "sise": 2},
        });
        assert_eq!(schema.unknown_fields(&object), ["metadata.odd", "spec.sise"]);
    }

    #[test]
    fn schemas_must_be_structural() {
        let errors = Schema::from_crd(&json!({"type": "array"})).unwrap_err();
        assert_eq!(errors[0].field, "type");
        let errors = Schema::from_crd(&json!({
            "type": "object", "properties": {"a": {}, "b": {"type": "string", "pattern": "("}},
        }))
        .unwrap_err();
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["properties[a].type", "properties[b].pattern"]);
    }
}
