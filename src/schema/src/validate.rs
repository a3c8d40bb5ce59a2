//! Whether values satisfy the schema of a custom resource.
//!
//! Every rule is looked at even when the type is wrong, and complaints of combinations have no
//! field of their own: both as upstream does, because clients compare the causes.

mod combine;
mod format;
mod number;
mod sets;

use flybridge_machinery::FieldError;
use serde_json::{Map, Value};

use crate::graph::{Rules, Scalar, Type};
use crate::path::Path;
use crate::{Node, Schema};

/// The field upstream names in complaints that belong to no field.
const NO_FIELD: &str = "<nil>";

impl Schema {
    /// Everything in which a value violates the schema. Built-in positions such as metadata are
    /// not looked at.
    pub fn validate(&self, value: &Value) -> Vec<FieldError> {
        validate_node(self.node(), value)
    }
}

/// As [`Schema::validate`], below any node.
pub(crate) fn validate_node(node: Node<'_>, value: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    check(node, value, &Path::Root, &mut errors);
    sets::check(node, value, &Path::Root, &mut errors);
    errors
}

fn check(node: Node<'_>, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if node.is_builtin() || (value.is_null() && node.is_nullable()) {
        return;
    }
    errors.extend(wrong_type(node, value, path));
    if let (Some(format), Some(text)) = (node.format(), value.as_str())
        && node.kind() == Type::String
        && !format::is_valid(format, text)
    {
        errors.push(type_error(path, text, format));
    }
    number::check_range(node, value, path, errors);
    if let Some(rules) = node.rules() {
        check_rules(rules, value, path, errors);
        combine::check(node, rules, value, path, errors);
    }
    match value {
        Value::Object(fields) => check_fields(node, fields, path, errors),
        Value::Array(items) => {
            if let Some(child) = node.items() {
                for (index, item) in items.iter().enumerate() {
                    check(child, item, &path.index(index), errors);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn wrong_type(node: Node<'_>, value: &Value, path: &Path<'_>) -> Option<FieldError> {
    let (fits, name) = match node.kind() {
        Type::Any if node.scalar() == Scalar::IntOrString => {
            (value.is_string() || is_whole(value), "integer,string")
        }
        Type::Any => return None,
        Type::Object => (value.is_object(), "object"),
        Type::Array => (value.is_array(), "array"),
        Type::String => (value.is_string(), "string"),
        Type::Boolean => (value.is_boolean(), "boolean"),
        Type::Number => (value.is_number(), "number"),
        Type::Integer => (is_whole(value), "integer"),
    };
    if fits {
        return None;
    }
    let numeric = matches!(node.kind(), Type::Number | Type::Integer);
    let text_like = value.is_string() || value.is_array();
    match node.format() {
        // A format speaks for the type, but not of the null value.
        Some(_) if text_like && !numeric => None,
        Some(format) if !value.is_null() && !text_like => {
            Some(type_error(path, format_of(value), format))
        }
        _ => Some(type_error(path, type_name(value), name)),
    }
}

fn type_error(path: &Path<'_>, found: &str, expected: &str) -> FieldError {
    let detail = format!("{path} in body must be of type {expected}: {found:?}");
    FieldError::type_invalid(path.to_string(), found, &detail)
}

fn is_whole(value: &Value) -> bool {
    value.is_i64()
        || value.is_u64()
        || value
            .as_f64()
            .is_some_and(|number| number.fract() == 0.0 && number.is_finite())
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) if is_whole(value) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The format a value has by itself.
fn format_of(value: &Value) -> &'static str {
    match value {
        Value::Number(_) if is_whole(value) => "int64",
        Value::Number(_) => "double",
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => "",
    }
}

fn check_fields(
    node: Node<'_>,
    fields: &Map<String, Value>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    for name in node.required() {
        if !fields.contains_key(name) {
            errors.push(FieldError::required(path.key(name).to_string(), ""));
        }
    }
    if node.own().embedded_resource {
        for name in ["apiVersion", "kind"] {
            let given = fields.get(name).and_then(Value::as_str).unwrap_or("");
            if given.is_empty() {
                let detail = "must not be empty";
                errors.push(FieldError::required(path.key(name).to_string(), detail));
            }
        }
    }
    for (name, value) in fields {
        if let Some(child) = node.child(name) {
            check(child, value, &path.key(name), errors);
        }
    }
}

fn check_rules(rules: &Rules, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if !rules.allowed.is_empty() && !rules.allowed.contains(value) {
        let supported: Vec<String> = rules.allowed.iter().map(text_of).collect();
        let supported: Vec<&str> = supported.iter().map(String::as_str).collect();
        let error = FieldError::not_supported(path.to_string(), value.clone(), &supported);
        errors.push(error);
    }
    match value {
        Value::String(text) => check_text(rules, text, path, errors),
        Value::Number(_) => number::check_rules(rules, value, path, errors),
        Value::Array(items) => {
            check_count(
                (items.len(), "items"),
                (rules.min_items, rules.max_items),
                path,
                errors,
            );
        }
        Value::Object(fields) => {
            check_count(
                (fields.len(), "properties"),
                (rules.min_properties, rules.max_properties),
                path,
                errors,
            );
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn invalid(path: &Path<'_>, value: impl Into<Value>, detail: &str) -> FieldError {
    FieldError::invalid(path.to_string(), value, &format!("{path} in body {detail}"))
}

fn as_limit(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn check_text(rules: &Rules, text: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let length = text.chars().count();
    if let Some(least) = rules.min_length.filter(|least| length < as_limit(*least)) {
        let detail = format!("should be at least {least} chars long");
        errors.push(invalid(path, text, &detail));
    }
    if let Some(most) = rules.max_length.filter(|most| length > as_limit(*most)) {
        errors.push(FieldError::too_long(path.to_string(), as_limit(most)));
    }
    if let Some(pattern) = &rules.pattern
        && !pattern.is_match(text)
    {
        errors.push(invalid(
            path,
            text,
            &format!("should match '{}'", pattern.as_str()),
        ));
    }
}

fn check_count(
    (count, what): (usize, &str),
    (least, most): (Option<u64>, Option<u64>),
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    if let Some(least) = least.filter(|least| count < as_limit(*least)) {
        let detail = format!("should have at least {least} {what}");
        errors.push(invalid(path, count, &detail));
    }
    if let Some(most) = most.filter(|most| count > as_limit(*most)) {
        errors.push(FieldError::too_many(
            path.to_string(),
            count,
            as_limit(most),
        ));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn complaints(schema: &Value, value: Value) -> Vec<String> {
        let root = json!({"type": "object", "properties": {"a": schema}});
        let errors = Schema::from_crd(&root)
            .unwrap()
            .validate(&json!({"a": value}));
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn types_enums_and_bounds_are_held() {
        let integer = json!({"type": "integer", "minimum": 1, "maximum": 5});
        assert!(complaints(&integer, json!(3)).is_empty());
        assert!(complaints(&integer, json!(3.0)).is_empty());
        assert_eq!(
            complaints(&integer, json!(9)),
            ["a: Invalid value: 9: a in body should be less than or equal to 5"]
        );
        assert_eq!(
            complaints(&integer, json!("x")),
            ["a: Invalid value: \"string\": a in body must be of type integer: \"string\""]
        );
        let choice = json!({"type": "string", "enum": ["A", "B"]});
        assert_eq!(
            complaints(&choice, json!("C")),
            ["a: Unsupported value: \"C\": supported values: \"A\", \"B\""]
        );
        let text = json!({"type": "string", "pattern": "^[a-z]+$", "minLength": 2});
        assert_eq!(complaints(&text, json!("X")).len(), 2);
    }

    #[test]
    fn required_fields_and_duplicates_are_found() {
        let object =
            json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}});
        assert_eq!(complaints(&object, json!({})), ["a.b: Required value"]);
        let map = json!({
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"],
            "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "string"}}},
        });
        assert_eq!(
            complaints(&map, json!([{"n": "x"}, {"n": "x"}])),
            ["a[1]: Duplicate value: {\"n\":\"x\"}"]
        );
    }

    #[test]
    fn combinations_belong_to_no_field() {
        let any = json!({"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
            "anyOf": [{"required": ["x"]}, {"required": ["y"]}]});
        assert!(complaints(&any, json!({"y": "1"})).is_empty());
        let found = complaints(&any, json!({}));
        assert!(
            found[0].starts_with("<nil>: Invalid value: \"\": \"a\" must validate at least one")
        );
        assert_eq!(found[1], "a.x: Required value");
    }

    #[test]
    fn int_or_string_takes_both() {
        let either = json!({"x-kubernetes-int-or-string": true});
        assert!(complaints(&either, json!("5%")).is_empty());
        assert!(complaints(&either, json!(5)).is_empty());
        assert!(complaints(&either, json!(true))[0].contains("must be of type integer,string"));
    }

    #[test]
    fn embedded_resources_name_their_kind() {
        let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true});
        assert!(complaints(&embedded, json!({"apiVersion": "v1", "kind": "Pod"})).is_empty());
        assert_eq!(
            complaints(&embedded, json!({"apiVersion": "v1"})),
            ["a.kind: Required value: must not be empty"]
        );
    }
}
