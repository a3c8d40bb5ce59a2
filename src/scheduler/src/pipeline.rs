//! The run itself: filter, score, estimate, select, divide.

use std::collections::BTreeMap;

use flybridge_apis::TargetCluster;
use flybridge_apis::placement::Placement;
use flybridge_apis::resource_binding::TargetComponent;

use crate::candidates::Candidate;
use crate::capacity;
use crate::divide::{self, Shares};
use crate::failure::Failure;
use crate::filters::Filters;
use crate::request::Request;
use crate::select;
use crate::snapshot::Snapshot;
use crate::strategy::Strategy;
use crate::trace::{ClusterTrace, NoTrace, Run, Trace, Tracer};

/// Score of a cluster that is a target already.
const LOCALITY_SCORE: i64 = 100;

/// What a run decides: the targets in order of name, or why there are none.
pub type Outcome = Result<Vec<TargetCluster>, Failure>;

/// Decides where the binding runs.
///
/// # Errors
/// When it cannot run anywhere under its placement.
pub fn schedule(request: &Request<'_>, snapshot: &Snapshot) -> Outcome {
    run(request, snapshot, &mut NoTrace)
}

/// Decides the same as [`schedule`] and tells how.
pub fn schedule_traced(request: &Request<'_>, snapshot: &Snapshot) -> (Outcome, Trace) {
    let mut trace = Trace::default();
    let outcome = run(request, snapshot, &mut trace);
    (outcome, trace)
}

fn run(request: &Request<'_>, snapshot: &Snapshot, tracer: &mut impl Tracer) -> Outcome {
    let unplaced = Placement::default();
    let placement = request.spec.placement.as_ref().unwrap_or(&unplaced);
    let assigned = assigned(request, snapshot);
    start(request, placement, snapshot, &assigned, tracer);
    let filters = Filters::new(request, placement, &assigned);
    let feasible = feasible(&filters, snapshot, tracer);
    if feasible.is_empty() {
        return Err(no_cluster_fit(&filters, snapshot));
    }
    let alloc = capacity::estimate(request, placement, snapshot, &feasible, tracer);
    let candidates = rank(&filters, snapshot, &feasible, &alloc, &assigned, tracer);
    let selected = select::select(request, placement, snapshot, candidates, tracer)?;
    if let Some(trace) = tracer.trace() {
        for candidate in &selected {
            trace.clusters[candidate.index].selected = true;
        }
    }
    let tiered = filters.affinity().is_tiered();
    let mut shares = divide::assign(request, placement, snapshot, &selected, tiered, tracer)?;
    if request.options.empty_workload_propagation {
        attach_empty(&mut shares, &selected);
    }
    Ok(targets(request, placement, snapshot, shares, tracer))
}

/// Replicas of the previous placement by position; none where the cluster is no target.
fn assigned(request: &Request<'_>, snapshot: &Snapshot) -> Vec<Option<i64>> {
    let mut assigned = vec![None; snapshot.len()];
    for target in &request.spec.clusters {
        if let Some(index) = snapshot.find(&target.name) {
            assigned[index] = Some(i64::from(target.replicas));
        }
    }
    assigned
}

fn start(
    request: &Request<'_>,
    placement: &Placement,
    snapshot: &Snapshot,
    assigned: &[Option<i64>],
    tracer: &mut impl Tracer,
) {
    let Some(trace) = tracer.trace() else { return };
    trace.run = Run {
        strategy: Strategy::of(placement.replica_scheduling.as_ref()),
        workload: request.spec.is_workload(),
        affinity_name: (!request.affinity_name.is_empty())
            .then(|| request.affinity_name.to_owned()),
        fresh: request.fresh,
        replicas: request.spec.replicas,
        need: select::need(request, placement),
    };
    trace.clusters = snapshot
        .clusters()
        .zip(assigned)
        .map(|(cluster, previous)| ClusterTrace {
            name: cluster.name().to_owned(),
            region: cluster.spec.region.clone(),
            previous: *previous,
            ..ClusterTrace::default()
        })
        .collect();
}

