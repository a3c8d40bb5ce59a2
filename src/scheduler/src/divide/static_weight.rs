//! Division by fixed weights, from scratch on every run and whatever the room.

use flybridge_apis::matching::ClusterMatcher;
use flybridge_apis::placement::Placement;

use super::dynamic::dispense;
use super::{Division, Shares};
use crate::candidates::Candidate;
use crate::snapshot::Snapshot;
use crate::trace::{DivisionTrace, Tracer};

pub(super) fn divide(
    division: &Division<'_>,
    replicas: i64,
    selected: &[Candidate],
    tier: usize,
    tracer: &mut impl Tracer,
) -> Shares {
    let mut weights = weights(division.placement, division.snapshot, selected);
    if weights.iter().all(|(_, weight)| *weight == 0) {
        weights = selected
            .iter()
            .map(|candidate| (candidate.index, 1))
            .collect();
    }
    if let Some(trace) = tracer.trace() {
        trace
            .divisions
            .push(DivisionTrace::new("static weights", tier, replicas));
    }
    dispense(division, replicas, &weights, tracer)
}

/// The greatest weight among the rules that select each cluster; clusters without a rule are left out.
fn weights(placement: &Placement, snapshot: &Snapshot, selected: &[Candidate]) -> Shares {
    let rules: Vec<(ClusterMatcher<'_>, i64)> = placement
        .replica_scheduling
        .iter()
        .filter_map(|scheduling| scheduling.weight_preference.as_ref())
        .flat_map(|weights| &weights.static_weight_list)
        .map(|rule| (ClusterMatcher::new(&rule.target_cluster), rule.weight))
        .collect();
    selected
        .iter()
        .filter_map(|candidate| {
            let cluster = snapshot.at(candidate.index);
            let weight = rules
                .iter()
                .filter(|(matcher, _)| matcher.matches(cluster))
                .map(|(_, weight)| *weight)
                .max()?;
            (weight > 0).then_some((candidate.index, weight))
        })
        .collect()
}
