//! The serialized form of schemas: OpenAPI v3 as CustomResourceDefinitions carry it, and the
//! definitions of the built-in asset.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// One schema object, as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RawNode {
    #[serde(rename = "$ref")]
    pub(crate) reference: Option<Box<str>>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<Box<str>>,
    pub(crate) format: Option<Box<str>>,
    pub(crate) description: Option<Box<str>>,
    pub(crate) properties: Option<BTreeMap<Box<str>, Self>>,
    pub(crate) additional_properties: Option<BoolOrNode>,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) required: Option<Vec<Box<str>>>,
    pub(crate) nullable: bool,
    pub(crate) default: Option<Value>,
    #[serde(rename = "enum")]
    pub(crate) allowed: Option<Vec<Value>>,
    pub(crate) pattern: Option<Box<str>>,
    pub(crate) minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) exclusive_maximum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) unique_items: bool,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    pub(crate) all_of: Option<Vec<Self>>,
    pub(crate) any_of: Option<Vec<Self>>,
    pub(crate) one_of: Option<Vec<Self>>,
    pub(crate) not: Option<Box<Self>>,
    #[serde(rename = "x-kubernetes-preserve-unknown-fields")]
    pub(crate) preserve_unknown: Option<bool>,
    #[serde(rename = "x-kubernetes-int-or-string")]
    pub(crate) int_or_string: bool,
    #[serde(rename = "x-kubernetes-embedded-resource")]
    pub(crate) embedded_resource: bool,
    #[serde(rename = "x-kubernetes-list-type")]
    pub(crate) list_type: Option<Box<str>>,
    #[serde(rename = "x-kubernetes-list-map-keys")]
    pub(crate) list_map_keys: Option<Vec<Box<str>>>,
    #[serde(rename = "x-kubernetes-map-type")]
    pub(crate) map_type: Option<Box<str>>,
    #[serde(rename = "x-kubernetes-patch-strategy")]
    pub(crate) patch_strategy: Option<Box<str>>,
    #[serde(rename = "x-kubernetes-patch-merge-key")]
    pub(crate) patch_merge_key: Option<Box<str>>,
    #[serde(rename = "x-kubernetes-group-version-kind")]
    pub(crate) gvks: Option<Vec<RawGvk>>,
    #[serde(rename = "x-kubernetes-unions")]
    pub(crate) unions: Option<Value>,
    #[serde(rename = "x-kubernetes-validations")]
    pub(crate) validations: Option<Value>,
}

/// `additionalProperties`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum BoolOrNode {
    /// Any keys, or none.
    Bool(bool),
    /// Values of one type.
    Node(Box<RawNode>),
}

/// A group, version and kind.
#[derive(Debug, Deserialize)]
pub(crate) struct RawGvk {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}
