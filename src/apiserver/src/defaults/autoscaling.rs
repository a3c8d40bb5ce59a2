//! Horizontal pod autoscalers.

use flybridge_machinery::object::{get_path, path_list};
use serde_json::{Value, json};

use super::fill::Fill::{Int, Text};
use super::fill::{fill, visit};

pub(super) fn default_autoscaler(version: &str, autoscaler: &mut Value) {
    fill(autoscaler, "spec.minReplicas", Int(1));
    if version == "v1" {
        return fill(autoscaler, "spec.targetCPUUtilizationPercentage", Int(80));
    }
    if path_list(autoscaler, &["spec", "metrics"]).is_empty() {
        visit(autoscaler, "spec", &mut |spec| {
            spec["metrics"] = json!([{"type": "Resource", "resource": {
                "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}
            }}]);
        });
    }
    visit(autoscaler, "spec.behavior", &mut default_behavior);
}

/// Behavior given at all is filled in both directions.
fn default_behavior(behavior: &mut Value) {
    if !behavior.is_object() {
        return;
    }
    let percent = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
    let pods = json!({"type": "Pods", "value": 4, "periodSeconds": 15});
    for (direction, policies) in [
        ("scaleUp", json!([pods, percent])),
        ("scaleDown", json!([percent])),
    ] {
        let missing = get_path(behavior, &[direction]).is_none_or(Value::is_null);
        if missing {
            behavior[direction] = json!({});
        }
        let Some(rules) = behavior.get_mut(direction) else {
            continue;
        };
        fill(rules, "selectPolicy", Text("Max"));
        if direction == "scaleUp" {
            fill(rules, "stabilizationWindowSeconds", Int(0));
        }
        if get_path(rules, &["policies"]).is_none_or(Value::is_null) {
            rules["policies"] = policies;
        }
    }
}
