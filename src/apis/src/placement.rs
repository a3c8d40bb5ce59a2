//! Where a workload may run and how its replicas are divided.

use k8s_openapi::api::core::v1::Toleration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::affinity::{ClusterAffinity, ClusterAffinityTerm};
use crate::resource_binding::NodeClaim;
use crate::schemas;

/// The placement rules of a policy, copied verbatim to its bindings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Placement {
    /// The clusters to choose from; excludes `clusterAffinities`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster_affinity: Option<ClusterAffinity>,
    /// Groups of clusters tried in order; excludes `clusterAffinity`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cluster_affinities: Vec<ClusterAffinityTerm>,
    /// Cluster taints that are tolerated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schemas::tolerations")]
    pub cluster_tolerations: Vec<Toleration>,
    /// How many groups of clusters to spread over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread_constraints: Vec<SpreadConstraint>,
    /// How replicas are divided; absent means every cluster runs all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica_scheduling: Option<ReplicaScheduling>,
    /// Placement relative to other workloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_affinity: Option<WorkloadAffinity>,
    /// Requirements on the nodes that count as capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<PlacementResource>,
    /// Rescheduling driven by load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schemas::free_object")]
    pub reschedule_policy: Option<Value>,
}

impl Placement {
    /// How replicas are scheduled; an absent strategy means duplicated.
    pub fn scheduling_type(&self) -> Option<ReplicaSchedulingType> {
        self.replica_scheduling
            .as_ref()
            .map_or(Some(ReplicaSchedulingType::Duplicated), |strategy| {
                strategy.replica_scheduling_type
            })
    }
}

words! {
    /// The dimension clusters are grouped by.
    SpreadField {
        /// Every cluster is a group.
        #[default]
        Cluster = "cluster",
        /// By `spec.region`.
        Region = "region",
        /// By `spec.zones`.
        Zone = "zone",
        /// By `spec.provider`.
        Provider = "provider",
    }
}

/// Bounds on the number of groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpreadConstraint {
    /// Field that groups clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread_by_field: Option<SpreadField>,
    /// Label that groups clusters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub spread_by_label: String,
    /// Most groups to select; 0 selects none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub max_groups: i64,
    /// Fewest groups to select.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub min_groups: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "signature set by serde")]
const fn is_zero(value: &i64) -> bool {
    *value == 0
}

words! {
    /// Whether every cluster runs all replicas or a share of them.
    ReplicaSchedulingType {
        /// All replicas in every cluster.
        Duplicated = "Duplicated",
        /// A share in every cluster.
        #[default]
        Divided = "Divided",
    }
}

words! {
    /// How divided replicas are laid out.
    ReplicaDivisionPreference {
        /// In as few clusters as have room.
        Aggregated = "Aggregated",
        /// By weight.
        #[default]
        Weighted = "Weighted",
    }
}

/// How replicas are divided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaScheduling {
    /// Duplicated or Divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Divided"))]
    pub replica_scheduling_type: Option<ReplicaSchedulingType>,
    /// Aggregated or Weighted, when divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica_division_preference: Option<ReplicaDivisionPreference>,
    /// Weights, when weighted; absent means equal weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_preference: Option<ClusterPreferences>,
}

/// Weights of clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterPreferences {
    /// Fixed weights; the greatest of the matching rules counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub static_weight_list: Vec<StaticClusterWeight>,
    /// Weights taken from a measurement; overrides the fixed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamic_weight: Option<DynamicWeightFactor>,
}

words! {
    /// The measurement dynamic weights come from.
    DynamicWeightFactor {
        /// Replicas the cluster has room for.
        #[default]
        AvailableReplicas = "AvailableReplicas",
    }
}

/// A fixed weight of some clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaticClusterWeight {
    /// The clusters.
    #[serde(default)]
    pub target_cluster: ClusterAffinity,
    /// Their weight.
    #[schemars(range(min = 1))]
    pub weight: i64,
}

/// Placement relative to other workloads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadAffinity {
    /// Runs where its group runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub affinity: Option<WorkloadAffinityTerm>,
    /// Runs where its group does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anti_affinity: Option<WorkloadAffinityTerm>,
}

/// A group of workloads with an equal label value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadAffinityTerm {
    /// Label of the template whose value names the group.
    pub group_by_label_key: String,
}

/// Requirements on nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacementResource {
    /// The nodes that count as capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_claim: Option<NodeClaim>,
}
