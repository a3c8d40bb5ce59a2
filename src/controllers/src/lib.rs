//! The engine: one folder a controller.
//!
//! Each controller observes through informers, plans with a pure function and applies the plan
//! with as few writes as it takes. [`start`] runs them all.

pub mod binding;
pub mod cluster;
pub mod cluster_status;
pub mod context;
pub mod dependencies;
pub mod detector;
pub mod error;
pub mod execution;
pub mod failover;
pub mod kinds;
pub mod members;
pub mod namespace_sync;
pub mod scheduling;
pub mod status;
pub mod write;

mod start;

pub use context::{Context, Options};
pub use error::Error;
pub use start::{Config, Handle, start};

/// The result of a reconcile step.
pub type Result<T, E = Error> = std::result::Result<T, E>;
