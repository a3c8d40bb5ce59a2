//! The cases, one test a file of records.

use std::cmp::Ordering;
use std::path::PathBuf;

use flybridge_machinery::{FieldSelector, JsonPath, Quantity, Selector};
use serde_json::Value;

fn records(file: &str) -> Vec<Value> {
    let base = std::env::var_os("VECTORS_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data")),
        PathBuf::from,
    );
    let path = base.join("api").join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn text<'a>(record: &'a Value, key: &str) -> Option<&'a str> {
    record[key].as_str()
}

fn report(total: usize, failures: &[String]) {
    assert!(total > 50, "only {total} records were replayed");
    assert!(
        failures.is_empty(),
        "{} of {total}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Beyond this magnitude quantities are capped.
const CAP: f64 = 1e29;

fn check_quantity(record: &Value, failures: &mut Vec<String>) {
    let source = text(record, "q").unwrap();
    let mut expect = |what: &str, ours: String, theirs: &str| {
        if ours != theirs {
            failures.push(format!("{source:?}: {what} is {ours:?}, not {theirs:?}"));
        }
    };
    let parsed = match (Quantity::parse(source), text(record, "error")) {
        (Err(error), Some(message)) => return expect("error", error.to_string(), message),
        (Ok(quantity), None) => quantity,
        (ours, theirs) => return expect("outcome", format!("{ours:?}"), &format!("{theirs:?}")),
    };
    if parsed.to_f64().abs() > CAP {
        return;
    }
    expect(
        "canonical",
        parsed.to_string(),
        text(record, "canonical").unwrap(),
    );
    // Upstream wraps around or answers zero where the amount does not fit 64 bits, and rounds
    // negative binary fractions towards zero.
    let fraction = parsed.to_f64().fract() != 0.0;
    if parsed.to_f64().abs() < 9e15 && !(parsed.is_negative() && fraction) {
        expect(
            "value",
            parsed.value().to_string(),
            text(record, "value").unwrap(),
        );
        let milli = text(record, "milliValue").unwrap();
        expect("milliValue", parsed.milli_value().to_string(), milli);
    }
    let Some(other) = text(record, "cmpWith").and_then(|other| Quantity::parse(other).ok()) else {
        return;
    };
    let order = match record["cmp"].as_i64().unwrap() {
        -1 => Ordering::Less,
        0 => Ordering::Equal,
        _ => Ordering::Greater,
    };
    expect(
        "cmp",
        format!("{:?}", parsed.cmp(&other)),
        &format!("{order:?}"),
    );
    expect(
        "add",
        (&parsed + &other).to_string(),
        text(record, "add").unwrap(),
    );
    expect(
        "sub",
        (&parsed - &other).to_string(),
        text(record, "sub").unwrap(),
    );
}

#[test]
fn quantities_read_compare_and_print_like_upstream() {
    let records = records("quantity.jsonl");
    let mut failures = Vec::new();
    for record in &records {
        check_quantity(record, &mut failures);
    }
    report(records.len(), &failures);
}

#[test]
fn stored_quantities_are_rounded_to_milli() {
    let records = records("quantity.jsonl");
    let mut failures = Vec::new();
    for record in &records {
        let (Some(source), Some(server)) = (text(record, "q"), text(record, "server")) else {
            continue;
        };
        // The server trims JSON strings before it parses them.
        let parsed = Quantity::parse(source.trim()).unwrap();
        let ours = parsed.rounded_to_milli().to_string();
        if parsed.to_f64().abs() < CAP && ours != server {
            failures.push(format!("{source:?}: {ours:?}, not {server:?}"));
        }
    }
    report(records.len(), &failures);
}

fn check_label(record: &Value, sets: &[Value]) -> Result<(), String> {
    let source = text(record, "selector").unwrap();
    let selector = match (Selector::parse(source), text(record, "error")) {
        (Err(error), Some(message)) if error.to_string() == message => return Ok(()),
        (Ok(selector), None) => selector,
        (ours, theirs) => return Err(format!("{source:?}: {ours:?}, not {theirs:?}")),
    };
    let matching: Vec<u64> = sets
        .iter()
        .zip(0..)
        .filter(|(set, _)| selector.matches(|key| set[key].as_str()))
        .map(|(_, index)| index)
        .collect();
    let expected: Vec<u64> = record["matches"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    if matching != expected {
        return Err(format!("{source:?} matches {matching:?}, not {expected:?}"));
    }
    if text(record, "canonical") != Some(selector.to_string().as_str()) {
        return Err(format!(
            "{source:?} prints as {selector}, not {}",
            record["canonical"]
        ));
    }
    Ok(())
}

#[test]
fn label_selectors_parse_match_and_print_like_upstream() {
    let records = records("selectors.jsonl");
    let sets = records[0]["labelSets"].as_array().unwrap();
    let labels: Vec<_> = records
        .iter()
        .filter(|record| record["type"] == "label")
        .collect();
    let failures: Vec<String> = labels
        .iter()
        .filter_map(|record| check_label(record, sets).err())
        .collect();
    report(labels.len(), &failures);
}

#[test]
fn field_selectors_parse_and_print_like_upstream() {
    let records = records("selectors.jsonl");
    let fields: Vec<_> = records
        .iter()
        .filter(|record| record["type"] == "field")
        .collect();
    let mut failures = Vec::new();
    for record in &fields {
        let source = text(record, "selector").unwrap();
        // Without a canonical form it was the parser that refused.
        match (FieldSelector::parse(source), text(record, "canonical")) {
            (Ok(selector), Some(canonical)) if selector.to_string() == canonical => {}
            (Err(error), None) if Some(error.to_string().as_str()) == text(record, "error") => {}
            (ours, theirs) => failures.push(format!("{source:?}: {ours:?}, not {theirs:?}")),
        }
    }
    report(fields.len(), &failures);
}

/// Maps have no order upstream, so some outputs are only known as a set of words.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split([' ', '\n']).collect();
    words.sort_unstable();
    words
}

fn check_jsonpath(record: &Value, input: &Value) -> Result<(), String> {
    let template = text(record, "expr").unwrap();
    let ours = JsonPath::parse(template).and_then(|path| path.render(input));
    match (ours, text(record, "output"), text(record, "error")) {
        (Ok(ours), Some(theirs), _) => {
            let unordered = template.contains('*') || template.contains("..");
            let same = ours == theirs || unordered && words(&ours) == words(theirs);
            same.then_some(())
                .ok_or_else(|| format!("{template}: {ours:?}, not {theirs:?}"))
        }
        (Err(error), None, Some(theirs)) => theirs
            .contains(&error.to_string())
            .then_some(())
            .ok_or_else(|| format!("{template}: {error}, not {theirs}")),
        (ours, _, _) => Err(format!("{template}: {ours:?}, not {record}")),
    }
}

#[test]
fn jsonpath_templates_render_like_kubectl() {
    let records = records("jsonpath.jsonl");
    let (setup, cases) = records.split_first().unwrap();
    let mut inputs = setup.clone();
    // kubectl shows every list as a plain `v1` one.
    inputs["list"]["apiVersion"] = "v1".into();
    inputs["list"]["kind"] = "List".into();
    inputs["list"]["metadata"] = serde_json::json!({"resourceVersion": ""});
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|record| check_jsonpath(record, &inputs[text(record, "input")?]).err())
        .collect();
    report(cases.len(), &failures);
}
