//! One served resource: names, scope, verbs, subresources, and how its objects are shaped.

use std::sync::Arc;

use flybridge_machinery::{Gvk, Gvr};
use flybridge_schema::Schema;

use crate::printers::CustomPrinter;

/// Whether objects live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// Beside namespaces.
    Cluster,
}

/// Where a definition comes from, and what that implies.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// Compiled in, with Kubernetes' own rules.
    BuiltIn,
    /// Registered by the embedding program.
    Embedded,
    /// A CustomResourceDefinition object.
    Custom {
        /// The version its objects are stored in.
        storage_version: String,
        /// The revision of the CRD; objects stored earlier may lack defaults it has since.
        revision: u64,
    },
}

/// A subresource and what it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Its name, such as `status`.
    pub name: String,
    /// The kind it reads and writes.
    pub gvk: Gvk,
    /// What may be done.
    pub verbs: Vec<String>,
}

/// Behaviour that differs between resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// The status is written through its own subresource only.
    pub status: bool,
    /// `metadata.generation` counts changes of the desired state.
    pub generation: bool,
    /// A PUT without a resource version overwrites.
    pub unconditional_update: bool,
    /// A PUT of an absent object creates it.
    pub create_on_update: bool,
    /// Deleting without a policy leaves dependents behind.
    pub orphan_by_default: bool,
}

/// Where a custom resource keeps what `/scale` shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalePaths {
    /// The wanted number.
    pub spec_replicas: Vec<String>,
    /// The observed number.
    pub status_replicas: Vec<String>,
    /// The selector in text form.
    pub label_selector: Option<Vec<String>>,
}

/// A served resource.
#[derive(Clone, Debug)]
pub struct Definition {
    /// API group; empty for core.
    pub group: String,
    /// API version.
    pub version: String,
    /// Plural name, as in paths.
    pub plural: String,
    /// Singular name.
    pub singular: String,
    /// Kind.
    pub kind: String,
    /// Kind of lists.
    pub list_kind: String,
    /// Short names.
    pub short_names: Vec<String>,
    /// Categories, such as `all`.
    pub categories: Vec<String>,
    /// Scope.
    pub scope: Scope,
    /// What may be done.
    pub verbs: Vec<String>,
    /// Subresources, in name order.
    pub subresources: Vec<Subresource>,
    /// Behaviour.
    pub traits: Traits,
    /// Fields beside name and namespace that field selectors may name, with their paths.
    pub field_paths: Vec<(String, Vec<String>)>,
    /// Printer of custom and embedded resources; built-in ones have their own.
    pub printer: Option<Arc<CustomPrinter>>,
    /// `/scale` of custom resources.
    pub scale: Option<ScalePaths>,
    /// What objects look like; `None` accepts anything.
    pub schema: Option<Schema>,
    /// Where it comes from.
    pub origin: Origin,
    /// The bucket of the store its objects lie in; versions of one resource share it.
    pub bucket: Arc<str>,
}

impl Definition {
    /// Group, version and resource.
    pub fn gvr(&self) -> Gvr {
        Gvr::new(&self.group, &self.version, &self.plural)
    }

    /// Group, version and kind.
    pub fn gvk(&self) -> Gvk {
        Gvk::new(&self.group, &self.version, &self.kind)
    }

    /// `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        self.gvr().api_version()
    }

    /// `apiVersion` of its objects in the store, which all versions of a resource share.
    pub fn storage_api_version(&self) -> String {
        match (&self.origin, self.group.as_str(), self.plural.as_str()) {
            (
                Origin::Custom {
                    storage_version, ..
                },
                group,
                _,
            ) => format!("{group}/{storage_version}"),
            (_, "events.k8s.io", "events") => "v1".to_owned(),
            (_, "autoscaling", "horizontalpodautoscalers") => "autoscaling/v2".to_owned(),
            _ => self.api_version(),
        }
    }

    /// The schema, if strategic merge patches are supported: for built-in kinds.
    pub fn strategic_schema(&self) -> Option<&Schema> {
        self.schema.as_ref().filter(|schema| schema.is_builtin())
    }

    /// Whether objects live in a namespace.
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// Whether objects are kept, as opposed to being only answered, like reviews.
    pub fn is_stored(&self) -> bool {
        self.verbs.iter().any(|verb| verb == "get")
    }

    /// Whether a verb is served.
    pub fn takes(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }

    /// A subresource by name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources
            .iter()
            .find(|subresource| subresource.name == name)
    }

    /// The name inside the bucket: `namespace/name`, or `name` beside namespaces.
    pub fn record_name(&self, namespace: &str, name: &str) -> String {
        if self.is_namespaced() {
            format!("{namespace}/{name}")
        } else {
            name.to_owned()
        }
    }

    /// The bucket of a resource.
    pub fn bucket_of(group: &str, plural: &str) -> Arc<str> {
        // Both event APIs show the same objects.
        let group = if group == "events.k8s.io" && plural == "events" {
            ""
        } else {
            group
        };
        if group.is_empty() {
            plural.into()
        } else {
            format!("{group}/{plural}").into()
        }
    }
}
