//! Whole fleets on paused time, from one seed each: whatever the network and the order of things
//! do, a fleet ends where it should and then stands still.
//!
//! `SIM_SEEDS=200` tries more seeds, `SIM_SEED=17` only that one.

use std::time::Duration;

use flybridge_testkit::Fleet;
use flybridge_testkit::fleet::for_each_seed;
use serde_json::{Value, json};

const BINDING: (&str, &str) = ("work.karmada.io/v1alpha2", "ResourceBinding");
const WORK: (&str, &str) = ("work.karmada.io/v1alpha1", "Work");
const DEPLOYMENT: (&str, &str) = ("apps/v1", "Deployment");

/// Seeds a scenario is tried with unless told otherwise: as many as fit a quick run.
const SEEDS: u64 = 6;

fn deployment(name: &str, replicas: u32) -> String {
    format!(
        "---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: default, labels: {{app: {name}}}}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: web, image: 'nginx:1.29'}}]}}
"
    )
}

/// A policy for the Deployment of the same name.
fn policy(name: &str, placement: &str) -> String {
    format!(
        "---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {{name: {name}, namespace: default}}
spec:
  resourceSelectors: [{{apiVersion: apps/v1, kind: Deployment, name: {name}}}]
  placement: {placement}
"
    )
}

/// Paris seven, boston three.
fn seven_to_three() -> &'static str {
    "
    clusterAffinity: {clusterNames: [paris, boston]}
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
        - {targetCluster: {clusterNames: [paris]}, weight: 7}
        - {targetCluster: {clusterNames: [boston]}, weight: 3}"
}

/// An unreliable network.
async fn fleet(seed: u64) -> Fleet {
    Fleet::builder()
        .clusters(3)
        .seed(seed)
        .loss(0.05)
        .build()
        .await
}

/// Template and policy in an order and at a distance that the seed decides.
async fn apply_both(fleet: &Fleet, template: &str, policy: &str) {
    let mut manifests = [template, policy];
    if fleet.ids().below(2) == 0 {
        manifests.reverse();
    }
    for manifest in manifests {
        fleet.apply(manifest).await;
        fleet
            .pass(Duration::from_millis(fleet.ids().below(800)))
            .await;
    }
}

async fn ready(fleet: &Fleet, member: &str, name: &str) -> Option<i64> {
    let found = fleet
        .member(member)
        .get("apps/v1", "Deployment", "default", name)
        .await?;
    Some(found["status"]["readyReplicas"].as_i64().unwrap_or(0))
}

/// Waits until these members and no others have this many ready pods.
async fn wait_ready(fleet: &Fleet, name: &str, wanted: &[(&str, i64)]) {
    let what = format!("{name} is ready as {wanted:?}");
    let done = async |fleet: &Fleet| {
        for (member, _) in fleet.members() {
            let want = wanted
                .iter()
                .find(|(name, _)| *name == member)
                .map(|(_, count)| *count);
            if ready(fleet, member, name).await != want {
                return false;
            }
        }
        true
    };
    fleet.wait(&what, done).await;
}

/// Whatever happened: once settled, all invariants hold.
async fn finish(fleet: Fleet) {
    fleet.network().set_calm(true);
    fleet.settle().await;
    fleet.check().await;
    fleet.stop().await;
}

async fn scale(fleet: &Fleet, name: &str, replicas: u32) {
    let patch = json!({"spec": {"replicas": replicas}});
    fleet
        .plane()
        .patch(DEPLOYMENT.0, DEPLOYMENT.1, "default", name, &patch)
        .await;
}

#[test]
fn static_weights_divide_and_follow_the_template() {
    for_each_seed(SEEDS, async |seed| {
        let fleet = fleet(seed).await;
        apply_both(
            &fleet,
            &deployment("web", 10),
            &policy("web", seven_to_three()),
        )
        .await;
        wait_ready(&fleet, "web", &[("paris", 7), ("boston", 3)]).await;
        scale(&fleet, "web", 11).await;
        wait_ready(&fleet, "web", &[("paris", 8), ("boston", 3)]).await;
        finish(fleet).await;
    });
}

#[test]
fn duplicated_by_labels_goes_to_every_match() {
    for_each_seed(SEEDS, async |seed| {
        let fleet = fleet(seed).await;
        let labels = "{clusterAffinity: {labelSelector: {matchExpressions: [{key: location, operator: In, values: [america, asia]}]}}}";
        apply_both(&fleet, &deployment("web", 2), &policy("web", labels)).await;
        wait_ready(&fleet, "web", &[("boston", 2), ("mumbai", 2)]).await;
        finish(fleet).await;
    });
}

#[test]
fn a_taint_keeps_new_workloads_away_and_moves_none() {
    for_each_seed(SEEDS, async |seed| {
        let fleet = fleet(seed).await;
        let anywhere = "{clusterAffinity: {clusterNames: [paris, boston]}}";
        apply_both(&fleet, &deployment("old", 2), &policy("old", anywhere)).await;
        wait_ready(&fleet, "old", &[("paris", 2), ("boston", 2)]).await;
        let taint = json!({"spec": {"taints": [{"key": "upkeep", "effect": "NoSchedule"}]}});
        let clusters = ("cluster.karmada.io/v1alpha1", "Cluster");
        fleet
            .plane()
            .patch(clusters.0, clusters.1, "", "paris", &taint)
            .await;
        fleet.pass(Duration::from_secs(1)).await;
        apply_both(&fleet, &deployment("new", 2), &policy("new", anywhere)).await;
        wait_ready(&fleet, "new", &[("boston", 2)]).await;
        scale(&fleet, "old", 3).await;
        wait_ready(&fleet, "old", &[("paris", 3), ("boston", 3)]).await;
        finish(fleet).await;
    });
}

