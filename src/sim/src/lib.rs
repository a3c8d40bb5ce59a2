//! Simulated member clusters.

pub mod config;
pub mod daemonset;
pub mod deployment;
pub mod events;
pub mod job;
pub mod kubelet;
pub mod nodes;
pub mod object;
pub mod placement;
pub mod plan;
mod pods;
pub mod replicaset;
pub mod resources;
mod revisions;
pub mod seed;
pub mod statefulset;
#[cfg(test)]
mod testing;
mod time;
