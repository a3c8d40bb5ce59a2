//! Rows of the pod list, with the status kubectl prints.

use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodStatus};

use super::{created, name, namespace, text};
use crate::rows::PodRow;
use crate::rows::workload::member_id;

pub(in crate::live) fn pod(cluster: &str, object: &Pod) -> PodRow {
    let (namespace, name) = (namespace(&object.metadata), name(&object.metadata));
    let spec = object.spec.as_ref();
    let status = object.status.as_ref();
    let statuses = status
        .and_then(|status| status.container_statuses.as_deref())
        .unwrap_or_default();
    let restarts: i32 = statuses.iter().map(|status| status.restart_count).sum();
    let ready = statuses.iter().filter(|status| status.ready).count();
    PodRow {
        id: member_id(cluster, "Pod", &namespace, &name),
        cluster: cluster.to_owned(),
        namespace,
        name,
        ready: u32::try_from(ready).unwrap_or(u32::MAX),
        containers: spec
            .map(|spec| spec.containers.iter().map(|c| text(&c.name)).collect())
            .unwrap_or_default(),
        status: text(&printed_status(object)),
        restarts: u32::try_from(restarts).unwrap_or(0),
        ip: status
            .and_then(|status| status.pod_ip.as_deref())
            .map(text)
            .unwrap_or_default(),
        node: spec
            .and_then(|spec| spec.node_name.as_deref())
            .map(text)
            .unwrap_or_default(),
        created: created(&object.metadata),
    }
}

/// Source: kubernetes pkg/printers/internalversion/printers.go, printPod.
pub(super) fn printed_status(pod: &Pod) -> String {
    let Some(status) = &pod.status else {
        return "Unknown".to_owned();
    };
    let mut printed = status.phase.clone().unwrap_or_else(|| "Unknown".to_owned());
    if let Some(reason) = status.reason.as_deref().filter(|reason| !reason.is_empty()) {
        reason.clone_into(&mut printed);
    }
    if let Some(initialising) = init_status(pod, status) {
        printed = initialising;
    } else {
        let containers = status.container_statuses.as_deref().unwrap_or_default();
        // The first container counts most, so it is looked at last.
        for container in containers.iter().rev() {
            if let Some(reason) = container_status(container) {
                printed = reason;
            }
        }
        let running = containers.iter().any(|c| c.ready && is_running(c));
        if printed == "Completed" && running {
            "Running".clone_into(&mut printed);
        }
    }
    if pod.metadata.deletion_timestamp.is_some() {
        let lost = status.reason.as_deref() == Some("NodeLost");
        return if lost { "Unknown" } else { "Terminating" }.to_owned();
    }
    printed
}

fn is_running(container: &ContainerStatus) -> bool {
    container
        .state
        .as_ref()
        .is_some_and(|state| state.running.is_some())
}

fn container_status(container: &ContainerStatus) -> Option<String> {
    let state = container.state.as_ref()?;
    if let Some(waiting) = &state.waiting {
        return waiting.reason.clone().filter(|reason| !reason.is_empty());
    }
    let terminated = state.terminated.as_ref()?;
    Some(match terminated.reason.as_deref() {
        Some(reason) if !reason.is_empty() => reason.to_owned(),
        _ => match terminated.signal {
            Some(signal) if signal != 0 => format!("Signal:{signal}"),
            _ => format!("ExitCode:{}", terminated.exit_code),
        },
    })
}

fn init_status(pod: &Pod, status: &PodStatus) -> Option<String> {
    let containers = status.init_container_statuses.as_deref()?;
    let total = pod.spec.as_ref()?.init_containers.as_ref()?.len();
    for (i, container) in containers.iter().enumerate() {
        let state = container.state.as_ref();
        let done = state
            .and_then(|state| state.terminated.as_ref())
            .is_some_and(|terminated| terminated.exit_code == 0);
        // A sidecar has started and goes on running.
        if done || container.started == Some(true) && is_running(container) {
            continue;
        }
        let waits = state
            .and_then(|state| state.waiting.as_ref())
            .and_then(|waiting| waiting.reason.as_deref())
            .is_none_or(|reason| reason.is_empty() || reason == "PodInitializing");
        return Some(match container_status(container) {
            Some(reason) if !waits || state.is_some_and(|s| s.terminated.is_some()) => {
                format!("Init:{reason}")
            }
            _ => format!("Init:{i}/{total}"),
        });
    }
    None
}
