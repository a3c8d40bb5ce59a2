//! ReplicaSet: keep the wanted number of pods, and say how many there are.
//!
//! Source: upstream's replicaset controller; adoption of orphans is left out, because nothing in a
//! simulated member releases pods.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetStatus};
use k8s_openapi::api::core::v1::Pod;

use crate::object::{Kind, annotation, is_deleting, label, name, owner_reference, uid};
use crate::plan::{Action, Note, Plan, delete, reference};
use crate::pods::{self, Counts};
use crate::seed::Seed;

/// Who reports the events.
const COMPONENT: &str = "replicaset-controller";
/// Most pods created or deleted in one step.
const BURST: usize = 500;

/// Plans one step for `set`, whose own pods are `pods`.
pub fn plan(set: &ReplicaSet, pods: &[Arc<Pod>], now: Timestamp, seed: Seed) -> Plan {
    let mut plan = Plan::idle();
    if !is_deleting(&set.metadata) {
        scale(set, pods, now, seed, &mut plan);
    }
    let min_ready = set.spec.min_ready_seconds;
    let counts = Counts::of(pods.iter().map(Arc::as_ref), min_ready.unwrap_or(0), now);
    plan.again = counts.next_available;
    let status = status(set, pods, counts);
    if set.status.as_ref() != Some(&status) {
        let mut written = set.clone();
        written.status = Some(status);
        plan.push(Action::Status(written.into()));
    }
    plan
}

fn scale(set: &ReplicaSet, pods: &[Arc<Pod>], now: Timestamp, seed: Seed, plan: &mut Plan) {
    let wanted = set.spec.replicas.unwrap_or(1);
    let wanted = usize::try_from(wanted).unwrap_or(0);
    let active: Vec<&Pod> = pods
        .iter()
        .map(Arc::as_ref)
        .filter(|pod| pods::is_active(pod))
        .collect();
    if active.len() < wanted {
        create(
            set,
            pods,
            (wanted - active.len()).min(BURST),
            (now, seed),
            plan,
        );
    } else if active.len() > wanted {
        let surplus = (active.len() - wanted).min(BURST);
        for victim in victims(active, surplus) {
            plan.push(delete(Kind::Pod, &victim.metadata, None));
            plan.note(Note::normal(
                COMPONENT,
                reference("apps/v1", "ReplicaSet", &set.metadata),
                "SuccessfulDelete",
                format!("Deleted pod: {}", name(&victim.metadata)),
            ));
        }
    }
}

fn create(
    set: &ReplicaSet,
    pods: &[Arc<Pod>],
    count: usize,
    (now, seed): (Timestamp, Seed),
    plan: &mut Plan,
) {
    let Some(template) = set.spec.template.as_ref() else {
        return;
    };
    let taken: BTreeSet<&str> = pods.iter().map(|pod| name(&pod.metadata)).collect();
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    for name in pod_names(name(&set.metadata), uid(&set.metadata), &taken, now, seed).take(count) {
        let owner = owner_reference("apps/v1", "ReplicaSet", &set.metadata);
        let pod = pods::from_template(template, namespace, name.clone(), owner);
        plan.push(Action::Create(pod.into()));
        plan.note(Note::normal(
            COMPONENT,
            reference("apps/v1", "ReplicaSet", &set.metadata),
            "SuccessfulCreate",
            format!("Created pod: {name}"),
        ));
    }
}

/// Names for new pods of an owner: `<owner>-<5 characters>`, never one in `taken`.
///
/// The instant is part of the seed, so that a pod which replaces another gets another name.
pub(crate) fn pod_names<'a>(
    owner: &'a str,
    owner_uid: &str,
    taken: &'a BTreeSet<&'a str>,
    now: Timestamp,
    seed: Seed,
) -> impl Iterator<Item = String> + 'a {
    let moment = now.as_nanosecond().to_string();
    let seed = seed.of(&["pod-name", owner_uid, &moment]);
    let base: String = owner.chars().take(57).collect();
    (0_u64..)
        .map(move |index| format!("{base}-{}", seed.at(index).suffix(5)))
        .filter(|name| !taken.contains(name.as_str()))
}

/// The `count` pods to delete first.
///
/// Source: upstream `ActivePodsWithRanks`: unassigned, pending, not ready, low deletion cost, crowded
/// node, recently ready, restarted, young; then by name so that the choice is total.
fn victims(mut active: Vec<&Pod>, count: usize) -> Vec<&Pod> {
    let mut crowd: BTreeMap<&str, usize> = BTreeMap::new();
    for pod in &active {
        *crowd
            .entry(pods::node_name(pod).unwrap_or_default())
            .or_default() += 1;
    }
    active.sort_by_cached_key(|pod| {
        let node = pods::node_name(pod);
        let phase = match pods::phase(pod) {
            "Pending" => 0_u8,
            "Unknown" => 1,
            _ => 2,
        };
        let cost = annotation(&pod.metadata, "controller.kubernetes.io/pod-deletion-cost")
            .and_then(|cost| cost.parse::<i32>().ok())
            .unwrap_or(0);
        let crowd = node.and_then(|node| crowd.get(node)).copied().unwrap_or(0);
        let created = pod.metadata.creation_timestamp.as_ref().map(|t| t.0);
        (
            (node.is_some(), phase, pods::is_ready(pod), cost),
            Reverse(crowd),
            Reverse(pods::ready_since(pod)),
            Reverse(restarts(pod)),
            Reverse(created),
            name(&pod.metadata).to_owned(),
        )
    });
    active.truncate(count);
    active
}

fn restarts(pod: &Pod) -> i32 {
    let statuses = pod
        .status
        .as_ref()
        .and_then(|s| s.container_statuses.as_ref());
    statuses
        .into_iter()
        .flatten()
        .map(|status| status.restart_count)
        .max()
        .unwrap_or(0)
}

