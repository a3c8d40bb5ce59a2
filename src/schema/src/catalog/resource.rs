//! One endpoint: what discovery tells of it and what the server must know beyond that.

/// A field a list may be filtered by, and where its value lies in the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSelectorPath {
    /// The name in the selector, such as `spec.nodeName`.
    pub name: String,
    /// The keys from the object to the value; more than one path when the first is absent.
    pub path: Vec<String>,
    /// What an absent value compares as.
    pub absent: &'static str,
}

/// What happens to dependents when a delete does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    /// They are deleted afterwards.
    #[default]
    Background,
    /// They stay.
    Orphan,
}

/// One subresource of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubresourceInfo {
    /// The last part of the URL, such as `status`.
    pub name: String,
    /// The group of the kind; empty with an empty version for the group of the resource.
    pub group: String,
    /// The version of the kind; empty for the version of the resource.
    pub version: String,
    /// The kind of the body, such as `Scale`.
    pub kind: String,
    /// The verbs, sorted.
    pub verbs: Vec<String>,
}

/// One endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceInfo {
    /// The group, empty for core.
    pub group: String,
    /// The version.
    pub version: String,
    /// The plural name in URLs.
    pub resource: String,
    /// The singular name.
    pub singular: String,
    /// The kind of the objects.
    pub kind: String,
    /// Short names people type.
    pub short_names: Vec<String>,
    /// Groups of resources, such as `all`.
    pub categories: Vec<String>,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// The verbs, sorted.
    pub verbs: Vec<String>,
    /// The subresources, sorted.
    pub subresources: Vec<SubresourceInfo>,
    /// A PUT to a name that does not exist creates it.
    pub create_on_update: bool,
    /// A PUT without a resourceVersion overwrites.
    pub unconditional_update: bool,
    /// `metadata.generation` counts changes of the spec.
    pub generation: bool,
    /// What a delete without a policy does to dependents.
    pub default_propagation: Propagation,
    /// Deletes have a grace period.
    pub graceful: bool,
    /// Fields lists may be filtered by, beyond `metadata.name` and `metadata.namespace`.
    pub field_selectors: Vec<FieldSelectorPath>,
}

impl ResourceInfo {
    /// A subresource by name.
    pub fn subresource(&self, name: &str) -> Option<&SubresourceInfo> {
        self.subresources
            .iter()
            .find(|subresource| subresource.name == name)
    }

    /// Whether status is written through its own endpoint.
    pub fn has_status(&self) -> bool {
        self.subresource("status").is_some()
    }

    /// Whether there is a scale endpoint.
    pub fn has_scale(&self) -> bool {
        self.subresource("scale").is_some()
    }

    /// Whether a verb is served.
    pub fn supports(&self, verb: &str) -> bool {
        self.verbs.iter().any(|known| known == verb)
    }
}
