//! List and map types: what may be a set, what may be a key.

use flybridge_machinery::FieldError;
use serde_json::Value;

use super::rules::join;

const LIST_TYPE: &str = "x-kubernetes-list-type";
const MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const MAP_TYPE: &str = "x-kubernetes-map-type";

fn text<'a>(schema: &'a Value, keyword: &str) -> &'a str {
    schema.get(keyword).and_then(Value::as_str).unwrap_or("")
}

/// Checks the list and map type of a schema.
pub(super) fn check(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let kind = text(schema, "type");
    let map_type = text(schema, MAP_TYPE);
    if !map_type.is_empty() {
        if !["atomic", "granular"].contains(&map_type) {
            let supported = ["atomic", "granular"];
            errors.push(FieldError::not_supported(
                join(path, MAP_TYPE),
                map_type,
                &supported,
            ));
        }
        must_be(kind, "object", MAP_TYPE, path, errors);
    }
    let list_type = text(schema, LIST_TYPE);
    let keys: Vec<&str> = schema
        .get(MAP_KEYS)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if !list_type.is_empty() {
        if !["atomic", "set", "map"].contains(&list_type) {
            let supported = ["atomic", "set", "map"];
            errors.push(FieldError::not_supported(
                join(path, LIST_TYPE),
                list_type,
                &supported,
            ));
        }
        must_be(kind, "array", LIST_TYPE, path, errors);
    }
    match list_type {
        "map" => check_map(schema, &keys, path, errors),
        _ if !keys.is_empty() => {
            let detail = "must be empty if x-kubernetes-list-type is not map";
            errors.push(FieldError::forbidden(join(path, MAP_KEYS), detail));
        }
        "set" => check_set(schema, path, errors),
        _ => {}
    }
}

fn must_be(kind: &str, wanted: &str, keyword: &str, path: &str, errors: &mut Vec<FieldError>) {
    let detail = format!("must be {wanted} if {keyword} is specified");
    if kind.is_empty() {
        errors.push(FieldError::required(join(path, "type"), &detail));
    } else if kind != wanted {
        errors.push(FieldError::invalid(join(path, "type"), kind, &detail));
    }
}

fn check_map(schema: &Value, keys: &[&str], path: &str, errors: &mut Vec<FieldError>) {
    let at = join(path, MAP_KEYS);
    if keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        errors.push(FieldError::required(at, detail));
        return;
    }
    let Some(items) = schema.get("items") else {
        return;
    };
    let items_path = join(path, "items");
    if text(items, "type") != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        let at = join(&items_path, "type");
        errors.push(FieldError::invalid(at, text(items, "type"), detail));
    }
    let required = items.get("required").and_then(Value::as_array);
    for (index, key) in keys.iter().enumerate() {
        if keys.iter().take(index).any(|other| other == key) {
            errors.push(FieldError::duplicate(format!("{at}[{index}]"), *key));
            continue;
        }
        let Some(property) = items.get("properties").and_then(|all| all.get(key)) else {
            let detail = "entries must all be names of item properties";
            errors.push(FieldError::invalid(format!("{at}[{index}]"), *key, detail));
            continue;
        };
        let property_path = join(&items_path, &format!("properties[{key}]"));
        let kind = text(property, "type");
        if ["array", "object"].contains(&kind) {
            let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
            errors.push(FieldError::invalid(
                join(&property_path, "type"),
                kind,
                detail,
            ));
        }
        let is_required = required.is_some_and(|all| all.iter().any(|name| name == *key));
        if !is_required && property.get("default").is_none_or(Value::is_null) {
            let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            errors.push(FieldError::required(
                join(&property_path, "default"),
                detail,
            ));
        }
    }
}

fn check_set(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let Some(items) = schema.get("items") else {
        return;
    };
    let keyword = match text(items, "type") {
        "object" => MAP_TYPE,
        "array" => LIST_TYPE,
        _ => return,
    };
    let items_path = join(path, "items");
    if items.get("nullable") == Some(&Value::Bool(true)) {
        let detail = "cannot be nullable when x-kubernetes-list-type is set";
        errors.push(FieldError::forbidden(join(&items_path, "nullable"), detail));
    }
    // A list without a type of its own is replaced as a whole anyway.
    let given = text(items, keyword);
    if given != "atomic" && !(keyword == LIST_TYPE && given.is_empty()) {
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        errors.push(FieldError::invalid(
            join(&items_path, keyword),
            given,
            detail,
        ));
    }
}
