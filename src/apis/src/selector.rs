//! The selector by which policies name the resources they apply to.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schemas;

/// Selects resources of one kind by namespace and by name or label.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSelector {
    /// API version of the resources.
    pub api_version: String,
    /// Kind of the resources.
    pub kind: String,
    /// Namespace of the resources; empty means any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name of the resource; empty means any. A name makes the label selector irrelevant.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Criterion on labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schemas::label_selector")]
    pub label_selector: Option<LabelSelector>,
}
