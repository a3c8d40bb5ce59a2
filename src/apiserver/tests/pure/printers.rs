//! Table rows.

use flybridge_apiserver::defaults;
use flybridge_apiserver::printers::{CustomPrinter, printer};
use flybridge_machinery::table::ColumnDefinition;
use flybridge_machinery::{Gvk, object};
use serde_json::{Value, json};

use crate::records::{records, report};

const NOW: &str = "2026-03-01T12:00:00Z";
const CREATED: &str = "2026-03-01T11:00:00Z";
const UID: &str = "7d4e7b6c-0000-4000-8000-000000000001";

fn plural(kind: &str) -> String {
    let lower = kind.to_lowercase();
    match lower.as_str() {
        "endpoints" => lower,
        text if text.ends_with('s') => format!("{text}es"),
        text => text
            .strip_suffix('y')
            .map_or_else(|| format!("{text}s"), |stem| format!("{stem}ies")),
    }
}

/// The object as the server held it when it printed.
fn stored(record: &Value) -> Value {
    let text = record["object"].to_string().replace("<time>", CREATED);
    let mut stored: Value = serde_json::from_str(&text).unwrap();
    let gvk = object::gvk(&stored).unwrap();
    object::set_uid(&mut stored, UID);
    object::set_generation(&mut stored, 1);
    defaults::apply_for_create(&gvk, &mut stored);
    object::set_path(
        &mut stored,
        &["metadata", "creationTimestamp"],
        CREATED.into(),
    );
    if let Some(status) = record.get("status").filter(|status| status.is_object()) {
        for (key, value) in status.as_object().unwrap() {
            stored["status"][key] = value.clone();
        }
    }
    if gvk.kind == "Service" && object::path_str(&stored, &["spec", "clusterIP"]).is_none() {
        allocate(&mut stored);
    }
    if record["deleted"] == true {
        object::set_path(
            &mut stored,
            &["metadata", "deletionTimestamp"],
            CREATED.into(),
        );
    }
    stored
}

/// Stands in for the allocators of the server.
fn allocate(service: &mut Value) {
    let kind = object::path_str(service, &["spec", "type"])
        .unwrap()
        .to_owned();
    if kind != "ExternalName" {
        service["spec"]["clusterIP"] = "<clusterIP>".into();
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        for port in service["spec"]["ports"].as_array_mut().unwrap() {
            port.as_object_mut()
                .unwrap()
                .entry("nodePort")
                .or_insert(json!(30_000));
        }
    }
}

/// Masks ages and times on both sides the way they were recorded.
fn masked(cell: &Value, column: &ColumnDefinition) -> Value {
    let Some(text) = cell.as_str() else {
        return cell.clone();
    };
    let aging = matches!(
        column.name.as_str(),
        "Age" | "Last Seen" | "First Seen" | "Last Schedule"
    );
    // An event without any time shows no age, and was masked as one all the same.
    if aging && text == "<unknown>" {
        return "<age>".into();
    }
    let digits = text.starts_with(|c: char| c.is_ascii_digit()) && text.len() < 10;
    if digits && (aging || column.kind == "date") {
        return "<age>".into();
    }
    if text == CREATED {
        return "<time>".into();
    }
    if let Some((count, _)) = text.split_once(" (").filter(|_| text.ends_with(" ago)")) {
        return format!("{count} (<age> ago)").into();
    }
    text.replace(":30000/", ":<nodePort>/")
        .replace(UID, "<uid>")
        .into()
}

fn check(record: &Value) -> Result<(), String> {
    let object = stored(record);
    let gvk = object::gvk(&object).unwrap();
    let now = NOW.parse().unwrap();
    let (columns, cells, conditions) = if gvk.group.ends_with("vectors.test") {
        let extra = record["additionalPrinterColumns"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let printer = CustomPrinter::new(&extra);
        (printer.columns(), printer.cells(&object, now), Vec::new())
    } else {
        let printer = printer(&gvk.group, &plural(&gvk.kind));
        (
            printer.columns(),
            printer.cells(&object, now),
            printer.conditions(&object),
        )
    };
    let name = object::name(&object);
    let expected: Vec<ColumnDefinition> = record["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| serde_json::from_value(column.clone()).unwrap())
        .collect();
    if columns != expected {
        return Err(format!("{name}: columns {columns:?}, not {expected:?}"));
    }
    let ours: Vec<Value> = cells
        .iter()
        .zip(&columns)
        .map(|(cell, column)| masked(cell, column))
        .collect();
    let theirs: Vec<Value> = record["cells"].as_array().unwrap().clone();
    let same = ours.len() == theirs.len()
        && ours
            .iter()
            .zip(&theirs)
            .zip(&columns)
            .all(|((ours, theirs), column)| {
                // The duration of a running job is its age, in the recording too.
                ours == theirs || column.name == "Duration" && theirs == "<age>"
            });
    if !same {
        return Err(format!(
            "{name}: {}, not {}",
            Value::from(ours),
            Value::from(theirs)
        ));
    }
    let expected = record["rowConditions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    if conditions != expected {
        return Err(format!(
            "{name}: conditions {conditions:?}, not {expected:?}"
        ));
    }
    Ok(())
}

#[test]
fn rows_are_those_of_a_real_server() {
    let records = records("table.jsonl");
    let failures: Vec<String> = records
        .iter()
        .filter_map(|record| check(record).err())
        .collect();
    report(records.len(), 60, &failures);
}

#[test]
fn every_printer_gives_one_cell_a_column() {
    let now = NOW.parse().unwrap();
    for (group, resource) in [
        ("", "pods"),
        ("", "nodes"),
        ("", "services"),
        ("apps", "deployments"),
        ("batch", "jobs"),
        ("autoscaling", "horizontalpodautoscalers"),
        ("storage.k8s.io", "csidrivers"),
        ("cluster.karmada.io", "clusters"),
        ("certificates.k8s.io", "certificatesigningrequests"),
        ("apiregistration.k8s.io", "apiservices"),
        ("policy.karmada.io", "whatever"),
    ] {
        let gvk = Gvk::new(group, "v1", "Empty");
        let mut empty = json!({});
        object::set_gvk(&mut empty, &gvk);
        let printer = printer(group, resource);
        assert_eq!(
            printer.cells(&empty, now).len(),
            printer.columns().len(),
            "{group}/{resource}"
        );
    }
}
