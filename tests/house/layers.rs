//! Arrows between crates point strictly downwards, and each third-party crate has one owner.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// Third-party crate, then the workspace crates that may depend on it directly.
const OWNERS: &[(&str, &[&str])] = &[
    ("redb", &["store"]),
    ("ratatui", &["ui", "console", "testkit"]),
    ("crossterm", &["ui", "console"]),
    ("rcgen", &["apiserver"]),
    ("clap", &["cli", "xtask"]),
    ("anyhow", &["cli", "xtask", "testkit"]),
    ("portable-pty", &["testkit", "flybridge"]),
];

/// A crate, then what it must not reach through any chain of dependencies.
const UNREACHABLE: &[(&str, &[&str])] = &[
    (
        "console",
        &["apiserver", "store", "controllers", "controlplane"],
    ),
    ("controllers", &["apiserver", "store"]),
    ("store", &["machinery"]),
    ("ui", &["machinery", "client"]),
];

/// Crates that decide and never act: they may not name an async runtime or a socket.
const PURE: &[&str] = &[
    "machinery",
    "patch",
    "schema",
    "apis",
    "interpreter",
    "scheduler",
];
const IMPURE: &[&str] = &[
    "tokio",
    "hyper",
    "hyper-util",
    "tokio-util",
    "redb",
    "tower",
];

struct Workspace {
    layers: BTreeMap<String, u64>,
    /// Crate, then the workspace crates it depends on.
    inner: BTreeMap<String, BTreeSet<String>>,
    /// Crate, then the third-party crates it depends on.
    outer: BTreeMap<String, BTreeSet<String>>,
}

fn short(name: &str) -> String {
    name.strip_prefix("flybridge-").unwrap_or(name).to_owned()
}

fn layer_of(package: &Package) -> u64 {
    package
        .metadata
        .pointer("/arch/layer")
        .and_then(serde_json::Value::as_u64)
        .unwrap_or_else(|| panic!("{}: no [package.metadata.arch] layer", package.name))
}

fn workspace() -> Workspace {
    let metadata = MetadataCommand::new()
        .no_deps()
        .other_options(vec!["--offline".to_owned()])
        .exec()
        .expect("cargo metadata works in the workspace");
    let mut result = Workspace {
        layers: BTreeMap::new(),
        inner: BTreeMap::new(),
        outer: BTreeMap::new(),
    };
    for package in &metadata.packages {
        let name = short(&package.name);
        result.layers.insert(name.clone(), layer_of(package));
        for dependency in &package.dependencies {
            if dependency.kind == DependencyKind::Development {
                continue;
            }
            let ours = dependency.name.starts_with("flybridge-");
            let edges = if ours {
                &mut result.inner
            } else {
                &mut result.outer
            };
            edges
                .entry(name.clone())
                .or_default()
                .insert(short(&dependency.name));
        }
    }
    result
}

fn reachable(edges: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        for next in edges.get(&name).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

#[test]
fn arrows_point_strictly_downwards() {
    let workspace = workspace();
    let mut wrong = Vec::new();
    for (name, targets) in &workspace.inner {
        let own = workspace.layers[name];
        for target in targets {
            let other = workspace.layers[target];
            if other >= own {
                wrong.push(format!("{name} (L{own}) -> {target} (L{other})"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "arrows that do not point down:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn denied_crates_are_out_of_reach() {
    let workspace = workspace();
    let mut wrong = Vec::new();
    for (name, denied) in UNREACHABLE {
        let reached = reachable(&workspace.inner, name);
        for target in *denied {
            if reached.contains(*target) {
                wrong.push(format!("{name} reaches {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn third_party_crates_have_one_owner() {
    let workspace = workspace();
    let mut wrong = Vec::new();
    for (foreign, owners) in OWNERS {
        for (name, targets) in &workspace.outer {
            if targets.contains(*foreign) && !owners.contains(&name.as_str()) {
                wrong.push(format!(
                    "{name} depends on {foreign}, which belongs to {owners:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pure_crates_name_no_runtime() {
    let workspace = workspace();
    let mut wrong = Vec::new();
    for name in PURE {
        for foreign in workspace.outer.get(*name).into_iter().flatten() {
            if IMPURE.contains(&foreign.as_str()) {
                wrong.push(format!("{name} depends on {foreign}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
