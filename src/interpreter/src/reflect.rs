//! What of a member's status is reported to the control plane.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::decode::{self, Counter};
use crate::operation::type_of;
use crate::{Error, Result};

/// Carries the template's generation at the time the manifest was made.
const TEMPLATE_GENERATION: &str = "resourcetemplate.karmada.io/generation";

/// Reads the part of a member's status worth reporting; nothing if there is none.
///
/// Kinds without a rule report their whole status.
///
/// # Errors
/// The object does not have the shape of its kind, or the recorded generation is no number.
pub fn reflect_status(object: &Value) -> Result<Option<Value>> {
    let status = &object["status"];
    if status.is_null() {
        return Ok(None);
    }
    match type_of(object) {
        ("apps/v1", "Deployment") => trimmed::<DeploymentStatus>(object, true),
        ("apps/v1", "ReplicaSet") => trimmed::<ReplicaSetStatus>(object, true),
        ("apps/v1", "StatefulSet") => trimmed::<StatefulSetStatus>(object, false),
        ("apps/v1", "DaemonSet") => trimmed::<DaemonSetStatus>(object, true),
        ("batch/v1", "Job") => trimmed_alone::<JobStatus>(status),
        ("policy/v1", "PodDisruptionBudget") => trimmed_alone::<BudgetStatus>(status),
        ("autoscaling/v2", "HorizontalPodAutoscaler") => autoscaler(status),
        ("v1", "Service") => service(object),
        _ if status.is_object() => Ok(Some(status.clone())),
        _ => Err(Error::invalid("the status is no object")),
    }
}

/// Counters of a Deployment.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct DeploymentStatus {
    #[serde(skip_serializing_if = "is_none_or_zero")]
    replicas: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    updated_replicas: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    ready_replicas: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    available_replicas: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    unavailable_replicas: Counter,
}

/// Counters of a ReplicaSet.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct ReplicaSetStatus {
    #[serde(serialize_with = "always")]
    replicas: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    ready_replicas: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    available_replicas: Counter,
}

/// Counters of a StatefulSet.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct StatefulSetStatus {
    #[serde(serialize_with = "always")]
    replicas: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    ready_replicas: Counter,
    #[serde(serialize_with = "always")]
    available_replicas: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    current_replicas: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    updated_replicas: Counter,
}

/// Counters of a DaemonSet.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct DaemonSetStatus {
    #[serde(serialize_with = "always")]
    current_number_scheduled: Counter,
    #[serde(serialize_with = "always")]
    number_misscheduled: Counter,
    #[serde(serialize_with = "always")]
    desired_number_scheduled: Counter,
    #[serde(serialize_with = "always")]
    number_ready: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    updated_number_scheduled: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    number_available: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    number_unavailable: Counter,
}

/// Progress of a Job.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct JobStatus {
    #[serde(skip_serializing_if = "is_none_or_zero")]
    active: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    succeeded: Counter,
    #[serde(skip_serializing_if = "is_none_or_zero")]
    failed: Counter,
    #[serde(skip_serializing_if = "is_empty")]
    conditions: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completion_time: Option<String>,
}

/// State of a PodDisruptionBudget.
#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct BudgetStatus {
    #[serde(serialize_with = "always")]
    disruptions_allowed: Counter,
    #[serde(serialize_with = "always")]
    expected_pods: Counter,
    #[serde(serialize_with = "always")]
    desired_healthy: Counter,
    #[serde(serialize_with = "always")]
    current_healthy: Counter,
    #[serde(skip_serializing_if = "is_empty_map")]
    disrupted_pods: Option<serde_json::Map<String, Value>>,
}

#[expect(clippy::ref_option, reason = "signature set by serde")]
fn is_empty(list: &Option<Vec<Value>>) -> bool {
    list.as_ref().is_none_or(Vec::is_empty)
}

#[expect(clippy::ref_option, reason = "signature set by serde")]
fn is_empty_map(map: &Option<serde_json::Map<String, Value>>) -> bool {
    map.as_ref().is_none_or(serde_json::Map::is_empty)
}

fn is_none_or_zero(counter: &Counter) -> bool {
    counter.is_none_or(|count| count == 0)
}

fn always<S: serde::Serializer>(counter: &Counter, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(counter.unwrap_or_default())
}

fn trimmed_alone<T>(status: &Value) -> Result<Option<Value>>
where
    T: Default + Serialize + serde::de::DeserializeOwned,
{
    let kept: T = decode::part("the status", status)?;
    Ok(unless_empty(encode(&kept)))
}

/// The kept counters, and the three generations that tell whether they are up to date.
fn trimmed<T>(object: &Value, observed: bool) -> Result<Option<Value>>
where
    T: Default + Serialize + serde::de::DeserializeOwned,
{
    let status = &object["status"];
    let kept: T = decode::part("the status", status)?;
    let mut kept = encode(&kept);
    let mut set = |field: &str, number: i64| {
        if number != 0 {
            kept[field] = json!(number);
        }
    };
    if observed {
        let seen: Counter = decode::part("the observed generation", &status["observedGeneration"])?;
        set("observedGeneration", seen.unwrap_or_default());
    }
    let own = object["metadata"]["generation"].as_i64();
    set("generation", own.unwrap_or_default());
    set("resourceTemplateGeneration", template_generation(object)?);
    Ok(unless_empty(kept))
}

fn encode<T: Serialize>(kept: &T) -> Value {
    serde_json::to_value(kept).expect("plain counters are valid JSON")
}

fn unless_empty(kept: Value) -> Option<Value> {
    let empty = kept.as_object().is_some_and(serde_json::Map::is_empty);
    (!empty).then_some(kept)
}

/// The generation of the template that the member's copy was made from.
fn template_generation(object: &Value) -> Result<i64> {
    let text = object["metadata"]["annotations"][TEMPLATE_GENERATION]
        .as_str()
        .unwrap_or_default();
    text.parse()
        .map_err(|error| Error::invalid(format!("generation {text:?} is no number: {error}")))
}

fn autoscaler(status: &Value) -> Result<Option<Value>> {
    let count = |field: &str| -> Result<i64> {
        let counter: Counter = decode::part("the status", &status[field])?;
        Ok(counter.unwrap_or_default())
    };
    let mut kept = json!({"currentMetrics": null, "desiredReplicas": count("desiredReplicas")?});
    let current = count("currentReplicas")?;
    if current != 0 {
        kept["currentReplicas"] = json!(current);
    }
    Ok(Some(kept))
}

fn service(object: &Value) -> Result<Option<Value>> {
    if object["spec"]["type"] != "LoadBalancer" {
        return Ok(None);
    }
    let status: k8s_openapi::api::core::v1::ServiceStatus =
        decode::part("the status", &object["status"])?;
    let balancer = serde_json::to_value(status.load_balancer.unwrap_or_default())
        .expect("a load balancer status is valid JSON");
    Ok(Some(json!({"loadBalancer": balancer})))
}
