//! The kinds a member's controllers read and write, and how one object is named.

use std::fmt;

use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Event, Node, PersistentVolumeClaim, Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

/// A namespace and a name; the namespace is empty for cluster-scoped objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The namespace.
    pub namespace: String,
    /// The name inside it.
    pub name: String,
}

impl Name {
    /// A name from its parts.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// The name an object's metadata carries.
    pub fn of(metadata: &ObjectMeta) -> Self {
        Self {
            namespace: metadata.namespace.clone().unwrap_or_default(),
            name: metadata.name.clone().unwrap_or_default(),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

macro_rules! kinds {
    ($($kind:ident),* $(,)?) => {
        /// The kinds a member's controllers handle.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each variant is the Kubernetes kind it names")]
        pub enum Kind { $($kind),* }

        /// An object of one of the handled kinds.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each variant is the Kubernetes kind it names")]
        pub enum Object { $($kind(Box<$kind>)),* }

        impl Object {
            /// Which kind it is.
            pub const fn kind(&self) -> Kind {
                match self { $(Self::$kind(_) => Kind::$kind),* }
            }

            /// Its metadata.
            pub fn metadata(&self) -> &ObjectMeta {
                match self { $(Self::$kind(object) => &object.metadata),* }
            }

            /// Its metadata, to be changed.
            pub fn metadata_mut(&mut self) -> &mut ObjectMeta {
                match self { $(Self::$kind(object) => &mut object.metadata),* }
            }

            /// Reads an object of a known kind.
            ///
            /// # Errors
            /// When the text is not such an object.
            pub fn decode(kind: Kind, text: &str) -> serde_json::Result<Self> {
                match kind {
                    $(Kind::$kind => serde_json::from_str(text).map(Self::$kind),)*
                }
            }

            /// Writes the object as JSON.
            ///
            /// # Errors
            /// When serialisation fails, which these types do not.
            pub fn encode(&self) -> serde_json::Result<Vec<u8>> {
                match self { $(Self::$kind(object) => serde_json::to_vec(object)),* }
            }
        }

        impl Kind {
            /// The path of the kind's collection.
            pub(crate) fn path(self, namespace: &str) -> String {
                let namespace = (!namespace.is_empty()).then_some(namespace);
                match self {
                    $(Self::$kind => <$kind as kube::Resource>::url_path(&(), namespace),)*
                }
            }
        }

        $(impl From<$kind> for Object {
            fn from(object: $kind) -> Self {
                Self::$kind(Box::new(object))
            }
        })*
    };
}

kinds!(
    Node,
    Deployment,
    ReplicaSet,
    StatefulSet,
    DaemonSet,
    Job,
    ControllerRevision,
    Pod,
    PersistentVolumeClaim,
    Event,
    Service,
    EndpointSlice,
);

/// One object of one kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The kind.
    pub kind: Kind,
    /// Where it is.
    pub name: Name,
}

impl Key {
    /// A key from its parts.
    pub const fn new(kind: Kind, name: Name) -> Self {
        Self { kind, name }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind, self.name)
    }
}

/// The uid of an object, empty when the server has not given one.
pub(crate) fn uid(metadata: &ObjectMeta) -> &str {
    metadata.uid.as_deref().unwrap_or_default()
}

/// The name of an object.
pub(crate) fn name(metadata: &ObjectMeta) -> &str {
    metadata.name.as_deref().unwrap_or_default()
}

/// The owner that controls an object.
pub(crate) fn controller_of(metadata: &ObjectMeta) -> Option<&OwnerReference> {
    metadata
        .owner_references
        .iter()
        .flatten()
        .find(|owner| owner.controller == Some(true))
}

/// One annotation's value.
pub(crate) fn annotation<'a>(metadata: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    metadata.annotations.as_ref()?.get(key).map(String::as_str)
}

/// One label's value.
pub(crate) fn label<'a>(metadata: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    metadata.labels.as_ref()?.get(key).map(String::as_str)
}

/// The reference a controller puts on what it creates.
pub(crate) fn owner_reference(
    api_version: &str,
    kind: &str,
    metadata: &ObjectMeta,
) -> OwnerReference {
    OwnerReference {
        api_version: api_version.to_owned(),
        kind: kind.to_owned(),
        name: name(metadata).to_owned(),
        uid: uid(metadata).to_owned(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// Whether deletion of the object has begun.
pub(crate) const fn is_deleting(metadata: &ObjectMeta) -> bool {
    metadata.deletion_timestamp.is_some()
}
