//! What controllers ask of a pod, and how they make one from a template.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, PodCondition, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::object::is_deleting;
use crate::time::{after, time};

/// The pod's phase; `Pending` before anything has set one.
pub(crate) fn phase(pod: &Pod) -> &str {
    pod.status
        .as_ref()
        .and_then(|status| status.phase.as_deref())
        .unwrap_or("Pending")
}

/// Whether all its containers have ended for good.
pub(crate) fn is_finished(pod: &Pod) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// Whether it counts as a replica: neither finished nor being deleted.
pub(crate) fn is_active(pod: &Pod) -> bool {
    !is_finished(pod) && !is_deleting(&pod.metadata)
}

/// The node it is assigned to.
pub(crate) fn node_name(pod: &Pod) -> Option<&str> {
    pod.spec
        .as_ref()
        .and_then(|spec| spec.node_name.as_deref())
        .filter(|node| !node.is_empty())
}

/// One of its conditions.
pub(crate) fn condition<'a>(pod: &'a Pod, type_: &str) -> Option<&'a PodCondition> {
    pod.status
        .as_ref()?
        .conditions
        .as_ref()?
        .iter()
        .find(|condition| condition.type_ == type_)
}

/// Whether its Ready condition holds.
pub(crate) fn is_ready(pod: &Pod) -> bool {
    condition(pod, "Ready").is_some_and(|ready| ready.status == "True")
}

/// When it became ready, if it is.
pub(crate) fn ready_since(pod: &Pod) -> Option<Timestamp> {
    condition(pod, "Ready")
        .filter(|ready| ready.status == "True")
        .map(|ready| {
            ready
                .last_transition_time
                .as_ref()
                .map_or(Timestamp::MIN, |since| since.0)
        })
}

/// When a ready pod counts as available: `min_ready_seconds` after it became ready.
pub(crate) fn available_at(pod: &Pod, min_ready_seconds: i32) -> Option<Timestamp> {
    let seconds = u64::try_from(min_ready_seconds).unwrap_or(0);
    ready_since(pod).map(|since| after(since, Duration::from_secs(seconds)))
}

/// Counts over a controller's pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Pods that count as replicas.
    pub active: i32,
    /// Active and ready.
    pub ready: i32,
    /// Active and ready for long enough.
    pub available: i32,
    /// Being deleted and not finished.
    pub terminating: i32,
    /// When the next ready pod becomes available.
    pub next_available: Option<Timestamp>,
}

impl Counts {
    /// Counts `pods` at `now`.
    pub(crate) fn of<'a, I: IntoIterator<Item = &'a Pod>>(
        pods: I,
        min_ready_seconds: i32,
        now: Timestamp,
    ) -> Self {
        let mut counts = Self::default();
        for pod in pods {
            if is_finished(pod) {
                continue;
            }
            if is_deleting(&pod.metadata) {
                counts.terminating += 1;
                continue;
            }
            counts.active += 1;
            counts.ready += i32::from(is_ready(pod));
            match available_at(pod, min_ready_seconds) {
                Some(at) if at <= now => counts.available += 1,
                at => counts.next_available = crate::time::earliest(counts.next_available, at),
            }
        }
        counts
    }
}

/// A pod as a controller creates it from its template.
pub(crate) fn from_template(
    template: &PodTemplateSpec,
    namespace: &str,
    name: String,
    owner: OwnerReference,
) -> Pod {
    let metadata = template.metadata.clone().unwrap_or_default();
    Pod {
        metadata: ObjectMeta {
            namespace: Some(namespace.to_owned()),
            name: Some(name),
            labels: metadata.labels,
            annotations: metadata.annotations,
            finalizers: metadata.finalizers,
            owner_references: Some(vec![owner]),
            ..ObjectMeta::default()
        },
        spec: template.spec.clone(),
        status: None,
    }
}

/// Sets a condition; its transition time moves only when its status does.
///
/// Returns whether anything but the transition time changed.
pub(crate) fn set_condition(
    conditions: &mut Vec<PodCondition>,
    type_: &str,
    status: bool,
    reason: Option<&str>,
    message: Option<&str>,
    now: Timestamp,
) -> bool {
    let status = if status { "True" } else { "False" };
    let wanted = PodCondition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: reason.map(str::to_owned),
        message: message.map(str::to_owned),
        last_transition_time: Some(time(now)),
        ..PodCondition::default()
    };
    let Some(present) = conditions.iter_mut().find(|c| c.type_ == type_) else {
        conditions.push(wanted);
        return true;
    };
    let same = present.status == wanted.status
        && present.reason == wanted.reason
        && present.message == wanted.message;
    if same {
        return false;
    }
    let since = if present.status == wanted.status {
        present.last_transition_time.clone()
    } else {
        wanted.last_transition_time.clone()
    };
    *present = PodCondition {
        last_transition_time: since,
        observed_generation: present.observed_generation,
        ..wanted
    };
    true
}
