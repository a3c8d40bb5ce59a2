//! Whether values satisfy the schema of a custom resource.

mod format;

use flybridge_machinery::FieldError;
use serde_json::{Map, Value};

use crate::graph::{ListType, Rules, Scalar, Type};
use crate::path::Path;
use crate::{Node, Schema};

impl Schema {
    /// Everything in which a value violates the schema. Built-in positions such as metadata are not
    /// looked at.
    pub fn validate(&self, value: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        check(self.node(), value, &Path::Root, &mut errors);
        errors
    }
}

fn check(node: Node<'_>, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if node.is_builtin() {
        return;
    }
    if value.is_null() && node.is_nullable() {
        return;
    }
    if let Some(expected) = wrong_type(node, value) {
        let found = type_name(value);
        let detail = format!("{path} in body must be of type {expected}: {found:?}");
        errors.push(FieldError::type_invalid(path.to_string(), found, &detail));
        return;
    }
    if let Some(format) = node.format()
        && let Some(text) = value.as_str()
        && !format::is_valid(format, text)
    {
        let detail = format!("{path} in body must be of type {format}: {text:?}");
        errors.push(FieldError::invalid(path.to_string(), text, &detail));
    }
    if let Some(rules) = node.rules() {
        check_rules(node, rules, value, path, errors);
    }
    match value {
        Value::Object(fields) => check_fields(node, fields, path, errors),
        Value::Array(items) => check_items(node, items, path, errors),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The expected type if the value has another one.
fn wrong_type(node: Node<'_>, value: &Value) -> Option<&'static str> {
    if node.scalar() == Scalar::IntOrString {
        let fits = value.is_string() || value.is_i64() || value.is_u64();
        return (!fits).then_some("integer,string");
    }
    let (fits, name) = match node.kind() {
        Type::Any => return None,
        Type::Object => (value.is_object(), "object"),
        Type::Array => (value.is_array(), "array"),
        Type::String => (value.is_string(), "string"),
        Type::Boolean => (value.is_boolean(), "boolean"),
        Type::Number => (value.is_number(), "number"),
        Type::Integer => (is_whole(value), "integer"),
    };
    (!fits).then_some(name)
}

fn is_whole(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
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
    for (name, value) in fields {
        let place = path.key(name);
        if let Some(child) = node.property(name) {
            check(child, value, &place, errors);
        } else if let Some(child) = node.additional() {
            check(child, value, &place, errors);
        }
    }
}

fn check_items(
    node: Node<'_>,
    items: &[Value],
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    if let Some(child) = node.items() {
        for (index, item) in items.iter().enumerate() {
            check(child, item, &path.index(index), errors);
        }
    }
    let identity = |item: &Value| match node.list_type() {
        Some(ListType::Set) => Some(item.clone()),
        Some(ListType::Map) => {
            let keys = node.list_map_keys().iter();
            Some(Value::Array(keys.map(|key| item[key.as_ref()].clone()).collect()))
        }
        Some(ListType::Atomic) | None => None,
    };
    for (index, item) in items.iter().enumerate() {
        let Some(own) = identity(item) else { return };
        if items[..index].iter().any(|other| identity(other).as_ref() == Some(&own)) {
            errors.push(FieldError::duplicate(path.index(index).to_string(), item.clone()));
        }
    }
}

fn check_rules(
    node: Node<'_>,
    rules: &Rules,
    value: &Value,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    if !rules.allowed.is_empty() && !rules.allowed.contains(value) {
        let supported: Vec<String> = rules.allowed.iter().map(text_of).collect();
        let supported: Vec<&str> = supported.iter().map(String::as_str).collect();
        errors.push(FieldError::not_supported(path.to_string(), value.clone(), &supported));
    }
    check_text(rules, value, path, errors);
    check_number(rules, value, path, errors);
    check_size(rules, value, path, errors);
    check_combinations(node, rules, value, path, errors);
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn invalid(path: &Path<'_>, value: &Value, detail: &str) -> FieldError {
    FieldError::invalid(path.to_string(), value.clone(), &format!("{path} in body {detail}"))
}

fn check_text(rules: &Rules, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(text) = value.as_str() else { return };
    let length = text.chars().count() as u64;
    if let Some(least) = rules.min_length.filter(|least| length < *least) {
        errors.push(invalid(path, value, &format!("should be at least {least} chars long")));
    }
    if let Some(most) = rules.max_length.filter(|most| length > *most) {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        errors.push(FieldError::too_long(path.to_string(), most));
    }
    if let Some(pattern) = rules.pattern.as_ref().filter(|pattern| !pattern.is_match(text)) {
        errors.push(invalid(path, value, &format!("should match '{}'", pattern.as_str())));
    }
}

fn check_number(rules: &Rules, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(number) = value.as_f64() else { return };
    if let Some(least) = rules.minimum
        && (number < least || (rules.exclusive_minimum && number <= least))
    {
        let relation = if rules.exclusive_minimum { "greater than" } else { "greater than or equal to" };
        errors.push(invalid(path, value, &format!("should be {relation} {least}")));
    }
    if let Some(most) = rules.maximum
        && (number > most || (rules.exclusive_maximum && number >= most))
    {
        let relation = if rules.exclusive_maximum { "less than" } else { "less than or equal to" };
        errors.push(invalid(path, value, &format!("should be {relation} {most}")));
    }
    if let Some(factor) = rules.multiple_of.filter(|factor| *factor != 0.0)
        && (number / factor).fract() != 0.0
    {
        errors.push(invalid(path, value, &format!("should be a multiple of {factor}")));
    }
}

fn check_size(rules: &Rules, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let as_limit = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
    match value {
        Value::Array(items) => {
            if let Some(least) = rules.min_items.filter(|least| items.len() < as_limit(*least)) {
                errors.push(invalid(path, value, &format!("should have at least {least} items")));
            }
            if let Some(most) = rules.max_items.filter(|most| items.len() > as_limit(*most)) {
                errors.push(FieldError::too_many(path.to_string(), items.len(), as_limit(most)));
            }
            let repeated = |index: usize| items[..index].contains(&items[index]);
            if rules.unique_items && (0..items.len()).any(repeated) {
                errors.push(invalid(path, value, "shouldn't contain duplicates"));
            }
        }
        Value::Object(fields) => {
            if let Some(least) = rules.min_properties.filter(|least| fields.len() < as_limit(*least)) {
                errors.push(invalid(path, value, &format!("should have at least {least} properties")));
            }
            if let Some(most) = rules.max_properties.filter(|most| fields.len() > as_limit(*most)) {
                errors.push(FieldError::too_many(path.to_string(), fields.len(), as_limit(most)));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_combinations(
    node: Node<'_>,
    rules: &Rules,
    value: &Value,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let satisfied = |id| {
        let mut found = Vec::new();
        check(node.resolve().at(id), value, path, &mut found);
        found.is_empty()
    };
    for id in &rules.all_of {
        check(node.resolve().at(*id), value, path, errors);
    }
    if !rules.any_of.is_empty() && !rules.any_of.iter().any(|id| satisfied(*id)) {
        errors.push(invalid(path, value, "must validate at least one schema (anyOf)"));
    }
    if !rules.one_of.is_empty() && rules.one_of.iter().filter(|id| satisfied(**id)).count() != 1 {
        errors.push(invalid(path, value, "must validate one and only one schema (oneOf)"));
    }
    if rules.not.is_some_and(satisfied) {
        errors.push(invalid(path, value, "must not validate the schema (not)"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn complaints(schema: &Value, value: Value) -> Vec<String> {
        let root = json!({"type": "object", "properties": {"a": schema}});
        let errors = Schema::from_crd(&root).unwrap().validate(&json!({"a": value}));
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn types_enums_and_bounds_are_held() {
        let integer = json!({"type": "integer", "minimum": 1, "maximum": 5});
        assert!(complaints(&integer, json!(3)).is_empty());
        assert_eq!(complaints(&integer, json!(9)).len(), 1);
        assert!(complaints(&integer, json!("x"))[0].contains("must be of type integer"));
        let choice = json!({"type": "string", "enum": ["A", "B"]});
        assert!(complaints(&choice, json!("C"))[0].contains("supported values: \"A\", \"B\""));
        let text = json!({"type": "string", "pattern": "^[a-z]+$", "minLength": 2});
        assert_eq!(complaints(&text, json!("X")).len(), 2);
    }

    #[test]
    fn required_fields_and_duplicates_are_found() {
        let object = json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}});
        assert!(complaints(&object, json!({}))[0].starts_with("a.b: Required value"));
        let map = json!({
            "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"],
            "items": {"type": "object", "properties": {"n": {"type": "string"}}},
        });
        assert!(complaints(&map, json!([{"n": "x"}, {"n": "x"}]))[0].starts_with("a[1]: Duplicate"));
    }

    #[test]
    fn combinations_and_int_or_string_work() {
        let either = json!({"x-kubernetes-int-or-string": true});
        assert!(complaints(&either, json!("5%")).is_empty());
        assert!(complaints(&either, json!(5)).is_empty());
        assert_eq!(complaints(&either, json!(true)).len(), 1);
        let any = json!({"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
            "anyOf": [{"required": ["x"]}, {"required": ["y"]}]});
        assert!(complaints(&any, json!({"y": "1"})).is_empty());
        assert_eq!(complaints(&any, json!({})).len(), 1);
    }
}
