//! Filter, score, group selection, division, trace and explanation: pure functions on snapshots.

pub mod taints;
