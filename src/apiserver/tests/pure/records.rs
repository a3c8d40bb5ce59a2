//! The records, one JSON document a line.

use std::path::PathBuf;

use serde_json::Value;

/// Reads `api/<file>` of the vectors.
pub(crate) fn records(file: &str) -> Vec<Value> {
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

/// Fails with every failure of a replay.
pub(crate) fn report(total: usize, least: usize, failures: &[String]) {
    assert!(total > least, "only {total} records were replayed");
    assert!(
        failures.is_empty(),
        "{} of {total}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
