//! Defaults that schemas declare.

use serde_json::Value;

use crate::graph::Type;
use crate::{Node, Schema};

impl Schema {
    /// Sets missing fields to the defaults of the schema, outside in. Null where null is not
    /// allowed counts as missing.
    pub fn default(&self, value: &mut Value) {
        apply(self.node(), value);
    }
}

fn apply(node: Node<'_>, value: &mut Value) {
    match value {
        Value::Object(fields) if matches!(node.kind(), Type::Object | Type::Any) => {
            for (name, child) in node.properties() {
                let Some(default) = child.default_value().filter(|_| !child.is_builtin()) else {
                    continue;
                };
                let missing = match fields.get(name) {
                    None => true,
                    Some(Value::Null) => !child.is_nullable(),
                    Some(_) => false,
                };
                if missing {
                    fields.insert(name.to_owned(), default.clone());
                }
            }
            for (key, value) in fields.iter_mut() {
                if let Some(child) = node.child(key).filter(|child| !child.is_builtin()) {
                    apply(child, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(node) = node.items() {
                items.iter_mut().for_each(|item| apply(node, item));
            }
        }
        _ => {}
    }
}
