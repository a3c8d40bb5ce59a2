//! The kubelet: an assigned pod's life from image pull to deletion.
//!
//! A pod's status is a function of its spec, its start time, the seed and the present: nothing else is
//! remembered, so a restarted member goes on where it was.
//!
//! Annotations steer one pod: `flybridge.dev/crash-after` (its containers fail after that long),
//! `flybridge.dev/run-for` (they end well after that long), `flybridge.dev/exit-code`.
//! An image from a host under `.invalid` cannot be pulled.

mod script;
mod status;
mod timeline;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodStatus};

use crate::config::Delays;
use crate::object::{Kind, is_deleting, uid};
use crate::plan::{Action, Note, Plan, delete, reference};
use crate::pods;
use crate::seed::Seed;
use crate::time::{after, seconds_after};

/// Who reports the events.
const COMPONENT: &str = "kubelet";

/// The node a kubelet runs on.
#[derive(Clone, Debug)]
pub struct Host<'a> {
    /// The node's name.
    pub name: &'a str,
    /// The node's address.
    pub ip: &'a str,
    /// The address a pod gets that has none yet.
    pub free_pod_ip: &'a str,
    /// How long things take.
    pub delays: &'a Delays,
    /// The member's seed.
    pub seed: Seed,
}

/// Plans one step for a pod of this host.
///
/// `first_sight` says that this kubelet has not yet seen the deletion of the pod.
pub fn plan(pod: &Pod, host: &Host<'_>, first_sight: bool, now: Timestamp) -> Plan {
    if is_deleting(&pod.metadata) {
        return stop(pod, host, first_sight, now);
    }
    if pods::is_finished(pod) {
        return Plan::idle();
    }
    advance(pod, host, now)
}

fn advance(pod: &Pod, host: &Host<'_>, now: Timestamp) -> Plan {
    let before = pod.status.clone().unwrap_or_default();
    let timeline = timeline::Timeline::of(pod, host, now);
    let (after, next) = status::at(pod, &timeline, host, now);
    let mut plan = Plan::idle();
    if after != before {
        let mut written = pod.clone();
        written.status = Some(after.clone());
        plan.push(Action::Status(written.into()));
        for note in notes(pod, &timeline, (&before, &after)) {
            plan.note(note.on(host.name));
        }
    }
    plan.again = next;
    plan
}

/// Waits as long as the containers take to stop, but no longer than the grace period.
fn stop(pod: &Pod, host: &Host<'_>, first_sight: bool, now: Timestamp) -> Plan {
    let mut plan = Plan::idle();
    let deadline = pod
        .metadata
        .deletion_timestamp
        .as_ref()
        .map_or(now, |t| t.0);
    let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
    let asked = seconds_after(deadline, -grace);
    let (low, high) = host.delays.stop;
    let delay = host
        .seed
        .of(&["stop", uid(&pod.metadata)])
        .between(low, high);
    let stopped = after(asked, delay).min(deadline);
    if first_sight {
        for container in running(pod) {
            plan.note(
                Note::normal(
                    COMPONENT,
                    about_container(pod, &container.name),
                    "Killing",
                    format!("Stopping container {}", container.name),
                )
                .on(host.name),
            );
        }
    }
    if stopped <= now {
        plan.push(delete(Kind::Pod, &pod.metadata, Some(0)));
    } else {
        plan.wake(stopped);
    }
    plan
}

fn running(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    let statuses = pod
        .status
        .as_ref()
        .and_then(|s| s.container_statuses.as_ref());
    statuses
        .into_iter()
        .flatten()
        .filter(|status| is_running(status))
}

fn is_running(status: &ContainerStatus) -> bool {
    status.state.as_ref().is_some_and(|s| s.running.is_some())
}

fn waiting_reason(status: &ContainerStatus) -> Option<&str> {
    let waiting = status.state.as_ref()?.waiting.as_ref()?;
    waiting.reason.as_deref()
}

fn about_container(pod: &Pod, container: &str) -> k8s_openapi::api::core::v1::ObjectReference {
    let mut about = reference("v1", "Pod", &pod.metadata);
    about.field_path = Some(format!("spec.containers{{{container}}}"));
    about
}

/// The events between two statuses.
fn notes(
    pod: &Pod,
    timeline: &timeline::Timeline,
    (before, after): (&PodStatus, &PodStatus),
) -> Vec<Note> {
    let mut notes = Vec::new();
    for now in after.container_statuses.iter().flatten() {
        let was = before
            .container_statuses
            .iter()
            .flatten()
            .find(|status| status.name == now.name);
        let about = about_container(pod, &now.name);
        let image = &now.image;
        let mut normal = |reason, message| {
            notes.push(Note::normal(COMPONENT, about.clone(), reason, message));
        };
        if was.is_none() {
            normal("Pulling", format!("Pulling image \"{image}\""));
        }
        let restarted = was.is_some_and(|was| was.restart_count != now.restart_count);
        if is_running(now) && (restarted || !was.is_some_and(is_running)) {
            let message = if restarted {
                format!("Container image \"{image}\" already present on machine")
            } else {
                timeline.pulled_message(image)
            };
            normal("Pulled", message);
            normal("Created", format!("Created container: {}", now.name));
            normal("Started", format!("Started container {}", now.name));
        }
        let reason = waiting_reason(now);
        if reason != was.and_then(waiting_reason) {
            notes.extend(trouble(pod, now, reason.unwrap_or_default()));
        }
    }
    notes
}

/// The event of a container that has begun to wait for a bad reason.
fn trouble(pod: &Pod, status: &ContainerStatus, reason: &str) -> Vec<Note> {
    let image = &status.image;
    let about = about_container(pod, &status.name);
    let warning = |reason, message| Note::warning(COMPONENT, about.clone(), reason, message);
    match reason {
        "CrashLoopBackOff" => vec![warning(
            "BackOff",
            format!(
                "Back-off restarting failed container {} in pod {}_{}({})",
                status.name,
                pod.metadata.name.as_deref().unwrap_or_default(),
                pod.metadata.namespace.as_deref().unwrap_or_default(),
                uid(&pod.metadata)
            ),
        )],
        "ErrImagePull" => vec![
            warning("Failed", timeline::pull_failure(image)),
            warning("Failed", "Error: ErrImagePull".to_owned()),
        ],
        "ImagePullBackOff" => vec![
            Note::normal(
                COMPONENT,
                about.clone(),
                "BackOff",
                format!("Back-off pulling image \"{image}\""),
            ),
            warning("Failed", "Error: ImagePullBackOff".to_owned()),
        ],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
