//! Role bindings; roles print name and creation time.

use flybridge_machinery::object::{path_list, path_str};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, text, wide};

pub(super) const BINDINGS: Printer = Printer::new(
    &[
        NAME,
        text("Role"),
        AGE,
        wide("Users"),
        wide("Groups"),
        wide("ServiceAccounts"),
    ],
    binding,
);

fn binding(binding: &Value, now: Timestamp) -> Vec<Value> {
    let role = |field: &str| path_str(binding, &["roleRef", field]).unwrap_or_default();
    vec![
        cell::name(binding),
        format!("{}/{}", role("kind"), role("name")).into(),
        cell::age(binding, now),
        subjects(binding, "User"),
        subjects(binding, "Group"),
        subjects(binding, "ServiceAccount"),
    ]
}

fn subjects(binding: &Value, kind: &str) -> Value {
    let names: Vec<String> = path_list(binding, &["subjects"])
        .iter()
        .filter(|subject| path_str(subject, &["kind"]) == Some(kind))
        .map(|subject| {
            let name = path_str(subject, &["name"]).unwrap_or_default();
            if kind != "ServiceAccount" {
                return name.to_owned();
            }
            format!(
                "{}/{name}",
                path_str(subject, &["namespace"]).unwrap_or_default()
            )
        })
        .collect();
    names.join(", ").into()
}
