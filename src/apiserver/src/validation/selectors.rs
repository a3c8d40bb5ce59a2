//! Label selectors, label maps, and how a workload's selector relates to its template.

use flybridge_machinery::{Selector, names};

use super::findings::{At, Findings};

/// A map of labels.
pub(super) fn labels(at: &At<'_>, findings: &mut Findings) {
    for (key, value) in at.entries() {
        for complaint in names::label_key(key) {
            findings.invalid(
                &At {
                    value: at.value,
                    path: at.path.clone(),
                },
                &complaint,
            );
        }
        for complaint in names::label_value(value.text()) {
            findings.invalid(&value.told_as(at.path.clone()), &complaint);
        }
    }
}

/// A `LabelSelector`.
pub(super) fn label_selector(at: &At<'_>, findings: &mut Findings) {
    labels(&at.get("matchLabels"), findings);
    for expression in at.list("matchExpressions") {
        let values = expression.get("values");
        match expression.text_of("operator") {
            "In" | "NotIn" if values.is_blank() => {
                findings.required(
                    &values,
                    "must be specified when `operator` is 'In' or 'NotIn'",
                );
            }
            "In" | "NotIn" => {}
            "Exists" | "DoesNotExist" if !values.is_blank() => {
                findings.forbidden(
                    &values,
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                );
            }
            "Exists" | "DoesNotExist" => {}
            _ => findings.invalid(&expression.get("operator"), "not a valid selector operator"),
        }
        findings.name_or_empty(&expression.get("key"), names::label_key);
        for value in values.items() {
            findings.name(&value, names::label_value);
        }
    }
}

/// The selector of a workload: there, not empty, and matching the template's labels.
///
/// Says whether it could be read; the template is looked at only then.
pub(super) fn of_workload(spec: &At<'_>, findings: &mut Findings) -> bool {
    let selector = spec.get("selector");
    if selector.is_set() {
        label_selector(&selector, findings);
        if selector.get("matchLabels").is_blank() && selector.get("matchExpressions").is_blank() {
            findings.invalid(&selector, "empty selector is invalid for workloads");
        }
    } else {
        findings.required(&selector, "");
    }
    match Selector::from_value(selector.value) {
        Ok(parsed) => {
            matches_template(&parsed, spec, findings);
            true
        }
        Err(error) => {
            findings.invalid(&selector, &error.to_string());
            false
        }
    }
}

/// Wants the labels of a template to be selected.
pub(super) fn matches_template(selector: &Selector, spec: &At<'_>, findings: &mut Findings) {
    let labels = spec.path(&["template", "metadata", "labels"]);
    if !selector.matches(|key| labels.value.get(key).and_then(|value| value.as_str())) {
        findings.invalid(&labels, "`selector` does not match template `labels`");
    }
}
