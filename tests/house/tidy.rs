//! Sizes, module docs and names of every source file.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines a source file may have before its tests.
const MAX_LINES: usize = 500;
const BANNED_NAMES: &[&str] = &[
    "utils", "helpers", "common", "misc", "manager", "util", "helper",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(dir)
        .unwrap_or_else(|error| panic!("{}: {error}", dir.display()))
        .map(|entry| entry.expect("a readable folder entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    walk(&root().join("src"), &mut paths);
    walk(&root().join("tests"), &mut paths);
    assert!(
        paths.len() > 20,
        "the walk found only {} files",
        paths.len()
    );
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("source files are UTF-8");
            let name = path
                .strip_prefix(root())
                .expect("below the root")
                .display()
                .to_string();
            (name, text)
        })
        .collect()
}

/// Files that hold nothing but tests may list as many cases as they need.
fn is_test(name: &str) -> bool {
    name.contains("/tests/") || name.starts_with("tests/") || name.ends_with("/tests.rs")
}

#[test]
fn files_stay_within_their_size() {
    let long: Vec<_> = sources()
        .into_iter()
        .filter(|(name, _)| !is_test(name))
        .filter_map(|(name, text)| {
            let lines = text
                .lines()
                .take_while(|line| !line.starts_with("#[cfg(test)]"))
                .count();
            (lines > MAX_LINES).then(|| format!("{name}: {lines} lines"))
        })
        .collect();
    assert!(
        long.is_empty(),
        "files over {MAX_LINES} lines:\n{}",
        long.join("\n")
    );
}

#[test]
fn files_open_with_their_purpose() {
    let silent: Vec<_> = sources()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(name, _)| name)
        .collect();
    assert!(
        silent.is_empty(),
        "files without a module doc:\n{}",
        silent.join("\n")
    );
}

#[test]
fn files_are_named_for_what_they_hold() {
    let vague: Vec<_> = sources()
        .into_iter()
        .filter(|(name, _)| {
            let stem = Path::new(name)
                .file_stem()
                .and_then(|stem| stem.to_str())
                .unwrap_or("");
            BANNED_NAMES.contains(&stem) || stem == "mod"
        })
        .map(|(name, _)| name)
        .collect();
    assert!(
        vague.is_empty(),
        "files with banned names:\n{}",
        vague.join("\n")
    );
}
