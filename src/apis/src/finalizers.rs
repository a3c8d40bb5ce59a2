//! Finalizers of the control plane.

/// On Clusters.
pub const CLUSTER_CONTROLLER: &str = "karmada.io/cluster-controller";
/// On Works.
pub const EXECUTION_CONTROLLER: &str = "karmada.io/execution-controller";
/// On ResourceBindings.
pub const BINDING_CONTROLLER: &str = "karmada.io/binding-controller";
/// On ClusterResourceBindings.
pub const CLUSTER_RESOURCE_BINDING_CONTROLLER: &str =
    "karmada.io/cluster-resource-binding-controller";
/// On PropagationPolicies.
pub const PROPAGATION_POLICY_CONTROLLER: &str = "karmada.io/propagation-policy-controller";
/// On ClusterPropagationPolicies.
pub const CLUSTER_PROPAGATION_POLICY_CONTROLLER: &str =
    "karmada.io/cluster-propagation-policy-controller";
/// On ResourceBindings others depend on.
pub const BINDING_DEPENDENCIES_DISTRIBUTOR: &str = "karmada.io/binding-dependencies-distributor";
/// On Works of collected EndpointSlices.
pub const ENDPOINT_SLICE_CONTROLLER: &str = "karmada.io/endpointslice-controller";
/// On MultiClusterServices and what was collected for them.
pub const ENDPOINT_SLICE_DISPATCH_CONTROLLER: &str =
    "karmada.io/mcs-endpointslice-dispatch-controller";
/// On MultiClusterServices.
pub const MULTI_CLUSTER_SERVICE_CONTROLLER: &str = "karmada.io/multiclusterservice-controller";
