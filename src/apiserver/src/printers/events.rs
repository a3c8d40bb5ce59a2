//! Events, in the core form and in the form of `events.k8s.io`.

use flybridge_machinery::object::path_str;
use jiff::Timestamp;
use serde_json::Value;

use super::{Column, Printer, cell, text, wide};

pub(super) const EVENTS: Printer = Printer::new(
    &[
        text("Last Seen"),
        text("Type"),
        text("Reason"),
        text("Object"),
        wide("Subobject"),
        wide("Source"),
        text("Message"),
        wide("First Seen"),
        wide("Count"),
        Column {
            name: "Name",
            kind: "string",
            format: "name",
            priority: 1,
        },
    ],
    event,
);

/// The first non-empty string at one of the paths.
fn either<'a>(event: &'a Value, paths: &[&[&str]]) -> &'a str {
    paths
        .iter()
        .find_map(|path| path_str(event, path).filter(|text| !text.is_empty()))
        .unwrap_or_default()
}

fn event(event: &Value, now: Timestamp) -> Vec<Value> {
    let since = |path: &[&str]| cell::since(event, path, now);
    let first = since(&["firstTimestamp"])
        .or_else(|| since(&["deprecatedFirstTimestamp"]))
        .or_else(|| since(&["eventTime"]))
        .unwrap_or_else(|| "<unknown>".to_owned());
    let series = event.get("series").filter(|series| series.is_object());
    let (last, count) = if series.is_some() {
        let last = since(&["series", "lastObservedTime"]);
        (
            last.unwrap_or_else(|| "<unknown>".to_owned()),
            cell::number(event, &["series", "count"]),
        )
    } else {
        let last = since(&["lastTimestamp"]).or_else(|| since(&["deprecatedLastTimestamp"]));
        let count = cell::number(event, &["count"]) + cell::number(event, &["deprecatedCount"]);
        (last.unwrap_or_else(|| first.clone()), count.max(1))
    };
    let message = either(event, &[&["message"], &["note"]]);
    vec![
        last.into(),
        cell::string(event, &["type"]),
        cell::string(event, &["reason"]),
        target(event).into(),
        either(
            event,
            &[
                &["involvedObject", "fieldPath"],
                &["regarding", "fieldPath"],
            ],
        )
        .into(),
        source(event).into(),
        message.trim().into(),
        first.into(),
        count.into(),
        cell::name(event),
    ]
}

fn target(event: &Value) -> String {
    let kind = either(
        event,
        &[&["involvedObject", "kind"], &["regarding", "kind"]],
    )
    .to_lowercase();
    match either(
        event,
        &[&["involvedObject", "name"], &["regarding", "name"]],
    ) {
        "" => kind,
        name => format!("{kind}/{name}"),
    }
}

fn source(event: &Value) -> String {
    let component = either(
        event,
        &[
            &["source", "component"],
            &["deprecatedSource", "component"],
            &["reportingComponent"],
            &["reportingController"],
        ],
    );
    let instance = either(
        event,
        &[
            &["source", "host"],
            &["deprecatedSource", "host"],
            &["reportingInstance"],
        ],
    );
    if instance.is_empty() {
        component.to_owned()
    } else {
        format!("{component}, {instance}")
    }
}
