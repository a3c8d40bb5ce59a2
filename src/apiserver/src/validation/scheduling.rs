//! Where a pod may run: node selector, affinity, tolerations, topology spread.

use flybridge_machinery::names;

use super::findings::{At, Findings};
use super::selectors;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// The scheduling fields of a pod spec.
pub(super) fn check(spec: &At<'_>, findings: &mut Findings) {
    selectors::labels(&spec.get("nodeSelector"), findings);
    node_affinity(&spec.path(&["affinity", "nodeAffinity"]), findings);
    for kind in ["podAffinity", "podAntiAffinity"] {
        pod_affinity(&spec.path(&["affinity", kind]), findings);
    }
    tolerations(&spec.get("tolerations"), findings);
    for constraint in spec.list("topologySpreadConstraints") {
        spread(&constraint, findings);
    }
}

fn weight(term: &At<'_>, findings: &mut Findings) {
    let weight = term.get("weight");
    if !(1..=100).contains(&weight.integer().unwrap_or_default()) {
        findings.invalid(&weight, "must be in the range 1-100");
    }
}

fn node_affinity(affinity: &At<'_>, findings: &mut Findings) {
    let required = affinity.get(REQUIRED);
    if required.is_set() {
        node_selector(&required, findings);
    }
    for term in affinity.list(PREFERRED) {
        weight(&term, findings);
        node_term(&term.get("preference"), findings);
    }
}

/// A `NodeSelector`: at least one term.
pub(super) fn node_selector(selector: &At<'_>, findings: &mut Findings) {
    let terms = selector.get("nodeSelectorTerms");
    if terms.is_blank() {
        findings.required(&terms, "must have at least one node selector term");
    }
    for term in terms.items() {
        node_term(&term, findings);
    }
}

fn node_term(term: &At<'_>, findings: &mut Findings) {
    for expression in term.list("matchExpressions") {
        let values = expression.get("values");
        match expression.text_of("operator") {
            "In" | "NotIn" if values.is_blank() => {
                findings.required(
                    &values,
                    "must be specified when `operator` is 'In' or 'NotIn'",
                );
            }
            "Exists" | "DoesNotExist" if !values.is_blank() => {
                findings.forbidden(
                    &values,
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                );
            }
            "Gt" | "Lt" if values.items().len() != 1 => {
                findings.required(
                    &values,
                    "must be specified single value when `operator` is 'Lt' or 'Gt'",
                );
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
            _ => findings.invalid(&expression.get("operator"), "not a valid selector operator"),
        }
        findings.name_or_empty(&expression.get("key"), names::label_key);
    }
}

fn pod_affinity(affinity: &At<'_>, findings: &mut Findings) {
    for term in affinity.list(REQUIRED) {
        pod_term(&term, findings);
    }
    for term in affinity.list(PREFERRED) {
        weight(&term, findings);
        pod_term(&term.get("podAffinityTerm"), findings);
    }
}

fn pod_term(term: &At<'_>, findings: &mut Findings) {
    for selector in term.chosen(&["labelSelector", "namespaceSelector"]) {
        selectors::label_selector(&selector, findings);
    }
    let key = term.get("topologyKey");
    if key.is_blank() {
        findings.required(&key, "can not be empty");
    }
    findings.name_or_empty(&key, names::label_key);
}

fn tolerations(list: &At<'_>, findings: &mut Findings) {
    for toleration in list.items() {
        let (key, operator) = (toleration.get("key"), toleration.get("operator"));
        findings.name(&key, names::label_key);
        if key.is_blank() && operator.text() != "Exists" {
            findings.invalid(&operator, "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
        }
        let effect = toleration.get("effect");
        if toleration.get("tolerationSeconds").is_set() && effect.text() != "NoExecute" {
            findings.invalid(
                &effect,
                "effect must be 'NoExecute' when `tolerationSeconds` is set",
            );
        }
        match operator.text() {
            "" | "Equal" => findings.name(
                &toleration.get("value").told_as(operator.path),
                names::label_value,
            ),
            "Exists" => {
                if !toleration.get("value").is_blank() {
                    findings.invalid(&operator, "value must be empty when `operator` is 'Exists'");
                }
            }
            // Comparison operators are behind a gate upstream; they are known words all the same.
            "Lt" | "Gt" => {}
            _ => findings.not_supported(&operator, &["Equal", "Exists"]),
        }
        if !effect.is_blank() {
            findings.one_of(&effect, &EFFECTS);
        }
    }
}

fn spread(constraint: &At<'_>, findings: &mut Findings) {
    let skew = constraint.get("maxSkew");
    if skew.integer().unwrap_or_default() <= 0 {
        findings.invalid(&skew, "must be greater than zero");
    }
    let key = constraint.get("topologyKey");
    if key.is_blank() {
        findings.required(&key, "can not be empty");
    } else {
        findings.name(&key, names::label_key);
    }
    let otherwise = constraint.get("whenUnsatisfiable");
    let known = ["DoNotSchedule", "ScheduleAnyway"];
    if !known.contains(&otherwise.text()) {
        findings.not_supported(&otherwise, &known);
    }
    let domains = constraint.get("minDomains");
    if domains.integer().is_some_and(|number| number <= 0) {
        findings.invalid(&domains, "must be greater than zero");
    } else if domains.is_set() && otherwise.text() != "DoNotSchedule" {
        findings.invalid(
            &domains,
            "can only use minDomains if whenUnsatisfiable=DoNotSchedule",
        );
    }
}

/// Taints of a node, told as upstream tells them.
pub(super) fn taints(list: &At<'_>, findings: &mut Findings) {
    for taint in list.items() {
        findings.name_or_empty(&taint.get("key"), names::label_key);
        findings.name(&taint.get("value"), names::label_value);
        let effect = taint.get("effect");
        if findings.require(&effect) {
            findings.one_of(&effect, &EFFECTS);
        }
    }
}
