//! Division tier by tier: the primary clusters as far as they have room, then every overflow affinity in order.

use super::{Division, Shares};
use crate::candidates::{Candidate, total_available};
use crate::failure::{Failure, Shortage};
use crate::trace::Tracer;

pub(super) fn divide(
    division: &Division<'_>,
    selected: &[Candidate],
    tracer: &mut impl Tracer,
) -> Result<Shares, Failure> {
    let need = i64::from(division.request.spec.replicas);
    let mut left = need;
    let mut tiers: Vec<usize> = selected.iter().map(|candidate| candidate.tier).collect();
    tiers.sort_unstable();
    tiers.dedup();
    let mut shares = Shares::new();
    for tier in tiers {
        let members: Vec<Candidate> = selected
            .iter()
            .filter(|candidate| candidate.tier == tier)
            .copied()
            .collect();
        let here = left.min(total_available(&members));
        shares.extend(division.divide(here, &members, tier, tracer)?);
        left -= here;
        if left == 0 {
            break;
        }
    }
    if left > 0 {
        return Err(Failure::InsufficientCapacity {
            shortage: Shortage::Overflow,
            available: need - left,
            need,
        });
    }
    shares.sort_unstable_by_key(|(index, _)| *index);
    Ok(shares)
}
