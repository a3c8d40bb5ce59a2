//! DaemonSet: one pod on every node that takes it.
//!
//! Source: upstream's daemonset controller; surge during updates is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet, DaemonSetStatus};
use k8s_openapi::api::core::v1::{
    Affinity, Node, NodeAffinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod,
    Toleration,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::deployment::resolve;
use crate::object::{Kind, is_deleting, label, name, owner_reference, uid};
use crate::placement::is_eligible;
use crate::plan::{Action, Note, Plan, delete, reference};
use crate::pods;
use crate::replicaset::{pod_names, some};
use crate::revisions::{self, Current, HASH_LABEL};
use crate::seed::Seed;
use crate::time::earliest;

/// Who reports the events.
const COMPONENT: &str = "daemonset-controller";
/// The taints every daemon pod tolerates.
const TOLERATED: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/// What a DaemonSet's step looks at.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Its own pods.
    pub pods: &'a [Arc<Pod>],
    /// Its own revisions.
    pub revisions: &'a [Arc<ControllerRevision>],
    /// All nodes.
    pub nodes: &'a [Arc<Node>],
    /// The present.
    pub now: Timestamp,
    /// The member's seed.
    pub seed: Seed,
}

/// Plans one step for `set`.
pub fn plan(set: &DaemonSet, around: Surroundings<'_>) -> Plan {
    let mut plan = Plan::idle();
    let owner = owner_reference("apps/v1", "DaemonSet", &set.metadata);
    let update = revisions::synchronise(
        (&set.metadata, owner),
        &set.spec.template,
        around.revisions,
        &mut plan,
    );
    let wanted = wanted_nodes(set, around.nodes, &update);
    let mut by_node: BTreeMap<&str, Vec<&Pod>> = BTreeMap::new();
    for pod in around.pods {
        if let Some(node) = target(pod) {
            by_node.entry(node).or_default().push(pod);
        }
    }
    if !is_deleting(&set.metadata) {
        place(set, &around, (&wanted, &by_node), &update, &mut plan);
    }
    status(set, &around, (&wanted, &by_node), &update, &mut plan);
    let limit = set.spec.revision_history_limit.unwrap_or(10);
    revisions::clean_up(around.revisions, &[&update.name], limit, &mut plan);
    plan
}

fn wanted_nodes<'a>(
    set: &DaemonSet,
    nodes: &'a [Arc<Node>],
    update: &Current,
) -> BTreeSet<&'a str> {
    nodes
        .iter()
        .map(|node| (node, name(&node.metadata)))
        .filter(|(node, name)| is_eligible(&daemon_pod(set, name, String::new(), update), node))
        .map(|(_, name)| name)
        .collect()
}

/// The node a daemon pod is for, bound or not.
fn target(pod: &Pod) -> Option<&str> {
    let by_affinity = || {
        let affinity = pod.spec.as_ref()?.affinity.as_ref()?;
        let required = affinity
            .node_affinity
            .as_ref()?
            .required_during_scheduling_ignored_during_execution
            .as_ref()?;
        let field = required
            .node_selector_terms
            .first()?
            .match_fields
            .as_ref()?
            .first()?;
        field.values.as_ref()?.first().map(String::as_str)
    };
    pods::node_name(pod).or_else(by_affinity)
}

fn place(
    set: &DaemonSet,
    around: &Surroundings<'_>,
    (wanted, by_node): (&BTreeSet<&str>, &BTreeMap<&str, Vec<&Pod>>),
    update: &Current,
    plan: &mut Plan,
) {
    let taken: BTreeSet<&str> = around.pods.iter().map(|pod| name(&pod.metadata)).collect();
    let mut names = pod_names(
        name(&set.metadata),
        uid(&set.metadata),
        &taken,
        around.now,
        around.seed,
    );
    for node in wanted {
        // A pod that still stops keeps its place: two daemons on one node get in each other's way.
        let present = by_node.get(node).map_or(&[][..], Vec::as_slice);
        for pod in present
            .iter()
            .filter(|pod| pods::is_finished(pod) && !is_deleting(&pod.metadata))
        {
            plan.push(delete(Kind::Pod, &pod.metadata, None));
        }
        if present.is_empty()
            && let Some(pod_name) = names.next()
        {
            let pod = daemon_pod(set, node, pod_name.clone(), update);
            plan.push(Action::Create(pod.into()));
            plan.note(note(
                set,
                "SuccessfulCreate",
                format!("Created pod: {pod_name}"),
            ));
        }
    }
    for (node, pods) in by_node {
        let keep = usize::from(wanted.contains(node));
        let mut live: Vec<&&Pod> = pods.iter().filter(|pod| pods::is_active(pod)).collect();
        live.sort_by_key(|pod| (pod.metadata.creation_timestamp.clone(), name(&pod.metadata)));
        for pod in live.into_iter().skip(keep) {
            remove(set, pod, plan);
        }
    }
    roll(set, around, (wanted, by_node), update, plan);
}

