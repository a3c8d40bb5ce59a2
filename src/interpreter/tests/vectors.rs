//! The built-in rules against recorded cases.
//!
//! Reads `interpreter.jsonl` of the directory that `VECTORS_DIR` names, or the trimmed copy of
//! the repository.

use std::path::PathBuf;

use flybridge_apis::matching::{Template, applied_overrides};
use flybridge_apis::{Cluster, ClusterOverridePolicy, OverridePolicy};
use flybridge_interpreter as interpreter;
use flybridge_machinery::Quantity;
use interpreter::Error;
use serde_json::{Map, Value, json};

fn cases(file: &str) -> Vec<Value> {
    let directory = std::env::var_os("VECTORS_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data")),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(directory.join(file)).expect("the cases are there");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a case is JSON"))
        .collect()
}

/// Without nulls and what is empty, which typed and untyped servers write differently; amounts of
/// resources in their canonical notation.
fn lean(value: &Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => Value::Null,
        Value::Object(fields)
            if fields.contains_key("requests") || fields.contains_key("limits") =>
        {
            let amounts = |list: &Value| -> Value {
                let list = list.as_object().into_iter().flatten();
                list.map(|(name, amount)| {
                    let amount = Quantity::from_json(amount).map(|amount| amount.milli_value());
                    (
                        name.clone(),
                        json!(amount.expect("an amount is a quantity")),
                    )
                })
                .collect()
            };
            json!({"requests": amounts(&value["requests"]), "limits": amounts(&value["limits"])})
        }
        Value::Object(fields) => {
            let kept: Map<String, Value> = fields
                .iter()
                .map(|(key, value)| (key.clone(), lean(value)))
                .filter(|(_, value)| !value.is_null() && *value != json!({}) && *value != json!([]))
                .collect();
            Value::Object(kept)
        }
        Value::Array(list) => Value::Array(list.iter().map(lean).collect()),
        other => other.clone(),
    }
}

fn run(input: &Value) -> Result<Value, Error> {
    let object = &input["object"];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    Ok(
        match input["operation"]
            .as_str()
            .expect("a case has an operation")
        {
            "GetReplicas" => {
                let replicas = interpreter::get_replicas(object)?;
                json!({"replicas": replicas.count, "requirements": replicas.requirements})
            }
            "ReviseReplica" => {
                let mut object = object.clone();
                interpreter::revise_replica(
                    &mut object,
                    input["replica"].as_i64().unwrap_or_default(),
                )?;
                json!({"object": object})
            }
            "Retain" => {
                let mut desired = object.clone();
                interpreter::retain(&mut desired, &input["observed"])?;
                json!({"object": desired})
            }
            "ReflectStatus" => match interpreter::reflect_status(object)? {
                Some(status) => json!({"status": status}),
                None => json!({"statusIsNull": true}),
            },
            "AggregateStatus" => {
                let mut object = object.clone();
                let items = list(&input["items"]);
                let changed = interpreter::aggregate_status(&mut object, &items, "$NOW")?;
                match object.get("status") {
                    Some(status) => json!({"unchanged": !changed, "status": status}),
                    None => json!({"unchanged": !changed, "statusIsNull": true}),
                }
            }
            "InterpretHealth" => json!({"healthy": interpreter::interpret_health(object)?}),
            "GetDependencies" => {
                let mut found = interpreter::dependencies(object)?;
                found.sort_by_key(Value::to_string);
                json!({"dependencies": found})
            }
            _ => {
                return Err(Error::NotHandled {
                    operation: "",
                    kind: String::new(),
                });
            }
        },
    )
}

fn expected(output: &Value) -> Value {
    let mut output = output.clone();
    if let Some(list) = output.get_mut("dependencies").and_then(Value::as_array_mut) {
        list.sort_by_key(Value::to_string);
    }
    if let Some(fields) = output.as_object_mut() {
        fields.remove("usesNow");
    }
    output
}

