//! Placements worked out by hand or taken down from the reference: division, selection, overflow, filters.

use flybridge_apis::{Cluster, ResourceBindingSpec, TargetCluster};
use flybridge_scheduler::{
    Answers, Estimate, Failure, Options, Outcome, Peers, Request, Shortage, Snapshot, schedule,
};
use serde_json::{Value, json};

/// A run over clusters that serve Deployments, without taints.
struct Case {
    clusters: Vec<Value>,
    spec: Value,
    alloc: Vec<Vec<(&'static str, i32)>>,
    affinity_name: &'static str,
    fresh: bool,
    options: Options,
}

fn cluster(name: &str, region: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {"syncMode": "Push", "region": region},
        "status": {"apiEnablements": [{
            "groupVersion": "apps/v1",
            "resources": [{"name": "deployments", "kind": "Deployment"}],
        }]},
    })
}

/// `n` replicas of a Deployment that requests something, placed by `placement`.
fn case(alloc: &[(&'static str, i32)], n: i32, placement: Value) -> Case {
    Case {
        clusters: alloc.iter().map(|(name, _)| cluster(name, "")).collect(),
        spec: json!({
            "resource": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "d", "name": "w"},
            "replicas": n,
            "replicaRequirements": {"resourceRequest": {"cpu": "1"}},
            "placement": placement,
        }),
        alloc: vec![alloc.to_vec()],
        affinity_name: "",
        fresh: false,
        options: Options {
            general_estimator: false,
            ..Options::default()
        },
    }
}

impl Case {
    fn previous(mut self, targets: &[(&str, i32)]) -> Self {
        self.spec["clusters"] = targets
            .iter()
            .map(|(name, replicas)| json!({"name": name, "replicas": replicas}))
            .collect();
        self
    }

    fn uid(mut self, uid: &str) -> Self {
        self.spec["resource"]["uid"] = uid.into();
        self
    }

    fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    fn estimator(mut self, alloc: &[(&'static str, i32)]) -> Self {
        self.alloc.push(alloc.to_vec());
        self
    }

    fn propagating_empty(mut self) -> Self {
        self.options.empty_workload_propagation = true;
        self
    }

    fn outcome(&self) -> Outcome {
        let snapshot: Snapshot = self
            .clusters
            .iter()
            .map(|value| {
                serde_json::from_value::<Cluster>(value.clone())
                    .expect("the example is well formed")
            })
            .collect();
        let spec: ResourceBindingSpec =
            serde_json::from_value(self.spec.clone()).expect("the example is well formed");
        let estimates: Vec<Estimate> = self
            .alloc
            .iter()
            .map(|alloc| Estimate {
                estimator: "stub".to_owned(),
                answers: Ok(answers(alloc)),
            })
            .collect();
        schedule(
            &Request {
                spec: &spec,
                affinity_name: self.affinity_name,
                fresh: self.fresh,
                estimates: &estimates,
                peers: &Peers::default(),
                options: self.options,
            },
            &snapshot,
        )
    }

    /// Targets as `a2 b1`.
    fn text(&self) -> String {
        match self.outcome() {
            Ok(targets) => text(&targets),
            Err(failure) => failure.to_string(),
        }
    }
}

fn answers(alloc: &[(&str, i32)]) -> Answers {
    alloc
        .iter()
        .map(|(name, room)| ((*name).to_owned(), *room))
        .collect()
}

fn text(targets: &[TargetCluster]) -> String {
    let texts: Vec<String> = targets
        .iter()
        .map(|target| format!("{}{}", target.name, target.replicas))
        .collect();
    texts.join(" ")
}

fn strategy(members: Value) -> Value {
    json!({ "replicaScheduling": members })
}

fn fixed(weights: &[(&str, i64)]) -> Value {
    let list: Vec<Value> = weights
        .iter()
        .map(|(name, weight)| json!({"targetCluster": {"clusterNames": [name]}, "weight": weight}))
        .collect();
    strategy(json!({
        "replicaSchedulingType": "Divided",
        "replicaDivisionPreference": "Weighted",
        "weightPreference": {"staticWeightList": list},
    }))
}

fn dynamic() -> Value {
    strategy(json!({
        "replicaSchedulingType": "Divided",
        "replicaDivisionPreference": "Weighted",
        "weightPreference": {"dynamicWeight": "AvailableReplicas"},
    }))
}

fn aggregated() -> Value {
    strategy(json!({
        "replicaSchedulingType": "Divided",
        "replicaDivisionPreference": "Aggregated",
    }))
}

fn duplicated() -> Value {
    strategy(json!({"replicaSchedulingType": "Duplicated"}))
}

fn spread(mut placement: Value, constraints: &[(&str, i64, i64)]) -> Value {
    placement["spreadConstraints"] = constraints
        .iter()
        .map(
            |(field, min, max)| json!({"spreadByField": field, "minGroups": min, "maxGroups": max}),
        )
        .collect();
    placement
}

const ABC: [(&str, i32); 3] = [("a", 9), ("b", 9), ("c", 9)];

#[test]
fn static_weights_divide_by_webster() {
    let weights = fixed(&[("a", 5), ("b", 3), ("c", 2)]);
    assert_eq!(case(&ABC, 11, weights.clone()).text(), "a6 b3 c2");
    assert_eq!(case(&ABC, 4, weights).text(), "a2 b1 c1");
    assert_eq!(case(&ABC, 2, fixed(&[("a", 3), ("b", 1)])).text(), "a1 b1");
    assert_eq!(case(&ABC, 1, fixed(&[("a", 2), ("b", 1)])).text(), "a1");
}

#[test]
fn weights_of_7_and_3_give_7_to_3_and_8_to_3() {
    let weights = fixed(&[("a", 7), ("b", 3)]);
    assert_eq!(case(&ABC, 10, weights.clone()).text(), "a7 b3");
    assert_eq!(case(&ABC, 11, weights).text(), "a8 b3");
}

#[test]
fn the_uid_decides_which_name_wins_a_tie() {
    let equal = fixed(&[("a", 1), ("b", 1), ("c", 1)]);
    for even in ["", "uid-2", "7b1c"] {
        assert_eq!(case(&ABC, 4, equal.clone()).uid(even).text(), "a2 b1 c1");
    }
    for odd in ["uid-1", "9f0e"] {
        assert_eq!(case(&ABC, 4, equal.clone()).uid(odd).text(), "a1 b1 c2");
    }
}

#[test]
fn the_greatest_matching_rule_counts_and_unlisted_clusters_get_nothing() {
    let list = json!([
        {"targetCluster": {"clusterNames": ["a", "b"]}, "weight": 1},
        {"targetCluster": {"clusterNames": ["b"]}, "weight": 4},
        {"targetCluster": {"clusterNames": ["c"]}, "weight": 2},
    ]);
    let placement = strategy(json!({
        "replicaSchedulingType": "Divided",
        "replicaDivisionPreference": "Weighted",
        "weightPreference": {"staticWeightList": list},
    }));
    let four = [("a", 9), ("b", 9), ("c", 9), ("d", 9)];
    assert_eq!(case(&four, 7, placement).text(), "a1 b4 c2");
}

#[test]
fn without_a_matching_rule_all_weigh_the_same() {
    assert_eq!(case(&ABC, 5, fixed(&[("zzz", 3)])).text(), "a2 b2 c1");
}

#[test]
fn static_weights_ignore_history_and_spread_constraints() {
    let equal = fixed(&[("a", 1), ("b", 1), ("c", 1)]);
    assert_eq!(
        case(&ABC, 6, equal).previous(&[("c", 6)]).text(),
        "a2 b2 c2"
    );
    let narrow = spread(fixed(&[("a", 2), ("b", 1)]), &[("cluster", 1, 1)]);
    assert_eq!(case(&ABC, 6, narrow).text(), "a4 b2");
}

#[test]
fn dynamic_weights_divide_by_capacity() {
    let alloc = [("a", 7), ("b", 13), ("c", 25)];
    assert_eq!(case(&alloc, 10, dynamic()).text(), "a2 b3 c5");
    assert_eq!(case(&alloc, 45, dynamic()).text(), "a7 b13 c25");
    assert_eq!(
        case(&alloc, 46, dynamic()).outcome(),
        Err(Failure::InsufficientCapacity {
            shortage: Shortage::ScaleUp,
            available: 45,
            need: 46,
        })
    );
}

const HISTORY: [(&str, i32); 3] = [("a", 7), ("b", 5), ("c", 2)];

#[test]
fn scaling_up_divides_the_difference_only() {
    let alloc = [("a", 3), ("b", 9), ("c", 6)];
    let scaled = case(&alloc, 9, dynamic()).previous(&[("a", 4), ("b", 1)]);
    assert_eq!(scaled.text(), "a5 b3 c1");
}

#[test]
fn scaling_down_is_in_proportion_to_what_runs() {
    let alloc = [("a", 3), ("b", 9), ("c", 6)];
    let scaled = |n| case(&alloc, n, dynamic()).previous(&HISTORY);
    assert_eq!(scaled(9).text(), "a5 b3 c1");
    assert_eq!(scaled(1).text(), "a1");
    assert_eq!(scaled(0).text(), "");
    assert_eq!(scaled(0).propagating_empty().text(), "a0 b0 c0");
}

#[test]
fn a_fresh_division_starts_over_and_a_steady_one_keeps_what_adds_up() {
    let alloc = [("a", 3), ("b", 9), ("c", 6)];
    let same = |placement| case(&alloc, 14, placement).previous(&HISTORY);
    assert_eq!(same(dynamic()).fresh().text(), "a4 b6 c4");
    assert_eq!(same(aggregated()).fresh().text(), "b14");
    assert_eq!(same(dynamic()).text(), "a7 b5 c2");
}

#[test]
fn replicas_of_lost_clusters_are_placed_anew() {
    let alloc = [("a", 3), ("b", 9), ("c", 6)];
    let lost = |placement| case(&alloc, 16, placement).previous(&[("a", 7), ("b", 5), ("x", 4)]);
    assert_eq!(lost(dynamic()).text(), "a8 b7 c1");
    assert_eq!(lost(aggregated()).text(), "a7 b9");
}

#[test]
fn aggregation_uses_the_fewest_clusters_and_divides_within_them() {
    let alloc = [("a", 4), ("b", 9), ("c", 6)];
    assert_eq!(case(&alloc, 8, aggregated()).text(), "b8");
    assert_eq!(case(&alloc, 12, aggregated()).text(), "b7 c5");
    assert!(case(&alloc, 20, aggregated()).outcome().is_err());
    let running = |n| case(&alloc, n, aggregated()).previous(&[("a", 2)]);
    assert_eq!(running(5).text(), "a5");
    assert_eq!(running(10).text(), "a4 b6");
    let shrinking = |n| case(&alloc, n, aggregated()).previous(&[("a", 5), ("b", 3), ("c", 2)]);
    assert_eq!(shrinking(6).text(), "a4 b2");
    assert_eq!(shrinking(4).text(), "a4");
}

#[test]
fn the_cluster_constraint_swaps_for_room_while_room_is_short() {
    let alloc = [("a", 10), ("b", 8), ("c", 30), ("d", 25), ("e", 6)];
    let running = [("a", 2), ("b", 2), ("e", 2)];
    let run = |n| case(&alloc, n, spread(dynamic(), &[("cluster", 1, 3)])).previous(&running);
    assert_eq!(run(60).text(), "a11 c27 d22");
    assert_eq!(run(20).text(), "a8 b7 e5");
    assert_eq!(
        run(70).outcome(),
        Err(Failure::NotEnoughResource {
            groups: 3,
            available: 67,
            need: 70
        })
    );
}

#[test]
fn a_constraint_without_upper_bound_selects_nothing() {
    let unset = |placement| case(&ABC, 4, spread(placement, &[("cluster", 1, 0)]));
    assert_eq!(unset(duplicated()).outcome(), Err(Failure::NoCandidates));
    assert_eq!(
        unset(dynamic()).outcome(),
        Err(Failure::NotEnoughResource {
            groups: 0,
            available: 0,
            need: 4
        })
    );
}

#[test]
fn only_clusters_and_regions_select() {
    let zones = case(&ABC, 4, spread(dynamic(), &[("zone", 1, 2)]));
    let mut zoned = zones;
    for cluster in &mut zoned.clusters {
        cluster["spec"]["zones"] = json!(["z1"]);
    }
    assert_eq!(zoned.outcome(), Err(Failure::UnsupportedSpread));
}

fn regions(n: i32, placement: Value) -> Case {
    let alloc = [
        ("n1", 4),
        ("n2", 5),
        ("n3", 6),
        ("s1", 20),
        ("s2", 3),
        ("e1", 50),
    ];
    let mut regions = case(&alloc, n, placement);
    for cluster in &mut regions.clusters {
        let initial = cluster["metadata"]["name"]
            .as_str()
            .expect("a name")
            .chars()
            .next();
        let region = match initial {
            Some('n') => "north",
            Some('s') => "south",
            _ => "east",
        };
        cluster["spec"]["region"] = region.into();
    }
    regions
}

#[test]
fn regions_are_combined_by_weight_then_by_number_of_clusters() {
    let of = |region: (i64, i64), cluster: (i64, i64)| {
        spread(
            dynamic(),
            &[
                ("region", region.0, region.1),
                ("cluster", cluster.0, cluster.1),
            ],
        )
    };
    assert_eq!(regions(30, of((2, 2), (3, 3))).text(), "n25 n36 s119");
    assert_eq!(
        regions(30, of((2, 2), (4, 5))).text(),
        "n13 n24 n35 s116 s22"
    );
}

#[test]
fn every_required_region_gets_a_cluster_whatever_the_upper_bound() {
    let of = |region: (i64, i64), cluster: (i64, i64)| {
        spread(
            duplicated(),
            &[
                ("region", region.0, region.1),
                ("cluster", cluster.0, cluster.1),
            ],
        )
    };
    assert_eq!(regions(6, of((2, 2), (2, 4))).text(), "n16 n26 n36 s16");
    assert_eq!(regions(6, of((3, 3), (1, 2))).text(), "e16 n36 s16");
    assert_eq!(
        regions(6, of((1, 1), (4, 4))).outcome(),
        Err(Failure::NoRegionCombination { min: 4 })
    );
    assert_eq!(
        regions(6, of((4, 4), (1, 9))).outcome(),
        Err(Failure::BelowMinRegions { regions: 3, min: 4 })
    );
}

#[test]
fn the_least_estimate_counts_and_silence_means_room_for_all() {
    let least = case(&[("a", 5), ("b", 9)], 9, dynamic()).estimator(&[("a", 7), ("b", 4)]);
    assert_eq!(least.text(), "a5 b4");
    let silent = case(&[("a", 5), ("b", -1)], 12, dynamic()).estimator(&[("a", 7)]);
    assert_eq!(silent.text(), "a4 b8");
}

fn overflowing(alloc: &[(&'static str, i32)], n: i32, mut placement: Value) -> Case {
    placement["clusterAffinities"] = json!([{
        "affinityName": "main",
        "clusterNames": ["a", "b"],
        "overflowAffinities": [
            {"affinityName": "o1", "clusterNames": ["c"]},
            {"affinityName": "o2", "clusterNames": ["d", "c"]},
        ],
    }]);
    Case {
        affinity_name: "main",
        ..case(alloc, n, placement)
    }
}

#[test]
fn overflow_goes_tier_by_tier_and_comes_home_when_there_is_room() {
    let alloc = [("a", 6), ("b", 5), ("c", 20), ("d", 40)];
    assert_eq!(overflowing(&alloc, 9, dynamic()).text(), "a5 b4");
    assert_eq!(overflowing(&alloc, 15, dynamic()).text(), "a6 b5 c4");
    assert_eq!(overflowing(&alloc, 40, aggregated()).text(), "a6 b5 c20 d9");
    assert_eq!(
        overflowing(&alloc, 72, dynamic()).outcome(),
        Err(Failure::InsufficientCapacity {
            shortage: Shortage::Overflow,
            available: 71,
            need: 72,
        })
    );
    let home = overflowing(&alloc, 12, dynamic()).previous(&[("a", 6), ("b", 5), ("c", 4)]);
    assert_eq!(home.text(), "a7 b5");
}

#[test]
fn resources_without_replicas_go_everywhere_and_empty_workloads_nowhere() {
    let mut config = case(&ABC, 0, dynamic());
    config.spec["replicaRequirements"] = Value::Null;
    config
        .spec
        .as_object_mut()
        .expect("the example is well formed")
        .remove("replicaRequirements");
    assert_eq!(config.text(), "a0 b0 c0");
    assert_eq!(case(&ABC, 0, dynamic()).text(), "");
}

/// a: tainted, b: lacks the API, c: wrong label, d: leaving, e: excluded.
fn filtered() -> Case {
    let five = [("a", 9), ("b", 9), ("c", 9), ("d", 9), ("e", 9)];
    let placement = json!({"clusterAffinity": {
        "labelSelector": {"matchLabels": {"env": "prod"}},
        "exclude": ["e"],
    }});
    let mut case = case(&five, 2, placement);
    for cluster in &mut case.clusters {
        cluster["metadata"]["labels"] = json!({"env": "prod"});
    }
    case.clusters[0]["spec"]["taints"] =
        json!([{"key": "k", "value": "v", "effect": "NoSchedule"}]);
    case.clusters[1]["status"] = json!({});
    case.clusters[2]["metadata"]["labels"] = json!({"env": "dev"});
    case.clusters[3]["metadata"]["deletionTimestamp"] = "2026-03-01T12:00:00Z".into();
    case
}

#[test]
fn filters_keep_clusters_out_with_their_reasons() {
    let Err(Failure::NoClusterFit { total, reasons }) = filtered().outcome() else {
        panic!("nothing fits");
    };
    assert_eq!(total, 5);
    assert_eq!(reasons.iter().map(|(count, _)| count).sum::<usize>(), 4);
    assert!(
        reasons
            .iter()
            .any(|(_, reason)| reason.contains("{k=v:NoSchedule}"))
    );
    assert!(
        reasons
            .iter()
            .any(|(_, reason)| reason.contains("env=prod"))
    );
}

#[test]
fn a_running_workload_is_not_driven_out_by_taints_or_missing_apis() {
    assert_eq!(filtered().previous(&[("a", 2), ("b", 2)]).text(), "a2 b2");
}

#[test]
fn an_eviction_drives_out_a_running_workload() {
    let mut case = filtered().previous(&[("a", 2), ("b", 2)]);
    case.spec["gracefulEvictionTasks"] =
        json!([{"fromCluster": "a", "reason": "TaintUntolerated", "producer": "TaintManager"}]);
    assert_eq!(case.text(), "b2");
}
