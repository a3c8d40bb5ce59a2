//! What happened in a run, in full.
//!
//! The pipeline asks its tracer for the trace before it records anything; without one the question is
//! answered at compile time, so recording costs nothing when nobody listens.

use serde::Serialize;

use crate::filters::{Filters, Verdict};
use crate::snapshot::Snapshot;
use crate::strategy::Strategy;

/// Where the pipeline records.
pub(crate) trait Tracer {
    /// The trace, if anybody listens.
    fn trace(&mut self) -> Option<&mut Trace>;
}

/// Nobody listens.
pub(crate) struct NoTrace;

impl Tracer for NoTrace {
    #[inline(always)]
    fn trace(&mut self) -> Option<&mut Trace> {
        None
    }
}

impl Tracer for Trace {
    fn trace(&mut self) -> Option<&mut Trace> {
        Some(self)
    }
}

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// The question.
    pub run: Run,
    /// Every cluster in order of name.
    pub clusters: Vec<ClusterTrace>,
    /// The estimators in order.
    pub estimators: Vec<EstimatorTrace>,
    /// The selection by spread constraints.
    pub selection: SelectionTrace,
    /// The divisions, one a tier.
    pub divisions: Vec<DivisionTrace>,
}

/// The question of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// The division strategy.
    pub strategy: Strategy,
    /// Whether there is something to run, rather than an object to propagate as it is.
    pub workload: bool,
    /// The affinity term in force.
    pub affinity_name: Option<String>,
    /// Whether a fresh division was asked for.
    pub fresh: bool,
    /// Replicas to place.
    pub replicas: i32,
    /// What the selection has to make room for; nothing when replicas are duplicated.
    pub need: Option<i64>,
}

/// What a plugin says of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FilterTrace {
    /// The plugin.
    pub plugin: &'static str,
    /// Whether the cluster passes.
    pub passed: bool,
    /// Whether it passes only because it is a target already.
    pub sticky: bool,
    /// What decided; empty when there is no objection.
    pub reason: String,
}

/// What happened to a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTrace {
    /// Its name.
    pub name: String,
    /// Its region.
    pub region: String,
    /// Whether it is leaving the fleet, which keeps it out silently.
    pub deleting: bool,
    /// Every plugin's verdict.
    pub filters: Vec<FilterTrace>,
    /// Every estimator's answer.
    pub estimates: Vec<(String, Option<i64>)>,
    /// Replicas it has room for in addition, as far as anybody knows.
    pub alloc: Option<i64>,
    /// Its score.
    pub score: i64,
    /// Its overflow tier.
    pub tier: usize,
    /// Its rank among those that pass, from 1.
    pub rank: Option<usize>,
    /// Whether the selection took it.
    pub selected: bool,
    /// Replicas before the run, if it was a target.
    pub previous: Option<i64>,
    /// Replicas after the run, if it is a target.
    pub result: Option<i64>,
}

impl ClusterTrace {
    /// Whether it passed every filter.
    pub fn passed(&self) -> bool {
        !self.deleting && self.filters.iter().all(|filter| filter.passed)
    }
}

/// What an estimator contributed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EstimatorTrace {
    /// Its name.
    pub name: String,
    /// Why it has no influence.
    pub ignored_because: Option<String>,
}

/// How spread constraints selected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectionTrace {
    /// Clusters swapped for ones with more room: out, in.
    pub swaps: Vec<(String, String)>,
    /// The regions in the order of the search.
    pub regions: Vec<RegionTrace>,
}

/// A region in the selection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegionTrace {
    /// Its name.
    pub name: String,
    /// Clusters in it that pass.
    pub clusters: usize,
    /// Its weight.
    pub weight: i64,
    /// Whether it was chosen.
    pub chosen: bool,
}

/// How replicas were divided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DivisionTrace {
    /// What the division is for: scale up, scale down, fresh, unchanged, static weights.
    pub mode: &'static str,
    /// The overflow tier.
    pub tier: usize,
    /// Replicas to place.
    pub seats: i64,
    /// Whether ties go to the last name.
    pub last_name_first: bool,
    /// The clusters that compete, in order of name.
    pub parties: Vec<PartyTrace>,
    /// Positions in `parties` of the winners, seat by seat; of large divisions only the contested last seats.
    pub rounds: Vec<usize>,
}

impl DivisionTrace {
    /// Divisions of more seats than this tell only the contested ones.
    pub const ROUNDS: u64 = 4096;

    pub(crate) const fn new(mode: &'static str, tier: usize, seats: i64) -> Self {
        Self {
            mode,
            tier,
            seats,
            last_name_first: false,
            parties: Vec::new(),
            rounds: Vec::new(),
        }
    }
}

/// A cluster in a division.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartyTrace {
    /// Its name.
    pub cluster: String,
    /// Its votes.
    pub votes: u64,
    /// Its seats in the end.
    pub seats: u64,
}

impl Trace {
    /// Records every plugin's verdict on a cluster; true when all let it pass.
    pub(crate) fn record_filters(
        &mut self,
        filters: &Filters<'_>,
        snapshot: &Snapshot,
        index: usize,
    ) -> bool {
        let cluster = &mut self.clusters[index];
        cluster.deleting = snapshot.at(index).is_deleting();
        cluster.filters = filters
            .plugins()
            .iter()
            .map(|plugin| {
                let verdict = filters.verdict(*plugin, snapshot, index);
                let (passed, sticky, reason) = match verdict {
                    Verdict::Pass => (true, false, String::new()),
                    Verdict::Sticky(rejection) => (true, true, rejection.to_string()),
                    Verdict::Reject(rejection) => (false, false, rejection.to_string()),
                };
                FilterTrace {
                    plugin: plugin.as_str(),
                    passed,
                    sticky,
                    reason,
                }
            })
            .collect();
        cluster.filters.iter().all(|filter| filter.passed)
    }
}
