//! JSON kinds against the types of built-in fields, as Go's decoder checks them.

use serde_json::Value;

use crate::graph::{Scalar, Type};
use crate::path::Path;
use crate::{Node, Schema, TypeError};

impl Schema {
    /// Holds a value against the types of built-in positions; custom positions are left to
    /// validation. Null is the zero value everywhere.
    ///
    /// # Errors
    /// Fails on the first value of a wrong kind.
    pub fn check_types(&self, value: &Value) -> Result<(), TypeError> {
        check(self.node(), value, &Path::Root)
    }
}

fn check(node: Node<'_>, value: &Value, path: &Path<'_>) -> Result<(), TypeError> {
    if value.is_null() || node.scalar() == Scalar::Opaque {
        return Ok(());
    }
    if node.is_builtin() && !fits(node, value) {
        return Err(TypeError {
            path: path.to_string(),
            found: found(value),
            expected: expected(node),
        });
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if let Some(node) = node.child(key) {
                    check(node, value, &path.key(key))?;
                }
            }
        }
        Value::Array(items) => {
            if let Some(node) = node.items() {
                for (index, item) in items.iter().enumerate() {
                    check(node, item, &path.index(index))?;
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Ok(())
}

fn fits(node: Node<'_>, value: &Value) -> bool {
    match node.scalar() {
        Scalar::Quantity => return value.is_string() || value.is_number(),
        Scalar::IntOrString => return value.is_string() || is_int32(value),
        Scalar::Opaque => return true,
        Scalar::Plain | Scalar::Time | Scalar::MicroTime | Scalar::Bytes => {}
    }
    match node.kind() {
        Type::Any => true,
        Type::Object => value.is_object(),
        Type::Array => value.is_array(),
        Type::String => value.is_string(),
        Type::Boolean => value.is_boolean(),
        Type::Number => value.is_number(),
        Type::Integer if node.format() == Some("int32") => is_int32(value),
        Type::Integer => value.is_i64() || value.is_u64(),
    }
}

fn is_int32(value: &Value) -> bool {
    value
        .as_i64()
        .is_some_and(|number| i32::try_from(number).is_ok())
}

fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The Go type of a position, as messages name it.
fn expected(node: Node<'_>) -> String {
    if let Some(name) = node.definition() {
        let mut parts = name.rsplit('.');
        let kind = parts.next().unwrap_or(name);
        let package = parts.next().unwrap_or("");
        return format!("{package}.{kind}");
    }
    match node.kind() {
        Type::Any => "interface {}".to_owned(),
        Type::Object => {
            let values = node.additional().map_or_else(String::new, expected);
            format!("map[string]{values}")
        }
        Type::Array => format!("[]{}", node.items().map_or_else(String::new, expected)),
        Type::String if node.scalar() == Scalar::Bytes => "[]uint8".to_owned(),
        Type::String => "string".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Number => "float64".to_owned(),
        Type::Integer => node.format().unwrap_or("int64").to_owned(),
    }
}
