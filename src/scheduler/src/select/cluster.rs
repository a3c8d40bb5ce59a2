//! Selection by the cluster constraint: the best ranked, with the last ones swapped for roomier ones while room is short.

use super::Bounds;
use crate::candidates::{Candidate, total_available};
use crate::failure::Failure;
use crate::snapshot::Snapshot;
use crate::trace::Tracer;

pub(super) fn select(
    bounds: Bounds,
    need: Option<i64>,
    snapshot: &Snapshot,
    mut candidates: Vec<Candidate>,
    tracer: &mut impl Tracer,
) -> Result<Vec<Candidate>, Failure> {
    let feasible = candidates.len();
    let feasible_count = i64::try_from(feasible).unwrap_or(i64::MAX);
    if feasible_count < bounds.min {
        return Err(Failure::BelowMinClusters {
            feasible,
            min: bounds.min,
        });
    }
    let groups = usize::try_from(feasible_count.min(bounds.max)).unwrap_or(0);
    let mut rest = candidates.split_off(groups);
    let Some(need) = need else {
        return Ok(candidates);
    };
    let mut available = total_available(&candidates);
    for slot in (0..groups).rev() {
        if available >= need {
            break;
        }
        let Some(roomier) = roomiest(&rest, candidates[slot].available()) else {
            continue;
        };
        available += rest[roomier].available() - candidates[slot].available();
        std::mem::swap(&mut candidates[slot], &mut rest[roomier]);
        if let Some(trace) = tracer.trace() {
            trace.selection.swaps.push((
                snapshot.at(rest[roomier].index).name().to_owned(),
                snapshot.at(candidates[slot].index).name().to_owned(),
            ));
        }
    }
    if available < need || candidates.is_empty() {
        return Err(Failure::NotEnoughResource {
            groups,
            available,
            need,
        });
    }
    Ok(candidates)
}

/// The first of those with the most room, if that is more than `than`.
fn roomiest(rest: &[Candidate], than: i64) -> Option<usize> {
    let mut best = None;
    let mut most = than;
    for (position, candidate) in rest.iter().enumerate() {
        if candidate.available() > most {
            most = candidate.available();
            best = Some(position);
        }
    }
    best
}
