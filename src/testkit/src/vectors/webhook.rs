//! Admission of the kinds that are built.

use std::collections::BTreeSet;

use flybridge_apis::admission;
use flybridge_base::Ids;
use flybridge_machinery::Gvk;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Verdict, part};

const KINDS: [(&str, &str, &str); 7] = [
    ("PropagationPolicy", "policy.karmada.io", "v1alpha1"),
    ("ClusterPropagationPolicy", "policy.karmada.io", "v1alpha1"),
    ("OverridePolicy", "policy.karmada.io", "v1alpha1"),
    ("ClusterOverridePolicy", "policy.karmada.io", "v1alpha1"),
    ("Work", "work.karmada.io", "v1alpha1"),
    ("ResourceBinding", "work.karmada.io", "v1alpha2"),
    ("ClusterResourceBinding", "work.karmada.io", "v1alpha2"),
];

pub(super) fn run(case: &Value) -> anyhow::Result<Verdict> {
    let input = &case["input"];
    let kind: String = part(input, "kind")?;
    if kind == "DeletionProtection" {
        return deletion(case);
    }
    let Some((kind, group, version)) = KINDS.iter().find(|known| known.0 == kind) else {
        return Ok(Verdict::Skipped);
    };
    let gvk = Gvk::new(*group, *version, *kind);
    let old = input
        .get("oldObject")
        .filter(|_| input["operation"] == "UPDATE");
    let mut object = input["object"].clone();
    admission::mutate(
        &gvk,
        old,
        &mut object,
        &Ids::seeded(1),
        Timestamp::UNIX_EPOCH,
    );
    let errors = admission::validate(&gvk, old, &object);
    let output = &case["output"];
    anyhow::ensure!(
        output["allowed"] == errors.is_empty(),
        "errors {errors:?}\n    want {output}"
    );
    if let Some(Value::Array(wanted)) = output.get("errors") {
        let pair = |field: &str, kind: &str| format!("{field} {kind}");
        let wanted: BTreeSet<String> = wanted
            .iter()
            .map(|error| {
                pair(
                    error["path"].as_str().unwrap_or_default(),
                    error["type"].as_str().unwrap_or_default(),
                )
            })
            .collect();
        let got: BTreeSet<String> = errors
            .iter()
            .map(|error| pair(&error.field, error.kind.as_str()))
            .collect();
        anyhow::ensure!(got == wanted, "got {got:?}\n    want {wanted:?}");
    }
    if let Some(wanted) = output.get("mutated") {
        let mut wanted = wanted.clone();
        let mut got = object;
        mask_generated(input, &mut got);
        drop_empty(&mut wanted);
        drop_empty(&mut got);
        anyhow::ensure!(got == wanted, "got {got}\n    want {wanted}");
    }
    Ok(Verdict::Passed)
}

fn deletion(case: &Value) -> anyhow::Result<Verdict> {
    let input = &case["input"];
    let denied =
        input["operation"] == "DELETE" && admission::deletion_denied(&input["oldObject"]).is_some();
    anyhow::ensure!(
        case["output"]["allowed"] == !denied,
        "denied: {denied}\n    want {}",
        case["output"]
    );
    Ok(Verdict::Passed)
}

/// Replaces ids that were not in the input, as the recording did.
fn mask_generated(input: &Value, object: &mut Value) {
    let given = input["object"].to_string();
    mask(object, &given);
}

fn mask(value: &mut Value, given: &str) {
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                let generated = name.ends_with("/permanent-id")
                    && member
                        .as_str()
                        .is_some_and(|id| !given.contains(id) || id.is_empty());
                if generated {
                    *member = json!("$UUID");
                } else {
                    mask(member, given);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, given)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Drops nulls, empty objects, empty lists and zero values the reference's typed structs do not write.
fn drop_empty(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(drop_empty);
            members.retain(|_, member| match member {
                Value::Null => false,
                Value::Object(inner) => !inner.is_empty(),
                Value::Array(inner) => !inner.is_empty(),
                Value::String(text) => !text.is_empty(),
                Value::Bool(truth) => *truth,
                Value::Number(number) => number.as_f64() != Some(0.0),
            });
        }
        Value::Array(items) => items.iter_mut().for_each(drop_empty),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
