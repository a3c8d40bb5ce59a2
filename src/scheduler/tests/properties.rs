//! What holds for every input: tracing changes nothing, and divisions add up.

use flybridge_apis::{Cluster, ResourceBindingSpec};
use flybridge_scheduler::webster::{Party, divide};
use flybridge_scheduler::{
    Answers, Estimate, Options, Peers, Request, Snapshot, schedule, schedule_traced,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The reference's way: one seat after the other to the greatest floating point quotient.
fn one_by_one(votes: &[u64], seats: u64, last_name_first: bool) -> Vec<u64> {
    let mut held = vec![0_u64; votes.len()];
    if votes.iter().all(|votes| *votes == 0) {
        return held;
    }
    for _ in 0..seats {
        let mut best = 0;
        for party in 1..votes.len() {
            let quotient = |party: usize| votes[party] as f64 / (2 * held[party] + 1) as f64;
            let better = match quotient(party).total_cmp(&quotient(best)) {
                std::cmp::Ordering::Greater => true,
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Equal => {
                    held[party] < held[best] || (held[party] == held[best] && last_name_first)
                }
            };
            if better {
                best = party;
            }
        }
        held[best] += 1;
    }
    held
}

fn divided(votes: &[u64], seats: u64, last_name_first: bool, every: bool) -> (Vec<u64>, u64) {
    let mut parties: Vec<Party> = votes
        .iter()
        .enumerate()
        .map(|(rank, votes)| Party::new(rank, *votes))
        .collect();
    let mut told = 0;
    divide(&mut parties, seats, last_name_first, every, |_| told += 1);
    (parties.iter().map(|party| party.seats).collect(), told)
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn cluster() -> impl Strategy<Value = Value> {
    (0..3_usize, 0..3_usize, any::<bool>(), 0..8_u8).prop_map(|(region, zone, tainted, flaw)| {
        let mut cluster = json!({
            "spec": {
                "syncMode": "Push",
                "region": (["", "north", "south"][region]),
                "zones": ([["z1"], ["z2"], ["z3"]][zone]),
            },
            "metadata": {"labels": {"env": if flaw == 1 { "dev" } else { "prod" }}},
            "status": {"apiEnablements": [{
                "groupVersion": "apps/v1",
                "resources": [{"name": "deployments", "kind": "Deployment"}],
            }]},
        });
        if tainted {
            cluster["spec"]["taints"] = json!([{"key": "k", "effect": "NoSchedule"}]);
        }
        match flaw {
            0 => cluster["status"] = json!({}),
            2 => cluster["metadata"]["deletionTimestamp"] = "2026-03-01T12:00:00Z".into(),
            _ => {}
        }
        cluster
    })
}

fn placement() -> impl Strategy<Value = Value> {
    let strategies = prop_oneof![
        Just(json!({"replicaSchedulingType": "Duplicated"})),
        Just(
            json!({"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"})
        ),
        Just(json!({
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Weighted",
            "weightPreference": {"dynamicWeight": "AvailableReplicas"},
        })),
        Just(json!({"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Weighted"})),
    ];
    let affinities = prop_oneof![
        Just(json!({"clusterAffinity": {"labelSelector": {"matchLabels": {"env": "prod"}}}})),
        Just(json!({"clusterAffinities": [{
            "affinityName": "main",
            "clusterNames": ["a", "b"],
            "overflowAffinities": [{"affinityName": "o", "exclude": ["f"]}],
        }]})),
        Just(json!({})),
    ];
    let constraints = prop_oneof![
        Just(Value::Null),
        (0..3_i64, 1..4_i64).prop_map(|(min, max)| json!([
            {"spreadByField": "cluster", "minGroups": min, "maxGroups": max},
        ])),
        (1..3_i64, 1..4_i64).prop_map(|(min, max)| json!([
            {"spreadByField": "region", "minGroups": min, "maxGroups": max},
            {"spreadByField": "cluster", "minGroups": min, "maxGroups": max + 1},
        ])),
    ];
    (strategies, affinities, constraints, any::<bool>()).prop_map(
        |(strategy, mut placement, constraints, tolerates)| {
            placement["replicaScheduling"] = strategy;
            if !constraints.is_null() {
                placement["spreadConstraints"] = constraints;
            }
            if tolerates {
                placement["clusterTolerations"] = json!([{"operator": "Exists"}]);
            }
            placement
        },
    )
}

#[derive(Debug)]
struct Input {
    snapshot: Snapshot,
    spec: ResourceBindingSpec,
    estimate: Estimate,
    fresh: bool,
    empty: bool,
}

fn input() -> impl Strategy<Value = Input> {
    let clusters = prop::collection::vec(cluster(), 0..NAMES.len());
    let previous = prop::collection::vec((0..NAMES.len(), 0..9_i32), 0..4);
    let rooms = prop::collection::vec(-1..20_i32, NAMES.len());
    (
        clusters,
        placement(),
        previous,
        rooms,
        0..40_i32,
        any::<(bool, bool)>(),
    )
        .prop_map(
            |(clusters, placement, previous, rooms, replicas, (fresh, empty))| {
                let snapshot = clusters
                    .into_iter()
                    .zip(NAMES)
                    .map(|(mut cluster, name)| {
                        cluster["metadata"]["name"] = name.into();
                        serde_json::from_value::<Cluster>(cluster)
                            .expect("the example is well formed")
                    })
                    .collect();
                let mut targets: Vec<Value> = Vec::new();
                for (position, replicas) in previous {
                    let name = NAMES[position];
                    if targets.iter().all(|target| target["name"] != name) {
                        targets.push(json!({"name": name, "replicas": replicas}));
                    }
                }
                let spec = serde_json::from_value(json!({
                    "resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "w"},
                    "replicas": replicas,
                    "replicaRequirements": {},
                    "clusters": targets,
                    "placement": placement,
                }))
                .expect("the example is well formed");
                let answers: Answers = NAMES
                    .iter()
                    .map(|name| (*name).to_owned())
                    .zip(rooms)
                    .collect();
                let estimate = Estimate {
                    estimator: "stub".to_owned(),
                    answers: Ok(answers),
                };
                Input {
                    snapshot,
                    spec,
                    estimate,
                    fresh,
                    empty,
                }
            },
        )
}

proptest! {
    #[test]
    fn seats_go_as_one_by_one(
        votes in prop::collection::vec(0..50_u64, 1..12),
        seats in 0..300_u64,
        last_name_first: bool,
    ) {
        let wanted = one_by_one(&votes, seats, last_name_first);
        let (bulk, contested) = divided(&votes, seats, last_name_first, false);
        let (every, told) = divided(&votes, seats, last_name_first, true);
        prop_assert_eq!(&bulk, &wanted);
        prop_assert_eq!(&every, &wanted);
        prop_assert_eq!(told, wanted.iter().sum::<u64>());
        prop_assert!(contested <= told);
    }

    #[test]
    fn no_party_gets_more_seats_than_votes_while_votes_suffice(
        votes in prop::collection::vec(0..50_u64, 1..12),
        share in 0.0..=1.0_f64,
    ) {
        let total: u64 = votes.iter().sum();
        let seats = (total as f64 * share) as u64;
        let (held, _) = divided(&votes, seats, false, false);
        prop_assert!(held.iter().zip(&votes).all(|(held, votes)| held <= votes));
        prop_assert_eq!(held.iter().sum::<u64>(), seats);
    }

    #[test]
    fn tracing_changes_nothing_and_divided_replicas_add_up(input in input()) {
        let estimates = [input.estimate];
        let peers = Peers::default();
        let tiered = input.spec.placement.as_ref().is_some_and(|p| !p.cluster_affinities.is_empty());
        let request = Request {
            spec: &input.spec,
            affinity_name: if tiered { "main" } else { "" },
            fresh: input.fresh,
            estimates: &estimates,
            peers: &peers,
            options: Options {
                general_estimator: false,
                empty_workload_propagation: input.empty,
                ..Options::default()
            },
        };
        let outcome = schedule(&request, &input.snapshot);
        let (traced, trace) = schedule_traced(&request, &input.snapshot);
        prop_assert_eq!(&outcome, &traced);
        let Ok(targets) = outcome else { return Ok(()) };
        prop_assert!(targets.is_sorted_by(|a, b| a.name < b.name));
        for target in &targets {
            let cluster = trace.clusters.iter().find(|cluster| cluster.name == target.name);
            prop_assert!(cluster.is_some_and(|cluster| cluster.passed() && cluster.selected));
            prop_assert_eq!(cluster.and_then(|c| c.result), Some(i64::from(target.replicas)));
        }
        if trace.run.strategy.as_str().starts_with("Divided") {
            let sum: i32 = targets.iter().map(|target| target.replicas).sum();
            prop_assert_eq!(sum, input.spec.replicas);
        }
    }
}
