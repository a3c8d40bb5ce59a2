//! Workloads that keep pods running.

use flybridge_machinery::{Selector, names};
use serde_json::Value;

use super::findings::{At, Findings};
use super::pods::{self, Owner};
use super::selectors;

/// Fields of a `StatefulSet` that may change.
const STATEFUL_FREE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

fn counts(spec: &At<'_>, findings: &mut Findings) {
    for field in ["replicas", "minReadySeconds", "revisionHistoryLimit"] {
        findings.at_least(&spec.get(field), 0);
    }
}

/// A `ReplicaSet`.
pub(super) fn replica_set(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    counts(&spec, findings);
    if selectors::of_workload(&spec, findings) {
        pods::template(&spec.get("template"), Owner::Endless, findings);
    }
}

/// A `ReplicationController`, whose selector is a plain map.
pub(super) fn replication_controller(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    counts(&spec, findings);
    let selector = spec.get("selector");
    if findings.require(&selector) {
        selectors::labels(&selector, findings);
        let pairs: Vec<(&str, &str)> = selector
            .entries()
            .iter()
            .map(|(key, value)| (*key, value.text()))
            .collect();
        selectors::matches_template(&Selector::from_labels(pairs), &spec, findings);
    }
    if spec.get("template").is_set() {
        pods::template(&spec.get("template"), Owner::Endless, findings);
    } else {
        findings.required(&spec.get("template"), "");
    }
}

/// A `Deployment`.
pub(super) fn deployment(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    counts(&spec, findings);
    if selectors::of_workload(&spec, findings) {
        pods::template(&spec.get("template"), Owner::Endless, findings);
    }
    let deadline = spec.get("progressDeadlineSeconds");
    findings.at_least(&deadline, 0);
    let ready = spec.get("minReadySeconds").integer().unwrap_or_default();
    if deadline.integer().is_some_and(|seconds| seconds <= ready) {
        findings.invalid(&deadline, "must be greater than minReadySeconds");
    }
    let strategy = spec.get("strategy");
    let rolling = strategy.get("rollingUpdate");
    match strategy.text_of("type") {
        "" | "RollingUpdate" => {
            let (unavailable, surge) = (rolling.get("maxUnavailable"), rolling.get("maxSurge"));
            amount(&unavailable, true, findings);
            amount(&surge, false, findings);
            if is_zero(&unavailable) && is_zero(&surge) {
                findings.invalid(&unavailable, "may not be 0 when `maxSurge` is 0");
            }
        }
        "Recreate" if rolling.is_set() => {
            findings.forbidden(
                &rolling,
                "may not be specified when strategy `type` is 'Recreate'",
            );
        }
        "Recreate" => {}
        _ => findings.not_supported(&strategy.get("type"), &["RollingUpdate", "Recreate"]),
    }
}

/// A `DaemonSet`, which may lack a selector and then selects nothing.
pub(super) fn daemon_set(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    for field in ["minReadySeconds", "revisionHistoryLimit"] {
        findings.at_least(&spec.get(field), 0);
    }
    let selector = spec.get("selector");
    selectors::label_selector(&selector, findings);
    if let Ok(parsed) = Selector::from_value(selector.value) {
        selectors::matches_template(&parsed, &spec, findings);
        if parsed.is_everything() {
            findings.invalid(&selector, "empty selector is invalid for daemonset");
        }
    }
    pods::template(&spec.get("template"), Owner::Endless, findings);
    let strategy = spec.get("updateStrategy");
    match strategy.text_of("type") {
        "" | "RollingUpdate" => {
            let rolling = strategy.get("rollingUpdate");
            let (unavailable, surge) = (rolling.get("maxUnavailable"), rolling.get("maxSurge"));
            amount(&unavailable, true, findings);
            amount(&surge, true, findings);
            if is_zero(&unavailable) && is_zero(&surge) {
                findings.required(&unavailable, "cannot be 0 when maxSurge is 0");
            } else if unavailable.is_set()
                && !is_zero(&unavailable)
                && surge.is_set()
                && !is_zero(&surge)
            {
                findings.invalid(&surge, "may not be set when maxUnavailable is non-zero");
            }
        }
        "OnDelete" => {}
        _ => findings.not_supported(&strategy, &["RollingUpdate", "OnDelete"]),
    }
}

/// A `StatefulSet`.
pub(super) fn stateful_set(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    counts(&spec, findings);
    if selectors::of_workload(&spec, findings) {
        pods::template(&spec.get("template"), Owner::StatefulSet, findings);
    }
    findings.name(&spec.get("serviceName"), names::dns1123_label);
    findings.at_least(&spec.path(&["ordinals", "start"]), 0);
    findings.one_of(
        &spec.get("podManagementPolicy"),
        &["OrderedReady", "Parallel"],
    );
    let strategy = spec.get("updateStrategy");
    findings.one_of(&strategy.get("type"), &["RollingUpdate", "OnDelete"]);
    findings.at_least(&strategy.path(&["rollingUpdate", "partition"]), 0);
    for field in ["whenDeleted", "whenScaled"] {
        findings.one_of(
            &spec.path(&["persistentVolumeClaimRetentionPolicy", field]),
            &["Retain", "Delete"],
        );
    }
}

/// Most of a `StatefulSet` stays as it was created.
pub(super) fn stateful_set_changed(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let fixed = |object: &At<'_>| {
        let mut spec = object.get("spec").value.clone();
        for field in STATEFUL_FREE {
            spec.as_object_mut().and_then(|spec| spec.remove(field));
        }
        without_claim_status(&mut spec);
        spec
    };
    if !At::root(&fixed(old)).same(&At::root(&fixed(new))) {
        findings.forbidden(
            &new.get("spec"),
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
             'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden: they are immutable",
        );
    }
}

/// Clients send claims with and without a status; it means nothing.
fn without_claim_status(spec: &mut Value) {
    for claim in spec["volumeClaimTemplates"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        if let Some(claim) = claim.as_object_mut() {
            claim.remove("status");
        }
    }
}

/// A count, or a share in percent.
pub(super) fn amount(at: &At<'_>, at_most_all: bool, findings: &mut Findings) {
    findings.at_least(at, 0);
    let Value::String(text) = at.value else {
        return;
    };
    let percent = text
        .strip_suffix('%')
        .and_then(|digits| digits.parse::<u32>().ok());
    match percent {
        None => findings.invalid(
            at,
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%')",
        ),
        Some(share) if share > 100 && at_most_all => {
            findings.invalid(at, "must not be greater than 100%")
        }
        Some(_) => {}
    }
}

fn is_zero(at: &At<'_>) -> bool {
    at.integer() == Some(0)
        || at
            .text()
            .strip_suffix('%')
            .and_then(|digits| digits.parse::<u32>().ok())
            == Some(0)
}
