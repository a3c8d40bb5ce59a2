//! Schemas of custom resources: what is refused, pruned, defaulted and published.

use std::collections::BTreeSet;

use flybridge_machinery::{FieldError, Gvk};
use flybridge_schema::Schema;
use flybridge_schema::openapi::{Endpoint, v2_document, v3_document};
use serde_json::{Value, json};

use crate::records;

const SCHEMA: &str = "/spec/versions/0/schema/openAPIV3Schema";

fn of_category(wanted: impl Fn(&str) -> bool) -> Vec<Value> {
    let mut rows = records::lines("crd.jsonl");
    rows.retain(|row| wanted(row["category"].as_str().unwrap()));
    rows
}

fn causes(errors: &[FieldError], prefix: &str) -> BTreeSet<(String, String)> {
    let path = |error: &FieldError| match error.field.as_str() {
        "" => prefix.trim_end_matches('.').to_owned(),
        field => format!("{prefix}{field}"),
    };
    errors
        .iter()
        .map(|error| (path(error), error.kind.as_str().to_owned()))
        .collect()
}

fn recorded(step: &Value) -> BTreeSet<(String, String)> {
    step["error"]["causes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|cause| {
            let word = |index: usize| cause[index].as_str().unwrap().to_owned();
            (word(0), word(1))
        })
        .collect()
}

#[test]
fn schemas_are_judged_as_upstream_judges_them() {
    let rows = of_category(|category| category.starts_with("schema:"));
    let mut failures = Vec::new();
    for row in &rows {
        let step = &row["steps"][0];
        let schema = step["body"].pointer(SCHEMA).unwrap();
        // These schemas describe the whole object by its spec field.
        let ours = match Schema::from_crd(schema) {
            Ok(_) => BTreeSet::new(),
            Err(errors) => causes(&errors, "spec.validation.openAPIV3Schema."),
        };
        let theirs = recorded(step);
        if ours != theirs {
            failures.push(format!("{}: {ours:?}, not {theirs:?}", row["category"]));
        }
    }
    records::report(rows.len(), 20, &failures);
}

#[test]
fn objects_are_pruned_defaulted_and_validated_as_recorded() {
    let mut failures = Vec::new();
    let mut total = 0;
    for row in of_category(|category| category == "random") {
        let steps = row["steps"].as_array().unwrap();
        let schema = steps[0]["body"].pointer(SCHEMA).unwrap();
        let schema = match Schema::from_crd(schema) {
            Ok(schema) => schema,
            Err(errors) => {
                failures.push(format!("{}: {errors:?}", row["id"]));
                continue;
            }
        };
        for step in &steps[1..] {
            let status = step["status"].as_u64().unwrap();
            if step["method"] != "POST" || ![201, 422].contains(&status) {
                continue;
            }
            total += 1;
            if let Some(failure) = replay(&schema, step) {
                let id = &row["id"];
                failures.push(format!("{id} {}\n  {failure}", step["body"]["spec"]));
            }
        }
    }
    records::report(total, 150, &failures);
}

fn replay(schema: &Schema, step: &Value) -> Option<String> {
    let mut object = step["body"].clone();
    let unknown: BTreeSet<String> = schema
        .unknown_fields(&object)
        .into_iter()
        .map(|path| format!("299 - \"unknown field \\\"{path}\\\"\""))
        .collect();
    let warnings: BTreeSet<String> = step["warnings"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|text| text.as_str().unwrap().to_owned())
        .collect();
    if unknown != warnings {
        return Some(format!("warnings {unknown:?}, not {warnings:?}"));
    }
    schema.prune(&mut object);
    schema.default(&mut object);
    let errors = schema.validate(&object);
    let (ours, theirs) = (causes(&errors, ""), recorded(step));
    if ours != theirs {
        return Some(format!("{ours:?}, not {theirs:?}"));
    }
    let stored = &step["object"]["spec"];
    (step["status"] == 201 && object["spec"] != *stored)
        .then(|| format!("{}, not {stored}", object["spec"]))
}

#[test]
fn custom_kinds_are_published_as_recorded() {
    let rows = of_category(|category| category == "openapi");
    let mut failures = Vec::new();
    for row in &rows {
        let steps = row["steps"].as_array().unwrap();
        let crd = &steps[0]["body"];
        let schema = Schema::from_crd(crd.pointer(SCHEMA).unwrap()).unwrap();
        let group = crd["spec"]["group"].as_str().unwrap();
        let gvk = Gvk::new(group, "v1", "Zap");
        let verbs: Vec<String> = [
            "create",
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "update",
            "watch",
        ]
        .map(str::to_owned)
        .to_vec();
        let status = ["get", "patch", "update"].map(str::to_owned);
        let has_status = crd
            .pointer("/spec/versions/0/subresources/status")
            .is_some();
        let endpoints = [Endpoint {
            plural: "zaps",
            gvk: gvk.clone(),
            namespaced: true,
            verbs: &verbs,
            subresources: if has_status {
                vec![("status", gvk, &status[..])]
            } else {
                vec![]
            },
            schema: Some(&schema),
            strategic: false,
        }];
        let document = v3_document(group, "v1", &endpoints);
        compare_v3(&document, &steps[1], &mut failures);
        let document = v2_document(&[(group, "v1", &endpoints)]);
        if let Some(step) = steps.get(2) {
            let key = steps[1]["schemaKey"].as_str().unwrap();
            compare_v2(&document, key, step, &mut failures);
        }
    }
    records::report(rows.len(), 8, &failures);
}

fn compare_v3(document: &Value, step: &Value, failures: &mut Vec<String>) {
    let key = step["schemaKey"].as_str().unwrap();
    let ours = without_texts(document["components"]["schemas"][key].clone());
    if ours != step["schema"] {
        failures.push(format!("{key} v3\n  {ours}\n  {}", step["schema"]));
    }
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    if json!(paths) != step["paths"] {
        failures.push(format!("{key} paths\n  {paths:?}\n  {}", step["paths"]));
    }
    let path = step["paths"][1].as_str().unwrap();
    let content = &document["paths"][path]["patch"]["requestBody"]["content"];
    let types: Vec<&String> = content.as_object().unwrap().keys().collect();
    if json!(types) != step["patchTypes"] {
        failures.push(format!("{key} {types:?}"));
    }
}

fn compare_v2(document: &Value, key: &str, step: &Value, failures: &mut Vec<String>) {
    let ours = without_texts(document["definitions"][key].clone());
    if ours != step["definition"] {
        failures.push(format!("{key} v2\n  {ours}\n  {}", step["definition"]));
    }
}

/// The recording left out descriptions.
fn without_texts(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.retain(|key, value| !(key == "description" && value.is_string()));
            for value in fields.values_mut() {
                *value = without_texts(value.take());
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = without_texts(item.take());
            }
        }
        _ => {}
    }
    value
}
