//! Label keys and values the control plane reads and writes.

/// On a PropagationPolicy, its claimed templates and their bindings: the policy's permanent id.
pub const PROPAGATION_POLICY_PERMANENT_ID: &str = "propagationpolicy.karmada.io/permanent-id";
/// On a ClusterPropagationPolicy, its claimed templates and their bindings: the policy's permanent id.
pub const CLUSTER_PROPAGATION_POLICY_PERMANENT_ID: &str =
    "clusterpropagationpolicy.karmada.io/permanent-id";
/// On a ResourceBinding, its Works and their manifests: the binding's permanent id.
pub const RESOURCE_BINDING_PERMANENT_ID: &str = "resourcebinding.karmada.io/permanent-id";
/// On a ClusterResourceBinding, its Works and their manifests: the binding's permanent id.
pub const CLUSTER_RESOURCE_BINDING_PERMANENT_ID: &str =
    "clusterresourcebinding.karmada.io/permanent-id";
/// On a Work and its manifests: the Work's permanent id.
pub const WORK_PERMANENT_ID: &str = "work.karmada.io/permanent-id";
/// On a MultiClusterService and what it claims: its permanent id.
pub const MULTI_CLUSTER_SERVICE_PERMANENT_ID: &str = "multiclusterservice.karmada.io/permanent-id";
/// On manifests and member objects: `true` lets the control plane update and delete the object.
pub const MANAGED: &str = "karmada.io/managed";
/// On objects the control plane itself needs.
pub const SYSTEM: &str = "karmada.io/system";
/// The value of [`MANAGED`] and [`SYSTEM`].
pub const TRUE: &str = "true";
/// On a template or member workload: `true` keeps the member's own replicas.
pub const RETAIN_REPLICAS: &str = "resourcetemplate.karmada.io/retain-replicas";
/// On a template: who else deals with it, so that policies do not.
pub const CLAIMED_BY: &str = "resourcetemplate.karmada.io/claimed-by";
/// On any object: [`DELETION_PROTECTED_ALWAYS`] refuses its deletion.
pub const DELETION_PROTECTED: &str = "resourcetemplate.karmada.io/deletion-protected";
/// The value of [`DELETION_PROTECTED`] that protects.
pub const DELETION_PROTECTED_ALWAYS: &str = "Always";
/// On a Namespace: `true` keeps it out of the members.
pub const SKIP_AUTO_PROPAGATION: &str = "namespace.karmada.io/skip-auto-propagation";
/// On collected EndpointSlices: namespace of the service.
pub const ENDPOINT_SLICE_NAMESPACE: &str = "endpointslice.karmada.io/namespace";
/// On collected EndpointSlices: name of the service.
pub const ENDPOINT_SLICE_NAME: &str = "endpointslice.karmada.io/name";
/// On collected EndpointSlices: who collected them.
pub const ENDPOINT_SLICE_MANAGED_BY: &str = "endpointslice.karmada.io/managed-by";
/// On what a MultiClusterService created: its namespace.
pub const MULTI_CLUSTER_SERVICE_NAMESPACE: &str = "multiclusterservice.karmada.io/namespace";
/// On what a MultiClusterService created: its name.
pub const MULTI_CLUSTER_SERVICE_NAME: &str = "multiclusterservice.karmada.io/name";
/// On what a FederatedResourceQuota created: its namespace.
pub const FEDERATED_RESOURCE_QUOTA_NAMESPACE: &str = "federatedresourcequota.karmada.io/namespace";
/// On what a FederatedResourceQuota created: its name.
pub const FEDERATED_RESOURCE_QUOTA_NAME: &str = "federatedresourcequota.karmada.io/name";
/// On a binding that no policy made: who did.
pub const BINDING_MANAGED_BY: &str = "binding.karmada.io/managed-by";
/// Prefix of the labels on an attached binding that name the bindings depending on it.
pub const DEPENDED_BY_PREFIX: &str = "resourcebinding.karmada.io/depended-by-";

/// The label on an attached binding for the independent binding with this reference key.
pub fn depended_by(reference_key: &str) -> String {
    format!("{DEPENDED_BY_PREFIX}{reference_key}")
}
