//! Work: the manifests one member cluster has to run, and what became of them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::crd::Column;
use crate::schemas;

kind! {
    /// Manifests for one member cluster, in that cluster's execution namespace.
    Work {
        group: "work.karmada.io", version: "v1alpha1", plural: "works", scope: Namespaced,
        short: ["wk"],
        columns: vec![
            Column::string("WORKLOAD-KIND", ".spec.workload.manifests[*].kind"),
            Column::string("APPLIED", ".status.conditions[?(@.type==\"Applied\")].status"),
            Column::age("AGE"),
        ],
        spec: WorkSpec, status: WorkStatus,
    }
}

/// Condition type: whether the manifests are applied in the member.
pub const APPLIED: &str = "Applied";
/// Condition type: whether the manifests are sent to the member.
pub const DISPATCHING: &str = "Dispatching";

/// What the member has to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkSpec {
    /// The manifests.
    #[serde(default)]
    pub workload: WorkloadTemplate,
    /// Whether nothing is sent to the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspend_dispatching: Option<bool>,
    /// Whether the member keeps the resources when the work is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_resources_on_deletion: Option<bool>,
}

/// A list of manifests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadTemplate {
    /// Whole objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schemas::manifests")]
    pub manifests: Vec<Value>,
}

/// What became of the manifests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkStatus {
    /// Conditions of the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "schemas::conditions")]
    pub conditions: Vec<Condition>,
    /// Status of every manifest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manifest_statuses: Vec<ManifestStatus>,
}

/// Status of one manifest in the member.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManifestStatus {
    /// Which manifest.
    pub identifier: ResourceIdentifier,
    /// Its status as reflected from the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schemas::free_object")]
    pub status: Option<Value>,
    /// Its health.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<ResourceHealth>,
}

words! {
    /// Health of a resource in a member.
    ResourceHealth {
        /// It works.
        Healthy = "Healthy",
        /// It does not.
        Unhealthy = "Unhealthy",
        /// Nobody can tell.
        #[default]
        Unknown = "Unknown",
    }
}

/// Which manifest a status is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceIdentifier {
    /// Position in the list of manifests.
    pub ordinal: i64,
    /// API group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// API version.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Plural resource name; written empty.
    #[serde(default)]
    #[schemars(required)]
    pub resource: String,
    /// Namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name.
    pub name: String,
}
