//! Horizontal pod autoscalers.

use flybridge_machinery::object::{get_path, path_i64, path_list, path_str};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, text};

pub(super) const AUTOSCALERS: Printer = Printer::new(
    &[
        NAME,
        text("Reference"),
        text("Targets"),
        text("MinPods"),
        text("MaxPods"),
        text("Replicas"),
        AGE,
    ],
    autoscaler,
);

const SHOWN_METRICS: usize = 2;
const UNKNOWN: &str = "<unknown>";

fn autoscaler(autoscaler: &Value, now: Timestamp) -> Vec<Value> {
    let target =
        |field: &str| path_str(autoscaler, &["spec", "scaleTargetRef", field]).unwrap_or_default();
    let min = path_i64(autoscaler, &["spec", "minReplicas"])
        .map_or_else(|| "<unset>".to_owned(), |min| min.to_string());
    vec![
        cell::name(autoscaler),
        format!("{}/{}", target("kind"), target("name")).into(),
        targets(autoscaler),
        min.into(),
        cell::number(autoscaler, &["spec", "maxReplicas"]).into(),
        cell::number(autoscaler, &["status", "currentReplicas"]).into(),
        cell::age(autoscaler, now),
    ]
}

fn targets(autoscaler: &Value) -> Value {
    let current = path_list(autoscaler, &["status", "currentMetrics"]);
    let metrics: Vec<String> = path_list(autoscaler, &["spec", "metrics"])
        .iter()
        .enumerate()
        .map(|(index, metric)| target(metric, current.get(index).unwrap_or(&Value::Null)))
        .collect();
    cell::shortened(&metrics, SHOWN_METRICS, ", ", "<none>")
}

fn target(metric: &Value, status: &Value) -> String {
    let (source, named) = match path_str(metric, &["type"]) {
        Some("Resource") => ("resource", true),
        Some("ContainerResource") => ("containerResource", true),
        Some("Pods") => ("pods", false),
        Some("Object") => ("object", false),
        Some("External") => ("external", false),
        _ => return "<unknown type>".to_owned(),
    };
    let wanted = |field: &str| get_path(metric, &[source, "target", field]);
    let measured = |field: &str| get_path(status, &[source, "current", field]);
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or(UNKNOWN).to_owned();
    let average = wanted("averageValue");
    let value = if let Some(average) = average {
        let suffix = if matches!(source, "object" | "external") {
            " (avg)"
        } else {
            ""
        };
        format!(
            "{}/{}{suffix}",
            text(measured("averageValue")),
            text(Some(average))
        )
    } else if named {
        let current = measured("averageUtilization")
            .and_then(Value::as_i64)
            .map_or_else(|| UNKNOWN.to_owned(), |share| format!("{share}%"));
        let target = wanted("averageUtilization")
            .and_then(Value::as_i64)
            .map_or_else(|| "<auto>".to_owned(), |share| format!("{share}%"));
        format!("{current}/{target}")
    } else {
        format!("{}/{}", text(measured("value")), text(wanted("value")))
    };
    if named {
        let name = path_str(metric, &[source, "name"]).unwrap_or_default();
        return format!("{name}: {value}");
    }
    value
}
