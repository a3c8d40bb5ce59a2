//! Which candidates take part in the division, by spread constraints.

mod cluster;
mod region;

use flybridge_apis::placement::{Placement, SpreadConstraint, SpreadField};

use crate::candidates::Candidate;
use crate::failure::Failure;
use crate::request::Request;
use crate::snapshot::Snapshot;
use crate::strategy::{Strategy, ignores_spread};
use crate::trace::Tracer;

/// Bounds of a spread constraint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    pub min: i64,
    pub max: i64,
}

fn bounds(constraints: &[SpreadConstraint], field: SpreadField) -> Option<Bounds> {
    constraints
        .iter()
        .rev()
        .find(|constraint| constraint.spread_by_field == Some(field))
        .map(|constraint| Bounds {
            min: constraint.min_groups,
            max: constraint.max_groups,
        })
}

/// What the selection has to make room for; nothing in particular when replicas are duplicated.
pub(crate) fn need(request: &Request<'_>, placement: &Placement) -> Option<i64> {
    if Strategy::of(placement.replica_scheduling.as_ref()) == Strategy::Duplicated {
        None
    } else if crate::capacity::by_component_sets(request, placement) {
        Some(1)
    } else {
        Some(i64::from(request.spec.replicas))
    }
}

/// Selects among candidates, which are in order of rank.
pub(crate) fn select(
    request: &Request<'_>,
    placement: &Placement,
    snapshot: &Snapshot,
    candidates: Vec<Candidate>,
    tracer: &mut impl Tracer,
) -> Result<Vec<Candidate>, Failure> {
    let constraints = &placement.spread_constraints;
    if constraints.is_empty() || ignores_spread(placement) {
        return Ok(candidates);
    }
    let by_cluster = bounds(constraints, SpreadField::Cluster);
    if let Some(by_region) = bounds(constraints, SpreadField::Region) {
        let ask = region::Ask {
            region: by_region,
            cluster: by_cluster.unwrap_or_default(),
            replicas: i64::from(request.spec.replicas),
            duplicated: Strategy::of(placement.replica_scheduling.as_ref()) == Strategy::Duplicated,
        };
        return region::select(&ask, snapshot, &candidates, tracer);
    }
    match by_cluster {
        Some(by_cluster) => cluster::select(
            by_cluster,
            need(request, placement),
            snapshot,
            candidates,
            tracer,
        ),
        None => Err(Failure::UnsupportedSpread),
    }
}
