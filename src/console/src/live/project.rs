//! From objects to rows. All text is made harmless here, and nowhere else.

mod pod;
mod work;
mod workload;

use flybridge_apis::Cluster;
use flybridge_apis::annotations::{
    CLUSTER_PROPAGATION_POLICY_NAME, PROPAGATION_POLICY_NAME, PROPAGATION_POLICY_NAMESPACE,
};
use flybridge_apis::resource_binding::{AggregatedStatusItem, FULLY_APPLIED, SCHEDULED};
use flybridge_apis::work::ResourceHealth;
use flybridge_machinery::Quantity;
use flybridge_scheduler::trigger::BindingRef;
use flybridge_ui::text::clean;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use serde_json::Value;

pub(super) use pod::pod;
pub(super) use work::work;
pub(super) use workload::{daemon_set, deployment, job, stateful_set};

use crate::rows::binding::binding_id;
use crate::rows::{BindingRow, ClusterRow, ConditionRow, Target, Tri, Usage};

fn text(raw: &str) -> String {
    clean(raw).into_owned()
}

fn created(metadata: &ObjectMeta) -> Option<Timestamp> {
    metadata.creation_timestamp.as_ref().map(|time| time.0)
}

fn name(metadata: &ObjectMeta) -> String {
    text(metadata.name.as_deref().unwrap_or_default())
}

fn namespace(metadata: &ObjectMeta) -> String {
    text(metadata.namespace.as_deref().unwrap_or_default())
}

fn count(number: Option<i32>) -> u32 {
    number.and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
}

/// A row of the cluster list.
pub(super) fn cluster(object: &Cluster) -> ClusterRow {
    let spec = &object.spec;
    let status = object.status.as_ref();
    let nodes = status.and_then(|status| status.node_summary.as_ref());
    let usage = |resource: &str| {
        let summary = status.and_then(|status| status.resource_summary.as_ref());
        let Some(summary) = summary else {
            return Usage::default();
        };
        let amount = |quantity: Option<
            &k8s_openapi::apimachinery::pkg::api::resource::Quantity,
        >| { quantity.map_or(0.0, |quantity| amount(&quantity.0)) };
        Usage {
            used: amount(summary.allocated.get(resource))
                + amount(summary.allocating.get(resource)),
            total: amount(summary.allocatable.get(resource)),
        }
    };
    let conditions: Vec<ConditionRow> = status
        .map(|status| status.conditions.iter().map(condition).collect())
        .unwrap_or_default();
    let zones = if spec.zones.is_empty() {
        spec.zone.clone()
    } else {
        spec.zones.join(",")
    };
    ClusterRow {
        name: text(object.name()),
        ready: conditions
            .iter()
            .find(|c| c.kind == "Ready")
            .map_or(Tri::Unknown, |c| c.status),
        mode: spec.sync_mode.as_str().to_owned(),
        version: status
            .map(|status| text(&status.kubernetes_version))
            .unwrap_or_default(),
        region: text(&spec.region),
        zone: text(&zones),
        provider: text(&spec.provider),
        endpoint: text(&spec.api_endpoint),
        nodes_ready: nodes.map_or(0, |nodes| count(Some(nodes.ready_num))),
        nodes: nodes.map_or(0, |nodes| count(Some(nodes.total_num))),
        cpu: usage("cpu"),
        memory: usage("memory"),
        pods: usage("pods"),
        taints: spec.taints.iter().map(taint).collect(),
        conditions,
        apis: status.map_or(0, |s| {
            u32::try_from(s.api_enablements.len()).unwrap_or(u32::MAX)
        }),
        deleting: object.is_deleting(),
        created: created(&object.metadata),
    }
}

fn taint(taint: &k8s_openapi::api::core::v1::Taint) -> String {
    let value = match taint.value.as_deref() {
        None | Some("") => String::new(),
        Some(value) => format!("={value}"),
    };
    text(&format!("{}{value}:{}", taint.key, taint.effect))
}

fn condition(condition: &Condition) -> ConditionRow {
    ConditionRow {
        kind: text(&condition.type_),
        status: Tri::parse(&condition.status),
        reason: text(&condition.reason),
        message: text(&condition.message),
        since: Some(condition.last_transition_time.0),
    }
}

/// A quantity in its base unit; 0 if it cannot be read.
#[expect(
    clippy::cast_precision_loss,
    reason = "gauges do not show the lost digits"
)]
fn amount(quantity: &str) -> f64 {
    Quantity::parse(quantity).map_or(0.0, |quantity| quantity.milli_value() as f64 / 1000.0)
}

