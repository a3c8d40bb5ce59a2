//! ResourceBinding and ClusterResourceBinding: a resource, its placement and the clusters chosen for it.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{NodeSelector, Toleration};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::crd::Column;
use crate::failover::{FailoverBehavior, PreservedLabelState, PurgeMode};
use crate::placement::Placement;
use crate::propagation_policy::{ConflictResolution, SuspendClusters};
use crate::schemas;
use crate::work::ResourceHealth;

kind! {
    /// The binding of a namespaced resource.
    ResourceBinding {
        group: "work.karmada.io", version: "v1alpha2", plural: "resourcebindings", scope: Namespaced,
        short: ["rb"], columns: columns(),
        spec: ResourceBindingSpec, status: ResourceBindingStatus,
    }
}

kind! {
    /// The binding of a cluster-scoped resource.
    ClusterResourceBinding {
        group: "work.karmada.io", version: "v1alpha2", plural: "clusterresourcebindings", scope: Cluster,
        short: ["crb"], columns: columns(),
        spec: ResourceBindingSpec, status: ResourceBindingStatus,
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::string(
            "SCHEDULED",
            ".status.conditions[?(@.type==\"Scheduled\")].status",
        ),
        Column::string(
            "FULLYAPPLIED",
            ".status.conditions[?(@.type==\"FullyApplied\")].status",
        ),
        Column::age("AGE"),
    ]
}

/// Condition type: whether the scheduler found clusters.
pub const SCHEDULED: &str = "Scheduled";
/// Condition type: whether every target cluster has applied the resource.
pub const FULLY_APPLIED: &str = "FullyApplied";

/// A resource, its placement and the clusters chosen for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceBindingSpec {
    /// The resource.
    pub resource: ObjectReference,
    /// Whether what the resource depends on follows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub propagate_deps: bool,
    /// What one replica needs; absent when the resource runs no pods or asks for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica_requirements: Option<ReplicaRequirements>,
    /// Replicas of the resource in all clusters together.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replicas: i32,
    /// Pod templates, for resources that have several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<Component>,
    /// The clusters chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<TargetCluster>,
    /// Copies that are being moved away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub graceful_eviction_tasks: Vec<GracefulEvictionTask>,
    /// Bindings that depend on this one, with their clusters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_by: Vec<BindingSnapshot>,
    /// The scheduler in charge.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scheduler_name: String,
    /// Where the resource may run; absent for attached bindings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// What happens on failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failover: Option<FailoverBehavior>,
    /// What happens when the resource already exists in a member.
    #[serde(default)]
    pub conflict_resolution: ConflictResolution,
    /// When a fresh division was last asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schemas::time")]
    pub reschedule_triggered_at: Option<Time>,
    /// Holds parts of the propagation back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspension: Option<BindingSuspension>,
    /// Whether members keep the resource when the template is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_resources_on_deletion: Option<bool>,
    /// Priority in the scheduling queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_priority: Option<BindingPriority>,
    /// The groups the workload belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_affinity_groups: Option<WorkloadAffinityGroups>,
}

impl ResourceBindingSpec {
    /// Whether the resource runs pods as far as scheduling can tell.
    pub const fn is_workload(&self) -> bool {
        self.replicas > 0 || self.replica_requirements.is_some() || !self.components.is_empty()
    }

    /// Whether the cluster is among the targets.
    pub fn targets(&self, cluster: &str) -> bool {
        self.clusters.iter().any(|target| target.name == cluster)
    }

    /// Replicas assigned to the cluster, 0 when it is no target.
    pub fn assigned(&self, cluster: &str) -> i32 {
        self.clusters
            .iter()
            .find(|target| target.name == cluster)
            .map_or(0, |target| target.replicas)
    }

    /// Whether the copy in the cluster is being moved away.
    pub fn is_evicting(&self, cluster: &str) -> bool {
        self.graceful_eviction_tasks
            .iter()
            .any(|task| task.from_cluster == cluster)
    }

    /// Whether the scheduler is held back.
    pub fn scheduling_suspended(&self) -> bool {
        self.suspension
            .as_ref()
            .is_some_and(|suspension| suspension.scheduling == Some(true))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "signature set by serde")]
const fn is_zero(value: &i32) -> bool {
    *value == 0
}

/// Identity of the resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    /// API version.
    pub api_version: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty for cluster-scoped resources.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name.
    pub name: String,
    /// UID.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Resource version the binding was built from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
}

