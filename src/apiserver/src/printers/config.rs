//! Namespaces, their quotas, and what pods read: secrets, config maps, service accounts.

use flybridge_machinery::object::{get_path, path_str};
use jiff::Timestamp;
use serde_json::Value;

use super::generic::NAME_AND_AGE;
use super::{AGE, NAME, Printer, cell, text};

pub(super) const NAMESPACES: Printer = Printer::new(&[NAME, text("Status"), AGE], namespace);
pub(super) const SECRETS: Printer = Printer::new(&[NAME, text("Type"), text("Data"), AGE], secret);
pub(super) const CONFIG_MAPS: Printer = Printer::new(&[NAME, text("Data"), AGE], config_map);
pub(super) const SERVICE_ACCOUNTS: Printer = NAME_AND_AGE;
pub(super) const RESOURCE_QUOTAS: Printer =
    Printer::new(&[NAME, text("Request"), text("Limit"), AGE], resource_quota);

fn namespace(namespace: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(namespace),
        cell::string(namespace, &["status", "phase"]),
        cell::age(namespace, now),
    ]
}

fn secret(secret: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(secret),
        cell::string(secret, &["type"]),
        cell::count(secret, &["data"]).into(),
        cell::age(secret, now),
    ]
}

fn config_map(config_map: &Value, now: Timestamp) -> Vec<Value> {
    let entries = cell::count(config_map, &["data"]) + cell::count(config_map, &["binaryData"]);
    vec![
        cell::name(config_map),
        entries.into(),
        cell::age(config_map, now),
    ]
}

fn resource_quota(quota: &Value, now: Timestamp) -> Vec<Value> {
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    let hard = get_path(quota, &["status", "hard"]).and_then(Value::as_object);
    for (resource, hard) in hard.into_iter().flatten() {
        let used = path_str(quota, &["status", "used", resource]).unwrap_or("0");
        let entry = format!("{resource}: {used}/{}", hard.as_str().unwrap_or_default());
        let column = if resource.starts_with("limits.") {
            &mut limits
        } else {
            &mut requests
        };
        column.push(entry);
    }
    vec![
        cell::name(quota),
        requests.join(", ").into(),
        limits.join(", ").into(),
        cell::age(quota, now),
    ]
}
