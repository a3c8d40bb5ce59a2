//! What may change in a pod: images, deadlines, more tolerations, fewer scheduling gates.
//!
//! Binding a pod to a node goes through the update of the pod, so a node may be set once.

use serde_json::Value;

use super::findings::{At, Findings};

const FREE: [&str; 4] = [
    "tolerations",
    "activeDeadlineSeconds",
    "schedulingGates",
    "ephemeralContainers",
];
/// What may change while scheduling gates hold a pod back.
const GATED: [&str; 2] = ["nodeSelector", "affinity"];

/// Violations in the change of a pod.
pub(super) fn pod(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let (old, new) = (old.get("spec"), new.get("spec"));
    deadline(
        &old.get("activeDeadlineSeconds"),
        &new.get("activeDeadlineSeconds"),
        findings,
    );
    tolerations(&old, &new, findings);
    gates(&old, &new, findings);
    let gated = !old.get("schedulingGates").is_blank();
    let (one, other) = (
        comparable(old.value, old.value, gated),
        comparable(new.value, old.value, gated),
    );
    if !At::root(&one).same(&At::root(&other)) {
        findings.forbidden(
            &new,
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
             `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
             `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative): fields are immutable",
        );
    }
}

/// A spec without what may differ from the old one.
fn comparable(spec: &Value, old: &Value, gated: bool) -> Value {
    let mut spec = spec.clone();
    let Some(fields) = spec.as_object_mut() else {
        return spec;
    };
    for name in FREE {
        fields.remove(name);
    }
    for name in GATED.iter().filter(|_| gated) {
        fields.remove(*name);
    }
    if old["nodeName"].as_str().unwrap_or_default().is_empty() {
        fields.remove("nodeName");
    }
    if old["terminationGracePeriodSeconds"]
        .as_i64()
        .is_some_and(|seconds| seconds < 0)
    {
        fields.remove("terminationGracePeriodSeconds");
    }
    for list in ["containers", "initContainers"] {
        for container in fields
            .get_mut(list)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if let Some(container) = container.as_object_mut() {
                container.remove("image");
            }
        }
    }
    spec
}

fn deadline(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    match (old.integer(), new.integer()) {
        (Some(_), None) => {
            findings.invalid(new, "must not update from a positive integer to nil value")
        }
        (Some(old), Some(seconds)) if seconds > old => {
            findings.invalid(new, "must be less than or equal to previous value");
        }
        _ => {}
    }
}

/// Tolerations may be added and may change how long they last.
fn tolerations(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let timeless = |toleration: &At<'_>| {
        let mut toleration = toleration.value.clone();
        if let Some(fields) = toleration.as_object_mut() {
            fields.remove("tolerationSeconds");
        }
        toleration
    };
    let kept: Vec<Value> = new.list("tolerations").iter().map(timeless).collect();
    for toleration in old.list("tolerations") {
        let toleration = timeless(&toleration);
        if !kept
            .iter()
            .any(|kept| At::root(kept).same(&At::root(&toleration)))
        {
            findings.forbidden(
                &new.get("tolerations"),
                "existing toleration can not be modified except its tolerationSeconds",
            );
        }
    }
}

/// Scheduling gates may only be taken away.
fn gates(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let known = old.list("schedulingGates");
    for gate in new.list("schedulingGates") {
        if !known.iter().any(|known| known.value == gate.value) {
            findings.forbidden(&gate, "only deletion is allowed");
        }
    }
}
