//! Merging the members' status into the template's.

use serde_json::{Map, Value};

use crate::operation::{not_handled, type_of};
use crate::{Operation, Result, decode};

mod balancer;
mod job;
mod phase;
mod workload;

/// Sets the status of a template from a binding's `aggregatedStatus`; says whether it changed.
///
/// `now` stamps conditions that appear, as RFC 3339 text.
///
/// # Errors
/// No rule for the kind, or template or items do not have its shape.
pub fn aggregate_status(object: &mut Value, items: &[Value], now: &str) -> Result<bool> {
    let items = decode::items(items)?;
    let new = match type_of(object) {
        ("apps/v1", "Deployment") => workload::deployment(object, &items)?,
        ("apps/v1", "ReplicaSet") => workload::replica_set(object, &items)?,
        ("apps/v1", "StatefulSet") => workload::stateful_set(object, &items)?,
        ("apps/v1", "DaemonSet") => workload::daemon_set(object, &items)?,
        ("autoscaling/v2", "HorizontalPodAutoscaler") => workload::autoscaler(object, &items)?,
        ("policy/v1", "PodDisruptionBudget") => workload::budget(object, &items)?,
        ("batch/v1", "Job") => job::job(object, &items, now)?,
        ("batch/v1", "CronJob") => job::cron_job(object, &items)?,
        ("v1", "Service") => balancer::service(object, &items)?,
        ("networking.k8s.io/v1", "Ingress") => balancer::ingress(object, &items)?,
        ("v1", "Pod") => phase::pod(object, &items)?,
        ("v1", "PersistentVolume") => phase::volume(object, &items)?,
        ("v1", "PersistentVolumeClaim") => phase::claim(object, &items)?,
        _ => return not_handled(object, Operation::AggregateStatus),
    };
    let Some(new) = new else {
        return Ok(false);
    };
    let writes_empty = matches!(type_of(object).1, "Ingress" | "PodDisruptionBudget");
    let first = writes_empty && object["status"].is_null();
    if !first && meaning(&object["status"]) == meaning(&new) {
        return Ok(false);
    }
    object["status"] = new;
    Ok(true)
}

/// The value without parts that say nothing: null, zero, and whatever is empty.
fn meaning(value: &Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Number(number) if number.as_f64() == Some(0.0) => None,
        Value::String(text) if text.is_empty() => None,
        Value::Array(list) if list.is_empty() => None,
        Value::Array(list) => {
            let each = list.iter().map(|entry| meaning(entry).unwrap_or_default());
            Some(Value::Array(each.collect()))
        }
        Value::Object(fields) => {
            let kept: Map<String, Value> = fields
                .iter()
                .filter_map(|(key, value)| Some((key.clone(), meaning(value)?)))
                .collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn counters_add_up_and_the_generation_moves_once_all_have_caught_up() {
        let mut template = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "generation": 2}, "spec": {"replicas": 4}});
        let report = |seen: i64| {
            json!({"replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2,
                "observedGeneration": seen, "generation": 3, "resourceTemplateGeneration": 2})
        };
        let mut items = vec![
            json!({"clusterName": "m1", "status": report(3)}),
            json!({"clusterName": "m2", "status": report(2)}),
        ];
        assert!(aggregate_status(&mut template, &items, "").unwrap());
        assert_eq!(template["status"]["replicas"], 4);
        assert!(template["status"].get("observedGeneration").is_none());
        items[1]["status"] = report(3);
        assert!(aggregate_status(&mut template, &items, "").unwrap());
        assert_eq!(template["status"]["observedGeneration"], 2);
        assert!(!aggregate_status(&mut template, &items, "").unwrap());
    }
}
