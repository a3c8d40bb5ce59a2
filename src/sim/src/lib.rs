//! Simulated member clusters.
//!
//! A member is one API server over a store and one task of controllers. What the controllers decide is
//! pure: a planning function per kind turns observed objects into a [`plan::Plan`] of writes and the next
//! instant worth looking at. The runner carries plans out, one after the other. Everything that looks
//! random follows from the member's seed and from what it is about ([`seed::Seed`]), and all waiting is
//! on tokio time, so a fleet repeats exactly and runs on paused time.

mod addresses;
pub mod config;
pub mod daemonset;
mod demo;
pub mod deployment;
pub mod error;
pub mod events;
pub mod eviction;
mod fleet;
mod gate;
pub mod job;
pub mod kubelet;
pub mod logs;
mod member;
pub mod nodes;
pub mod object;
mod observed;
pub mod placement;
pub mod plan;
mod pod_logs;
mod pods;
mod queue;
pub mod replicaset;
pub mod resources;
mod revisions;
mod runner;
mod scheduling;
pub mod seed;
pub mod services;
pub mod statefulset;
#[cfg(test)]
mod testing;
mod time;
mod watches;
mod writer;

pub use config::{Delays, MemberConfig, NodeConfig};
pub use demo::demo_workloads;
pub use error::{Error, Result};
pub use fleet::{Fleet, FleetConfig};
pub use gate::Partitioned;
pub use member::Member;
