//! The explanation of a placement, as the pane shows it.

use flybridge_ui::Mark;

/// What a filter says of a cluster.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) enum Verdict {
    /// The cluster passes.
    Pass,
    /// It does not, and why.
    Fail(String),
    /// The filter did not run.
    #[default]
    Skipped,
}

/// One cluster's way through the scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClusterVerdict {
    pub(crate) name: String,
    /// One a filter, in the order of [`Explanation::filters`].
    pub(crate) verdicts: Vec<Verdict>,
    /// Total score, if it came so far.
    pub(crate) score: Option<i64>,
    /// Scores by plugin.
    pub(crate) scores: Vec<(String, i64)>,
    /// Replicas it has room for, if that was asked.
    pub(crate) room: Option<i64>,
    /// Replicas it has now.
    pub(crate) before: i64,
    /// Whether it is chosen, and with how many replicas.
    pub(crate) after: Option<i64>,
    /// What else happened to it: spread groups, selection, eviction.
    pub(crate) notes: Vec<String>,
}

impl ClusterVerdict {
    /// Whether every filter that ran lets it pass.
    pub(crate) fn fits(&self) -> bool {
        !self.verdicts.iter().any(|v| matches!(v, Verdict::Fail(_)))
    }

    /// Reasons of all filters that fail, in their order.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = &str> {
        self.verdicts.iter().filter_map(|v| match v {
            Verdict::Fail(reason) => Some(reason.as_str()),
            Verdict::Pass | Verdict::Skipped => None,
        })
    }
}

/// One round of dividing replicas.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Round {
    /// What the round does.
    pub(crate) title: String,
    /// Facts, one a line.
    pub(crate) lines: Vec<String>,
}

/// Why a binding is placed where it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Explanation {
    pub(crate) mark: Mark,
    /// The answer in one sentence.
    pub(crate) summary: String,
    /// The question and its circumstances: label and text.
    pub(crate) header: Vec<(String, String)>,
    /// Names of the filters, in the order they run.
    pub(crate) filters: Vec<String>,
    /// Every cluster, once.
    pub(crate) clusters: Vec<ClusterVerdict>,
    /// Group selection and division, in order.
    pub(crate) rounds: Vec<Round>,
}

impl Explanation {
    /// Chosen clusters first, then those that fit, then the others; by name within each.
    pub(crate) fn sorted(mut self) -> Self {
        self.clusters.sort_by(|a, b| {
            let rank = |c: &ClusterVerdict| match (c.after.is_some(), c.fits()) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            };
            let failures = |c: &ClusterVerdict| c.reasons().count();
            rank(a)
                .cmp(&rank(b))
                .then_with(|| failures(a).cmp(&failures(b)))
                .then_with(|| a.name.cmp(&b.name))
        });
        self
    }
}

/// A filter's name in a column heading.
pub(crate) fn short_filter(name: &str) -> String {
    match name {
        "ClusterAffinity" => "AFFINITY".to_owned(),
        "TaintToleration" => "TAINTS".to_owned(),
        "APIEnablement" => "API".to_owned(),
        "SpreadConstraint" => "SPREAD".to_owned(),
        "ClusterEviction" => "EVICTED".to_owned(),
        "WorkloadAffinity" => "WL-AFF".to_owned(),
        "WorkloadAntiAffinity" => "WL-ANTI".to_owned(),
        other => other.chars().take(8).collect::<String>().to_uppercase(),
    }
}
