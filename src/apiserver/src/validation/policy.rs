//! Budgets, quotas, limits and priorities.

use flybridge_machinery::{Quantity, names};
use serde_json::Value;

use super::findings::{At, Findings};
use super::{selectors, workloads};

const MAX_PRIORITY: i64 = 1_000_000_000;
const SCOPES: [&str; 7] = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];
const STANDARD: [&str; 15] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "storage",
    "pods",
    "services",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
    "requests.cpu",
    "requests.memory",
];

/// A `PodDisruptionBudget`.
pub(super) fn disruption_budget(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    let (available, unavailable) = (spec.get("minAvailable"), spec.get("maxUnavailable"));
    if available.is_set() && unavailable.is_set() {
        findings.invalid(&spec, "minAvailable and maxUnavailable cannot be both set");
    }
    workloads::amount(&available, true, findings);
    workloads::amount(&unavailable, true, findings);
    if spec.get("selector").is_set() {
        selectors::label_selector(&spec.get("selector"), findings);
    }
}

/// A resource that anything may count: a standard word or a qualified name.
fn resource_name(name: &str, path: &str, findings: &mut Findings) {
    let told = Value::from(name);
    let place = At {
        value: &told,
        path: path.to_owned(),
    };
    for complaint in names::qualified_name(name) {
        findings.invalid(&place, &complaint);
    }
    let derived = ["requests.", "limits.", "hugepages-"]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if !name.contains('/') && !derived && !STANDARD.contains(&name) {
        findings.invalid(
            &place,
            "must be a standard resource type or fully qualified",
        );
    }
}

/// A `ResourceQuota`.
pub(super) fn resource_quota(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    for (name, amount) in spec.get("hard").entries() {
        resource_name(name, &amount.path, findings);
        super::resources::non_negative(&amount, findings);
    }
    let scopes = spec.get("scopes");
    if scopes
        .items()
        .iter()
        .any(|scope| !SCOPES.contains(&scope.text()))
    {
        findings.invalid(&scopes, "unsupported scope");
    }
}

/// A `LimitRange`.
pub(super) fn limit_range(object: &At<'_>, findings: &mut Findings) {
    let limits = object.get("spec").list("limits");
    for limit in &limits {
        let kind = limit.get("type");
        findings.name_or_empty(&kind, names::qualified_name);
        for list in [
            "max",
            "min",
            "default",
            "defaultRequest",
            "maxLimitRequestRatio",
        ] {
            for (name, amount) in limit.get(list).entries() {
                resource_name(name, &amount.path, findings);
            }
        }
        if kind.text() == "Pod" {
            for list in limit
                .chosen(&["default", "defaultRequest"])
                .iter()
                .filter(|list| !list.is_blank())
            {
                findings.forbidden(list, "may not be specified when `type` is 'Pod'");
            }
        }
        let bound = |list: &str| limit.get(list).entry("storage").is_set();
        if kind.text() == "PersistentVolumeClaim" && !bound("min") && !bound("max") {
            findings.required(
                &limit.get("limits"),
                "either minimum or maximum storage value is required, but neither was provided",
            );
        }
        order(limit, findings);
    }
    findings.unique(limits.iter().map(|limit| limit.get("type")));
}

/// min <= defaultRequest <= default <= max.
fn order(limit: &At<'_>, findings: &mut Findings) {
    const RISING: [(&str, &str, &str); 6] = [
        ("min", "max", "min"),
        ("min", "defaultRequest", "defaultRequest"),
        ("defaultRequest", "max", "defaultRequest"),
        ("defaultRequest", "default", "defaultRequest"),
        ("min", "default", "default"),
        ("default", "max", "default"),
    ];
    for (low, high, told) in RISING {
        for (name, amount) in limit.get(low).entries() {
            let other = limit.get(high).entry(name);
            let (Ok(low_amount), Ok(high_amount)) = (
                Quantity::from_json(amount.value),
                Quantity::from_json(other.value),
            ) else {
                continue;
            };
            if low_amount > high_amount {
                findings.invalid(
                    &limit.get(told).entry(name),
                    &format!("{low} value is greater than {high} value"),
                );
            }
        }
    }
}

/// A `PriorityClass`; only the system's own may be higher than a limit.
pub(super) fn priority_class(object: &At<'_>, findings: &mut Findings) {
    let value = object.get("value");
    let system = object
        .get("metadata")
        .text_of("name")
        .starts_with("system-");
    if !system && value.integer().is_some_and(|value| value > MAX_PRIORITY) {
        findings.forbidden(
            &value,
            &format!("maximum allowed value of a user defined priority is {MAX_PRIORITY}"),
        );
    }
    findings.one_of(
        &object.get("preemptionPolicy"),
        &["PreemptLowerPriority", "Never"],
    );
}

/// A class keeps its value.
pub(super) fn priority_changed(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    for field in ["value", "preemptionPolicy"] {
        if !old.get(field).same(&new.get(field)) {
            findings.forbidden(
                &new.get(field),
                "may not be changed in an update: field is immutable",
            );
        }
    }
}