/// Positions of the clusters that pass every filter, in order.
fn feasible(filters: &Filters<'_>, snapshot: &Snapshot, tracer: &mut impl Tracer) -> Vec<usize> {
    (0..snapshot.len())
        .filter(|index| {
            let deleting = snapshot.at(*index).is_deleting();
            match tracer.trace() {
                Some(trace) => trace.record_filters(filters, snapshot, *index) && !deleting,
                None => !deleting && filters.rejection(snapshot, *index).is_none(),
            }
        })
        .collect()
}

fn no_cluster_fit(filters: &Filters<'_>, snapshot: &Snapshot) -> Failure {
    let mut histogram: BTreeMap<String, usize> = BTreeMap::new();
    for index in 0..snapshot.len() {
        if !snapshot.at(index).is_deleting()
            && let Some(rejection) = filters.rejection(snapshot, index)
        {
            *histogram.entry(rejection.to_string()).or_default() += 1;
        }
    }
    Failure::NoClusterFit {
        total: snapshot.len(),
        reasons: histogram
            .into_iter()
            .map(|(reason, count)| (count, reason))
            .collect(),
    }
}

fn rank(
    filters: &Filters<'_>,
    snapshot: &Snapshot,
    feasible: &[usize],
    alloc: &[i64],
    assigned: &[Option<i64>],
    tracer: &mut impl Tracer,
) -> Vec<Candidate> {
    let tiered = filters.affinity().is_tiered();
    let mut candidates: Vec<Candidate> = feasible
        .iter()
        .zip(alloc)
        .map(|(index, alloc)| Candidate {
            index: *index,
            tier: if tiered {
                filters.affinity().tier(snapshot.at(*index))
            } else {
                0
            },
            score: if assigned[*index].is_some() {
                LOCALITY_SCORE
            } else {
                0
            },
            alloc: *alloc,
            assigned: assigned[*index].unwrap_or(0),
        })
        .collect();
    candidates.sort_unstable_by(Candidate::rank);
    if let Some(trace) = tracer.trace() {
        for (rank, candidate) in candidates.iter().enumerate() {
            let cluster = &mut trace.clusters[candidate.index];
            cluster.rank = Some(rank + 1);
            cluster.score = candidate.score;
            cluster.tier = candidate.tier;
            cluster.alloc = Some(candidate.alloc);
        }
    }
    candidates
}

/// Keeps selected clusters that got nothing as targets without replicas.
fn attach_empty(shares: &mut Shares, selected: &[Candidate]) {
    let mut taken: Vec<usize> = shares.iter().map(|(index, _)| *index).collect();
    taken.sort_unstable();
    for candidate in selected {
        if taken.binary_search(&candidate.index).is_err() {
            shares.push((candidate.index, 0));
        }
    }
}

fn targets(
    request: &Request<'_>,
    placement: &Placement,
    snapshot: &Snapshot,
    mut shares: Shares,
    tracer: &mut impl Tracer,
) -> Vec<TargetCluster> {
    shares.sort_unstable_by_key(|(index, _)| *index);
    let components = components(request, placement);
    if let Some(trace) = tracer.trace() {
        for (index, replicas) in &shares {
            trace.clusters[*index].result = Some(*replicas);
        }
    }
    shares
        .into_iter()
        .map(|(index, replicas)| TargetCluster {
            name: snapshot.at(index).name().to_owned(),
            replicas: i32::try_from(replicas).unwrap_or(i32::MAX),
            components: components.clone(),
        })
        .collect()
}

/// What every target records of the components: all replicas of each, for workloads placed by complete sets.
fn components(request: &Request<'_>, placement: &Placement) -> Vec<TargetComponent> {
    let components = &request.spec.components;
    if components.len() < 2 || !capacity::by_component_sets(request, placement) {
        return Vec::new();
    }
    components
        .iter()
        .map(|component| TargetComponent {
            name: component.name.clone(),
            replicas: component.replicas,
        })
        .collect()
}
