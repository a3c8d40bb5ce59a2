//! PropagationPolicy and ClusterPropagationPolicy: which resources go where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crd::Column;
use crate::failover::FailoverBehavior;
use crate::placement::Placement;
use crate::selector::ResourceSelector;

kind! {
    /// The policy for resources of its own namespace.
    PropagationPolicy {
        group: "policy.karmada.io", version: "v1alpha1", plural: "propagationpolicies", scope: Namespaced,
        short: ["pp"], columns: columns(),
        spec: PropagationSpec,
    }
}

kind! {
    /// The policy for resources of any scope.
    ClusterPropagationPolicy {
        group: "policy.karmada.io", version: "v1alpha1", plural: "clusterpropagationpolicies", scope: Cluster,
        short: ["cpp"], columns: columns(),
        spec: PropagationSpec,
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::string("CONFLICT-RESOLUTION", ".spec.conflictResolution"),
        Column::string("PRIORITY", ".spec.priority"),
        Column::age("AGE"),
    ]
}

/// Name of the scheduler used when none is given.
pub const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// The desired propagation of some resources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropagationSpec {
    /// The resources.
    #[schemars(length(min = 1))]
    pub resource_selectors: Vec<ResourceSelector>,
    /// Deprecated and ignored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub association: bool,
    /// Whether what a resource depends on follows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub propagate_deps: bool,
    /// Where the resources go.
    #[serde(default)]
    pub placement: Placement,
    /// Precedence over other policies; the greatest wins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0))]
    pub priority: Option<i32>,
    /// Whether the policy takes resources from policies of lower priority.
    #[serde(default)]
    pub preemption: PreemptionBehavior,
    /// Override policies that must exist before resources are propagated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependent_overrides: Vec<String>,
    /// The scheduler that places the resources.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = "default-scheduler"))]
    pub scheduler_name: String,
    /// What happens on failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failover: Option<FailoverBehavior>,
    /// What happens when a resource already exists in a member.
    #[serde(default)]
    pub conflict_resolution: ConflictResolution,
    /// When changes of the policy take effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation_preference: Option<ActivationPreference>,
    /// Holds propagation back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspension: Option<Suspension>,
    /// Whether members keep the resources when the template is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_resources_on_deletion: Option<bool>,
    /// Priority in the scheduling queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_priority: Option<SchedulePriority>,
}

impl PropagationSpec {
    /// The explicit priority, 0 by default.
    pub fn priority(&self) -> i32 {
        self.priority.unwrap_or(0)
    }
}

words! {
    /// Whether a policy takes resources from others.
    PreemptionBehavior {
        /// It does.
        Always = "Always",
        /// It does not.
        #[default]
        Never = "Never",
    }
}

words! {
    /// What happens when a resource already exists in a member and is not managed.
    ConflictResolution {
        /// It is left alone and the conflict reported.
        #[default]
        Abort = "Abort",
        /// It is taken over.
        Overwrite = "Overwrite",
    }
}

words! {
    /// When changes of a policy take effect.
    ActivationPreference {
        /// With the next change of the resource itself.
        #[default]
        Lazy = "Lazy",
    }
}

/// Holds propagation back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suspension {
    /// Whether nothing is sent to any cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatching: Option<bool>,
    /// Clusters to which nothing is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatching_on_clusters: Option<SuspendClusters>,
}

/// Clusters to which nothing is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuspendClusters {
    /// Their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cluster_names: Vec<String>,
}

/// Where the scheduling priority comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchedulePriority {
    /// The kind of priority class.
    #[schemars(extend("enum" = ["KubePriorityClass"]))]
    pub priority_class_source: String,
    /// Name of the class.
    pub priority_class_name: String,
}
