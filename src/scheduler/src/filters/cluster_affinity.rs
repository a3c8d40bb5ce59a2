//! Keeps out clusters that the affinity in force does not select.

use flybridge_apis::Cluster;
use flybridge_apis::matching::ClusterMatcher;
use flybridge_apis::placement::Placement;

use super::Rejection;
use crate::request::Request;

/// The affinity in force: a primary one and, for workloads, the tiers that take its overflow.
///
/// Without a primary one every cluster passes.
#[derive(Debug, Default)]
pub(crate) struct Affinity<'a> {
    primary: Option<ClusterMatcher<'a>>,
    overflow: Vec<ClusterMatcher<'a>>,
}

impl<'a> Affinity<'a> {
    /// The placement's single affinity if it has one, else the named term.
    pub(crate) fn in_force(request: &Request<'a>, placement: &'a Placement) -> Self {
        if let Some(affinity) = &placement.cluster_affinity {
            return Self {
                primary: Some(ClusterMatcher::new(affinity)),
                ..Self::default()
            };
        }
        let term = placement
            .cluster_affinities
            .iter()
            .find(|term| term.affinity_name == request.affinity_name);
        let Some(term) = term else {
            return Self::default();
        };
        let overflow: Vec<ClusterMatcher<'a>> = if request.spec.is_workload() {
            term.overflow_affinities
                .iter()
                .map(|entry| ClusterMatcher::new(&entry.affinity))
                .collect()
        } else {
            Vec::new()
        };
        Self {
            primary: Some(ClusterMatcher::new(&term.affinity)),
            overflow,
        }
    }

    /// Whether replicas go to the primary clusters first and overflow to the others.
    pub(crate) const fn is_tiered(&self) -> bool {
        !self.overflow.is_empty()
    }

    /// The tier of a cluster that passes.
    pub(crate) fn tier(&self, cluster: &Cluster) -> usize {
        if !self.is_tiered()
            || self
                .primary
                .as_ref()
                .is_some_and(|primary| primary.matches(cluster))
        {
            return 0;
        }
        self.overflow
            .iter()
            .position(|matcher| matcher.matches(cluster))
            .map_or(self.overflow.len() + 1, |position| position + 1)
    }

    /// The sub-rule of the primary affinity that fails, unless an overflow tier takes the cluster.
    pub(crate) fn objection(&self, cluster: &Cluster) -> Option<Rejection<'a>> {
        let mismatch = self.primary.as_ref()?.check(cluster).err()?;
        let taken = self.overflow.iter().any(|matcher| matcher.matches(cluster));
        (!taken).then_some(Rejection::Affinity(mismatch))
    }
}
