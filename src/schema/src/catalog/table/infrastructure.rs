//! Networking, storage, nodes, leases, events and devices.

use super::{Row, row};

const NETWORKING: &str = "networking.k8s.io";
const STORAGE: &str = "storage.k8s.io";
const RESOURCE: &str = "resource.k8s.io";
const EVENT_FIELDS: [&str; 10] = [
    "regarding.apiVersion",
    "regarding.fieldPath",
    "regarding.kind",
    "regarding.name",
    "regarding.namespace",
    "regarding.resourceVersion",
    "regarding.uid",
    "reason",
    "reportingController",
    "type",
];

/// Adds the rows of the infrastructure groups.
pub(super) fn add(rows: &mut Vec<Row>) {
    networking(rows);
    storage(rows);
    rows.extend([
        row("coordination.k8s.io", "v1", "leases", "Lease")
            .conditional()
            .create_on_update(),
        row("events.k8s.io", "v1", "events", "Event")
            .short(&["ev"])
            .create_on_update()
            .selects(&EVENT_FIELDS),
        row(
            "scheduling.k8s.io",
            "v1",
            "priorityclasses",
            "PriorityClass",
        )
        .short(&["pc"])
        .cluster()
        .generation(),
        row("node.k8s.io", "v1", "runtimeclasses", "RuntimeClass")
            .cluster()
            .conditional()
            .create_on_update(),
        row("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice").generation(),
        row(RESOURCE, "v1", "deviceclasses", "DeviceClass")
            .cluster()
            .generation(),
        row(RESOURCE, "v1", "resourceclaims", "ResourceClaim").status(),
        row(
            RESOURCE,
            "v1",
            "resourceclaimtemplates",
            "ResourceClaimTemplate",
        ),
        row(RESOURCE, "v1", "resourceslices", "ResourceSlice")
            .cluster()
            .generation()
            .selects(&["spec.nodeName", "spec.driver"]),
    ]);
}

fn networking(rows: &mut Vec<Row>) {
    let network = |resource, kind| row(NETWORKING, "v1", resource, kind);
    rows.extend([
        network("ingressclasses", "IngressClass")
            .cluster()
            .generation(),
        network("ingresses", "Ingress")
            .short(&["ing"])
            .status()
            .generation(),
        network("ipaddresses", "IPAddress").short(&["ip"]).cluster(),
        network("networkpolicies", "NetworkPolicy")
            .short(&["netpol"])
            .generation(),
        network("servicecidrs", "ServiceCIDR").cluster().status(),
    ]);
}

fn storage(rows: &mut Vec<Row>) {
    let storage = |resource, kind| row(STORAGE, "v1", resource, kind);
    rows.extend([
        storage("csidrivers", "CSIDriver")
            .cluster()
            .conditional()
            .generation(),
        storage("csinodes", "CSINode").cluster().conditional(),
        storage("csistoragecapacities", "CSIStorageCapacity").conditional(),
        storage("storageclasses", "StorageClass")
            .short(&["sc"])
            .cluster(),
        storage("volumeattachments", "VolumeAttachment")
            .cluster()
            .status()
            .conditional(),
        storage("volumeattributesclasses", "VolumeAttributesClass")
            .short(&["vac"])
            .cluster(),
    ]);
}
