//! Defaults must satisfy the schema they stand in.

use flybridge_machinery::FieldError;
use serde_json::Value;

use super::rules::{join, properties};
use crate::Schema;
use crate::validate::validate_node;

/// Checks every default below a structural schema.
pub(super) fn check(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
        check_one(schema, default, &join(path, "default"), errors);
    }
    for (name, property) in properties(schema) {
        check(
            property,
            &join(path, &format!("properties[{name}]")),
            errors,
        );
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(keyword).filter(|inner| inner.is_object()) {
            check(inner, &join(path, keyword), errors);
        }
    }
}

fn check_one(schema: &Value, default: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let node = match Schema::from_fragment(schema) {
        Ok(node) => node,
        Err(found) => {
            errors.extend(found.into_iter().map(|error| error.below(path)));
            return;
        }
    };
    let mut complete = default.clone();
    node.default(&mut complete);
    if !node.unknown_fields(&complete).is_empty() {
        let detail = "must not have unknown fields";
        errors.push(FieldError::invalid(path, default.clone(), detail));
        return;
    }
    let found = validate_node(node.node(), &complete);
    errors.extend(found.into_iter().map(|error| {
        if error.field.starts_with('<') {
            error
        } else {
            error.below(path)
        }
    }));
}
