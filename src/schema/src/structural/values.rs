//! What the schemas inside `allOf`, `anyOf`, `oneOf` and `not` may say: conditions, never
//! structure.

use flybridge_machinery::FieldError;
use serde_json::{Value, json};

use super::rules::{is_set, join, properties};

const EMPTY: [&str; 3] = ["description", "title", "type"];
const UNDEFINED: [&str; 2] = ["additionalProperties", "default"];
const EXTENSIONS: [&str; 7] = [
    "nullable",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
];

/// Checks the patterns and the combinations of a structural schema.
pub(super) fn check(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    check_pattern(schema, path, errors);
    for (nested, path) in alternatives(schema, path) {
        if !is_int_or_string(schema, nested) {
            check_nested(schema, nested, &path, errors);
        }
    }
}

/// `anyOf: [{type: integer}, {type: string}]` may stand beside the extension that says the same.
fn is_int_or_string(schema: &Value, nested: &Value) -> bool {
    let pair = json!([{"type": "integer"}, {"type": "string"}]);
    let exact = |value: &Value| value.get("anyOf") == Some(&pair);
    is_set(schema, "x-kubernetes-int-or-string")
        && (exact(schema) && pair.as_array().is_some_and(|pair| pair.contains(nested))
            || exact(nested) && nested.as_object().is_some_and(|nested| nested.len() == 1))
}

fn alternatives<'a>(schema: &'a Value, path: &str) -> Vec<(&'a Value, String)> {
    let mut found = Vec::new();
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let list = schema.get(keyword).and_then(Value::as_array);
        for (index, nested) in list.into_iter().flatten().enumerate() {
            found.push((nested, join(path, &format!("{keyword}[{index}]"))));
        }
    }
    if let Some(nested) = schema.get("not") {
        found.push((nested, join(path, "not")));
    }
    found
}

fn check_pattern(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
        && let Err(error) = regex::Regex::new(pattern)
    {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        errors.push(FieldError::invalid(join(path, "pattern"), pattern, &detail));
    }
}

fn check_nested(structure: &Value, schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let said = |keyword: &str| {
        schema
            .get(keyword)
            .filter(|it| !it.is_null() && **it != false && **it != "")
    };
    for (keywords, rule) in [
        (&EMPTY[..], "must be empty to be structural"),
        (&UNDEFINED[..], "must be undefined to be structural"),
        (&EXTENSIONS[..], "must be false to be structural"),
    ] {
        for keyword in keywords {
            if said(keyword).is_some() {
                errors.push(FieldError::forbidden(join(path, keyword), rule));
            }
        }
    }
    check_pattern(schema, path, errors);
    for (name, nested) in properties(schema) {
        let part = format!("properties[{name}]");
        let place = join(path, &part);
        match structure.get("properties").and_then(|all| all.get(name)) {
            Some(structure) => check_nested(structure, nested, &place, errors),
            None if structure.get("additionalProperties").is_some() => {}
            None => {
                let detail = format!("because it is defined in {place}");
                errors.push(FieldError::required(part, &detail));
            }
        }
    }
    if let Some(items) = schema.get("items") {
        let place = join(path, "items");
        match structure.get("items") {
            Some(structure) => check_nested(structure, items, &place, errors),
            None => {
                let detail = format!("because it is defined in {place}");
                errors.push(FieldError::required("items", &detail));
            }
        }
    }
    for (nested, place) in alternatives(schema, path) {
        check_nested(structure, nested, &place, errors);
    }
}
