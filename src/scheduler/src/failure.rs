//! Why a binding could not be placed.

use thiserror::Error;

/// The stage at which capacity ran short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// Placing additional replicas.
    ScaleUp,
    /// Choosing which replicas remain.
    ScaleDown,
    /// Placing all replicas afresh.
    Fresh,
    /// Placing what no overflow tier took.
    Overflow,
}

/// Why a binding could not be placed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// No cluster passed the filters.
    #[error("{}", no_cluster_fit(*.total, reasons))]
    NoClusterFit {
        /// Clusters in the fleet.
        total: usize,
        /// How often each first reason occurred, in order of reason.
        reasons: Vec<(usize, String)>,
    },
    /// Fewer clusters pass than the cluster constraint wants.
    #[error("{feasible} feasible clusters are fewer than the {min} the spread constraint needs")]
    BelowMinClusters {
        /// Clusters that pass.
        feasible: usize,
        /// The constraint's `minGroups`.
        min: i64,
    },
    /// The clusters the constraint allows have too little room together.
    #[error("{groups} clusters at most have room for {available} of {need} replicas")]
    NotEnoughResource {
        /// How many clusters the constraint allows.
        groups: usize,
        /// The most they have room for.
        available: i64,
        /// What is needed.
        need: i64,
    },
    /// Fewer regions are left than the region constraint wants.
    #[error("{regions} feasible regions are fewer than the {min} the spread constraint needs")]
    BelowMinRegions {
        /// Regions with a cluster that passes.
        regions: usize,
        /// The constraint's `minGroups`.
        min: i64,
    },
    /// No combination of regions has enough clusters.
    #[error("no combination of regions has the {min} clusters the spread constraint needs")]
    NoRegionCombination {
        /// The cluster constraint's `minGroups`.
        min: i64,
    },
    /// Only clusters and regions can be spread over.
    #[error("only spread constraints by cluster and region select clusters")]
    UnsupportedSpread,
    /// Nothing was selected.
    #[error("no clusters available to assign replicas to")]
    NoCandidates,
    /// The replica scheduling strategy means nothing.
    #[error("unsupported replica scheduling strategy")]
    UnsupportedStrategy,
    /// The candidates have too little room.
    #[error("clusters have room for {available} replicas, which is not enough for {need}")]
    InsufficientCapacity {
        /// The stage.
        shortage: Shortage,
        /// What they have room for.
        available: i64,
        /// What is needed.
        need: i64,
    },
}

fn no_cluster_fit(total: usize, reasons: &[(usize, String)]) -> String {
    if reasons.is_empty() {
        return "0/0 clusters are available: no cluster exists".to_owned();
    }
    let texts: Vec<String> = reasons
        .iter()
        .map(|(count, reason)| format!("{count} {reason}"))
        .collect();
    format!("0/{total} clusters are available: {}", texts.join(", "))
}

impl Failure {
    /// Whether nothing passed the filters, which withdraws the workload and is not retried.
    pub const fn is_fit(&self) -> bool {
        matches!(self, Self::NoClusterFit { .. })
    }

    /// Whether it is a lack of capacity that may pass.
    pub const fn is_unschedulable(&self) -> bool {
        matches!(self, Self::InsufficientCapacity { .. })
    }

    /// The reason of the binding's Scheduled condition.
    pub const fn condition_reason(&self) -> &'static str {
        if self.is_fit() {
            "NoClusterFit"
        } else if self.is_unschedulable() {
            "Unschedulable"
        } else {
            "SchedulerError"
        }
    }
}
