//! From the serialized form to the arena.

use std::collections::BTreeMap;

use flybridge_machinery::Gvk;

use super::raw::{BoolOrNode, RawNode};
use super::{Additional, Graph, ListType, MapType, NodeData, NodeId, Rules, Scalar, Target, Type};
use crate::SchemaError;

impl Graph {
    /// Builds the graph of the built-in definitions.
    ///
    /// # Errors
    /// Fails when a reference names no definition.
    pub(crate) fn from_definitions(raw: BTreeMap<Box<str>, RawNode>) -> Result<Self, SchemaError> {
        let mut graph = Self {
            builtin: true,
            ..Self::default()
        };
        for name in raw.keys() {
            let id = graph.reserve();
            graph.definitions.insert(name.clone(), id);
            graph.names.insert(id, name.clone());
        }
        for (name, raw) in raw {
            let id = graph.definitions[&name];
            let mut data = graph.data(raw)?;
            mark(&name, &mut data);
            graph.nodes[id as usize] = data;
        }
        Ok(graph)
    }

    pub(crate) fn reserve(&mut self) -> NodeId {
        self.push(NodeData::default())
    }

    pub(crate) fn push(&mut self, data: NodeData) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        self.nodes.push(data);
        id
    }

    pub(crate) fn add(&mut self, raw: RawNode) -> Result<NodeId, SchemaError> {
        let data = self.data(raw)?;
        Ok(self.push(data))
    }

    fn add_all(&mut self, raw: Option<Vec<RawNode>>) -> Result<Vec<NodeId>, SchemaError> {
        raw.into_iter().flatten().map(|raw| self.add(raw)).collect()
    }

    fn data(&mut self, mut raw: RawNode) -> Result<NodeData, SchemaError> {
        let rules = self.rules(&mut raw)?;
        let target = match &raw.reference {
            None => None,
            Some(name) => {
                Some(Target::Local(*self.definitions.get(name).ok_or_else(
                    || SchemaError::Reference(name.clone().into_string()),
                )?))
            }
        };
        let mut properties = BTreeMap::new();
        for (name, property) in raw.properties.into_iter().flatten() {
            let id = self.add(property)?;
            properties.insert(name, id);
        }
        let additional = match raw.additional_properties {
            None => Additional::Unset,
            Some(BoolOrNode::Bool(allowed)) => Additional::Allowed(allowed),
            Some(BoolOrNode::Node(node)) => Additional::Schema(self.add(*node)?),
        };
        let items = raw.items.map(|items| self.add(*items)).transpose()?;
        let scalar = scalar_of(raw.int_or_string, raw.format.as_deref(), self.builtin);
        Ok(NodeData {
            kind: type_of(raw.kind.as_deref(), raw.int_or_string),
            scalar,
            target,
            properties,
            additional,
            items,
            required: raw.required.unwrap_or_default(),
            default: raw.default,
            nullable: raw.nullable,
            format: raw.format,
            list_type: raw.list_type.as_deref().and_then(list_type),
            list_map_keys: raw.list_map_keys.unwrap_or_default(),
            map_type: raw.map_type.as_deref().and_then(map_type),
            patch_strategy: raw.patch_strategy,
            patch_merge_key: raw.patch_merge_key,
            preserve_unknown: raw.preserve_unknown.unwrap_or(false),
            embedded_resource: raw.embedded_resource,
            gvks: raw
                .gvks
                .into_iter()
                .flatten()
                .map(|gvk| Gvk::new(gvk.group, gvk.version, gvk.kind))
                .collect(),
            unions: raw.unions,
            validations: raw.validations,
            rules,
            description: raw.description,
        })
    }

    fn rules(&mut self, raw: &mut RawNode) -> Result<Option<Box<Rules>>, SchemaError> {
        let not = raw.not.take().map(|raw| self.add(*raw)).transpose()?;
        let rules = Rules {
            allowed: raw.allowed.take().unwrap_or_default(),
            pattern: raw
                .pattern
                .as_deref()
                .and_then(|pattern| regex::Regex::new(pattern).ok()),
            minimum: raw.minimum,
            maximum: raw.maximum,
            exclusive_minimum: raw.exclusive_minimum,
            exclusive_maximum: raw.exclusive_maximum,
            multiple_of: raw.multiple_of,
            min_length: raw.min_length,
            max_length: raw.max_length,
            min_items: raw.min_items,
            max_items: raw.max_items,
            unique_items: raw.unique_items,
            min_properties: raw.min_properties,
            max_properties: raw.max_properties,
            all_of: self.add_all(raw.all_of.take())?,
            any_of: self.add_all(raw.any_of.take())?,
            one_of: self.add_all(raw.one_of.take())?,
            not,
        };
        Ok((!rules.is_empty()).then(|| Box::new(rules)))
    }
}

impl Rules {
    fn is_empty(&self) -> bool {
        self.allowed.is_empty()
            && self.pattern.is_none()
            && self.not.is_none()
            && self.all_of.is_empty()
            && self.any_of.is_empty()
            && self.one_of.is_empty()
            && !self.unique_items
            && [self.minimum, self.maximum, self.multiple_of]
                .iter()
                .all(Option::is_none)
            && [
                self.min_length,
                self.max_length,
                self.min_items,
                self.max_items,
                self.min_properties,
                self.max_properties,
            ]
            .iter()
            .all(Option::is_none)
    }
}

fn type_of(name: Option<&str>, int_or_string: bool) -> Type {
    match name {
        _ if int_or_string => Type::Any,
        Some("object") => Type::Object,
        Some("array") => Type::Array,
        Some("string") => Type::String,
        Some("integer") => Type::Integer,
        Some("number") => Type::Number,
        Some("boolean") => Type::Boolean,
        _ => Type::Any,
    }
}

fn scalar_of(int_or_string: bool, format: Option<&str>, builtin: bool) -> Scalar {
    match format {
        _ if int_or_string => Scalar::IntOrString,
        Some("byte") if builtin => Scalar::Bytes,
        _ => Scalar::Plain,
    }
}

fn list_type(name: &str) -> Option<ListType> {
    match name {
        "atomic" => Some(ListType::Atomic),
        "set" => Some(ListType::Set),
        "map" => Some(ListType::Map),
        _ => None,
    }
}

fn map_type(name: &str) -> Option<MapType> {
    match name {
        "atomic" => Some(MapType::Atomic),
        "granular" => Some(MapType::Granular),
        _ => None,
    }
}

/// Gives the wrapper types their meaning, which the definitions do not carry.
fn mark(name: &str, data: &mut NodeData) {
    let scalar = match name.rsplit('.').next().unwrap_or(name) {
        "Quantity" => Scalar::Quantity,
        "IntOrString" => Scalar::IntOrString,
        "Time" => Scalar::Time,
        "MicroTime" => Scalar::MicroTime,
        "FieldsV1" | "RawExtension" | "Patch" => Scalar::Opaque,
        _ if data.kind == Type::Any && data.target.is_none() => Scalar::Opaque,
        _ => return,
    };
    data.scalar = scalar;
}
