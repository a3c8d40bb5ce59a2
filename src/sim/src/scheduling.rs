//! Placement applied to what a member knows: the binding, or the condition and event of a pod that
//! must wait.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;

use crate::object::{Name, controller_of, is_deleting, name, uid};
use crate::observed::Observed;
use crate::placement::{Candidate, Placement, place};
use crate::plan::{Action, Note, Plan, reference};
use crate::pods::{self, set_condition};
use crate::resources::Resources;

/// Who reports the events.
const COMPONENT: &str = "default-scheduler";

/// The step for a pod without a node.
#[derive(Debug)]
pub(crate) struct Scheduled {
    /// The writes.
    pub(crate) plan: Plan,
    /// Whether it need not be tried again.
    pub(crate) fits: bool,
}

/// Places a pod that has no node.
pub(crate) fn plan(pod: &Pod, observed: &Observed, now: Timestamp) -> Scheduled {
    let mut plan = Plan::idle();
    let gated = pod
        .spec
        .as_ref()
        .and_then(|spec| spec.scheduling_gates.as_ref())
        .is_some_and(|gates| !gates.is_empty());
    if is_deleting(&pod.metadata) || pods::is_finished(pod) || gated {
        return Scheduled { plan, fits: true };
    }
    let fits = match place(pod, &candidates(pod, observed)) {
        Placement::Node(node) => {
            let pod_name = Name::of(&pod.metadata);
            let text = format!("Successfully assigned {pod_name} to {node}");
            plan.push(Action::Bind {
                pod: pod_name,
                uid: uid(&pod.metadata).to_owned(),
                node,
            });
            let about = reference("v1", "Pod", &pod.metadata);
            plan.note(Note::normal(COMPONENT, about, "Scheduled", text));
            true
        }
        Placement::Unschedulable(message) => {
            refuse(pod, message, now, &mut plan);
            false
        }
    };
    Scheduled { plan, fits }
}

fn candidates<'a>(pod: &Pod, observed: &'a Observed) -> Vec<Candidate<'a>> {
    static NOTHING: std::sync::LazyLock<Resources> = std::sync::LazyLock::new(Resources::default);
    let peers = controller_of(&pod.metadata)
        .map(|owner| observed.pods.owned_by(&owner.uid))
        .unwrap_or_default();
    let on = |node: &str| {
        let count = peers
            .iter()
            .filter(|peer| pods::is_active(peer) && pods::node_name(peer) == Some(node))
            .count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    observed
        .nodes
        .values()
        .map(|node| {
            let node_name = name(&node.metadata);
            let load = observed.load.get(node_name);
            Candidate {
                node,
                used: load.map_or(&*NOTHING, |load| &load.used),
                peers: on(node_name),
            }
        })
        .collect()
}

/// Says once per message why a pod waits.
fn refuse(pod: &Pod, message: String, now: Timestamp, plan: &mut Plan) {
    let mut written = pod.clone();
    let status = written.status.get_or_insert_default();
    status.phase.get_or_insert_with(|| "Pending".to_owned());
    let changed = set_condition(
        status.conditions.get_or_insert_default(),
        "PodScheduled",
        false,
        Some("Unschedulable"),
        Some(&message),
        now,
    );
    if changed {
        plan.push(Action::Status(written.into()));
        let about = reference("v1", "Pod", &pod.metadata);
        plan.note(Note::warning(COMPONENT, about, "FailedScheduling", message));
    }
}
