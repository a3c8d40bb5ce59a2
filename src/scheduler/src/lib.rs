//! Filter, score, group selection, division, trace and explanation: pure functions on snapshots.
//!
//! [`schedule`] decides where one binding runs; [`schedule_traced`] decides the same and also tells why.
//! [`binding`] wraps it for whole bindings: what triggers a run, affinity terms in order, what to write.
//! Estimates of other estimators come in with the request, so nothing here does I/O.

mod candidates;
mod capacity;
mod divide;
mod failure;
mod filters;
mod pipeline;
mod request;
mod select;
mod snapshot;
mod strategy;

pub mod binding;
pub mod explain;
pub mod taints;
pub mod trace;
pub mod trigger;

pub use capacity::{general, models};
pub use divide::webster;
pub use failure::{Failure, Shortage};
pub use filters::Plugin;
pub use pipeline::{Outcome, schedule, schedule_traced};
pub use request::{Answers, Estimate, Options, Peer, Peers, Request};
pub use snapshot::Snapshot;
pub use strategy::Strategy;
pub use trace::Trace;