#[test]
fn built_in_rules_agree_with_the_recorded_cases() {
    let cases = cases("interpreter.jsonl");
    assert!(cases.len() > 100);
    let mut failures = Vec::new();
    for case in &cases {
        let actual = match run(&case["input"]) {
            Ok(output) => output,
            Err(Error::NotHandled { .. }) => json!({"notHandled": true}),
            Err(_failed) => json!({"error": "Error"}),
        };
        let wanted = expected(&case["output"]);
        if lean(&actual) != lean(&wanted) {
            let operation = &case["input"]["operation"];
            failures.push(format!(
                "{} {operation} {}\n  expected {wanted}\n  actual   {actual}\n",
                case["id"], case["kind"]
            ));
        }
    }
    let shown: Vec<&String> = failures.iter().take(5).collect();
    assert!(
        failures.is_empty(),
        "{} of {} differ\n{shown:#?}",
        failures.len(),
        cases.len()
    );
}

/// Text that is JSON or YAML, as its value: how it is laid out does not matter.
fn loose(value: &Value) -> Value {
    match value {
        Value::String(text) => serde_saphyr::from_str::<Value>(text)
            .ok()
            .filter(|parsed| parsed.is_object() || parsed.is_array())
            .unwrap_or_else(|| value.clone()),
        Value::Array(list) => Value::Array(list.iter().map(loose).collect()),
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(key, value)| (key.clone(), loose(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

fn override_object(input: &Value) -> Result<Value, String> {
    fn policies<P: serde::de::DeserializeOwned>(list: &Value) -> Vec<P> {
        let list = list.as_array().cloned().unwrap_or_default();
        list.into_iter()
            .map(|policy| serde_json::from_value(policy).expect("a policy decodes"))
            .collect()
    }
    let text = |error: Error| error.to_string();
    let mut cluster = input["cluster"].clone();
    if cluster["spec"]["syncMode"] == "" {
        cluster["spec"]["syncMode"] = json!("Push");
    }
    let cluster: Cluster = serde_json::from_value(cluster).expect("a cluster decodes");
    let mut object = input["object"].clone();
    let wide: Vec<ClusterOverridePolicy> = policies(&input["clusterOverridePolicies"]);
    let narrow: Vec<OverridePolicy> = policies(&input["overridePolicies"]);
    let namespace = object["metadata"]["namespace"].clone();
    let (mut applied_wide, mut applied) = (Vec::new(), Vec::new());
    for rule in applied_overrides(&wide, &Template::of(&object), &cluster) {
        interpreter::apply_overriders(&mut object, rule.overriders).map_err(text)?;
        applied_wide.push(rule.policy);
    }
    let own = narrow.iter().filter(|policy| {
        policy.metadata.namespace.as_deref() == namespace.as_str() && namespace.is_string()
    });
    for rule in applied_overrides(own, &Template::of(&object.clone()), &cluster) {
        interpreter::apply_overriders(&mut object, rule.overriders).map_err(text)?;
        applied.push(rule.policy);
    }
    applied_wide.sort_unstable();
    applied.sort_unstable();
    Ok(
        json!({"object": object, "appliedClusterOverrides": applied_wide, "appliedOverrides": applied}),
    )
}

#[test]
fn overriders_agree_with_the_recorded_cases() {
    let cases = cases("override.jsonl");
    assert!(cases.len() > 100);
    let mut failures = Vec::new();
    for case in &cases {
        let actual =
            override_object(&case["input"]).unwrap_or_else(|_text| json!({"error": "Error"}));
        let mut wanted = case["output"].clone();
        if wanted["error"].is_string() {
            wanted["error"] = json!("Error");
        }
        for list in ["appliedOverrides", "appliedClusterOverrides"] {
            if let Some(names) = wanted.get_mut(list).and_then(Value::as_array_mut) {
                names.sort_by_key(Value::to_string);
            }
        }
        if lean(&loose(&actual)) != lean(&loose(&wanted)) {
            failures.push(format!(
                "{} {}\n  policies {} {}\n  object {}\n  expected {wanted}\n  actual   {actual}\n",
                case["id"],
                case["tags"],
                case["input"]["clusterOverridePolicies"],
                case["input"]["overridePolicies"],
                case["input"]["object"]
            ));
        }
    }
    let shown: Vec<&String> = failures.iter().take(8).collect();
    assert!(
        failures.is_empty(),
        "{} of {} differ\n{shown:#?}",
        failures.len(),
        cases.len()
    );
}
