//! How many replicas every selected cluster gets.

mod dynamic;
mod overflow;
mod static_weight;
pub mod webster;

use flybridge_apis::placement::Placement;

use crate::candidates::Candidate;
use crate::failure::Failure;
use crate::request::Request;
use crate::snapshot::Snapshot;
use crate::strategy::{Strategy, has_replicas};
use crate::trace::Tracer;

/// Replicas by position in the snapshot.
pub(crate) type Shares = Vec<(usize, i64)>;

/// What every division of one run has in common.
pub(crate) struct Division<'a> {
    pub request: &'a Request<'a>,
    pub placement: &'a Placement,
    pub snapshot: &'a Snapshot,
    pub strategy: Strategy,
}

/// Divides the binding's replicas; clusters that get none are left out.
pub(crate) fn assign(
    request: &Request<'_>,
    placement: &Placement,
    snapshot: &Snapshot,
    selected: &[Candidate],
    tiered: bool,
    tracer: &mut impl Tracer,
) -> Result<Shares, Failure> {
    if selected.is_empty() {
        return Err(Failure::NoCandidates);
    }
    if !has_replicas(request.spec) {
        return Ok(everywhere(selected, 0));
    }
    let division = Division {
        request,
        placement,
        snapshot,
        strategy: Strategy::of(placement.replica_scheduling.as_ref()),
    };
    let mut shares = if tiered {
        overflow::divide(&division, selected, tracer)?
    } else {
        division.divide(i64::from(request.spec.replicas), selected, 0, tracer)?
    };
    shares.retain(|(_, replicas)| *replicas > 0);
    Ok(shares)
}

fn everywhere(candidates: &[Candidate], replicas: i64) -> Shares {
    candidates
        .iter()
        .map(|candidate| (candidate.index, replicas))
        .collect()
}

impl Division<'_> {
    /// Divides `replicas` among the candidates of one tier.
    fn divide(
        &self,
        replicas: i64,
        candidates: &[Candidate],
        tier: usize,
        tracer: &mut impl Tracer,
    ) -> Result<Shares, Failure> {
        match self.strategy {
            Strategy::Duplicated => Ok(everywhere(candidates, replicas)),
            Strategy::StaticWeight => Ok(static_weight::divide(
                self, replicas, candidates, tier, tracer,
            )),
            Strategy::Aggregated | Strategy::DynamicWeight => {
                dynamic::divide(self, replicas, candidates, tier, tracer)
            }
            Strategy::Unsupported => Err(Failure::UnsupportedStrategy),
        }
    }
}
