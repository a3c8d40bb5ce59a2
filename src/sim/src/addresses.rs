//! Addresses of pods: one of the node's range that no other pod of the node has.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::{Node, Pod};

use crate::object::{name, uid};
use crate::observed::Observed;
use crate::seed::Seed;

/// The address the pod gets; empty if it has one or none is free.
pub(crate) fn free(pod: &Pod, node: &Node, observed: &Observed, seed: Seed) -> String {
    if pod
        .status
        .as_ref()
        .is_some_and(|status| status.pod_ip.is_some())
    {
        return String::new();
    }
    let range = node.spec.as_ref().and_then(|spec| spec.pod_cidr.as_deref());
    let prefix = range
        .and_then(|range| range.rsplit_once('.'))
        .map_or("10.0.0", |(prefix, _)| prefix);
    let taken: BTreeSet<String> = observed
        .load
        .get(name(&node.metadata))
        .into_iter()
        .flat_map(|load| &load.pods)
        .filter_map(|name| observed.pods.get(name)?.status.as_ref()?.pod_ip.clone())
        .collect();
    let start = seed.of(&["address", uid(&pod.metadata)]).below(253);
    (0..253)
        .map(|step| format!("{prefix}.{}", 2 + (start + step) % 253))
        .find(|address| !taken.contains(address))
        .unwrap_or_default()
}
