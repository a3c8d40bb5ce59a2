//! The rules of structural schemas, and of the subset of OpenAPI that CRDs may use.

use flybridge_machinery::FieldError;
use serde_json::Value;

use super::{lists, values};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
const UNSUPPORTED: [&str; 6] = [
    "additionalItems",
    "definitions",
    "dependencies",
    "deprecated",
    "discriminator",
    "patternProperties",
];
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const INT_OR_STRING: &str = "x-kubernetes-int-or-string";

/// Where a schema stands, which decides what its type may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Field,
    Item,
}

/// The path of a keyword below a path.
pub(super) fn join(base: &str, part: &str) -> String {
    if base.is_empty() {
        part.to_owned()
    } else {
        format!("{base}.{part}")
    }
}

/// Whether a keyword says true.
pub(super) fn is_set(schema: &Value, keyword: &str) -> bool {
    schema.get(keyword) == Some(&Value::Bool(true))
}

/// Checks the schema of a whole object.
pub(super) fn check_root(schema: &Value, errors: &mut Vec<FieldError>) {
    match schema.get("type").and_then(Value::as_str).unwrap_or("") {
        "object" => {}
        "" => errors.push(FieldError::required(
            "type",
            "must not be empty at the root",
        )),
        other => errors.push(FieldError::invalid(
            "type",
            other,
            "must be object at the root",
        )),
    }
    if schema.get("additionalProperties").is_some() {
        let detail = "must not be used at the root";
        errors.push(FieldError::forbidden("additionalProperties", detail));
    }
    check_metadata(schema, errors);
    check(schema, "", Place::Root, errors);
}

/// Metadata is the same for all; a schema may only narrow the name.
fn check_metadata(schema: &Value, errors: &mut Vec<FieldError>) {
    let fields = schema
        .pointer("/properties/metadata/properties")
        .and_then(Value::as_object);
    let extra = fields
        .into_iter()
        .flatten()
        .any(|(name, _)| name != "name" && name != "generateName");
    if extra {
        let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        errors.push(FieldError::forbidden("properties[metadata]", detail));
    }
}

fn check(schema: &Value, path: &str, place: Place, errors: &mut Vec<FieldError>) {
    check_type(schema, path, place, errors);
    check_keywords(schema, path, errors);
    check_embedded(schema, path, errors);
    lists::check(schema, path, errors);
    values::check(schema, path, errors);
    for (name, property) in properties(schema) {
        let path = join(path, &format!("properties[{name}]"));
        check(property, &path, Place::Field, errors);
    }
    if let Some(items) = schema.get("items") {
        let path = join(path, "items");
        if items.is_array() {
            let detail = "items must be a schema object and not an array";
            errors.push(FieldError::forbidden(path, detail));
        } else {
            check(items, &path, Place::Item, errors);
        }
    }
    if let Some(additional) = schema
        .get("additionalProperties")
        .filter(|it| it.is_object())
    {
        let path = join(path, "additionalProperties");
        check(additional, &path, Place::Field, errors);
    }
}

/// The declared fields of a schema.
pub(super) fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

fn check_type(schema: &Value, path: &str, place: Place, errors: &mut Vec<FieldError>) {
    let name = schema.get("type").and_then(Value::as_str).unwrap_or("");
    let at = || join(path, "type");
    if name.is_empty() {
        let exempt = is_set(schema, INT_OR_STRING)
            || is_set(schema, PRESERVE)
            || is_set(schema, EMBEDDED)
            || schema.get("$ref").is_some();
        if place != Place::Root && !exempt {
            let what = if place == Place::Item {
                "array items"
            } else {
                "object fields"
            };
            let detail = format!("must not be empty for specified {what}");
            errors.push(FieldError::required(at(), &detail));
        }
    } else if !TYPES.contains(&name) {
        errors.push(FieldError::not_supported(at(), name, &TYPES));
    }
    if name == "array" && schema.get("items").is_none_or(Value::is_null) {
        errors.push(FieldError::required(
            join(path, "items"),
            "must be specified",
        ));
    }
}

fn check_keywords(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if schema.get("$ref").is_some() {
        errors.push(FieldError::forbidden(
            join(path, "$ref"),
            "$ref is not supported",
        ));
    }
    for keyword in UNSUPPORTED {
        if schema.get(keyword).is_some_and(|it| !it.is_null()) {
            let detail = format!("{keyword} is not supported");
            errors.push(FieldError::forbidden(join(path, keyword), &detail));
        }
    }
    if is_set(schema, "uniqueItems") {
        let detail =
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.push(FieldError::forbidden(join(path, "uniqueItems"), detail));
    }
    let open = schema
        .get("additionalProperties")
        .is_some_and(|it| it.is_object() || it == true);
    if open && properties(schema).next().is_some() {
        let detail = "additionalProperties and properties are mutual exclusive";
        errors.push(FieldError::forbidden(
            join(path, "additionalProperties"),
            detail,
        ));
    }
    if schema.get(PRESERVE) == Some(&Value::Bool(false)) {
        let detail = "must be true or undefined";
        errors.push(FieldError::invalid(join(path, PRESERVE), false, detail));
    }
}

fn check_embedded(schema: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if !is_set(schema, EMBEDDED) {
        return;
    }
    let name = schema.get("type").and_then(Value::as_str).unwrap_or("");
    let detail = "must be object if x-kubernetes-embedded-resource is true";
    if name.is_empty() {
        errors.push(FieldError::required(join(path, "type"), detail));
    } else if name != "object" {
        errors.push(FieldError::invalid(join(path, "type"), name, detail));
    }
    if !is_set(schema, PRESERVE) && properties(schema).next().is_none() {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
        errors.push(FieldError::required(join(path, "properties"), detail));
    }
}
