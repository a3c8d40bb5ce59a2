//! What explanations say: every cluster with what decided, the division, and the answer in one sentence.

use flybridge_apis::annotations::APPLIED_PLACEMENT;
use flybridge_apis::{Cluster, ResourceBinding};
use flybridge_scheduler::binding::{Context, Retry, plan};
use flybridge_scheduler::explain::{ClusterVerdict, Explanation, explain_binding};
use flybridge_scheduler::trigger::{BindingRef, Trigger};
use flybridge_scheduler::{Answers, Estimate, Options, Peers, Snapshot};
use serde_json::{Value, json};

/// a and b fit, c is tainted and in development, d is leaving.
fn fleet() -> Snapshot {
    ["a", "b", "c", "d"]
        .into_iter()
        .map(|name| {
            let mut cluster = json!({
                "metadata": {"name": name, "labels": {"env": if name == "c" { "dev" } else { "prod" }}},
                "spec": {"syncMode": "Push"},
                "status": {"apiEnablements": [{
                    "groupVersion": "apps/v1",
                    "resources": [{"name": "deployments", "kind": "Deployment"}],
                }]},
            });
            match name {
                "c" => {
                    cluster["spec"]["taints"] =
                        json!([{"key": "maintenance", "value": "planned", "effect": "NoSchedule"}]);
                }
                "d" => cluster["metadata"]["deletionTimestamp"] = "2026-03-01T12:00:00Z".into(),
                _ => {}
            }
            serde_json::from_value::<Cluster>(cluster).expect("the example is well formed")
        })
        .collect()
}

fn binding(placement: &Value, clusters: &Value) -> ResourceBinding {
    serde_json::from_value(json!({
        "metadata": {
            "name": "web-deployment",
            "namespace": "shop",
            "generation": 3,
            "annotations": {APPLIED_PLACEMENT: placement.to_string()},
        },
        "spec": {
            "resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"},
            "replicas": 10,
            "replicaRequirements": {"resourceRequest": {"cpu": "1"}},
            "placement": placement,
            "clusters": clusters,
        },
        "status": {"lastScheduledTime": "2026-03-01T12:00:00Z", "schedulerObservedGeneration": 2},
    }))
    .expect("the example is well formed")
}

fn production() -> Value {
    json!({
        "clusterAffinity": {"labelSelector": {"matchLabels": {"env": "prod"}}},
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Weighted",
            "weightPreference": {"dynamicWeight": "AvailableReplicas"},
        },
    })
}

fn estimates() -> [Estimate; 2] {
    let answers: Answers = [("a", 14), ("b", 6)]
        .into_iter()
        .map(|(name, room)| (name.to_owned(), room))
        .collect();
    [
        Estimate {
            estimator: "stub".to_owned(),
            answers: Ok(answers),
        },
        Estimate {
            estimator: "remote".to_owned(),
            answers: Err("timed out".to_owned()),
        },
    ]
}

fn explained(binding: &ResourceBinding) -> Explanation {
    let (snapshot, peers) = (fleet(), Peers::default());
    explain_binding(
        &BindingRef::from(binding),
        &Context {
            snapshot: &snapshot,
            estimates: &estimates(),
            peers: &peers,
            options: Options {
                general_estimator: false,
                ..Options::default()
            },
            traced: false,
        },
    )
}

fn cluster<'a>(explanation: &'a Explanation, name: &str) -> &'a ClusterVerdict {
    explanation
        .clusters
        .iter()
        .find(|cluster| cluster.name == name)
        .expect("the example is well formed")
}

fn lines(explanation: &Explanation) -> String {
    explanation
        .steps
        .iter()
        .flat_map(|step| std::iter::once(&step.title).chain(&step.lines))
        .fold(String::new(), |text, line| format!("{text}{line}\n"))
}

#[test]
fn says_where_and_how_a_binding_is_placed() {
    let explanation = explained(&binding(&production(), &json!([])));
    assert!(explanation.placed);
    assert_eq!(
        explanation.summary,
        "10 replicas divided over 2 of 4 clusters: a 7, b 3; TaintToleration keeps out 1, ClusterAffinity 1, 1 leaving the fleet"
    );
    assert!(
        explanation
            .header
            .contains(&("trigger", "replicas changed: 0 -> 10".to_owned()))
    );
    assert!(
        explanation
            .header
            .contains(&("strategy", "Divided, dynamic weights".to_owned()))
    );
    let told = lines(&explanation);
    assert!(told.contains("remote is ignored: timed out"), "{told}");
    assert!(told.contains("division, scale up: 10 replicas"), "{told}");
    assert!(told.contains("a: 14 votes, 7 replicas"), "{told}");
    assert!(told.contains("seat 10 to a: 14 / 13"), "{told}");
}

