//! Which clusters an affinity selects and which policy a resource belongs to.

pub mod clusters;
pub mod labels;
pub mod resources;

pub use clusters::{ClusterMatcher, Mismatch, cluster_matches};
pub use labels::{selector_is_valid, selector_matches};
pub use resources::{
    AppliedOverride, ImplicitPriority, Overrides, Propagates, Template, applied_overrides,
    best_policy, implicit_priority,
};
