//! The Karmada API groups as types, their defaulting, validation, names, labels and CRD manifests.
//!
//! Everything here is a pure function of its arguments; objects enter and leave as typed structs or JSON values.

#[macro_use]
mod kind;

pub mod admission;
pub mod affinity;
pub mod annotations;
pub mod cluster;
pub mod crd;
pub mod failover;
pub mod finalizers;
pub mod labels;
pub mod matching;
pub mod names;
pub mod override_policy;
pub mod placement;
pub mod propagation_policy;
pub mod prune;
pub mod resource_binding;
mod schemas;
pub mod selector;
pub mod work;

pub use affinity::{ClusterAffinity, ClusterAffinityTerm, FieldSelector};
pub use cluster::{Cluster, ClusterSpec, ClusterStatus, SyncMode};
pub use crd::{Definition, cluster_definition, crds, definitions};
pub use kind::Kind;
pub use override_policy::{ClusterOverridePolicy, OverridePolicy, OverrideSpec, Overriders};
pub use placement::{Placement, ReplicaScheduling, SpreadConstraint};
pub use propagation_policy::{
    ClusterPropagationPolicy, ConflictResolution, PropagationPolicy, PropagationSpec,
};
pub use resource_binding::{
    ClusterResourceBinding, ResourceBinding, ResourceBindingSpec, ResourceBindingStatus,
    TargetCluster,
};
pub use selector::ResourceSelector;
pub use work::{ManifestStatus, Work, WorkSpec, WorkStatus};