#[test]
fn static_weights_tell_who_wins_seat_after_seat() {
    let mut weighted = production();
    weighted["replicaScheduling"]["weightPreference"] = json!({"staticWeightList": [
        {"targetCluster": {"clusterNames": ["a"]}, "weight": 7},
        {"targetCluster": {"clusterNames": ["b"]}, "weight": 3},
    ]});
    let explanation = explained(&binding(&weighted, &json!([])));
    assert!(
        explanation
            .summary
            .starts_with("10 replicas divided over 2 of 4 clusters: a 7, b 3;"),
        "{}",
        explanation.summary
    );
    let told = lines(&explanation);
    assert!(told.contains("a: 7 votes, 7 replicas"), "{told}");
    assert!(
        told.contains("seats in order: a, b, a, a, b, a, a, a, b, a"),
        "{told}"
    );
}

#[test]
fn duplicated_replicas_are_told_once() {
    let mut everywhere = production();
    everywhere["replicaScheduling"] = json!({"replicaSchedulingType": "Duplicated"});
    let mut one = binding(&everywhere, &json!([]));
    one.spec.replicas = 1;
    let explanation = explained(&one);
    assert!(
        explanation
            .summary
            .starts_with("duplicated to 2 of 4 clusters, 1 replica each: a, b;"),
        "{}",
        explanation.summary
    );
    assert_eq!(
        cluster(&explanation, "a").notes.last().map(String::as_str),
        Some("chosen: 1 replica")
    );
}

#[test]
fn what_runs_no_pods_is_propagated_without_numbers() {
    let mut map = binding(&production(), &json!([]));
    map.spec.replicas = 0;
    map.spec.replica_requirements = None;
    let explanation = explained(&map);
    assert!(
        explanation
            .summary
            .starts_with("propagated to 2 of 4 clusters: a, b;"),
        "{}",
        explanation.summary
    );
    assert!(
        explanation
            .header
            .contains(&("replicas", "not a workload".to_owned()))
    );
    let chosen = cluster(&explanation, "a");
    assert_eq!((chosen.chosen, chosen.room), (true, None));
    assert_eq!(chosen.notes, ["chosen"]);
}

#[test]
fn gives_every_objection_to_a_cluster_not_just_the_first() {
    let explanation = explained(&binding(&production(), &json!([])));
    assert_eq!(
        explanation.filters,
        [
            "APIEnablement",
            "TaintToleration",
            "ClusterAffinity",
            "SpreadConstraint",
            "ClusterEviction"
        ]
    );
    let kept_out = cluster(&explanation, "c");
    let objections: Vec<(&str, &str)> = kept_out
        .filters
        .iter()
        .filter(|filter| !filter.passed)
        .map(|filter| (filter.plugin, filter.reason.as_str()))
        .collect();
    assert_eq!(objections.len(), 2);
    assert!(objections[0].1.contains("{maintenance=planned:NoSchedule}"));
    assert!(objections[1].1.ends_with("label selector wants env=prod"));
    assert!(!kept_out.fits && !kept_out.chosen);
    assert_eq!(cluster(&explanation, "d").notes, ["is leaving the fleet"]);
}

#[test]
fn names_the_closest_cluster_when_nothing_fits() {
    let mut nowhere = production();
    nowhere["clusterAffinity"] = json!({"clusterNames": ["c"]});
    let explanation = explained(&binding(&nowhere, &json!([])));
    assert!(!explanation.placed);
    assert_eq!(
        explanation.summary,
        "not placed: none of 4 clusters fits; ClusterAffinity keeps out 2, TaintToleration 1, 1 leaving the fleet; closest is a, kept out by ClusterAffinity"
    );
}

