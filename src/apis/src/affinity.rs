//! Criteria that pick clusters: by name, label and field, and the named terms built from them.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schemas;

/// A filter on clusters; every criterion that is present must hold, and an empty one matches every cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = schemas::with_cluster_labels)]
pub struct ClusterAffinity {
    /// Criterion on the labels of the cluster.
    #[serde(
        default,
        alias = "clusterLabels",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(schema_with = "schemas::label_selector")]
    pub label_selector: Option<LabelSelector>,
    /// Criterion on provider, region and zone of the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_selector: Option<FieldSelector>,
    /// Names of the clusters to select.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cluster_names: Vec<String>,
    /// Names of clusters that are never selected.
    #[serde(default, rename = "exclude", skip_serializing_if = "Vec::is_empty")]
    pub exclude_clusters: Vec<String>,
}

impl ClusterAffinity {
    /// Whether no criterion is present at all.
    pub const fn is_empty(&self) -> bool {
        self.label_selector.is_none()
            && self.field_selector.is_none()
            && self.cluster_names.is_empty()
            && self.exclude_clusters.is_empty()
    }
}

/// Criteria on fields of the cluster, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldSelector {
    /// The requirements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<FieldRequirement>,
}

/// One criterion on a field of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldRequirement {
    /// `provider`, `region` or `zone`.
    pub key: String,
    /// `In` or `NotIn`; `Exists` and `DoesNotExist` are understood but refused by validation.
    pub operator: String,
    /// Values to compare with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// A named group of clusters among which one is chosen in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterAffinityTerm {
    /// Name of the term.
    #[schemars(length(min = 1, max = 32))]
    pub affinity_name: String,
    /// The clusters of the term.
    #[serde(flatten)]
    pub affinity: ClusterAffinity,
    /// Groups that take what the clusters above have no room for, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overflow_affinities: Vec<OverflowAffinity>,
}

/// A named group of clusters that takes overflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverflowAffinity {
    /// Name of the group.
    #[schemars(length(min = 1, max = 32))]
    pub affinity_name: String,
    /// The clusters of the group.
    #[serde(flatten)]
    pub affinity: ClusterAffinity,
}