/// What one replica needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaRequirements {
    /// The nodes it can run on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_claim: Option<NodeClaim>,
    /// The resources it requests.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schemas::resource_list")]
    pub resource_request: BTreeMap<String, Quantity>,
    /// Its namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its priority class.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority_class_name: String,
}

/// The nodes a replica can run on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeClaim {
    /// Required node affinity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schemas::node_selector")]
    pub hard_node_affinity: Option<NodeSelector>,
    /// Required node labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub node_selector: BTreeMap<String, String>,
    /// Node taints that are tolerated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schemas::tolerations")]
    pub tolerations: Vec<Toleration>,
}

/// One pod template of a resource that has several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Component {
    /// Name of the template.
    #[schemars(length(max = 32))]
    pub name: String,
    /// Its replicas.
    #[serde(default)]
    #[schemars(required)]
    pub replicas: i32,
    /// What one replica needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replica_requirements: Option<ComponentReplicaRequirements>,
}

/// What one replica of a component needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentReplicaRequirements {
    /// The nodes it can run on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_claim: Option<NodeClaim>,
    /// The resources it requests.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schemas::resource_list")]
    pub resource_request: BTreeMap<String, Quantity>,
    /// Its priority class.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub priority_class_name: String,
}

/// A cluster that was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetCluster {
    /// Its name.
    pub name: String,
    /// Replicas it has to run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replicas: i32,
    /// Replicas of every component it has to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<TargetComponent>,
}

/// Replicas of a component in a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetComponent {
    /// Name of the component.
    pub name: String,
    /// Its replicas.
    #[serde(default)]
    #[schemars(required)]
    pub replicas: i32,
}

/// A copy that is being moved away.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GracefulEvictionTask {
    /// The cluster it leaves.
    pub from_cluster: String,
    /// How it goes away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purge_mode: Option<PurgeMode>,
    /// Replicas it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Why, as one word.
    #[schemars(
        length(min = 1, max = 32),
        regex(pattern = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
    )]
    pub reason: String,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 1024))]
    pub message: String,
    /// Who asked for it.
    pub producer: String,
    /// Seconds until it goes away regardless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_period_seconds: Option<i32>,
    /// Whether it is kept until somebody confirms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppress_deletion: Option<bool>,
    /// Labels for the new copy.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub preserved_label_state: PreservedLabelState,
    /// When the task was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schemas::time")]
    pub creation_timestamp: Option<Time>,
    /// The targets before the failover.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters_before_failover: Vec<String>,
}

/// A binding that depends on another, with its clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BindingSnapshot {
    /// Namespace of the binding.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name of the binding.
    pub name: String,
    /// Its clusters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<TargetCluster>,
}

/// Holds parts of the propagation back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BindingSuspension {
    /// Whether nothing is sent to any cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatching: Option<bool>,
    /// Clusters to which nothing is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatching_on_clusters: Option<SuspendClusters>,
    /// Whether the binding is not scheduled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduling: Option<bool>,
}

/// Priority in the scheduling queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BindingPriority {
    /// The greater, the earlier.
    #[serde(default)]
    pub priority: i32,
}

/// The groups a workload belongs to, as `key=value`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadAffinityGroups {
    /// The group it runs with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub affinity_group: String,
    /// The group it runs apart from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub anti_affinity_group: String,
}

/// What became of the binding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceBindingStatus {
    /// Generation the scheduler has dealt with.
    #[serde(default, skip_serializing_if = "is_zero_long")]
    pub scheduler_observed_generation: i64,
    /// The affinity term in force.
    #[serde(
        default,
        rename = "schedulerObservingAffinityName",
        skip_serializing_if = "String::is_empty"
    )]
    pub scheduler_observed_affinity_name: String,
    /// When the scheduler last succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schemas::time")]
    pub last_scheduled_time: Option<Time>,
    /// Conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schemas::conditions")]
    pub conditions: Vec<Condition>,
    /// Status by cluster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aggregated_status: Vec<AggregatedStatusItem>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "signature set by serde")]
const fn is_zero_long(value: &i64) -> bool {
    *value == 0
}

/// Status in one cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AggregatedStatusItem {
    /// The cluster.
    pub cluster_name: String,
    /// Status of the resource as reflected there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schemas::free_object")]
    pub status: Option<Value>,
    /// Whether it is applied there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub applied: bool,
    /// Why it is not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub applied_message: String,
    /// Its health.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<ResourceHealth>,
}
