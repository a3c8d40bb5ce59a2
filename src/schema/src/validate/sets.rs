//! Lists whose items must be unique: sets of values and maps by key.

use flybridge_machinery::FieldError;
use serde_json::{Map, Value};

use crate::Node;
use crate::graph::ListType;
use crate::path::Path;

/// Checks every list below a node.
pub(super) fn check(node: Node<'_>, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if node.is_builtin() {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Some(child) = node.child(name) {
                    check(child, value, &path.key(name), errors);
                }
            }
        }
        Value::Array(items) => {
            check_list(node, items, path, errors);
            if let Some(child) = node.items() {
                for (index, item) in items.iter().enumerate() {
                    check(child, item, &path.index(index), errors);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_list(node: Node<'_>, items: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let identities: Vec<Value> = match node.list_type() {
        Some(ListType::Set) => items.to_vec(),
        // Items that are no objects have no identity, and the positions of the rest close up.
        Some(ListType::Map) => items
            .iter()
            .filter_map(Value::as_object)
            .map(|item| identity(node, item))
            .collect(),
        Some(ListType::Atomic) | None => return,
    };
    for (index, own) in identities.iter().enumerate() {
        if identities.iter().take(index).any(|other| other == own) {
            errors.push(FieldError::duplicate(
                path.index(index).to_string(),
                own.clone(),
            ));
        }
    }
}

fn identity(node: Node<'_>, item: &Map<String, Value>) -> Value {
    let keys = node.list_map_keys().iter().filter_map(|key| {
        let value = item.get(key.as_ref())?;
        Some((key.to_string(), value.clone()))
    });
    Value::Object(keys.collect())
}
