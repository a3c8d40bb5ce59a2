//! Clusters that pass the filters, with what ranks them.

use std::cmp::Ordering;

/// A cluster that passed, by position in the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Position in the snapshot.
    pub index: usize,
    /// Tier of the overflow affinity it belongs to; 0 is the primary one.
    pub tier: usize,
    /// Sum of the score plugins.
    pub score: i64,
    /// Replicas it has room for in addition.
    pub alloc: i64,
    /// Replicas it has already.
    pub assigned: i64,
}

impl Candidate {
    /// Replicas it can have altogether.
    pub(crate) const fn available(&self) -> i64 {
        self.alloc + self.assigned
    }

    /// Nearest tier, greatest score, most room, smallest name.
    pub(crate) fn rank(&self, other: &Self) -> Ordering {
        self.tier
            .cmp(&other.tier)
            .then_with(|| other.score.cmp(&self.score))
            .then_with(|| other.available().cmp(&self.available()))
            .then_with(|| self.index.cmp(&other.index))
    }
}

/// Sum of what candidates can have.
pub(crate) fn total_available(candidates: &[Candidate]) -> i64 {
    candidates.iter().map(Candidate::available).sum()
}
