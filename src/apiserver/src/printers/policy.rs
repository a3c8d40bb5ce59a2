//! Small cluster policies: disruption budgets, priorities, runtime classes, leases.

use flybridge_machinery::object::{get_path, path_bool};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, boolean, cell, integer, text};

pub(super) const POD_DISRUPTION_BUDGETS: Printer = Printer::new(
    &[
        NAME,
        text("Min Available"),
        text("Max Unavailable"),
        integer("Allowed Disruptions"),
        AGE,
    ],
    budget,
);

pub(super) const PRIORITY_CLASSES: Printer = Printer::new(
    &[
        NAME,
        integer("Value"),
        boolean("Global-Default"),
        AGE,
        text("PreemptionPolicy"),
    ],
    priority_class,
);

pub(super) const RUNTIME_CLASSES: Printer =
    Printer::new(&[NAME, text("Handler"), AGE], runtime_class);

pub(super) const LEASES: Printer = Printer::new(&[NAME, text("Holder"), AGE], lease);

fn budget(budget: &Value, now: Timestamp) -> Vec<Value> {
    let limit = |field: &str| -> Value {
        match get_path(budget, &["spec", field]) {
            Some(Value::String(share)) => share.as_str().into(),
            Some(Value::Number(count)) => count.to_string().into(),
            _ => "N/A".into(),
        }
    };
    vec![
        cell::name(budget),
        limit("minAvailable"),
        limit("maxUnavailable"),
        cell::number(budget, &["status", "disruptionsAllowed"]).into(),
        cell::age(budget, now),
    ]
}

fn priority_class(class: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(class),
        cell::number(class, &["value"]).into(),
        path_bool(class, &["globalDefault"])
            .unwrap_or_default()
            .into(),
        cell::age(class, now),
        cell::string(class, &["preemptionPolicy"]),
    ]
}

fn runtime_class(class: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(class),
        cell::string(class, &["handler"]),
        cell::age(class, now),
    ]
}

fn lease(lease: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(lease),
        cell::string(lease, &["spec", "holderIdentity"]),
        cell::age(lease, now),
    ]
}
