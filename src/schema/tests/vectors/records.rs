//! Reading of recorded files.

use std::path::PathBuf;

use serde_json::Value;

/// The text of a recorded file.
pub(crate) fn text(file: &str) -> String {
    let base = std::env::var_os("VECTORS_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data")),
        PathBuf::from,
    );
    let path = base.join("api").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One record a line.
pub(crate) fn lines(file: &str) -> Vec<Value> {
    text(file)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Fails with everything that went wrong.
pub(crate) fn report(total: usize, least: usize, failures: &[String]) {
    assert!(total >= least, "only {total} records were replayed");
    assert!(
        failures.is_empty(),
        "{} of {total}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
