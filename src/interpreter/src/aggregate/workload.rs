//! Kinds whose status is counted: sums over the members.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::decode::{self, Item};
use crate::{Error, Result};

/// How far a member has come.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Generations {
    observed_generation: Option<i64>,
    generation: Option<i64>,
    resource_template_generation: Option<i64>,
}

/// When a member has caught up with a template of a given generation.
type CaughtUp = fn(&Generations, i64) -> bool;

/// The member acts on the manifest it has, and that is the template's present one.
fn on_template(generations: &Generations, template: i64) -> bool {
    generations.observed_generation.unwrap_or_default()
        >= generations.generation.unwrap_or_default()
        && generations.resource_template_generation.unwrap_or_default() >= template
}

/// The rule for sets, whose reports carry no observed generation.
///
/// Source: the reference compares the template generation of the report with the member's own.
fn on_template_of_set(generations: &Generations, _template: i64) -> bool {
    let own = generations.generation.unwrap_or_default();
    generations.observed_generation.unwrap_or_default() >= own
        && generations.resource_template_generation.unwrap_or_default() >= own
}

/// Counter names: those always written, and those left out at zero.
struct Counters {
    always: &'static [&'static str],
    unless_zero: &'static [&'static str],
}

pub(super) fn deployment(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<Deployment>(object)?;
    let counters = Counters {
        always: &[],
        unless_zero: &[
            "replicas",
            "readyReplicas",
            "updatedReplicas",
            "availableReplicas",
            "unavailableReplicas",
        ],
    };
    counted(object, items, &counters, on_template).map(Some)
}

pub(super) fn replica_set(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<ReplicaSet>(object)?;
    let counters = Counters {
        always: &["replicas"],
        unless_zero: &["readyReplicas", "availableReplicas"],
    };
    counted(object, items, &counters, on_template).map(Some)
}

pub(super) fn stateful_set(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<StatefulSet>(object)?;
    let counters = Counters {
        always: &["replicas", "availableReplicas"],
        unless_zero: &["readyReplicas", "currentReplicas", "updatedReplicas"],
    };
    counted(object, items, &counters, on_template_of_set).map(Some)
}

pub(super) fn daemon_set(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<DaemonSet>(object)?;
    let counters = Counters {
        always: &[
            "currentNumberScheduled",
            "numberMisscheduled",
            "desiredNumberScheduled",
            "numberReady",
        ],
        unless_zero: &[
            "updatedNumberScheduled",
            "numberAvailable",
            "numberUnavailable",
        ],
    };
    counted(object, items, &counters, on_template).map(Some)
}

/// The old status with the counters replaced by sums, and the observed generation moved on once
/// every member has caught up.
fn counted(
    object: &Value,
    items: &[Item],
    counters: &Counters,
    caught_up: CaughtUp,
) -> Result<Value> {
    let mut status = match &object["status"] {
        Value::Object(fields) => fields.clone(),
        _ => Map::new(),
    };
    for field in counters.always {
        status.insert((*field).to_owned(), json!(sum(items, field)?));
    }
    for field in counters.unless_zero {
        set_unless_zero(&mut status, field, sum(items, field)?);
    }
    let template = object["metadata"]["generation"]
        .as_i64()
        .unwrap_or_default();
    let mut current = 0;
    for item in items {
        if let Some(generations) = item.status::<Generations>()?
            && caught_up(&generations, template)
        {
            current += 1;
        }
    }
    if current == items.len() {
        set_unless_zero(&mut status, "observedGeneration", template);
    }
    Ok(Value::Object(status))
}

fn set_unless_zero(status: &mut Map<String, Value>, field: &str, number: i64) {
    if number == 0 {
        status.remove(field);
    } else {
        status.insert(field.to_owned(), json!(number));
    }
}

fn sum(items: &[Item], field: &str) -> Result<i64> {
    let mut total = 0;
    for item in items {
        total += count(item, field)?;
    }
    Ok(total)
}

fn count(item: &Item, field: &str) -> Result<i64> {
    match item.status.as_ref() {
        None | Some(Value::Null) => Ok(0),
        Some(Value::Object(fields)) => match fields.get(field) {
            None | Some(Value::Null) => Ok(0),
            Some(value) => value.as_i64().ok_or_else(|| {
                let cluster = &item.cluster_name;
                Error::invalid(format!("{field} of cluster {cluster} is no number"))
            }),
        },
        Some(_) => Err(Error::invalid(format!(
            "the status of cluster {} is no object",
            item.cluster_name
        ))),
    }
}

pub(super) fn autoscaler(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<HorizontalPodAutoscaler>(object)?;
    let mut status = Map::new();
    status.insert("currentMetrics".to_owned(), Value::Null);
    set_unless_zero(
        &mut status,
        "currentReplicas",
        sum(items, "currentReplicas")?,
    );
    status.insert(
        "desiredReplicas".to_owned(),
        json!(sum(items, "desiredReplicas")?),
    );
    Ok(Some(Value::Object(status)))
}

pub(super) fn budget(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<PodDisruptionBudget>(object)?;
    let mut status = Map::new();
    for field in [
        "disruptionsAllowed",
        "expectedPods",
        "desiredHealthy",
        "currentHealthy",
    ] {
        status.insert(field.to_owned(), json!(sum(items, field)?));
    }
    let mut disrupted = Map::new();
    for item in items {
        let pods = item
            .status
            .as_ref()
            .and_then(|status| status["disruptedPods"].as_object());
        for (pod, time) in pods.into_iter().flatten() {
            disrupted.insert(format!("{}/{pod}", item.cluster_name), time.clone());
        }
    }
    if !disrupted.is_empty() {
        status.insert("disruptedPods".to_owned(), Value::Object(disrupted));
    }
    Ok(Some(Value::Object(status)))
}