/// Deletes pods of an old template, as far as availability allows.
fn roll(
    set: &DaemonSet,
    around: &Surroundings<'_>,
    (wanted, by_node): (&BTreeSet<&str>, &BTreeMap<&str, Vec<&Pod>>),
    update: &Current,
    plan: &mut Plan,
) {
    let strategy = set.spec.update_strategy.as_ref();
    if strategy.and_then(|s| s.type_.as_deref()) == Some("OnDelete") {
        return;
    }
    let rolling = strategy.and_then(|s| s.rolling_update.as_ref());
    let one = IntOrString::Int(1);
    let allowed = rolling
        .and_then(|r| r.max_unavailable.as_ref())
        .unwrap_or(&one);
    let total = i32::try_from(wanted.len()).unwrap_or(i32::MAX);
    let mut room = resolve(allowed, total, true).max(1);
    let mut old = Vec::new();
    for node in wanted {
        let pods = by_node.get(node).map_or(&[][..], Vec::as_slice);
        let available = pods.iter().any(|pod| is_available(set, pod, around.now));
        room -= i32::from(!available);
        let outdated = pods.iter().filter(|pod| {
            pods::is_active(pod) && label(&pod.metadata, HASH_LABEL) != Some(&update.hash)
        });
        old.extend(outdated.map(|pod| (available, *pod)));
    }
    for (available, pod) in old {
        // One that serves nobody costs nothing.
        if available && room <= 0 {
            continue;
        }
        room -= i32::from(available);
        remove(set, pod, plan);
    }
}

fn is_available(set: &DaemonSet, pod: &Pod, now: Timestamp) -> bool {
    let min_ready = set.spec.min_ready_seconds.unwrap_or(0);
    pods::is_active(pod) && pods::available_at(pod, min_ready).is_some_and(|at| at <= now)
}

fn remove(set: &DaemonSet, pod: &Pod, plan: &mut Plan) {
    plan.push(delete(Kind::Pod, &pod.metadata, None));
    let text = format!("Deleted pod: {}", name(&pod.metadata));
    plan.note(note(set, "SuccessfulDelete", text));
}

fn note(set: &DaemonSet, reason: &'static str, message: String) -> Note {
    Note::normal(
        COMPONENT,
        reference("apps/v1", "DaemonSet", &set.metadata),
        reason,
        message,
    )
}

fn daemon_pod(set: &DaemonSet, node: &str, pod_name: String, update: &Current) -> Pod {
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    let owner = owner_reference("apps/v1", "DaemonSet", &set.metadata);
    let mut pod = pods::from_template(&set.spec.template, namespace, pod_name, owner);
    let generation = set.metadata.generation.unwrap_or(1).to_string();
    let labels = pod.metadata.labels.get_or_insert_default();
    labels.insert(HASH_LABEL.to_owned(), update.hash.clone());
    labels.insert("pod-template-generation".to_owned(), generation);
    let spec = pod.spec.get_or_insert_default();
    let tolerations = spec.tolerations.get_or_insert_default();
    tolerations.extend(TOLERATED.map(|(key, effect)| Toleration {
        key: Some(key.to_owned()),
        operator: Some("Exists".to_owned()),
        effect: Some(effect.to_owned()),
        ..Toleration::default()
    }));
    pin(spec.affinity.get_or_insert_default(), node);
    pod
}

/// Restricts every required term of an affinity to one node.
fn pin(affinity: &mut Affinity, node: &str) {
    let field = NodeSelectorRequirement {
        key: "metadata.name".to_owned(),
        operator: "In".to_owned(),
        values: Some(vec![node.to_owned()]),
    };
    let required = affinity
        .node_affinity
        .get_or_insert_with(NodeAffinity::default)
        .required_during_scheduling_ignored_during_execution
        .get_or_insert_with(NodeSelector::default);
    if required.node_selector_terms.is_empty() {
        required
            .node_selector_terms
            .push(NodeSelectorTerm::default());
    }
    for term in &mut required.node_selector_terms {
        term.match_fields = Some(vec![field.clone()]);
    }
}

