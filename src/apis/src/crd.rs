//! Definitions of the kinds: names, printer columns, structural schemas and CRD manifests.

use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::kind::Kind;
use crate::override_policy::{ClusterOverridePolicy, OverridePolicy};
use crate::propagation_policy::{ClusterPropagationPolicy, PropagationPolicy};
use crate::resource_binding::{ClusterResourceBinding, ResourceBinding};
use crate::work::Work;

/// A printer column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Heading.
    pub name: &'static str,
    /// Type of the cell: `string` or `date`.
    pub kind: &'static str,
    /// JSON path of the cell.
    pub json_path: &'static str,
    /// Shown by default when 0, in wide output otherwise.
    pub priority: i32,
}

impl Column {
    /// A text column.
    pub const fn string(name: &'static str, json_path: &'static str) -> Self {
        Self {
            name,
            kind: "string",
            json_path,
            priority: 0,
        }
    }

    /// A text column of wide output.
    pub const fn wide(name: &'static str, json_path: &'static str) -> Self {
        Self {
            name,
            kind: "string",
            json_path,
            priority: 1,
        }
    }

    /// The age of the object.
    pub const fn age(name: &'static str) -> Self {
        Self {
            name,
            kind: "date",
            json_path: ".metadata.creationTimestamp",
            priority: 0,
        }
    }
}

/// What an API server needs to serve a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// API group.
    pub group: &'static str,
    /// API version.
    pub version: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Plural resource name.
    pub plural: &'static str,
    /// Singular resource name.
    pub singular: String,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
    /// Whether the status has its own subresource.
    pub status: bool,
    /// Short names.
    pub short_names: &'static [&'static str],
    /// Categories.
    pub categories: &'static [&'static str],
    /// Printer columns.
    pub columns: Vec<Column>,
    /// Structural schema of the whole object.
    pub schema: Value,
}

impl Definition {
    /// The definition of a kind.
    pub fn of<K: Kind>() -> Self {
        let mut properties = json!({
            "apiVersion": { "type": "string" },
            "kind": { "type": "string" },
            "metadata": { "type": "object" },
            "spec": K::spec_schema().to_value(),
        });
        if let Some(status) = K::status_schema() {
            properties["status"] = status.to_value();
        }
        Self {
            group: K::GROUP,
            version: K::VERSION,
            kind: K::KIND,
            plural: K::PLURAL,
            singular: K::KIND.to_ascii_lowercase(),
            namespaced: K::NAMESPACED,
            status: K::STATUS,
            short_names: K::SHORT_NAMES,
            categories: K::CATEGORIES,
            columns: K::columns(),
            schema: json!({
                "type": "object",
                "required": ["spec"],
                "properties": properties,
            }),
        }
    }

    /// The kind as a CustomResourceDefinition manifest.
    pub fn manifest(&self) -> Value {
        let mut names = json!({
            "plural": self.plural,
            "singular": self.singular,
            "kind": self.kind,
            "listKind": format!("{}List", self.kind),
            "categories": self.categories,
        });
        if !self.short_names.is_empty() {
            names["shortNames"] = json!(self.short_names);
        }
        let mut version = json!({
            "name": self.version,
            "served": true,
            "storage": true,
            "schema": { "openAPIV3Schema": self.schema },
        });
        if self.status {
            version["subresources"] = json!({ "status": {} });
        }
        if !self.columns.is_empty() {
            version["additionalPrinterColumns"] =
                self.columns.iter().map(column_manifest).collect();
        }
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("{}.{}", self.plural, self.group) },
            "spec": {
                "group": self.group,
                "scope": if self.namespaced { "Namespaced" } else { "Cluster" },
                "names": names,
                "versions": [version],
            },
        })
    }
}

fn column_manifest(column: &Column) -> Value {
    let mut manifest = json!({
        "name": column.name,
        "type": column.kind,
        "jsonPath": column.json_path,
    });
    if column.priority != 0 {
        manifest["priority"] = json!(column.priority);
    }
    manifest
}

/// Definitions of the kinds served as custom resources.
pub fn definitions() -> Vec<Definition> {
    vec![
        Definition::of::<PropagationPolicy>(),
        Definition::of::<ClusterPropagationPolicy>(),
        Definition::of::<OverridePolicy>(),
        Definition::of::<ClusterOverridePolicy>(),
        Definition::of::<Work>(),
        Definition::of::<ResourceBinding>(),
        Definition::of::<ClusterResourceBinding>(),
    ]
}

/// CustomResourceDefinition manifests of every kind but Cluster.
pub fn crds() -> Vec<Value> {
    definitions().iter().map(Definition::manifest).collect()
}

/// The definition of Cluster, which the API server serves itself.
pub fn cluster_definition() -> Definition {
    Definition::of::<Cluster>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn show() {
        for crd in crds() {
            std::fs::write(format!("/tmp/crd-{}.json", crd["metadata"]["name"].as_str().unwrap()), serde_json::to_string_pretty(&crd).unwrap()).unwrap();
        }
        std::fs::write("/tmp/crd-cluster.json", serde_json::to_string_pretty(&cluster_definition().schema).unwrap()).unwrap();
    }
}
