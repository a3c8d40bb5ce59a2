//! One position in a graph, and what can be asked of it.

use std::borrow::Cow;
use std::fmt;

use flybridge_machinery::{Gvk, topology::PatchStrategy};
use serde_json::Value;

use super::{Additional, Graph, ListType, MapType, NodeData, NodeId, Rules, Scalar, Target, Type};
use crate::Catalog;

/// One position of a schema. Copies are free; references are followed on demand.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    graph: &'a Graph,
    id: NodeId,
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("id", &self.id)
            .field("definition", &self.definition())
            .field("kind", &self.kind())
            .finish_non_exhaustive()
    }
}

impl<'a> Node<'a> {
    pub(crate) fn new(graph: &'a Graph, id: NodeId) -> Self {
        Self { graph, id }
    }

    pub(crate) fn at(self, id: NodeId) -> Self {
        Self { id, ..self }
    }

    /// What is written at this position itself.
    pub(crate) fn own(self) -> &'a NodeData {
        &self.graph.nodes[self.id as usize]
    }

    /// Follows references to the node with the structure.
    #[must_use]
    pub fn resolve(self) -> Self {
        let mut node = self;
        // References lead to definitions, which are never references themselves; the bound only
        // guards against a graph that says otherwise.
        for _ in 0..8 {
            match node.own().target {
                None => break,
                Some(Target::Local(id)) => node = node.at(id),
                Some(Target::Builtin(id)) => node = Node::new(Catalog::builtin().graph(), id),
            }
        }
        node
    }

    pub(crate) fn data(self) -> &'a NodeData {
        self.resolve().own()
    }

    /// Whether this position is a reference.
    pub(crate) fn is_reference(self) -> bool {
        self.own().target.is_some()
    }

    /// Whether values here are decoded as Go decodes them.
    pub fn is_builtin(self) -> bool {
        self.resolve().graph.builtin
    }

    /// The name of the definition, such as `io.k8s.api.core.v1.Pod`.
    pub fn definition(self) -> Option<&'a str> {
        let node = self.resolve();
        node.graph.names.get(&node.id).map(AsRef::as_ref)
    }

    /// The JSON type.
    pub fn kind(self) -> Type {
        self.data().kind
    }

    /// Meaning beyond the JSON type.
    pub fn scalar(self) -> Scalar {
        self.data().scalar
    }

    /// `format`, such as `int32` or `date-time`.
    pub fn format(self) -> Option<&'a str> {
        self.data().format.as_deref()
    }

    /// The declared fields in the order of their names.
    pub fn properties(self) -> impl Iterator<Item = (&'a str, Self)> {
        let node = self.resolve();
        node.own()
            .properties
            .iter()
            .map(move |(name, id)| (name.as_ref(), node.at(*id)))
    }

    /// A declared field.
    pub fn property(self, name: &str) -> Option<Self> {
        let node = self.resolve();
        node.own().properties.get(name).map(|id| node.at(*id))
    }

    /// The type of the values of a map.
    pub fn additional(self) -> Option<Self> {
        let node = self.resolve();
        match node.own().additional {
            Additional::Schema(id) => Some(node.at(id)),
            Additional::Unset | Additional::Allowed(_) => None,
        }
    }

    /// The type below a key: a declared field, or the values of a map.
    pub fn child(self, key: &str) -> Option<Self> {
        self.property(key).or_else(|| self.additional())
    }

    /// The type of list items.
    pub fn items(self) -> Option<Self> {
        let node = self.resolve();
        node.own().items.map(|id| node.at(id))
    }

    /// Follows a path of keys through fields, maps and list items.
    pub fn descend(self, path: &[&str]) -> Option<Self> {
        path.iter().try_fold(self, |node, key| {
            let node = node.items().unwrap_or(node);
            node.child(key)
        })
    }

    /// Whether keys that are not declared are kept.
    pub fn keeps_unknown(self) -> bool {
        let data = self.data();
        self.own().preserve_unknown
            || data.preserve_unknown
            || data.scalar == Scalar::Opaque
            || data.additional == Additional::Allowed(true)
    }

    /// `x-kubernetes-embedded-resource`.
    pub fn is_embedded_resource(self) -> bool {
        self.own().embedded_resource || self.data().embedded_resource
    }

    /// Whether null stands for itself.
    pub fn is_nullable(self) -> bool {
        self.own().nullable || self.data().nullable
    }

    /// The names of the fields that must be there.
    pub fn required(self) -> impl Iterator<Item = &'a str> {
        self.data().required.iter().map(AsRef::as_ref)
    }

    /// The value a missing field takes.
    pub fn default_value(self) -> Option<&'a Value> {
        self.own()
            .default
            .as_ref()
            .or_else(|| self.data().default.as_ref())
    }

    /// `x-kubernetes-list-type`.
    pub fn list_type(self) -> Option<ListType> {
        self.own().list_type.or_else(|| self.data().list_type)
    }

    /// `x-kubernetes-list-map-keys`.
    pub fn list_map_keys(self) -> &'a [Box<str>] {
        let own = &self.own().list_map_keys;
        if own.is_empty() {
            &self.data().list_map_keys
        } else {
            own
        }
    }

    /// `x-kubernetes-map-type`.
    pub fn map_type(self) -> Option<MapType> {
        self.own().map_type.or_else(|| self.data().map_type)
    }

    /// `x-kubernetes-patch-strategy` of this field.
    pub fn patch_strategy(self) -> PatchStrategy {
        self.own()
            .patch_strategy
            .as_deref()
            .map_or_else(PatchStrategy::default, PatchStrategy::parse)
    }

    /// `x-kubernetes-patch-merge-key` of this field.
    pub fn patch_merge_key(self) -> Option<&'a str> {
        self.own().patch_merge_key.as_deref()
    }

    /// `x-kubernetes-validations`: the CEL rules as they are written.
    pub fn validations(self) -> Option<&'a Value> {
        self.data().validations.as_ref()
    }

    /// The kinds this type is the object of.
    pub fn gvks(self) -> &'a [Gvk] {
        &self.data().gvks
    }

    /// The text for people. Loads the texts of the built-in types on first use.
    pub fn description(self) -> Option<Cow<'a, str>> {
        let own = self.own().description.as_deref();
        own.or_else(|| self.data().description.as_deref())
            .map(Cow::Borrowed)
            .or_else(|| {
                let name = self.definition()?;
                Catalog::builtin().description(name, "").map(Cow::Borrowed)
            })
    }

    pub(crate) fn rules(self) -> Option<&'a Rules> {
        self.own()
            .rules
            .as_deref()
            .or_else(|| self.data().rules.as_deref())
    }
}
