//! The schemas of custom resources: read from a CRD and completed with what every object has.

mod defaults;
mod lists;
mod rules;
mod values;

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
        let mut errors = Vec::new();
        rules::check_root(schema, &mut errors);
        if errors.is_empty() {
            defaults::check(schema, "", &mut errors);
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Self::from_structural(schema)
    }

    /// Reads a part of a structural schema, which is no object of its own.
    fn from_fragment(schema: &Value) -> Result<Self, Vec<FieldError>> {
        let (graph, root) = read(schema)?;
        Ok(Self::shared(graph, root))
    }

    fn from_structural(schema: &Value) -> Result<Self, Vec<FieldError>> {
        let (mut graph, root) = read(schema)?;
        complete(&mut graph, root);
        Ok(Self::shared(graph, root))
    }
}

fn read(schema: &Value) -> Result<(Graph, NodeId), Vec<FieldError>> {
    let malformed = |error: &SchemaError| vec![FieldError::invalid("", "", &error.to_string())];
    let raw: RawNode = serde_json::from_value(schema.clone())
        .map_err(|error| malformed(&SchemaError::Parse(error)))?;
    let mut graph = Graph::default();
    let root = graph.add(raw).map_err(|error| malformed(&error))?;
    Ok((graph, root))
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
            let text = graph.push(NodeData {
                kind: Type::String,
                ..NodeData::default()
            });
            graph.nodes[id as usize]
                .properties
                .entry(name.into())
                .or_insert(text);
        }
        if let Some(meta) = meta {
            let target = Some(Target::Builtin(meta));
            let reference = graph.push(NodeData {
                target,
                ..NodeData::default()
            });
            graph.nodes[id as usize]
                .properties
                .insert("metadata".into(), reference);
        }
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
        assert_eq!(
            schema.unknown_fields(&object),
            ["metadata.odd", "spec.sise"]
        );
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
