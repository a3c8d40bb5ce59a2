//! Nodes.

use std::collections::BTreeSet;

use flybridge_machinery::conditions;
use flybridge_machinery::object::{self, path_bool, path_list, path_str};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, text, wide};

pub(super) const NODES: Printer = Printer::new(
    &[
        NAME,
        text("Status"),
        text("Roles"),
        AGE,
        text("Version"),
        wide("Internal-IP"),
        wide("External-IP"),
        wide("OS-Image"),
        wide("Kernel-Version"),
        wide("Container-Runtime"),
    ],
    node,
);

fn node(node: &Value, now: Timestamp) -> Vec<Value> {
    let mut status = match conditions::status_of(node, "Ready") {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if path_bool(node, &["spec", "unschedulable"]) == Some(true) {
        status.push_str(",SchedulingDisabled");
    }
    let info = |field: &str| cell::string_or(node, &["status", "nodeInfo", field], "<unknown>");
    vec![
        cell::name(node),
        status.into(),
        roles(node).into(),
        cell::age(node, now),
        cell::string(node, &["status", "nodeInfo", "kubeletVersion"]),
        address(node, "InternalIP"),
        address(node, "ExternalIP"),
        info("osImage"),
        kernel(node),
        info("containerRuntimeVersion"),
    ]
}

fn kernel(node: &Value) -> Value {
    let field = |name: &str| path_str(node, &["status", "nodeInfo", name]).unwrap_or_default();
    match (field("kernelVersion"), field("architecture")) {
        ("", _) => "<unknown>".into(),
        (version, "") => version.into(),
        (version, architecture) => format!("{version} ({architecture})").into(),
    }
}

fn roles(node: &Value) -> String {
    let roles: BTreeSet<&str> = object::labels(node)
        .filter_map(|(key, value)| match key {
            "kubernetes.io/role" => Some(value),
            other => other.strip_prefix("node-role.kubernetes.io/"),
        })
        .filter(|role| !role.is_empty())
        .collect();
    if roles.is_empty() {
        return "<none>".to_owned();
    }
    roles.into_iter().collect::<Vec<_>>().join(",")
}

fn address(node: &Value, kind: &str) -> Value {
    path_list(node, &["status", "addresses"])
        .iter()
        .find(|address| path_str(address, &["type"]) == Some(kind))
        .map_or_else(
            || "<none>".into(),
            |address| cell::string(address, &["address"]),
        )
}
