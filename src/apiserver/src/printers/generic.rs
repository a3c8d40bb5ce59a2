//! Resources without a printer of their own.

use flybridge_machinery::object::path_str;
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, date};

/// Name and creation time.
pub(super) const CREATED_AT: Printer = Printer::new(&[NAME, date("Created At")], created_at);
/// Name and age.
pub(super) const NAME_AND_AGE: Printer = Printer::new(&[NAME, AGE], name_and_age);

fn created_at(object: &Value, _now: Timestamp) -> Vec<Value> {
    let created = path_str(object, &["metadata", "creationTimestamp"]).unwrap_or("<unknown>");
    vec![cell::name(object), created.into()]
}

fn name_and_age(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![cell::name(object), cell::age(object, now)]
}