#[test]
fn nothing_is_left_of_a_deleted_template() {
    for_each_seed(SEEDS, async |seed| {
        let fleet = fleet(seed).await;
        apply_both(
            &fleet,
            &deployment("web", 10),
            &policy("web", seven_to_three()),
        )
        .await;
        fleet
            .pass(Duration::from_millis(fleet.ids().below(8000)))
            .await;
        fleet
            .plane()
            .delete(DEPLOYMENT.0, DEPLOYMENT.1, "default", "web")
            .await;
        let nothing = async |fleet: &Fleet| {
            for (_, member) in fleet.members() {
                let pods = member.list("v1", "Pod").await.len();
                if pods + member.list(DEPLOYMENT.0, DEPLOYMENT.1).await.len() > 0 {
                    return false;
                }
            }
            let works = fleet.plane().list(WORK.0, WORK.1).await.len();
            works + fleet.plane().list(BINDING.0, BINDING.1).await.len() == 0
        };
        fleet.wait("nothing is left", nothing).await;
        finish(fleet).await;
    });
}

#[test]
fn an_engine_stopped_in_the_middle_leaves_nothing_undone_or_done_twice() {
    for_each_seed(SEEDS, async |seed| {
        let mut fleet = fleet(seed).await;
        apply_both(
            &fleet,
            &deployment("web", 10),
            &policy("web", seven_to_three()),
        )
        .await;
        fleet
            .pass(Duration::from_millis(fleet.ids().below(500)))
            .await;
        if seed % 2 == 0 {
            fleet.restart().await;
        } else {
            fleet.stop_engine().await;
            scale(&fleet, "web", 20).await;
            fleet.pass(Duration::from_secs(fleet.ids().below(60))).await;
            fleet.start_engine();
            fleet.pass(Duration::from_secs(2)).await;
        }
        scale(&fleet, "web", 10).await;
        wait_ready(&fleet, "web", &[("paris", 7), ("boston", 3)]).await;
        assert_eq!(fleet.plane().list(BINDING.0, BINDING.1).await.len(), 1);
        assert_eq!(fleet.plane().list(WORK.0, WORK.1).await.len(), 2);
        finish(fleet).await;
    });
}

#[test]
fn a_member_cut_off_during_the_creation_catches_up() {
    for_each_seed(SEEDS, async |seed| {
        let fleet = fleet(seed).await;
        fleet.partition("boston", true);
        fleet
            .pass(Duration::from_millis(fleet.ids().below(300)))
            .await;
        apply_both(
            &fleet,
            &deployment("web", 10),
            &policy("web", seven_to_three()),
        )
        .await;
        fleet
            .pass(Duration::from_secs(fleet.ids().below(120)))
            .await;
        assert_eq!(ready(&fleet, "boston", "web").await, None);
        fleet.partition("boston", false);
        wait_ready(&fleet, "web", &[("paris", 7), ("boston", 3)]).await;
        finish(fleet).await;
    });
}

/// One fleet's whole life, up to where it stands still.
async fn life(seed: u64) -> Fleet {
    let fleet = fleet(seed).await;
    apply_both(
        &fleet,
        &deployment("web", 10),
        &policy("web", seven_to_three()),
    )
    .await;
    fleet
        .apply("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
        .await;
    fleet.partition("mumbai", true);
    fleet.pass(Duration::from_secs(20)).await;
    fleet.partition("mumbai", false);
    wait_ready(&fleet, "web", &[("paris", 7), ("boston", 3)]).await;
    fleet.network().set_calm(true);
    fleet.settle().await;
    fleet
}

#[test]
fn the_same_seed_gives_the_same_members() {
    for_each_seed(3, async |seed| {
        let (first, second) = (life(seed).await, life(seed).await);
        let (one, two) = (first.member_objects().await, second.member_objects().await);
        let differing = one.iter().zip(&two).find(|(one, two)| one != two);
        assert_eq!(differing, None);
        assert_eq!(one.len(), two.len());
        first.stop().await;
        second.stop().await;
    });
}

#[test]
fn a_settled_fleet_stands_still() {
    for_each_seed(3, async |seed| {
        let fleet = life(seed).await;
        let (writes, revisions) = (fleet.take_writes(), fleet.revisions());
        assert!(!writes.is_empty());
        fleet.pass(Duration::from_secs(600)).await;
        assert_eq!(fleet.take_writes(), Vec::<String>::new());
        assert_eq!(fleet.revisions(), revisions);
        finish(fleet).await;
    });
}

#[test]
fn a_broken_invariant_is_noticed() {
    for_each_seed(1, async |seed| {
        let mut fleet = fleet(seed).await;
        apply_both(
            &fleet,
            &deployment("web", 10),
            &policy("web", seven_to_three()),
        )
        .await;
        wait_ready(&fleet, "web", &[("paris", 7), ("boston", 3)]).await;
        fleet.settle().await;
        assert_eq!(fleet.violations().await, Vec::<String>::new());
        fleet.stop_engine().await;
        let patch: Value = json!({"spec": {"replicas": 2}});
        let paris = fleet.member("paris");
        paris
            .patch(DEPLOYMENT.0, DEPLOYMENT.1, "default", "web", &patch)
            .await;
        fleet.settle().await;
        assert!(!fleet.violations().await.is_empty());
        fleet.stop().await;
    });
}
