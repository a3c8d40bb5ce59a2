//! Cluster: a member of the fleet, how to reach it and what it offers.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Taint;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::crd::Column;
use crate::schemas;

kind! {
    /// A member of the fleet.
    Cluster {
        group: "cluster.karmada.io", version: "v1alpha1", plural: "clusters", scope: Cluster,
        short: [],
        columns: vec![
            Column::string("Version", ".status.kubernetesVersion"),
            Column::string("Mode", ".spec.syncMode"),
            Column::string("Ready", ".status.conditions[?(@.type==\"Ready\")].status"),
            Column::age("Age"),
            Column::wide("Zones", ".spec.zones"),
            Column::wide("Region", ".spec.region"),
            Column::wide("Provider", ".spec.provider"),
            Column::wide("API-Endpoint", ".spec.apiEndpoint"),
            Column::wide("Proxy-URL", ".spec.proxyURL"),
        ],
        spec: ClusterSpec, status: ClusterStatus,
    }
}

/// Condition type: whether the member answers and is healthy.
pub const READY: &str = "Ready";
/// Condition type: whether the list of APIs is complete.
pub const COMPLETE_API_ENABLEMENTS: &str = "CompleteAPIEnablements";

impl Cluster {
    /// The cluster's name, empty when unset.
    pub fn name(&self) -> &str {
        self.metadata.name.as_deref().unwrap_or_default()
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.metadata
            .labels
            .as_ref()
            .and_then(|labels| labels.get(key))
            .map(String::as_str)
    }

    /// The condition of this type.
    pub fn condition(&self, kind: &str) -> Option<&Condition> {
        self.status
            .as_ref()?
            .conditions
            .iter()
            .find(|condition| condition.type_ == kind)
    }

    /// Whether the member answers and is healthy.
    pub fn is_ready(&self) -> bool {
        self.condition(READY)
            .is_some_and(|condition| condition.status == "True")
    }

    /// Whether the member is leaving the fleet.
    pub const fn is_deleting(&self) -> bool {
        self.metadata.deletion_timestamp.is_some()
    }

    /// Whether the member serves the kind, as far as its status tells.
    pub fn api_enablement(&self, api_version: &str, kind: &str) -> ApiEnablementState {
        let listed = self.status.as_ref().is_some_and(|status| {
            status.api_enablements.iter().any(|enablement| {
                enablement.group_version == api_version
                    && enablement
                        .resources
                        .iter()
                        .any(|resource| resource.kind == kind)
            })
        });
        if listed {
            return ApiEnablementState::Enabled;
        }
        match self.condition(COMPLETE_API_ENABLEMENTS) {
            Some(condition) if condition.status == "True" => ApiEnablementState::Disabled,
            _ => ApiEnablementState::Unknown,
        }
    }
}

/// Whether a member serves a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiEnablementState {
    /// It is listed.
    Enabled,
    /// It is not listed and the list is complete.
    Disabled,
    /// It is not listed but the list is not known to be complete.
    Unknown,
}

words! {
    /// Who synchronises the member.
    SyncMode {
        /// The control plane.
        #[default]
        Push = "Push",
        /// An agent in the member.
        Pull = "Pull",
    }
}

/// How to reach a member and where it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterSpec {
    /// Unique identity of the member.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 128_000))]
    pub id: String,
    /// Who synchronises the member.
    #[serde(default)]
    #[schemars(required)]
    pub sync_mode: SyncMode,
    /// URL of the member's API server.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub api_endpoint: String,
    /// Secret with the credentials for the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<LocalSecretReference>,
    /// Secret with the credentials to impersonate users in the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impersonator_secret_ref: Option<LocalSecretReference>,
    /// Whether the member's certificate is not checked.
    #[serde(
        default,
        rename = "insecureSkipTLSVerification",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub insecure_skip_tls_verification: bool,
    /// Proxy in front of the member.
    #[serde(default, rename = "proxyURL", skip_serializing_if = "String::is_empty")]
    pub proxy_url: String,
    /// Headers for the proxy.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub proxy_header: BTreeMap<String, String>,
    /// Provider of the member.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub provider: String,
    /// Region of the member.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub region: String,
    /// Deprecated: the one zone; moved to `zones` on write.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub zone: String,
    /// Zones of the member.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<String>,
    /// Taints that keep workloads away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schemas::taints")]
    pub taints: Vec<Taint>,
    /// Grades the member's nodes are counted by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_models: Vec<ResourceModel>,
}

/// A secret and its namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalSecretReference {
    /// Namespace of the secret.
    pub namespace: String,
    /// Name of the secret.
    pub name: String,
}

/// A grade of nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceModel {
    /// Number of the grade.
    pub grade: i64,
    /// Bounds by resource.
    pub ranges: Vec<ResourceModelRange>,
}

/// Bounds of a resource in a grade: `min` inclusive, `max` exclusive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceModelRange {
    /// Name of the resource.
    pub name: String,
    /// Least quantity.
    #[schemars(schema_with = "schemas::quantity")]
    pub min: Quantity,
    /// Quantity of the next grade.
    #[schemars(schema_with = "schemas::quantity")]
    pub max: Quantity,
}

/// What a member offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterStatus {
    /// Version of the member.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kubernetes_version: String,
    /// The APIs it serves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub api_enablements: Vec<ApiEnablement>,
    /// Conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schemas::conditions")]
    pub conditions: Vec<Condition>,
    /// Count of its nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_summary: Option<NodeSummary>,
    /// Its capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_summary: Option<ResourceSummary>,
    /// Remedies in force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedy_actions: Vec<String>,
}

/// The APIs of one group version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiEnablement {
    /// Group and version.
    pub group_version: String,
    /// The resources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ApiResource>,
}

/// One resource of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiResource {
    /// Plural name.
    pub name: String,
    /// Kind.
    pub kind: String,
}

/// Count of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeSummary {
    /// All nodes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub total_num: i32,
    /// Nodes that are ready.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ready_num: i32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "signature set by serde")]
const fn is_zero(value: &i32) -> bool {
    *value == 0
}

/// Capacity of a member.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSummary {
    /// What its nodes offer to pods.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schemas::resource_list")]
    pub allocatable: BTreeMap<String, Quantity>,
    /// Requests of pods without a node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schemas::resource_list")]
    pub allocating: BTreeMap<String, Quantity>,
    /// Requests of pods with a node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "schemas::resource_list")]
    pub allocated: BTreeMap<String, Quantity>,
    /// Nodes by grade of what they have free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allocatable_modelings: Vec<AllocatableModeling>,
}

/// Nodes of a grade.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllocatableModeling {
    /// The grade.
    pub grade: i64,
    /// How many nodes.
    pub count: i64,
}
