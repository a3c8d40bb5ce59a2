//! Keywords of one position that need no other positions.

use serde_json::{Map, Value, json};

use crate::Node;
use crate::graph::{Additional, ListType, MapType, NodeData, Rules, Scalar, Type};

/// The extension that keeps fields nobody declared.
pub(super) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// Writes type, rules and extensions; `old` is version 2.
pub(super) fn write(node: Node<'_>, old: bool, value: &mut Map<String, Value>) {
    let own = node.own();
    let mut put = |name: &str, content: Value| {
        value.insert(name.to_owned(), content);
    };
    // Version 2 has no null: what may be null has no type.
    if let Some(name) = type_name(own).filter(|_| !(old && own.nullable)) {
        put("type", json!(name));
    }
    if let Some(format) = &own.format {
        put("format", json!(format));
    }
    if !own.required.is_empty() {
        put("required", json!(own.required));
    }
    if let Additional::Allowed(allowed) = own.additional {
        put("additionalProperties", json!(allowed));
    }
    if let Some(default) = own.default.as_ref().filter(|_| !old) {
        put("default", default.clone());
    }
    if own.nullable && !old {
        put("nullable", json!(true));
    }
    if own.scalar == Scalar::IntOrString && own.kind == Type::Any {
        put("x-kubernetes-int-or-string", json!(true));
    }
    write_extensions(own, value);
    if let Some(rules) = &own.rules {
        write_rules(rules, value);
    }
}

fn type_name(data: &NodeData) -> Option<&'static str> {
    match data.kind {
        Type::Any => None,
        Type::Object => Some("object"),
        Type::Array => Some("array"),
        Type::String => Some("string"),
        Type::Integer => Some("integer"),
        Type::Number => Some("number"),
        Type::Boolean => Some("boolean"),
    }
}

/// Writes the extensions of Kubernetes.
pub(super) fn write_extensions(own: &NodeData, value: &mut Map<String, Value>) {
    let mut put = |name: &str, content: Value| {
        value.insert(name.to_owned(), content);
    };
    if own.preserve_unknown {
        put(PRESERVE, json!(true));
    }
    if own.embedded_resource {
        put("x-kubernetes-embedded-resource", json!(true));
    }
    if let Some(list_type) = own.list_type {
        let name = match list_type {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        };
        put("x-kubernetes-list-type", json!(name));
    }
    if !own.list_map_keys.is_empty() {
        put("x-kubernetes-list-map-keys", json!(own.list_map_keys));
    }
    if let Some(map_type) = own.map_type {
        let name = match map_type {
            MapType::Atomic => "atomic",
            MapType::Granular => "granular",
        };
        put("x-kubernetes-map-type", json!(name));
    }
    if let Some(strategy) = &own.patch_strategy {
        put("x-kubernetes-patch-strategy", json!(strategy));
    }
    if let Some(key) = &own.patch_merge_key {
        put("x-kubernetes-patch-merge-key", json!(key));
    }
    if let Some(unions) = &own.unions {
        put("x-kubernetes-unions", unions.clone());
    }
    if let Some(validations) = &own.validations {
        put("x-kubernetes-validations", validations.clone());
    }
}

fn write_rules(rules: &Rules, value: &mut Map<String, Value>) {
    let mut put = |name: &str, content: Value| {
        value.insert(name.to_owned(), content);
    };
    if !rules.allowed.is_empty() {
        put("enum", json!(rules.allowed));
    }
    if let Some(pattern) = &rules.pattern {
        put("pattern", json!(pattern.as_str()));
    }
    for (name, limit) in [
        ("minimum", rules.minimum),
        ("maximum", rules.maximum),
        ("multipleOf", rules.multiple_of),
    ] {
        if let Some(limit) = limit {
            put(name, number(limit));
        }
    }
    for (name, set) in [
        ("exclusiveMinimum", rules.exclusive_minimum),
        ("exclusiveMaximum", rules.exclusive_maximum),
        ("uniqueItems", rules.unique_items),
    ] {
        if set {
            put(name, json!(true));
        }
    }
    for (name, limit) in [
        ("minLength", rules.min_length),
        ("maxLength", rules.max_length),
        ("minItems", rules.min_items),
        ("maxItems", rules.max_items),
        ("minProperties", rules.min_properties),
        ("maxProperties", rules.max_properties),
    ] {
        if let Some(limit) = limit {
            put(name, json!(limit));
        }
    }
}

/// A bound as Go prints it: without a fraction when it has none.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the bound keeps the value inside 53 bits"
)]
fn number(limit: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if limit.fract() == 0.0 && limit.abs() < EXACT {
        json!(limit as i64)
    } else {
        json!(limit)
    }
}
