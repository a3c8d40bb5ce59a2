//! What becomes of pods on a node that is lost or tainted with NoExecute.
//!
//! Source: upstream's taint eviction controller. A pod without any toleration for the taints of a lost
//! node is given 300 seconds, which upstream's admission would have written into it.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, Pod, Taint, Toleration};

use crate::nodes::{self, UNREACHABLE};
use crate::object::{Kind, is_deleting, name};
use crate::placement::tolerates;
use crate::plan::{Action, Note, Plan, delete, reference};
use crate::pods::{self, set_condition};
use crate::time::seconds_after;

/// Who evicts.
const COMPONENT: &str = "taint-eviction-controller";
/// The taint of a node that is not ready.
const NOT_READY: &str = "node.kubernetes.io/not-ready";
/// How long a pod stays on a lost node unless it says otherwise.
const DEFAULT_SECONDS: i64 = 300;

/// Plans the eviction of `pod` from `node`.
pub fn plan(pod: &Pod, node: &Node, now: Timestamp) -> Plan {
    let mut plan = Plan::idle();
    if is_deleting(&pod.metadata) || pods::is_finished(pod) {
        return plan;
    }
    match deadline(pod, node, now) {
        None => {}
        Some(deadline) if deadline > now => plan.wake(deadline),
        Some(_) => evict(pod, now, &mut plan),
    }
    plan
}

/// Marks a pod whose kubelet is lost as not ready.
pub fn mark_unready(pod: &Pod, now: Timestamp) -> Plan {
    let mut plan = Plan::idle();
    if !pods::is_ready(pod) {
        return plan;
    }
    let mut written = pod.clone();
    let status = written.status.get_or_insert_default();
    let conditions = status.conditions.get_or_insert_default();
    set_condition(conditions, "Ready", false, None, None, now);
    plan.push(Action::Status(written.into()));
    plan.note(Note::warning(
        "node-controller",
        reference("v1", "Pod", &pod.metadata),
        "NodeNotReady",
        "Node is not ready".to_owned(),
    ));
    plan
}

/// When the pod must go; `None` if it may stay.
fn deadline(pod: &Pod, node: &Node, now: Timestamp) -> Option<Timestamp> {
    let spec = pod.spec.as_ref();
    let tolerations = spec.and_then(|s| s.tolerations.as_deref());
    let tolerations = tolerations.unwrap_or_default();
    nodes::taints(node)
        .filter(|taint| taint.effect == "NoExecute")
        .filter_map(|taint| {
            let since = taint.time_added.as_ref().map_or(now, |at| at.0);
            let seconds = tolerated_for(taint, tolerations)?;
            Some(seconds_after(since, seconds))
        })
        .min()
}

/// For how many seconds the taint is borne; `None` is for ever.
fn tolerated_for(taint: &Taint, tolerations: &[Toleration]) -> Option<i64> {
    let mut fitting = tolerations
        .iter()
        .filter(|toleration| tolerates(toleration, taint))
        .peekable();
    if fitting.peek().is_none() {
        let lost = taint.key == UNREACHABLE || taint.key == NOT_READY;
        return Some(if lost { DEFAULT_SECONDS } else { 0 });
    }
    fitting
        .filter_map(|toleration| toleration.toleration_seconds)
        .map(|seconds| seconds.max(0))
        .min()
}

fn evict(pod: &Pod, now: Timestamp, plan: &mut Plan) {
    let mut written = pod.clone();
    let status = written.status.get_or_insert_default();
    let text = "Taint manager: deleting due to NoExecute taint";
    set_condition(
        status.conditions.get_or_insert_default(),
        "DisruptionTarget",
        true,
        Some("DeletionByTaintManager"),
        Some(text),
        now,
    );
    plan.push(Action::Status(written.into()));
    plan.push(delete(Kind::Pod, &pod.metadata, None));
    plan.note(Note::normal(
        COMPONENT,
        reference("v1", "Pod", &pod.metadata),
        "TaintManagerEviction",
        format!(
            "Marking for deletion Pod {}/{}",
            pod.metadata.namespace.as_deref().unwrap_or_default(),
            name(&pod.metadata)
        ),
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, decode, node, pod};
    use serde_json::{Value, json};

    fn tainted(key: &str) -> Node {
        let mut node = node("n1", "4", "8Gi");
        node.spec = Some(decode(json!({"taints": [
            {"key": key, "effect": "NoExecute", "timeAdded": crate::time::time(at(0))},
        ]})));
        node
    }

    fn tolerating(tolerations: Value) -> Pod {
        pod("a")
            .on("n1")
            .ready()
            .spec("tolerations", tolerations)
            .build()
    }

    fn goes_at(pod: &Pod, node: &Node) -> Option<Timestamp> {
        plan(pod, node, at(0)).again
    }

    #[test]
    fn a_lost_node_keeps_its_pods_for_five_minutes() {
        let pod = pod("a").on("n1").ready().build();
        let node = tainted(UNREACHABLE);
        assert_eq!(goes_at(&pod, &node), Some(at(300)));
        let gone = plan(&pod, &node, at(300));
        assert!(
            gone.actions
                .iter()
                .any(|a| matches!(a, Action::Delete { .. }))
        );
    }

    #[test]
    fn tolerations_shorten_or_lift_the_limit() {
        let node = tainted(UNREACHABLE);
        let short = json!([{"key": UNREACHABLE, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}]);
        assert_eq!(goes_at(&tolerating(short), &node), Some(at(30)));
        let forever = json!([{"operator": "Exists"}]);
        assert_eq!(plan(&tolerating(forever), &node, at(10_000)), Plan::idle());
    }

    #[test]
    fn any_other_taint_evicts_at_once() {
        let pod = pod("a").on("n1").ready().build();
        let now = plan(&pod, &tainted("maintenance"), at(0));
        assert!(matches!(
            now.actions.as_slice(),
            [Action::Status(_), Action::Delete { .. }, Action::Event(_)]
        ));
    }

    #[test]
    fn a_pod_of_a_lost_kubelet_is_marked_once() {
        let ready = pod("a").on("n1").ready().build();
        let plan = mark_unready(&ready, at(5));
        assert_eq!(plan.actions.len(), 2);
        let unready = pod("a").on("n1").phase("Running").build();
        assert_eq!(mark_unready(&unready, at(5)), Plan::idle());
    }
}
