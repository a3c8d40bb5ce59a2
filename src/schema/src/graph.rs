//! The graph of types: one node shape for built-in kinds and custom resources.
//!
//! Nodes lie in an arena and refer to each other by index, so recursive types cost nothing. A
//! custom resource's graph may point into the built-in one (`metadata` is the same type for all).

mod build;
mod node;
pub(crate) mod raw;
mod topology;

use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_machinery::Gvk;
use serde_json::Value;

pub use node::Node;

/// The index of a node in its arena.
pub(crate) type NodeId = u32;

/// The JSON type a schema asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Type {
    /// No type: any value.
    #[default]
    Any,
    /// A struct or a map.
    Object,
    /// A list.
    Array,
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
}

/// Values with rules of their own that JSON's types do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scalar {
    /// Nothing special.
    #[default]
    Plain,
    /// A resource amount such as `100m`; JSON string or number.
    Quantity,
    /// A whole number or text.
    IntOrString,
    /// RFC 3339 in seconds.
    Time,
    /// RFC 3339 in microseconds.
    MicroTime,
    /// Base64 text.
    Bytes,
    /// Any JSON value, kept as it is.
    Opaque,
}

/// `x-kubernetes-list-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListType {
    /// Replaced as a whole.
    Atomic,
    /// Items are unique scalars.
    Set,
    /// Items are objects told apart by the list-map-keys.
    Map,
}

/// `x-kubernetes-map-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapType {
    /// Replaced as a whole.
    Atomic,
    /// Fields are owned one by one.
    Granular,
}

/// Where a `$ref` leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// A node of the same graph.
    Local(NodeId),
    /// A node of the built-in graph.
    Builtin(NodeId),
}

/// What values may be below keys that are not properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Additional {
    /// Not said.
    #[default]
    Unset,
    /// `additionalProperties: true` or `false`.
    Allowed(bool),
    /// A map with values of one type.
    Schema(NodeId),
}

/// Everything a schema says of one position.
#[derive(Debug, Default)]
pub(crate) struct NodeData {
    pub(crate) kind: Type,
    pub(crate) scalar: Scalar,
    pub(crate) target: Option<Target>,
    pub(crate) properties: BTreeMap<Box<str>, NodeId>,
    pub(crate) additional: Additional,
    pub(crate) items: Option<NodeId>,
    pub(crate) required: Vec<Box<str>>,
    pub(crate) default: Option<Value>,
    pub(crate) nullable: bool,
    pub(crate) format: Option<Box<str>>,
    pub(crate) list_type: Option<ListType>,
    pub(crate) list_map_keys: Vec<Box<str>>,
    pub(crate) map_type: Option<MapType>,
    pub(crate) patch_strategy: Option<Box<str>>,
    pub(crate) patch_merge_key: Option<Box<str>>,
    pub(crate) preserve_unknown: bool,
    pub(crate) embedded_resource: bool,
    pub(crate) gvks: Vec<Gvk>,
    pub(crate) unions: Option<Value>,
    pub(crate) validations: Option<Value>,
    pub(crate) rules: Option<Box<Rules>>,
    pub(crate) description: Option<Box<str>>,
}

/// Value validation: what a value of the right type must still satisfy.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    pub(crate) allowed: Vec<Value>,
    pub(crate) pattern: Option<regex::Regex>,
    pub(crate) minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) unique_items: bool,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    pub(crate) all_of: Vec<NodeId>,
    pub(crate) any_of: Vec<NodeId>,
    pub(crate) one_of: Vec<NodeId>,
    pub(crate) not: Option<NodeId>,
}

/// An arena of nodes and the named ones among them.
#[derive(Debug, Default)]
pub struct Graph {
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) definitions: BTreeMap<Box<str>, NodeId>,
    pub(crate) names: BTreeMap<NodeId, Box<str>>,
    pub(crate) builtin: bool,
}

#[derive(Clone, Debug)]
enum GraphHandle {
    Static(&'static Graph),
    Shared(Arc<Graph>),
}

/// The type of an object: a root in a graph. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Schema {
    graph: GraphHandle,
    root: NodeId,
}

impl Schema {
    pub(crate) fn fixed(graph: &'static Graph, root: NodeId) -> Self {
        Self {
            graph: GraphHandle::Static(graph),
            root,
        }
    }

    pub(crate) fn shared(graph: Graph, root: NodeId) -> Self {
        Self {
            graph: GraphHandle::Shared(Arc::new(graph)),
            root,
        }
    }

    /// The root node.
    pub fn node(&self) -> Node<'_> {
        let graph = match &self.graph {
            GraphHandle::Static(graph) => graph,
            GraphHandle::Shared(graph) => graph.as_ref(),
        };
        Node::new(graph, self.root)
    }

    /// Tells built-in types, which are checked as Go decodes them, from custom resources.
    pub fn is_builtin(&self) -> bool {
        matches!(self.graph, GraphHandle::Static(_))
    }
}
