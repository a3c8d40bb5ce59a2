//! The recorded conversations and the list of those that must pass.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn repository_data() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data"))
}

/// The full set in one file under `VECTORS_DIR`, else the trimmed copy, one file an area.
pub(crate) fn scenarios() -> Vec<Value> {
    let mut found = match std::env::var_os("VECTORS_DIR") {
        Some(base) => lines(&PathBuf::from(base).join("api/scenarios.jsonl")),
        None => {
            let folder = repository_data().join("api/scenarios");
            let files = std::fs::read_dir(&folder).unwrap();
            files
                .flat_map(|file| lines(&file.unwrap().path()))
                .collect()
        }
    };
    if let Ok(wanted) = std::env::var("SCENARIOS") {
        let wanted: Vec<&str> = wanted.split(',').collect();
        let is_wanted = |scenario: &Value| {
            let id = scenario["id"].as_str().unwrap_or_default();
            wanted.iter().any(|text| id.starts_with(text))
        };
        found.retain(is_wanted);
    }
    found
}

fn lines(path: &Path) -> Vec<Value> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn expected_path() -> PathBuf {
    repository_data().join("api/scenarios.expected")
}

/// The ids that must pass; none are demanded when only some scenarios were asked for.
pub(crate) fn expected() -> BTreeSet<String> {
    if std::env::var_os("SCENARIOS").is_some() {
        return BTreeSet::new();
    }
    let text = std::fs::read_to_string(expected_path()).unwrap_or_default();
    text.lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Adds to the list what passes now, if `SCENARIOS_UPDATE` asks for it.
pub(crate) fn update(passing: &BTreeSet<&str>) {
    if std::env::var_os("SCENARIOS_UPDATE").is_none() {
        return;
    }
    let mut all = expected();
    all.extend(passing.iter().map(|id| (*id).to_owned()));
    let text: String = all.iter().map(|id| format!("{id}\n")).collect();
    std::fs::write(expected_path(), text).unwrap();
}