#[test]
fn tells_why_a_target_stays_in_spite_of_a_taint() {
    let mut anywhere = production();
    anywhere
        .as_object_mut()
        .expect("an object")
        .remove("clusterAffinity");
    let explanation = explained(&binding(
        &anywhere,
        &json!([{"name": "a", "replicas": 6}, {"name": "c", "replicas": 4}]),
    ));
    let sticky = cluster(&explanation, "c");
    assert!(sticky.chosen);
    assert!(
        sticky
            .notes
            .iter()
            .any(|note| note.contains("in spite of TaintToleration"))
    );
    assert!(
        sticky
            .notes
            .contains(&"chosen: 4 replicas, as before".to_owned())
    );
    assert!(explanation.header[0].1.starts_with("none"));
    assert_eq!(
        cluster(&explanation, "b")
            .notes
            .last()
            .expect("the example is well formed"),
        "the replicas are placed already"
    );
}

#[test]
fn tells_why_a_cluster_that_fits_is_not_used() {
    let mut aggregated = production();
    aggregated["replicaScheduling"] =
        json!({"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"});
    let explanation = explained(&binding(&aggregated, &json!([])));
    assert_eq!(
        cluster(&explanation, "b")
            .notes
            .last()
            .expect("the example is well formed"),
        "the clusters before it have room for all replicas"
    );
    let mut narrow = production();
    narrow["spreadConstraints"] =
        json!([{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}]);
    let explanation = explained(&binding(&narrow, &json!([])));
    assert_eq!(
        cluster(&explanation, "b")
            .notes
            .last()
            .expect("the example is well formed"),
        "rank 2 is beyond what the spread constraints select"
    );
    assert!(lines(&explanation).contains("selection: 1 of 2 clusters for 10 replicas"));
}

fn planned(binding: &ResourceBinding) -> flybridge_scheduler::binding::Plan {
    let (snapshot, peers) = (fleet(), Peers::default());
    plan(
        &BindingRef::from(binding),
        &Context {
            snapshot: &snapshot,
            estimates: &estimates(),
            peers: &peers,
            options: Options {
                general_estimator: false,
                ..Options::default()
            },
            traced: false,
        },
    )
}

#[test]
fn a_settled_binding_is_only_observed() {
    let settled = json!([{"name": "a", "replicas": 6}, {"name": "b", "replicas": 4}]);
    let plan = planned(&binding(&production(), &settled));
    assert_eq!((plan.trigger, plan.clusters), (None, None));
    assert!(plan.observes_generation);
    assert!(plan.condition.is_none());
}

#[test]
fn a_target_that_leaves_the_fleet_is_replaced() {
    let settled = json!([{"name": "a", "replicas": 6}, {"name": "d", "replicas": 4}]);
    let plan = planned(&binding(&production(), &settled));
    assert_eq!(
        plan.trigger,
        Some(Trigger::TargetTerminating("d".to_owned()))
    );
    let sum: i32 = plan
        .clusters
        .expect("the example is well formed")
        .iter()
        .map(|target| target.replicas)
        .sum();
    assert_eq!(sum, 10);
}

#[test]
fn the_changed_members_of_the_placement_are_named() {
    let mut binding = binding(&production(), &json!([]));
    let mut before = production();
    before["clusterTolerations"] = json!([{"operator": "Exists"}]);
    before["clusterAffinity"] = json!({"clusterNames": ["a"]});
    binding
        .metadata
        .annotations
        .as_mut()
        .expect("the example is well formed")
        .insert(APPLIED_PLACEMENT.to_owned(), before.to_string());
    assert_eq!(
        planned(&binding).trigger,
        Some(Trigger::PlacementChanged(vec![
            "clusterAffinity",
            "clusterTolerations"
        ]))
    );
}

#[test]
fn a_workload_that_fits_nowhere_is_withdrawn_and_waits_for_an_event() {
    let mut nowhere = production();
    nowhere["clusterAffinity"] = json!({"clusterNames": ["zzz"]});
    let plan = planned(&binding(&nowhere, &json!([{"name": "a", "replicas": 4}])));
    assert_eq!(plan.clusters, Some(Vec::new()));
    assert_eq!(plan.retry, Retry::OnEvent);
    assert_eq!(
        plan.condition.expect("the example is well formed").reason,
        "NoClusterFit"
    );
}

#[test]
fn a_shortage_leaves_targets_as_they_are() {
    let mut short = binding(&production(), &json!([{"name": "a", "replicas": 4}]));
    short.spec.replicas = 100;
    let plan = planned(&short);
    assert_eq!(plan.clusters, None);
    assert_eq!(plan.retry, Retry::Unschedulable);
    assert_eq!(
        plan.condition.expect("the example is well formed").reason,
        "Unschedulable"
    );
}