fn status(
    set: &DaemonSet,
    around: &Surroundings<'_>,
    (wanted, by_node): (&BTreeSet<&str>, &BTreeMap<&str, Vec<&Pod>>),
    update: &Current,
    plan: &mut Plan,
) {
    let mut status = DaemonSetStatus {
        desired_number_scheduled: i32::try_from(wanted.len()).unwrap_or(i32::MAX),
        observed_generation: set.metadata.generation,
        ..DaemonSetStatus::default()
    };
    let (mut updated, mut available) = (0, 0);
    for (node, pods) in by_node {
        let Some(pod) = pods.iter().find(|pod| pods::is_active(pod)) else {
            continue;
        };
        if !wanted.contains(node) {
            status.number_misscheduled += 1;
            continue;
        }
        status.current_number_scheduled += 1;
        status.number_ready += i32::from(pods::is_ready(pod));
        available += i32::from(is_available(set, pod, around.now));
        updated += i32::from(label(&pod.metadata, HASH_LABEL) == Some(&update.hash));
        let at = pods::available_at(pod, set.spec.min_ready_seconds.unwrap_or(0));
        plan.again = earliest(plan.again, at.filter(|at| *at > around.now));
    }
    status.number_available = some(available);
    status.number_unavailable = some(status.desired_number_scheduled - available);
    status.updated_number_scheduled = some(updated);
    if set.status.as_ref() != Some(&status) {
        let mut written = set.clone();
        written.status = Some(status);
        plan.push(Action::Status(written.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Object;
    use crate::testing::{at, decode, node, pod};
    use serde_json::json;

    fn daemon_set() -> DaemonSet {
        decode(json!({
            "metadata": {"name": "agent", "namespace": "default", "uid": "uid-agent", "generation": 1},
            "spec": {
                "selector": {"matchLabels": {"app": "agent"}},
                "template": {
                    "metadata": {"labels": {"app": "agent"}},
                    "spec": {"containers": [{"name": "agent", "image": "agent:1"}]},
                },
            },
        }))
    }

    fn step(set: &DaemonSet, pods: &[Arc<Pod>], nodes: &[Arc<Node>]) -> Plan {
        plan(
            set,
            Surroundings {
                pods,
                revisions: &[],
                nodes,
                now: at(10),
                seed: Seed::new(1),
            },
        )
    }

    fn created(plan: &Plan) -> Vec<Pod> {
        let pods = plan.actions.iter().filter_map(|action| match action {
            Action::Create(Object::Pod(pod)) => Some(pod.as_ref().clone()),
            _ => None,
        });
        pods.collect()
    }

    fn nodes() -> Vec<Arc<Node>> {
        let mut tainted = node("n2", "4", "8Gi");
        tainted.spec = Some(decode(
            json!({"taints": [{"key": "dedicated", "effect": "NoSchedule"}]}),
        ));
        let mut down = node("n3", "4", "8Gi");
        down.spec = Some(decode(
            json!({"taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]}),
        ));
        [node("n1", "4", "8Gi"), tainted, down].map(Arc::new).into()
    }

    #[test]
    fn every_eligible_node_gets_one_pod_pinned_to_it() {
        let made = created(&step(&daemon_set(), &[], &nodes()));
        let targets: Vec<&str> = made.iter().filter_map(target).collect();
        assert_eq!(
            targets,
            ["n1", "n3"],
            "n2 is tainted, n3's taint is tolerated"
        );
        let again: Vec<Arc<Pod>> = made.into_iter().map(Arc::new).collect();
        assert_eq!(created(&step(&daemon_set(), &again, &nodes())), []);
    }

    #[test]
    fn the_status_counts_ready_and_misplaced_pods() {
        let pods = [
            Arc::new(pod("a").on("n1").ready().build()),
            Arc::new(pod("b").on("n2").ready().build()),
        ];
        let plan = step(&daemon_set(), &pods, &nodes());
        let Some(Action::Status(Object::DaemonSet(set))) = plan.actions.last() else {
            panic!("no status");
        };
        let status = set.status.as_ref().unwrap();
        assert_eq!(status.desired_number_scheduled, 2);
        assert_eq!(status.current_number_scheduled, 1);
        assert_eq!(status.number_ready, 1);
        assert_eq!(status.number_misscheduled, 1);
        assert_eq!(status.number_unavailable, Some(1));
    }

    #[test]
    fn an_update_takes_one_pod_at_a_time() {
        let nodes = [node("n1", "4", "8Gi"), node("n2", "4", "8Gi")].map(Arc::new);
        let pods = [
            Arc::new(pod("a").on("n1").ready().label(HASH_LABEL, "old").build()),
            Arc::new(pod("b").on("n2").ready().label(HASH_LABEL, "old").build()),
        ];
        let plan = step(&daemon_set(), &pods, &nodes);
        let deleted = plan
            .actions
            .iter()
            .filter(|action| matches!(action, Action::Delete { .. }))
            .count();
        assert_eq!(deleted, 1);
    }
}
