//! Built-in positions as Go holds them: no nulls, no empty optional lists and maps, well-formed
//! quantities, times and base64. What is outside the built-in types is left alone.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flybridge_machinery::{Quantity, time};
use flybridge_schema::{Node, Scalar, Schema, Type};
use serde_json::{Map, Value, json};

/// Brings a value into shape.
///
/// # Errors
/// What is malformed, as the decoder of upstream would say it.
pub(crate) fn settle(schema: &Schema, value: &mut Value) -> Result<(), String> {
    node(schema.node(), value)?;
    schema.normalize(value);
    Ok(())
}

fn node(position: Node<'_>, value: &mut Value) -> Result<(), String> {
    match position.scalar() {
        Scalar::Opaque => return Ok(()),
        Scalar::Plain | Scalar::IntOrString => {}
        special if position.is_builtin() => return scalar(special, value),
        Scalar::Quantity | Scalar::Time | Scalar::MicroTime | Scalar::Bytes => {}
    }
    match value {
        Value::Object(entries) => fields(position, entries),
        Value::Array(list) => match position.items() {
            Some(item) => list.iter_mut().try_for_each(|value| node(item, value)),
            None => Ok(()),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn fields(position: Node<'_>, entries: &mut Map<String, Value>) -> Result<(), String> {
    let builtin = position.is_builtin() && position.kind() == Type::Object;
    let is_map = position.additional().is_some();
    let mut unset = Vec::new();
    for (name, value) in entries.iter_mut() {
        let Some(child) = position.child(name) else {
            continue;
        };
        if builtin && value.is_null() {
            match is_map {
                true => *value = zero(child),
                false => unset.push(name.clone()),
            }
            continue;
        }
        node(child, value)?;
        if builtin
            && !is_map
            && is_empty(child, value)
            && !position.required().any(|field| field == name)
        {
            unset.push(name.clone());
        }
    }
    for name in unset {
        entries.remove(&name);
    }
    if builtin && is_condition(position) {
        // Go writes times that are structs even when they are not set.
        for name in ["lastProbeTime", "lastTransitionTime", "lastUpdateTime"] {
            let required = position.required().any(|field| field == name);
            if !required && position.property(name).is_some() && !entries.contains_key(name) {
                entries.insert(name.to_owned(), Value::Null);
            }
        }
    }
    Ok(())
}

fn is_condition(position: Node<'_>) -> bool {
    position
        .definition()
        .is_some_and(|name| name.ends_with("Condition"))
}

/// What null means as the value of a map.
fn zero(position: Node<'_>) -> Value {
    match position.kind() {
        Type::String => json!(""),
        Type::Object => json!({}),
        Type::Array => json!([]),
        Type::Any | Type::Integer | Type::Number | Type::Boolean => Value::Null,
    }
}

/// A list or map without entries, which optional fields leave out. Structs without fields stay.
fn is_empty(position: Node<'_>, value: &Value) -> bool {
    match value {
        Value::Array(list) => list.is_empty(),
        Value::Object(entries) => entries.is_empty() && position.additional().is_some(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether a time has its fraction in six digits.
fn has_micros(text: &str) -> bool {
    let fraction = text
        .split_once('.')
        .map(|(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
    fraction == Some(6)
}

fn scalar(kind: Scalar, value: &Value) -> Result<(), String> {
    match (kind, value) {
        (_, Value::Null) => Ok(()),
        (Scalar::Quantity, value) => Quantity::from_json(value).map(|_quantity| ()).map_err(|_error| {
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'".to_owned()
        }),
        (Scalar::Bytes, Value::String(text)) => STANDARD
            .decode(text.as_bytes())
            .map(|_bytes| ())
            .map_err(|error| format!("illegal base64 data: {error}")),
        (Scalar::MicroTime, Value::String(text)) if !has_micros(text) => {
            Err(format!("parsing time {text:?} as \"2006-01-02T15:04:05.000000Z07:00\": six digits are missing"))
        }
        (Scalar::Time | Scalar::MicroTime, Value::String(text)) => time::parse(text)
            .map(|_time| ())
            .map_err(|_error| format!("parsing time {text:?}: it is not as RFC 3339 asks")),
        _ => Ok(()),
    }
}
