//! Simulated member clusters.
