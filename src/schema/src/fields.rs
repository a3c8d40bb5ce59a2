//! Fields a schema does not have: found, or removed.

use serde_json::{Map, Value};

use crate::path::Path;
use crate::{Node, Schema};

impl Schema {
    /// The fields of a value the schema does not have, as paths in Go's style.
    pub fn unknown_fields(&self, value: &Value) -> Vec<String> {
        let mut found = Vec::new();
        find(self.node(), value, &Path::Root, &mut found);
        found
    }

    /// Removes the fields the schema does not have and tells their paths.
    pub fn prune(&self, value: &mut Value) -> Vec<String> {
        let mut found = Vec::new();
        remove(self.node(), value, &Path::Root, &mut found);
        found
    }
}

/// Whether nothing below a node can be unknown.
fn is_open(node: Node<'_>) -> bool {
    node.keeps_unknown() && node.properties().next().is_none()
}

fn find(node: Node<'_>, value: &Value, path: &Path<'_>, found: &mut Vec<String>) {
    if is_open(node) {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let path = path.key(key);
                match node.child(key) {
                    Some(child) => find(child, value, &path, found),
                    None if node.keeps_unknown() => {}
                    None => found.push(path.to_string()),
                }
            }
        }
        Value::Array(items) => {
            if let Some(node) = node.items() {
                for (index, item) in items.iter().enumerate() {
                    find(node, item, &path.index(index), found);
                }
            }
        }
        _ => {}
    }
}

fn remove(node: Node<'_>, value: &mut Value, path: &Path<'_>, found: &mut Vec<String>) {
    if is_open(node) {
        return;
    }
    match value {
        Value::Object(fields) => remove_fields(node, fields, path, found),
        Value::Array(items) => {
            if let Some(node) = node.items() {
                for (index, item) in items.iter_mut().enumerate() {
                    remove(node, item, &path.index(index), found);
                }
            }
        }
        _ => {}
    }
}

fn remove_fields(
    node: Node<'_>,
    fields: &mut Map<String, Value>,
    path: &Path<'_>,
    found: &mut Vec<String>,
) {
    let keeps = node.keeps_unknown();
    fields.retain(|key, value| {
        let path = path.key(key);
        match node.child(key) {
            Some(child) => remove(child, value, &path, found),
            None if keeps => {}
            None => {
                found.push(path.to_string());
                return false;
            }
        }
        true
    });
}
