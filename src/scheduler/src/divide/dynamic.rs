//! Division by the room clusters have: additional replicas go where there is room, superfluous ones leave in
//! proportion, and a fresh division starts over.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::webster::{self, Party};
use super::{Division, Shares};
use crate::candidates::Candidate;
use crate::failure::{Failure, Shortage};
use crate::strategy::Strategy;
use crate::trace::{DivisionTrace, PartyTrace, Tracer};

/// How one division goes.
struct Plan {
    mode: &'static str,
    shortage: Shortage,
    /// Replicas to place.
    seats: i64,
    /// Votes by cluster.
    weights: Shares,
    /// Replicas that stay where they are.
    base: Shares,
}

/// Divides `replicas` among the candidates; `tier` is told in the trace only.
pub(super) fn divide(
    division: &Division<'_>,
    replicas: i64,
    candidates: &[Candidate],
    tier: usize,
    tracer: &mut impl Tracer,
) -> Result<Shares, Failure> {
    let scheduled = scheduled(division, candidates);
    let assigned: i64 = scheduled.iter().map(|(_, replicas)| replicas).sum();
    if !division.request.fresh && assigned == replicas {
        if let Some(trace) = tracer.trace() {
            trace
                .divisions
                .push(DivisionTrace::new("unchanged", tier, replicas));
        }
        return Ok(scheduled);
    }
    let mut plan = plan(
        division.request.fresh,
        replicas,
        candidates,
        scheduled,
        assigned,
    );
    if let Some(trace) = tracer.trace() {
        trace
            .divisions
            .push(DivisionTrace::new(plan.mode, tier, plan.seats));
    }
    plan.weights.sort_by_key(|(_, weight)| Reverse(*weight));
    // Differs: the reference sums in 32 bits, so that no replicas at all can seem too many for it.
    let available: i64 = plan.weights.iter().map(|(_, weight)| weight).sum();
    if available < plan.seats {
        return Err(Failure::InsufficientCapacity {
            shortage: plan.shortage,
            available,
            need: plan.seats,
        });
    }
    if division.strategy == Strategy::Aggregated {
        aggregate(&mut plan);
    }
    let shares = dispense(division, plan.seats, &plan.weights, tracer);
    Ok(add(shares, plan.base))
}

/// The replicas candidates have already, in order of target.
fn scheduled(division: &Division<'_>, candidates: &[Candidate]) -> Shares {
    let targets = &division.request.spec.clusters;
    if targets.is_empty() {
        return Shares::new();
    }
    let mut takes_part = vec![false; division.snapshot.len()];
    for candidate in candidates {
        takes_part[candidate.index] = true;
    }
    targets
        .iter()
        .filter_map(|target| {
            let index = division.snapshot.find(&target.name)?;
            takes_part[index].then_some((index, i64::from(target.replicas)))
        })
        .collect()
}

fn plan(
    fresh: bool,
    replicas: i64,
    candidates: &[Candidate],
    scheduled: Shares,
    assigned: i64,
) -> Plan {
    let room = |of: fn(&Candidate) -> i64| -> Shares {
        candidates
            .iter()
            .map(|candidate| (candidate.index, of(candidate)))
            .collect()
    };
    if fresh {
        Plan {
            mode: "fresh",
            shortage: Shortage::Fresh,
            seats: replicas,
            weights: room(Candidate::available),
            base: Vec::new(),
        }
    } else if assigned > replicas {
        Plan {
            mode: "scale down",
            shortage: Shortage::ScaleDown,
            seats: replicas,
            weights: scheduled,
            base: Vec::new(),
        }
    } else {
        Plan {
            mode: "scale up",
            shortage: Shortage::ScaleUp,
            seats: replicas - assigned,
            weights: room(|candidate| candidate.alloc),
            base: scheduled,
        }
    }
}

/// Keeps the shortest list of clusters with enough room, those that run replicas first.
fn aggregate(plan: &mut Plan) {
    let running: BTreeSet<usize> = plan
        .base
        .iter()
        .filter(|(_, replicas)| *replicas > 0)
        .map(|(index, _)| *index)
        .collect();
    if !running.is_empty() {
        plan.weights
            .sort_by_key(|(index, _)| !running.contains(index));
    }
    let mut room = 0;
    let enough = plan.weights.iter().position(|(_, weight)| {
        room += weight;
        room >= plan.seats
    });
    if let Some(last) = enough {
        plan.weights.truncate(last + 1);
    }
}

/// Gives seats by votes; in order of name.
pub(super) fn dispense(
    division: &Division<'_>,
    seats: i64,
    weights: &[(usize, i64)],
    tracer: &mut impl Tracer,
) -> Shares {
    let mut parties: Vec<Party> = weights
        .iter()
        .map(|(index, weight)| Party::new(*index, u64::try_from(*weight).unwrap_or(0)))
        .collect();
    parties.sort_unstable_by_key(|party| party.rank);
    let seats = u64::try_from(seats).unwrap_or(0);
    let last_name_first = webster::prefers_last_name(&division.request.spec.resource.uid);
    match tracer.trace() {
        Some(trace) => {
            let every = seats <= DivisionTrace::ROUNDS;
            let mut rounds = Vec::new();
            webster::divide(&mut parties, seats, last_name_first, every, |winner| {
                rounds.push(winner);
            });
            if let Some(told) = trace.divisions.last_mut() {
                told.last_name_first = last_name_first;
                told.rounds = rounds;
                told.parties = parties
                    .iter()
                    .map(|party| PartyTrace {
                        cluster: division.snapshot.at(party.rank).name().to_owned(),
                        votes: party.votes,
                        seats: party.seats,
                    })
                    .collect();
            }
        }
        None => webster::divide(&mut parties, seats, last_name_first, false, |_| {}),
    }
    parties
        .iter()
        .map(|party| (party.rank, i64::try_from(party.seats).unwrap_or(i64::MAX)))
        .collect()
}

/// Adds replicas that stay to the shares.
fn add(mut shares: Shares, base: Shares) -> Shares {
    for (index, kept) in base {
        match shares.binary_search_by_key(&index, |(listed, _)| *listed) {
            Ok(position) => shares[position].1 += kept,
            Err(position) => shares.insert(position, (index, kept)),
        }
    }
    shares
}
