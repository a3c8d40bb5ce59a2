//! Placement on small clusters.

use serde_json::json;

use super::{Candidate, Placement, place};
use crate::resources::Resources;
use crate::testing::{decode, node, pod};
use k8s_openapi::api::core::v1::{Node, Pod};

fn place_on(pod: &Pod, nodes: &[(Node, Resources)]) -> Placement {
    let candidates: Vec<Candidate<'_>> = nodes
        .iter()
        .map(|(node, used)| Candidate {
            node,
            used,
            peers: 0,
        })
        .collect();
    place(pod, &candidates)
}

fn used(cpu: &str, memory: &str) -> Resources {
    Resources::requested_by(&pod("other").requests(cpu, memory).build())
}

fn goes_to(name: &str) -> Placement {
    Placement::Node(name.to_owned())
}

#[test]
fn the_emptiest_node_wins_and_ties_go_to_the_first() {
    let nodes = [
        (node("n1", "4", "8Gi"), used("2", "2Gi")),
        (node("n2", "4", "8Gi"), used("1", "1Gi")),
        (node("n3", "4", "8Gi"), used("1", "1Gi")),
    ];
    let pod = pod("a").requests("500m", "512Mi").build();
    assert_eq!(place_on(&pod, &nodes), goes_to("n2"));
}

#[test]
fn replicas_of_one_controller_are_spread() {
    let (a, b) = (node("n1", "4", "8Gi"), node("n2", "4", "8Gi"));
    let (used_a, used_b) = (Resources::default(), used("100m", "100Mi"));
    let candidates = [
        Candidate {
            node: &a,
            used: &used_a,
            peers: 2,
        },
        Candidate {
            node: &b,
            used: &used_b,
            peers: 0,
        },
    ];
    assert_eq!(place(&pod("a").build(), &candidates), goes_to("n2"));
}

#[test]
fn the_message_counts_each_reason() {
    let nodes = [
        (node("n1", "1", "8Gi"), used("900m", "1Gi")),
        (node("n2", "1", "8Gi"), used("900m", "1Gi")),
        (node("n3", "4", "1Gi"), used("100m", "1Gi")),
    ];
    let pod = pod("a").requests("500m", "512Mi").build();
    assert_eq!(
        place_on(&pod, &nodes),
        Placement::Unschedulable(
            "0/3 nodes are available: 1 Insufficient memory, 2 Insufficient cpu.".to_owned()
        )
    );
}

#[test]
fn a_full_node_takes_no_more_pods() {
    let mut full = node("n1", "4", "8Gi");
    let status = full.status.as_mut().unwrap();
    *status
        .allocatable
        .as_mut()
        .unwrap()
        .get_mut("pods")
        .unwrap() = decode(json!("1"));
    let nodes = [(full, used("0", "0"))];
    assert_eq!(
        place_on(&pod("a").build(), &nodes),
        Placement::Unschedulable("0/1 nodes are available: 1 Too many pods.".to_owned())
    );
}

#[test]
fn taints_keep_pods_away_unless_tolerated() {
    let mut tainted = node("n1", "4", "8Gi");
    tainted.spec = Some(decode(
        json!({"taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]}),
    ));
    let nodes = [(tainted, Resources::default())];
    assert_eq!(
        place_on(&pod("a").build(), &nodes),
        Placement::Unschedulable(
            "0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}.".to_owned()
        )
    );
    let tolerations =
        json!([{"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}]);
    let tolerant = pod("a").spec("tolerations", tolerations).build();
    assert_eq!(place_on(&tolerant, &nodes), goes_to("n1"));
    let anything = pod("a")
        .spec("tolerations", json!([{"operator": "Exists"}]))
        .build();
    assert_eq!(place_on(&anything, &nodes), goes_to("n1"));
}

#[test]
fn selectors_and_required_affinity_restrict_and_preferences_attract() {
    let mut fast = node("n2", "4", "8Gi");
    let labels = fast.metadata.labels.as_mut().unwrap();
    labels.insert("disk".to_owned(), "ssd".to_owned());
    labels.insert("generation".to_owned(), "7".to_owned());
    let nodes = [
        (node("n1", "4", "8Gi"), Resources::default()),
        (fast, used("3", "6Gi")),
    ];
    let selector = pod("a")
        .spec("nodeSelector", json!({"disk": "ssd"}))
        .build();
    assert_eq!(place_on(&selector, &nodes), goes_to("n2"));
    let newer = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "generation", "operator": "Gt", "values": ["5"]}]}]}}});
    let required = pod("a").spec("affinity", newer).build();
    assert_eq!(place_on(&required, &nodes), goes_to("n2"));
    let liked = json!({"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 100, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}]}});
    let preferred = pod("a").spec("affinity", liked).build();
    assert_eq!(place_on(&preferred, &nodes), goes_to("n2"));
    let nowhere = pod("a")
        .spec("nodeSelector", json!({"disk": "tape"}))
        .build();
    assert_eq!(
        place_on(&nowhere, &nodes),
        Placement::Unschedulable(
            "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."
                .to_owned()
        )
    );
}

#[test]
fn a_cordoned_node_is_left_alone() {
    let mut cordoned = node("n1", "4", "8Gi");
    cordoned.spec.as_mut().unwrap().unschedulable = Some(true);
    assert_eq!(
        place_on(&pod("a").build(), &[(cordoned, Resources::default())]),
        Placement::Unschedulable(
            "0/1 nodes are available: 1 node(s) were unschedulable.".to_owned()
        )
    );
}

#[test]
fn an_empty_cluster_says_so() {
    assert_eq!(
        place_on(&pod("a").build(), &[]),
        Placement::Unschedulable("no nodes available to schedule pods".to_owned())
    );
}