fn status(set: &ReplicaSet, pods: &[Arc<Pod>], counts: Counts) -> ReplicaSetStatus {
    let template_labels = set
        .spec
        .template
        .as_ref()
        .and_then(|t| t.metadata.as_ref())
        .and_then(|m| m.labels.as_ref());
    let fully_labeled = pods
        .iter()
        .filter(|pod| pods::is_active(pod))
        .filter(|pod| {
            template_labels
                .into_iter()
                .flatten()
                .all(|(key, value)| label(&pod.metadata, key) == Some(value))
        })
        .count();
    ReplicaSetStatus {
        replicas: counts.active,
        fully_labeled_replicas: some(i32::try_from(fully_labeled).unwrap_or(i32::MAX)),
        ready_replicas: some(counts.ready),
        available_replicas: some(counts.available),
        terminating_replicas: Some(counts.terminating),
        observed_generation: set.metadata.generation,
        conditions: set.status.as_ref().and_then(|s| s.conditions.clone()),
    }
}

/// A count as upstream writes it: zero is left out.
pub(crate) const fn some(count: i32) -> Option<i32> {
    if count == 0 { None } else { Some(count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, pod, replica_set};

    fn names(plan: &Plan) -> Vec<String> {
        plan.actions
            .iter()
            .filter_map(|action| match action {
                Action::Create(object) => object.metadata().name.clone(),
                Action::Delete { key, .. } => Some(key.name.name.clone()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn creates_what_is_missing_with_owner_and_labels() {
        let set = replica_set("web-abc", 3);
        let present = Arc::new(pod("web-abc-one").ready().build());
        let plan = plan(&set, &[present], at(0), Seed::new(1));
        let created: Vec<&Pod> = plan
            .actions
            .iter()
            .filter_map(|action| match action {
                Action::Create(crate::object::Object::Pod(pod)) => Some(pod.as_ref()),
                _ => None,
            })
            .collect();
        assert_eq!(created.len(), 2);
        for pod in created {
            let owner = crate::object::controller_of(&pod.metadata).unwrap();
            assert_eq!(
                (owner.kind.as_str(), owner.uid.as_str()),
                ("ReplicaSet", "uid-web-abc")
            );
            assert_eq!(owner.block_owner_deletion, Some(true));
            assert_eq!(label(&pod.metadata, "app"), Some("web"));
            assert!(name(&pod.metadata).starts_with("web-abc-"));
        }
    }

    #[test]
    fn deletes_unassigned_then_pending_then_unready_pods_first() {
        let set = replica_set("web-abc", 1);
        let pods: Vec<Arc<Pod>> = [
            pod("ready").on("n1").ready().build(),
            pod("unready").on("n1").phase("Running").build(),
            pod("pending").on("n1").build(),
            pod("unassigned").build(),
        ]
        .into_iter()
        .map(Arc::new)
        .collect();
        let plan = plan(&set, &pods, at(0), Seed::new(1));
        assert_eq!(names(&plan), ["unassigned", "pending", "unready"]);
    }

    #[test]
    fn deletion_cost_beats_crowding() {
        let set = replica_set("web-abc", 2);
        let cheap = pod("cheap").on("n2").ready().deletion_cost(-5).build();
        let pods: Vec<Arc<Pod>> = [
            pod("a").on("n1").ready().build(),
            pod("b").on("n1").ready().build(),
            cheap,
        ]
        .into_iter()
        .map(Arc::new)
        .collect();
        let plan = plan(&set, &pods, at(0), Seed::new(1));
        assert_eq!(names(&plan), ["cheap"]);
    }

    #[test]
    fn counts_available_pods_after_min_ready_seconds() {
        let mut set = replica_set("web-abc", 1);
        set.spec.min_ready_seconds = Some(10);
        let pods = [Arc::new(pod("a").on("n1").ready_since(at(0)).build())];
        let early = plan(&set, &pods, at(5), Seed::new(1));
        assert_eq!(early.again, Some(at(10)));
        let status = |plan: &Plan| match plan.actions.last() {
            Some(Action::Status(crate::object::Object::ReplicaSet(set))) => {
                set.status.clone().unwrap()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(status(&early).ready_replicas, Some(1));
        assert_eq!(status(&early).available_replicas, None);
        let late = plan(&set, &pods, at(10), Seed::new(1));
        assert_eq!(status(&late).available_replicas, Some(1));
    }

    #[test]
    fn a_terminating_pod_is_replaced_and_counted_as_terminating() {
        let set = replica_set("web-abc", 1);
        let pods = [Arc::new(
            pod("old").on("n1").ready().deleting(at(30)).build(),
        )];
        let plan = plan(&set, &pods, at(0), Seed::new(1));
        assert_eq!(names(&plan).len(), 1);
        let Some(Action::Status(crate::object::Object::ReplicaSet(set))) = plan.actions.last()
        else {
            panic!("no status");
        };
        let status = set.status.as_ref().unwrap();
        assert_eq!((status.replicas, status.terminating_replicas), (0, Some(1)));
    }

    #[test]
    fn nothing_is_written_when_nothing_changed() {
        let mut set = replica_set("web-abc", 1);
        let pods = [Arc::new(pod("a").on("n1").ready().build())];
        let first = plan(&set, &pods, at(0), Seed::new(1));
        let Some(Action::Status(crate::object::Object::ReplicaSet(written))) = first.actions.last()
        else {
            panic!("no status");
        };
        set.status.clone_from(&written.status);
        assert_eq!(plan(&set, &pods, at(1), Seed::new(1)).actions, []);
    }
}
