//! Horizontal pod autoscalers.

use super::findings::{At, Findings};

const SELECTION: [&str; 3] = ["Disabled", "Max", "Min"];

/// A `HorizontalPodAutoscaler`.
pub(super) fn autoscaler(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    let (least, most) = (spec.get("minReplicas"), spec.get("maxReplicas"));
    replicas(&spec, &least, findings);
    let count = most.integer().unwrap_or_default();
    if count == 0 {
        findings.required(&most, "must be set and greater than 0");
        findings.invalid(&most, "must be greater than or equal to 1");
    } else if count < 1 {
        findings.invalid(&most, "must be greater than or equal to 1");
    }
    if least
        .integer()
        .is_some_and(|least| most.integer().is_some_and(|most| most < least))
    {
        findings.invalid(&most, "must be greater than or equal to `minReplicas`");
    }
    let target = spec.get("scaleTargetRef");
    findings.require(&target.get("kind"));
    findings.require(&target.get("name"));
    let version = target.get("apiVersion");
    if version.is_blank() && !matches!(target.text_of("kind"), "ReplicationController") {
        let told = serde_json::Value::from("");
        findings.invalid(
            &At {
                value: &told,
                path: version.path,
            },
            "apiVersion must specify API group",
        );
    }
    for metric in spec.list("metrics") {
        for source in metric.chosen(&["object", "pods", "external"]) {
            let name = source.path(&["metric", "name"]);
            if name.is_blank() && source.get("metric").is_set() {
                findings.required(&name, "must specify a metric name");
            }
        }
    }
    for direction in ["scaleUp", "scaleDown"] {
        rules(&spec.path(&["behavior", direction]), findings);
    }
}

/// Scaling to zero needs a metric that does not come from the pods.
fn replicas(spec: &At<'_>, least: &At<'_>, findings: &mut Findings) {
    findings.at_least(least, 0);
    let outside = spec
        .list("metrics")
        .iter()
        .any(|metric| matches!(metric.text_of("type"), "Object" | "External"));
    if least.integer() == Some(0) && !outside {
        findings.invalid(least, "must be greater than or equal to 1");
        findings.forbidden(&spec.get("metrics"), "must specify at least one Object or External metric to support scaling to zero replicas");
    }
}

fn rules(rules: &At<'_>, findings: &mut Findings) {
    if !rules.is_set() {
        return;
    }
    findings.one_of(&rules.get("selectPolicy"), &SELECTION);
    findings.within(&rules.get("stabilizationWindowSeconds"), 0, 3600);
    let policies = rules.get("policies");
    if policies.is_set() && policies.is_blank() {
        findings.required(&policies, "must specify at least one Policy");
    }
    for policy in policies.items() {
        findings.one_of(&policy.get("type"), &["Percent", "Pods"]);
        for field in ["value", "periodSeconds"] {
            if policy
                .get(field)
                .integer()
                .is_some_and(|number| number <= 0)
            {
                findings.invalid(&policy.get(field), "must be greater than zero");
            }
        }
    }
}