/// A row of the binding list.
pub(super) fn binding(binding: BindingRef<'_>) -> BindingRow {
    let BindingRef {
        metadata,
        spec,
        status,
    } = binding;
    let of_type =
        |kind: &str| status.and_then(|status| status.conditions.iter().find(|c| c.type_ == kind));
    let scheduled = of_type(SCHEDULED);
    let applied_everywhere = of_type(FULLY_APPLIED).is_some_and(|c| c.status == "True");
    let items = status
        .map(|status| status.aggregated_status.as_slice())
        .unwrap_or_default();
    let mut targets: Vec<Target> = spec
        .clusters
        .iter()
        .map(|target| {
            let item = items.iter().find(|item| item.cluster_name == target.name);
            placed(&target.name, target.replicas, item, applied_everywhere)
        })
        .collect();
    for task in &spec.graceful_eviction_tasks {
        targets.retain(|target| target.cluster != task.from_cluster);
        targets.push(Target {
            cluster: text(&task.from_cluster),
            replicas: task.replicas.unwrap_or(0),
            evicting: true,
            reason: text(&format!("{} by {}", task.reason, task.producer)),
            ..Target::default()
        });
    }
    let (namespace, name) = (namespace(metadata), name(metadata));
    BindingRow {
        id: binding_id(&namespace, &name),
        namespace,
        name,
        kind: text(&spec.resource.kind),
        api_version: text(&spec.resource.api_version),
        resource: text(&spec.resource.name),
        replicas: spec.replicas,
        scheduled: scheduled.map_or(Tri::Unknown, |c| Tri::parse(&c.status)),
        reason: scheduled.map(|c| text(&c.reason)).unwrap_or_default(),
        message: scheduled.map(|c| text(&c.message)).unwrap_or_default(),
        scheduled_at: status
            .and_then(|s| s.last_scheduled_time.as_ref())
            .map(|time| time.0),
        generations: (
            status.map_or(0, |status| status.scheduler_observed_generation),
            metadata.generation.unwrap_or(0),
        ),
        targets,
        suspended: spec.scheduling_suspended()
            || spec
                .suspension
                .as_ref()
                .is_some_and(|s| s.dispatching == Some(true)),
        policy: policy(metadata),
        created: created(metadata),
    }
}

fn placed(
    cluster: &str,
    replicas: i32,
    item: Option<&AggregatedStatusItem>,
    applied_everywhere: bool,
) -> Target {
    let applied = match item {
        Some(item) if item.applied => Tri::True,
        Some(item) if !item.applied_message.is_empty() => Tri::False,
        None if applied_everywhere => Tri::True,
        _ => Tri::Unknown,
    };
    let healthy = match item.and_then(|item| item.health.as_ref()) {
        Some(ResourceHealth::Healthy) => Tri::True,
        Some(ResourceHealth::Unhealthy) => Tri::False,
        _ => Tri::Unknown,
    };
    Target {
        cluster: text(cluster),
        replicas,
        applied,
        applied_message: item
            .map(|item| text(&item.applied_message))
            .unwrap_or_default(),
        healthy,
        status: item
            .and_then(|item| item.status.as_ref())
            .map(in_short)
            .unwrap_or_default(),
        ..Target::default()
    }
}

/// What a reflected status says, in a few words.
fn in_short(status: &Value) -> String {
    let number = |key: &str| status.get(key).and_then(Value::as_i64);
    if let Some(replicas) = number("replicas") {
        return format!("ready {}/{replicas}", number("readyReplicas").unwrap_or(0));
    }
    if let Some(wanted) = number("desiredNumberScheduled") {
        return format!("ready {}/{wanted}", number("numberReady").unwrap_or(0));
    }
    if let Some(succeeded) = number("succeeded") {
        return format!("succeeded {succeeded}");
    }
    String::new()
}

fn policy(metadata: &ObjectMeta) -> String {
    let annotation = |key: &str| {
        metadata
            .annotations
            .as_ref()
            .and_then(|annotations| annotations.get(key))
            .map(|v| text(v))
    };
    if let Some(name) = annotation(PROPAGATION_POLICY_NAME) {
        let namespace = annotation(PROPAGATION_POLICY_NAMESPACE).unwrap_or_default();
        return format!("PropagationPolicy {namespace}/{name}");
    }
    annotation(CLUSTER_PROPAGATION_POLICY_NAME)
        .map(|name| format!("ClusterPropagationPolicy {name}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
