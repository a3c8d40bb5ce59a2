//! Whether a member's copy does what it should.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use k8s_openapi::api::networking::v1::Ingress;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde_json::Value;

use crate::operation::{not_handled, type_of};
use crate::{Operation, Result, decode};

/// Judges a member's copy.
///
/// # Errors
/// No rule for the kind, or the object does not have its shape.
pub fn interpret_health(object: &Value) -> Result<bool> {
    match type_of(object) {
        ("apps/v1", "Deployment") => deployment(object),
        ("apps/v1", "StatefulSet") => stateful_set(object),
        ("apps/v1", "ReplicaSet") => replica_set(object),
        ("apps/v1", "DaemonSet") => daemon_set(object),
        ("v1", "Service") => service(object),
        ("v1", "Pod") => pod(object),
        ("v1", "PersistentVolumeClaim") => {
            let claim = decode::object::<PersistentVolumeClaim>(object)?;
            let status = claim.status.unwrap_or_default();
            Ok(status.phase.as_deref() == Some("Bound"))
        }
        ("networking.k8s.io/v1", "Ingress") => ingress(object),
        ("policy/v1", "PodDisruptionBudget") => {
            let budget = decode::object::<PodDisruptionBudget>(object)?;
            let status = budget.status.unwrap_or_default();
            Ok(status.current_healthy >= status.desired_healthy)
        }
        _ => not_handled(object, Operation::InterpretHealth),
    }
}

/// Updated and available replicas against the wanted ones, once the member has seen the spec.
fn rolled_out(
    current: bool,
    wanted: Option<i32>,
    updated: Option<i32>,
    available: Option<i32>,
) -> bool {
    let updated = updated.unwrap_or_default();
    current
        && wanted.is_none_or(|wanted| updated >= wanted)
        && available.unwrap_or_default() >= updated
}

fn observed(generation: Option<i64>, observed: Option<i64>) -> bool {
    generation.unwrap_or_default() == observed.unwrap_or_default()
}

fn deployment(object: &Value) -> Result<bool> {
    let object = decode::object::<Deployment>(object)?;
    let status = object.status.unwrap_or_default();
    let wanted = object.spec.replicas;
    Ok(rolled_out(
        observed(object.metadata.generation, status.observed_generation),
        wanted,
        status.updated_replicas,
        status.available_replicas,
    ))
}

fn stateful_set(object: &Value) -> Result<bool> {
    let object = decode::object::<StatefulSet>(object)?;
    let status = object.status.unwrap_or_default();
    let wanted = object.spec.replicas;
    Ok(rolled_out(
        observed(object.metadata.generation, status.observed_generation),
        wanted,
        status.updated_replicas,
        status.available_replicas,
    ))
}

fn replica_set(object: &Value) -> Result<bool> {
    let object = decode::object::<ReplicaSet>(object)?;
    let status = object.status.unwrap_or_default();
    let wanted = object.spec.replicas;
    let available = status.available_replicas.unwrap_or_default();
    Ok(
        observed(object.metadata.generation, status.observed_generation)
            && wanted.is_none_or(|wanted| available >= wanted),
    )
}

fn daemon_set(object: &Value) -> Result<bool> {
    let object = decode::object::<DaemonSet>(object)?;
    let status = object.status.unwrap_or_default();
    let updated = status.updated_number_scheduled.unwrap_or_default();
    Ok(
        observed(object.metadata.generation, status.observed_generation)
            && updated >= status.desired_number_scheduled
            && status.number_available.unwrap_or_default() >= updated,
    )
}

fn service(object: &Value) -> Result<bool> {
    let object = decode::object::<Service>(object)?;
    let spec = object.spec.unwrap_or_default();
    if spec.type_.as_deref() != Some("LoadBalancer") {
        return Ok(true);
    }
    let balancer = object.status.and_then(|status| status.load_balancer);
    let points = balancer.and_then(|balancer| balancer.ingress);
    Ok(points
        .unwrap_or_default()
        .iter()
        .any(|point| reachable(point.hostname.as_ref(), point.ip.as_ref())))
}

fn ingress(object: &Value) -> Result<bool> {
    let object = decode::object::<Ingress>(object)?;
    let balancer = object.status.and_then(|status| status.load_balancer);
    let points = balancer.and_then(|balancer| balancer.ingress);
    Ok(points
        .unwrap_or_default()
        .iter()
        .any(|point| reachable(point.hostname.as_ref(), point.ip.as_ref())))
}

fn reachable(hostname: Option<&String>, ip: Option<&String>) -> bool {
    [hostname, ip]
        .into_iter()
        .flatten()
        .any(|part| !part.is_empty())
}

fn pod(object: &Value) -> Result<bool> {
    let status = decode::object::<Pod>(object)?.status.unwrap_or_default();
    let ready = || {
        status
            .conditions
            .iter()
            .flatten()
            .any(|condition| condition.type_ == "Ready" && condition.status == "True")
    };
    Ok(match status.phase.as_deref() {
        Some("Succeeded") => true,
        Some("Running") => ready(),
        _ => false,
    })
}
