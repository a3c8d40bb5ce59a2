//! What a strategic merge asks of a type.

use flybridge_machinery::topology::{FieldTopology, Topology};

use super::{Node, Schema, Type};

impl Topology for Node<'_> {
    fn field(&self, name: &str) -> Option<FieldTopology<'_>> {
        field_of(*self, name)
    }
}

impl Topology for Schema {
    fn field(&self, name: &str) -> Option<FieldTopology<'_>> {
        field_of(self.node(), name)
    }
}

fn field_of<'a>(node: Node<'a>, name: &str) -> Option<FieldTopology<'a>> {
    let field = node.child(name)?;
    // A list's node stands for its items.
    let inner = field.items().unwrap_or(field);
    let structured = inner.kind() == Type::Object
        && (inner.properties().next().is_some() || inner.additional().is_some());
    Some(FieldTopology {
        node: structured.then(|| Box::new(inner) as Box<dyn Topology + 'a>),
        strategy: field.patch_strategy(),
        merge_key: field.patch_merge_key(),
    })
}
