//! The resources the engine works with, and what differs between the two kinds of binding.

use flybridge_apis::{
    Cluster, ClusterResourceBinding, ResourceBinding, Work, annotations, finalizers, labels,
};
use flybridge_runtime::{Object, ObjectKey};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::Value;

/// A template: an object of the control plane that may be propagated.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateKey {
    /// `group/version`, or `version` for the core group.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// Namespace and name.
    pub object: ObjectKey,
}

impl TemplateKey {
    /// The key of an object.
    pub fn of(object: &Object) -> Self {
        Self {
            api_version: object.api_version().to_owned(),
            kind: object.kind().to_owned(),
            object: ObjectKey::new(object.namespace(), object.name()),
        }
    }
}

impl TemplateKey {
    /// The key of the template of a binding.
    pub fn bound_by(binding: &Object) -> Self {
        let resource = &binding["spec"]["resource"];
        let text = |field: &str| resource[field].as_str().unwrap_or_default().to_owned();
        Self {
            api_version: text("apiVersion"),
            kind: text("kind"),
            object: ObjectKey::new(text("namespace"), text("name")),
        }
    }
}

/// Which of the two kinds a binding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BindingKind {
    /// `ResourceBinding`: of a namespaced template.
    Resource,
    /// `ClusterResourceBinding`: of a cluster-scoped template.
    ClusterResource,
}

/// A binding of either kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BindingKey {
    /// Its kind.
    pub kind: BindingKind,
    /// Namespace and name.
    pub object: ObjectKey,
}

impl BindingKind {
    /// The kind that binds templates of a namespace, empty for cluster scope.
    pub fn for_namespace(namespace: &str) -> Self {
        if namespace.is_empty() {
            Self::ClusterResource
        } else {
            Self::Resource
        }
    }

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resource => "ResourceBinding",
            Self::ClusterResource => "ClusterResourceBinding",
        }
    }

    /// Where it is served.
    pub fn resource(self) -> ApiResource {
        match self {
            Self::Resource => ApiResource::erase::<ResourceBinding>(&()),
            Self::ClusterResource => ApiResource::erase::<ClusterResourceBinding>(&()),
        }
    }

    /// The label that carries its permanent id.
    pub const fn permanent_id(self) -> &'static str {
        match self {
            Self::Resource => labels::RESOURCE_BINDING_PERMANENT_ID,
            Self::ClusterResource => labels::CLUSTER_RESOURCE_BINDING_PERMANENT_ID,
        }
    }

    /// The finalizer that holds it until its Works are deleted.
    pub const fn finalizer(self) -> &'static str {
        match self {
            Self::Resource => finalizers::BINDING_CONTROLLER,
            Self::ClusterResource => finalizers::CLUSTER_RESOURCE_BINDING_CONTROLLER,
        }
    }

    /// The annotations by which Works and manifests refer to a binding.
    pub fn reference(self, key: &ObjectKey) -> Vec<(&'static str, String)> {
        match self {
            Self::Resource => vec![
                (
                    annotations::RESOURCE_BINDING_NAMESPACE,
                    key.namespace.clone(),
                ),
                (annotations::RESOURCE_BINDING_NAME, key.name.clone()),
            ],
            Self::ClusterResource => {
                vec![(annotations::CLUSTER_RESOURCE_BINDING_NAME, key.name.clone())]
            }
        }
    }
}

impl BindingKey {
    /// The binding that a Work refers to, if it refers to one.
    pub fn of_work(work: &Object) -> Option<Self> {
        let name = work.annotation(annotations::RESOURCE_BINDING_NAME);
        if !name.is_empty() {
            let namespace = work.annotation(annotations::RESOURCE_BINDING_NAMESPACE);
            return Some(Self {
                kind: BindingKind::Resource,
                object: ObjectKey::new(namespace, name),
            });
        }
        let name = work.annotation(annotations::CLUSTER_RESOURCE_BINDING_NAME);
        (!name.is_empty()).then(|| Self {
            kind: BindingKind::ClusterResource,
            object: ObjectKey::cluster_scoped(name),
        })
    }
}

/// The resource of Works.
pub fn works() -> ApiResource {
    ApiResource::erase::<Work>(&())
}

/// The resource of Clusters.
pub fn clusters() -> ApiResource {
    ApiResource::erase::<Cluster>(&())
}

/// The resource of Namespaces.
pub fn namespaces() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", "Namespace"), "namespaces")
}

/// The permanent id that an index files an object under.
pub fn labelled(object: &Object, label: &str) -> Vec<String> {
    let value = object.label(label);
    if value.is_empty() {
        Vec::new()
    } else {
        vec![value.to_owned()]
    }
}

/// The labels or annotations of an object as a JSON map.
pub fn entries<'a>(object: &'a Value, field: &str) -> Option<&'a serde_json::Map<String, Value>> {
    object.get("metadata")?.get(field)?.as_object()
}
