//! The core group.

use super::{CREATE, CREATE_GET, PROXY, Row, row};

const GET_LIST: [&str; 2] = ["get", "list"];
const NO_COLLECTION: [&str; 7] = [
    "create", "delete", "get", "list", "patch", "update", "watch",
];
const EVENT_FIELDS: [&str; 10] = [
    "involvedObject.apiVersion",
    "involvedObject.fieldPath",
    "involvedObject.kind",
    "involvedObject.name",
    "involvedObject.namespace",
    "involvedObject.resourceVersion",
    "involvedObject.uid",
    "reason",
    "reportingComponent",
    "type",
];

fn core(resource: &str, kind: &str) -> Row {
    row("", "v1", resource, kind)
}

/// Adds the rows of the core group.
pub(super) fn add(rows: &mut Vec<Row>) {
    rows.extend([
        core("bindings", "Binding").verbs(&CREATE),
        core("componentstatuses", "ComponentStatus")
            .short(&["cs"])
            .cluster()
            .verbs(&GET_LIST),
        core("configmaps", "ConfigMap").short(&["cm"]),
        core("endpoints", "Endpoints")
            .short(&["ep"])
            .create_on_update(),
        core("events", "Event")
            .short(&["ev"])
            .create_on_update()
            .selects(&EVENT_FIELDS)
            .selects_as("source", "source.component", ""),
        core("limitranges", "LimitRange")
            .short(&["limits"])
            .create_on_update(),
        core("namespaces", "Namespace")
            .short(&["ns"])
            .cluster()
            .verbs(&NO_COLLECTION)
            .sub("finalize", &["update"])
            .status()
            .selects(&["status.phase"]),
        core("nodes", "Node")
            .short(&["no"])
            .cluster()
            .sub_kind("proxy", ("", "", "NodeProxyOptions"), &PROXY)
            .status()
            .selects_as("spec.unschedulable", "spec.unschedulable", "false"),
        core("persistentvolumeclaims", "PersistentVolumeClaim")
            .short(&["pvc"])
            .status(),
        core("persistentvolumes", "PersistentVolume")
            .short(&["pv"])
            .cluster()
            .status(),
        pods(),
        core("podtemplates", "PodTemplate").generation(),
        core("replicationcontrollers", "ReplicationController")
            .short(&["rc"])
            .category("all")
            .scale()
            .status()
            .generation()
            .orphans()
            .selects_as("status.replicas", "status.replicas", "0"),
        core("resourcequotas", "ResourceQuota")
            .short(&["quota"])
            .status(),
        core("secrets", "Secret").selects(&["type"]),
        core("serviceaccounts", "ServiceAccount")
            .short(&["sa"])
            .sub_kind(
                "token",
                ("authentication.k8s.io", "v1", "TokenRequest"),
                &CREATE,
            ),
        core("services", "Service")
            .short(&["svc"])
            .category("all")
            .sub_kind("proxy", ("", "", "ServiceProxyOptions"), &PROXY)
            .status()
            .create_on_update()
            .selects(&["spec.clusterIP", "spec.type"]),
    ]);
}

fn pods() -> Row {
    core("pods", "Pod")
        .short(&["po"])
        .category("all")
        .sub_kind("attach", ("", "", "PodAttachOptions"), &CREATE_GET)
        .sub_kind("binding", ("", "", "Binding"), &CREATE)
        .sub("ephemeralcontainers", &super::STATUS)
        .sub_kind("eviction", ("policy", "v1", "Eviction"), &CREATE)
        .sub_kind("exec", ("", "", "PodExecOptions"), &CREATE_GET)
        .sub("log", &["get"])
        .sub_kind(
            "portforward",
            ("", "", "PodPortForwardOptions"),
            &CREATE_GET,
        )
        .sub_kind("proxy", ("", "", "PodProxyOptions"), &PROXY)
        .sub("resize", &super::STATUS)
        .status()
        .generation()
        .graceful()
        .selects(&[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ])
        .selects_as("spec.hostNetwork", "spec.hostNetwork", "false")
}
