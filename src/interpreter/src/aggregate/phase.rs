//! Pods, volumes and claims: the phase that best stands for all members.

use k8s_openapi::api::core::v1::{
    ContainerStatus, PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus,
    PersistentVolumeStatus, Pod, PodStatus,
};
use serde_json::{Value, json};

use crate::Result;
use crate::decode::{self, Item};

/// The first phase of `order` that any member is in.
fn first_of(order: &[&str], seen: &[String]) -> Option<String> {
    let found = order
        .iter()
        .find(|phase| seen.iter().any(|have| have == *phase));
    found.map(|phase| (*phase).to_owned())
}

pub(super) fn pod(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<Pod>(object)?;
    if items.is_empty() {
        return Ok(None);
    }
    let mut phases = Vec::new();
    let (mut containers, mut init_containers) = (Vec::new(), Vec::new());
    for item in items {
        let Some(report) = item.status::<PodStatus>()? else {
            phases.push("Pending".to_owned());
            continue;
        };
        phases.push(report.phase.unwrap_or_default());
        containers.extend(report.container_statuses.iter().flatten().map(bare));
        init_containers.extend(report.init_container_statuses.iter().flatten().map(bare));
    }
    let mut status = json!({});
    if let Some(phase) = first_of(&["Failed", "Pending", "Running", "Succeeded"], &phases) {
        status["phase"] = json!(phase);
    }
    if !containers.is_empty() {
        status["containerStatuses"] = json!(containers);
    }
    if !init_containers.is_empty() {
        status["initContainerStatuses"] = json!(init_containers);
    }
    Ok(Some(status))
}

/// Only whether a container is ready and in what state; the rest differs by member.
fn bare(status: &ContainerStatus) -> Value {
    json!({
        "name": "", "image": "", "imageID": "", "restartCount": 0, "lastState": {},
        "ready": status.ready,
        "state": status.state.clone().unwrap_or_default(),
    })
}

pub(super) fn volume(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<PersistentVolume>(object)?;
    let mut phases = Vec::new();
    for item in items {
        match item.status::<PersistentVolumeStatus>()? {
            Some(report) => phases.push(report.phase.unwrap_or_default()),
            None => phases.push("Pending".to_owned()),
        }
    }
    let order = ["Failed", "Pending", "Available", "Bound", "Released"];
    Ok(Some(match first_of(&order, &phases) {
        Some(phase) => json!({"phase": phase}),
        None => json!({}),
    }))
}

pub(super) fn claim(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<PersistentVolumeClaim>(object)?;
    let mut phase = "Bound".to_owned();
    for item in items {
        let report = item.status::<PersistentVolumeClaimStatus>()?;
        let Some(report) = report else {
            continue;
        };
        match report.phase.as_deref() {
            Some("Lost") => {
                "Lost".clone_into(&mut phase);
                break;
            }
            Some("Bound") => {}
            other => other.unwrap_or_default().clone_into(&mut phase),
        }
    }
    Ok(Some(json!({"phase": phase})))
}
