//! One record is an object, a patch, and what became of it.

use std::path::PathBuf;

use flybridge_machinery::object::{self, path_str};
use flybridge_patch::strategic_merge;
use flybridge_schema::Catalog;
use serde_json::Value;

fn records(file: &str) -> Vec<Value> {
    let base = std::env::var_os("VECTORS_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data")),
        PathBuf::from,
    );
    let path = base.join("api").join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Without what a typed decoder drops: directives, nulls, and fields of empty value.
fn typed(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !key.starts_with('$'))
            .map(|(key, value)| (key.clone(), typed(value)))
            .filter(|(_, value)| !is_empty(value))
            .collect(),
        Value::Array(items) => items.iter().map(typed).collect(),
        other => other.clone(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(true) => false,
    }
}

fn check(record: &Value) -> Result<(), String> {
    let original = &record["original"];
    let gvk = object::gvk(original).unwrap();
    let schema = Catalog::builtin().schema_for(&gvk).unwrap();
    let merged = strategic_merge(original, &record["patch"], &schema);
    let id = path_str(record, &["id"]).unwrap();
    let expected = match (record.get("pure"), record["pureEqualsResult"].as_bool()) {
        (Some(pure), _) => pure,
        (None, Some(true)) => &record["result"],
        _ => {
            return match merged {
                Err(error) if u64::from(error.to_status().code) == record["status"] => Ok(()),
                ours => Err(format!("{id}: {ours:?}, not {}", record["pureError"])),
            };
        }
    };
    let merged = merged.map_err(|error| format!("{id}: {error}"))?;
    let (mut ours, mut theirs) = (typed(&merged), typed(expected));
    for side in [&mut ours, &mut theirs] {
        object::remove_path(side, &["metadata", "generation"]);
    }
    if ours == theirs {
        return Ok(());
    }
    Err(format!(
        "{id}: patch {}\n  ours   {ours}\n  theirs {theirs}",
        record["patch"]
    ))
}

#[test]
fn strategic_merges_are_those_of_upstream() {
    let records = records("smp.jsonl");
    assert!(records.len() > 50, "only {} records", records.len());
    let failures: Vec<String> = records
        .iter()
        .filter_map(|record| check(record).err())
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        records.len(),
        failures.join("\n")
    );
}
