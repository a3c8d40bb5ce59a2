//! OverridePolicy and ClusterOverridePolicy: how a resource differs from cluster to cluster.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::affinity::ClusterAffinity;
use crate::schemas;
use crate::selector::ResourceSelector;

kind! {
    /// Overrides for resources of its own namespace.
    OverridePolicy {
        group: "policy.karmada.io", version: "v1alpha1", plural: "overridepolicies", scope: Namespaced,
        short: ["op"], columns: Vec::new(),
        spec: OverrideSpec,
    }
}

kind! {
    /// Overrides for resources of any scope.
    ClusterOverridePolicy {
        group: "policy.karmada.io", version: "v1alpha1", plural: "clusteroverridepolicies", scope: Cluster,
        short: ["cop"], columns: Vec::new(),
        spec: OverrideSpec,
    }
}

/// The desired overrides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverrideSpec {
    /// The resources; none means every one in scope.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resource_selectors: Vec<ResourceSelector>,
    /// Overrides by cluster, applied in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub override_rules: Vec<RuleWithCluster>,
    /// Deprecated: the clusters of the single rule in `overriders`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_cluster: Option<ClusterAffinity>,
    /// Deprecated: the overriders of the single rule.
    #[serde(default, skip_serializing_if = "Overriders::is_empty")]
    pub overriders: Overriders,
}

/// Overriders for some clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleWithCluster {
    /// The clusters; absent means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_cluster: Option<ClusterAffinity>,
    /// What to change.
    pub overriders: Overriders,
}

/// Changes to a resource, by sort.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overriders {
    /// JSON patch operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plaintext: Vec<PlaintextOverrider>,
    /// Changes of container images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub image_overrider: Vec<ImageOverrider>,
    /// Changes of container commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command_overrider: Vec<CommandArgsOverrider>,
    /// Changes of container arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args_overrider: Vec<CommandArgsOverrider>,
    /// Changes of labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels_overrider: Vec<LabelAnnotationOverrider>,
    /// Changes of annotations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annotations_overrider: Vec<LabelAnnotationOverrider>,
    /// Changes inside a field that holds JSON or YAML text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub field_overrider: Vec<FieldOverrider>,
}

impl Overriders {
    /// Whether there is nothing to change.
    pub const fn is_empty(&self) -> bool {
        self.plaintext.is_empty()
            && self.image_overrider.is_empty()
            && self.command_overrider.is_empty()
            && self.args_overrider.is_empty()
            && self.labels_overrider.is_empty()
            && self.annotations_overrider.is_empty()
            && self.field_overrider.is_empty()
    }
}

words! {
    /// What an overrider does.
    OverriderOperator {
        /// Adds.
        #[default]
        Add = "add",
        /// Removes.
        Remove = "remove",
        /// Replaces.
        Replace = "replace",
    }
}

/// One JSON patch operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaintextOverrider {
    /// JSON pointer to the place.
    pub path: String,
    /// What to do there.
    pub operator: OverriderOperator,
    /// The value to add or replace with.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "schemas::present"
    )]
    #[schemars(schema_with = "schemas::any")]
    pub value: Option<Value>,
}

words! {
    /// A part of an image reference.
    ImageComponent {
        /// The registry.
        #[default]
        Registry = "Registry",
        /// The repository.
        Repository = "Repository",
        /// The tag or digest.
        Tag = "Tag",
    }
}

/// A change of an image reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageOverrider {
    /// The image to change; absent means every image of the known workload kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicate: Option<ImagePredicate>,
    /// The part to change.
    pub component: ImageComponent,
    /// What to do with it.
    pub operator: OverriderOperator,
    /// The new text; empty only to remove.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
}

/// Where an image is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImagePredicate {
    /// JSON pointer to the image.
    pub path: String,
}

/// A change of a container's command or arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandArgsOverrider {
    /// The container.
    pub container_name: String,
    /// Add or remove.
    #[schemars(extend("enum" = ["add", "remove"]))]
    pub operator: OverriderOperator,
    /// The words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub value: Vec<String>,
}

/// A change of labels or annotations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelAnnotationOverrider {
    /// What to do.
    pub operator: OverriderOperator,
    /// The entries; values are ignored on removal.
    #[serde(default)]
    #[schemars(required)]
    pub value: BTreeMap<String, String>,
}

/// A change inside a field that holds structured text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldOverrider {
    /// JSON pointer to the field.
    pub field_path: String,
    /// Operations on JSON text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub json: Vec<FieldPatchOperation>,
    /// Operations on YAML text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yaml: Vec<FieldPatchOperation>,
}

/// One patch operation inside structured text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldPatchOperation {
    /// JSON pointer inside the text.
    pub sub_path: String,
    /// What to do there.
    pub operator: OverriderOperator,
    /// The value to add or replace with.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "schemas::present"
    )]
    #[schemars(schema_with = "schemas::any")]
    pub value: Option<Value>,
}
