//! Annotation keys and values the control plane reads and writes.

/// On claimed templates and bindings: namespace of the policy.
pub const PROPAGATION_POLICY_NAMESPACE: &str = "propagationpolicy.karmada.io/namespace";
/// On claimed templates and bindings: name of the policy.
pub const PROPAGATION_POLICY_NAME: &str = "propagationpolicy.karmada.io/name";
/// On claimed templates and bindings: name of the cluster-scoped policy.
pub const CLUSTER_PROPAGATION_POLICY_NAME: &str = "clusterpropagationpolicy.karmada.io/name";
/// On Works and manifests: namespace of the binding.
pub const RESOURCE_BINDING_NAMESPACE: &str = "resourcebinding.karmada.io/namespace";
/// On Works and manifests: name of the binding.
pub const RESOURCE_BINDING_NAME: &str = "resourcebinding.karmada.io/name";
/// On Works and manifests: name of the cluster-scoped binding.
pub const CLUSTER_RESOURCE_BINDING_NAME: &str = "clusterresourcebinding.karmada.io/name";
/// On manifests: namespace of the Work.
pub const WORK_NAMESPACE: &str = "work.karmada.io/namespace";
/// On manifests: name of the Work.
pub const WORK_NAME: &str = "work.karmada.io/name";
/// On templates, Works and manifests: [`CONFLICT_OVERWRITE`] or [`CONFLICT_ABORT`].
pub const CONFLICT_RESOLUTION: &str = "work.karmada.io/conflict-resolution";
/// Takes an existing object over.
pub const CONFLICT_OVERWRITE: &str = "overwrite";
/// Leaves an existing object alone.
pub const CONFLICT_ABORT: &str = "abort";
/// On manifests: UID of the template.
pub const TEMPLATE_UID: &str = "resourcetemplate.karmada.io/uid";
/// On manifests: generation of the template.
pub const TEMPLATE_GENERATION: &str = "resourcetemplate.karmada.io/generation";
/// On manifests: the labels that come from the control plane, sorted and joined with commas.
pub const MANAGED_LABELS: &str = "resourcetemplate.karmada.io/managed-labels";
/// On manifests: the annotations that come from the control plane, sorted and joined with commas.
pub const MANAGED_ANNOTATIONS: &str = "resourcetemplate.karmada.io/managed-annotations";
/// On bindings: the placement the scheduler last used, as JSON.
pub const APPLIED_PLACEMENT: &str = "policy.karmada.io/applied-placement";
/// On Works: the OverridePolicies applied, as JSON.
pub const APPLIED_OVERRIDES: &str = "policy.karmada.io/applied-overrides";
/// On Works: the ClusterOverridePolicies applied, as JSON.
pub const APPLIED_CLUSTER_OVERRIDES: &str = "policy.karmada.io/applied-cluster-overrides";
/// On dispatched EndpointSlices: the cluster they come from.
pub const ENDPOINT_SLICE_PROVISION_CLUSTER: &str = "endpointslice.karmada.io/provision-cluster";
/// On an independent binding: its dependencies, as JSON.
pub const DEPENDENCIES: &str = "resourcebinding.karmada.io/dependencies";
/// On what a MultiClusterService claimed: its namespace.
pub const MULTI_CLUSTER_SERVICE_NAMESPACE: &str = "multiclusterservice.karmada.io/namespace";
/// On what a MultiClusterService claimed: its name.
pub const MULTI_CLUSTER_SERVICE_NAME: &str = "multiclusterservice.karmada.io/name";
/// On search results: the cluster whose cache answered.
pub const CACHED_FROM_CLUSTER: &str = "resource.karmada.io/cached-from-cluster";
/// On proxied results: the cluster that answered.
pub const QUERY_FROM_CLUSTER: &str = "resource.karmada.io/query-from-cluster";
