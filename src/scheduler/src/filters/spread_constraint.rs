//! Keeps out clusters that lack the property a spread constraint groups by.

use flybridge_apis::Cluster;
use flybridge_apis::placement::{Placement, SpreadField};

use super::Rejection;

/// The fields spread constraints group by, in order of the constraints.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs(Vec<SpreadField>);

impl Needs {
    pub(super) fn of(placement: &Placement) -> Self {
        Self(
            placement
                .spread_constraints
                .iter()
                .filter_map(|constraint| constraint.spread_by_field)
                .collect(),
        )
    }

    pub(super) fn objection<'a>(&self, cluster: &Cluster) -> Option<Rejection<'a>> {
        let spec = &cluster.spec;
        self.0.iter().find_map(|field| {
            let (missing, property) = match field {
                SpreadField::Cluster => (false, ""),
                SpreadField::Provider => (spec.provider.is_empty(), "provider"),
                SpreadField::Region => (spec.region.is_empty(), "region"),
                SpreadField::Zone => (spec.zones.is_empty(), "zones"),
            };
            missing.then_some(Rejection::Property(property))
        })
    }
}
