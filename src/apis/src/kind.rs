//! The frame every top-level kind shares: metadata, spec, an optional status and its API coordinates.

use schemars::Schema;

use crate::crd::Column;

/// What the API server must know of a kind besides its fields.
pub trait Kind {
    /// API group.
    const GROUP: &'static str;
    /// API version inside the group.
    const VERSION: &'static str;
    /// Kind as written in manifests.
    const KIND: &'static str;
    /// Plural resource name.
    const PLURAL: &'static str;
    /// Whether objects live in a namespace.
    const NAMESPACED: bool;
    /// Whether the status has its own subresource.
    const STATUS: bool;
    /// Short names for the command line.
    const SHORT_NAMES: &'static [&'static str];
    /// Categories the kind is listed under.
    const CATEGORIES: &'static [&'static str];

    /// Printer columns in order.
    fn columns() -> Vec<Column>;

    /// Structural schema of `spec`.
    fn spec_schema() -> Schema;

    /// Structural schema of `status`, for kinds that have one.
    fn status_schema() -> Option<Schema>;
}

/// Declares the root struct of a kind with its Kubernetes traits.
macro_rules! kind {
    (
        $(#[$doc:meta])*
        $name:ident {
            group: $group:literal, version: $version:literal, plural: $plural:literal, scope: $scope:ident,
            short: [$($short:literal),*], columns: $columns:expr,
            spec: $spec:ty $(, status: $status:ty)? $(,)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
        pub struct $name {
            /// Standard object metadata.
            #[serde(default)]
            pub metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
            /// Desired state.
            #[serde(default)]
            pub spec: $spec,
            $(
                /// Observed state.
                #[serde(default)]
                pub status: Option<$status>,
            )?
        }

        impl $name {
            /// An object with this name and spec and nothing else.
            pub fn new(name: &str, spec: $spec) -> Self {
                let mut object = Self { spec, ..Self::default() };
                object.metadata.name = Some(name.to_owned());
                object
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("apiVersion", concat!($group, "/", $version))?;
                map.serialize_entry("kind", stringify!($name))?;
                map.serialize_entry("metadata", &self.metadata)?;
                map.serialize_entry("spec", &self.spec)?;
                $(
                    let status: &Option<$status> = &self.status;
                    if let Some(status) = status {
                        map.serialize_entry("status", status)?;
                    }
                )?
                map.end()
            }
        }

        impl kube::Resource for $name {
            type DynamicType = ();
            type Scope = kind!(@scope $scope);

            fn kind((): &()) -> std::borrow::Cow<'_, str> {
                stringify!($name).into()
            }
            fn group((): &()) -> std::borrow::Cow<'_, str> {
                $group.into()
            }
            fn version((): &()) -> std::borrow::Cow<'_, str> {
                $version.into()
            }
            fn plural((): &()) -> std::borrow::Cow<'_, str> {
                $plural.into()
            }
            fn meta(&self) -> &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                &self.metadata
            }
            fn meta_mut(
                &mut self,
            ) -> &mut k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                &mut self.metadata
            }
        }

        impl crate::kind::Kind for $name {
            const GROUP: &'static str = $group;
            const VERSION: &'static str = $version;
            const KIND: &'static str = stringify!($name);
            const PLURAL: &'static str = $plural;
            const NAMESPACED: bool = kind!(@namespaced $scope);
            const STATUS: bool = false $(|| { let _: Option<$status>; true })?;
            const SHORT_NAMES: &'static [&'static str] = &[$($short),*];
            const CATEGORIES: &'static [&'static str] = &["karmada-io"];

            fn columns() -> Vec<crate::crd::Column> {
                $columns
            }
            fn spec_schema() -> schemars::Schema {
                crate::schemas::structural::<$spec>()
            }
            fn status_schema() -> Option<schemars::Schema> {
                #[allow(unused_mut, unused_assignments, reason = "kinds without a status")]
                let mut schema = None;
                $( schema = Some(crate::schemas::structural::<$status>()); )?
                schema
            }
        }
    };
    (@scope Namespaced) => { kube::core::NamespaceResourceScope };
    (@scope Cluster) => { kube::core::ClusterResourceScope };
    (@namespaced Namespaced) => { true };
    (@namespaced Cluster) => { false };
}

/// Declares an enumeration whose variants are written on the wire as they are named here.
macro_rules! words {
    (
        $(#[$doc:meta])*
        $name:ident { $( $(#[$variant_doc:meta])* $variant:ident = $word:literal ),+ $(,)? }
    ) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub enum $name {
            $( $(#[$variant_doc])* #[serde(rename = $word)] $variant ),+
        }

        impl $name {
            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word ),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }
    };
}
