//! Certificate signing requests and aggregated API services.

use std::time::Duration;

use flybridge_machinery::object::{get_path, path_i64, path_list, path_str};
use flybridge_machinery::{conditions, time};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, text};

pub(super) const REQUESTS: Printer = Printer::new(
    &[
        NAME,
        AGE,
        text("SignerName"),
        text("Requestor"),
        text("RequestedDuration"),
        text("Condition"),
    ],
    request,
);

pub(super) const API_SERVICES: Printer = Printer::new(
    &[NAME, text("Service"), text("Available"), AGE],
    api_service,
);

fn request(request: &Value, now: Timestamp) -> Vec<Value> {
    let duration = path_i64(request, &["spec", "expirationSeconds"])
        .and_then(|seconds| u64::try_from(seconds).ok())
        .map_or_else(
            || "<none>".to_owned(),
            |seconds| time::human_duration(Duration::from_secs(seconds)),
        );
    vec![
        cell::name(request),
        cell::age(request, now),
        cell::string_or(request, &["spec", "signerName"], "<none>"),
        cell::string(request, &["spec", "username"]),
        duration.into(),
        condition(request).into(),
    ]
}

fn condition(request: &Value) -> String {
    let has = |kind: &str| {
        path_list(request, &["status", "conditions"])
            .iter()
            .any(|condition| path_str(condition, &["type"]) == Some(kind))
    };
    let mut words = Vec::new();
    if has("Denied") {
        words.push("Denied");
    } else if has("Approved") {
        words.push("Approved");
    } else {
        words.push("Pending");
    }
    if has("Failed") {
        words.push("Failed");
    }
    if path_str(request, &["status", "certificate"]).is_some_and(|text| !text.is_empty()) {
        words.push("Issued");
    }
    words.join(",")
}

fn api_service(service: &Value, now: Timestamp) -> Vec<Value> {
    let backend = get_path(service, &["spec", "service"]).filter(|part| part.is_object());
    let backend = backend.map_or_else(
        || "Local".to_owned(),
        |backend| {
            let part = |field: &str| path_str(backend, &[field]).unwrap_or_default();
            format!("{}/{}", part("namespace"), part("name"))
        },
    );
    let available = conditions::of(service, "Available");
    let status = available
        .and_then(|found| path_str(found, &["status"]))
        .unwrap_or("Unknown");
    let reason = available
        .and_then(|found| path_str(found, &["reason"]))
        .unwrap_or_default();
    let available = if status == "True" || reason.is_empty() {
        status.to_owned()
    } else {
        format!("{status} ({reason})")
    };
    vec![
        cell::name(service),
        backend.into(),
        available.into(),
        cell::age(service, now),
    ]
}
