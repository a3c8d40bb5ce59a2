//! Comparisons in filters, with the typing of Go templates: like compares with like.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// What two values come to, or why they do not compare.
pub(super) fn holds(left: &Value, operator: &str, right: &Value) -> Result<bool, String> {
    match operator {
        "==" => equal(left, right),
        "!=" => equal(left, right).map(|equal| !equal),
        "<" => order(left, right).map(Ordering::is_lt),
        "<=" => order(left, right).map(Ordering::is_le),
        ">" => order(left, right).map(Ordering::is_gt),
        ">=" => order(left, right).map(Ordering::is_ge),
        other => Err(format!("unrecognized filter operator {other}")),
    }
}

fn invalid() -> String {
    "invalid type for comparison".to_owned()
}

fn incompatible() -> String {
    "incompatible types for comparison".to_owned()
}

fn is_composite(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Array(_) | Value::Object(_))
}

fn equal(left: &Value, right: &Value) -> Result<bool, String> {
    match (left, right) {
        (left, right) if is_composite(left) || is_composite(right) => Err(invalid()),
        (Value::Bool(left), Value::Bool(right)) => Ok(left == right),
        (left, right) => order(left, right).map(Ordering::is_eq),
    }
}

fn order(left: &Value, right: &Value) -> Result<Ordering, String> {
    match (left, right) {
        (left, right) if is_composite(left) || is_composite(right) => Err(invalid()),
        (Value::Number(left), Value::Number(right)) => numbers(left, right),
        (Value::String(left), Value::String(right)) => Ok(left.cmp(right)),
        (Value::Bool(_), Value::Bool(_)) => Err(invalid()),
        _ => Err(incompatible()),
    }
}

fn numbers(left: &Number, right: &Number) -> Result<Ordering, String> {
    if left.is_f64() != right.is_f64() {
        return Err(incompatible());
    }
    if let (Some(left), Some(right)) = (left.as_i64(), right.as_i64()) {
        return Ok(left.cmp(&right));
    }
    left.as_f64()
        .zip(right.as_f64())
        .and_then(|(left, right)| left.partial_cmp(&right))
        .ok_or_else(invalid)
}
