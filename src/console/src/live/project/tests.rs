//! Tests of projections, on objects as the API sends them.

use flybridge_apis::ResourceBinding;
use flybridge_ui::{Mark, Record};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use super::*;

fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_cluster_keeps_what_lists_and_panels_show() {
    let object: Cluster = read(json!({
        "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
        "metadata": {"name": "m\u{1b}1", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {
            "syncMode": "Pull", "region": "eu", "provider": "aws", "zones": ["a", "b"],
            "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}],
        },
        "status": {
            "kubernetesVersion": "v1.33.0",
            "conditions": [{
                "type": "Ready", "status": "False", "reason": "ClusterNotReachable",
                "message": "no\nroute", "lastTransitionTime": "2026-01-01T00:00:00Z",
            }],
            "nodeSummary": {"totalNum": 3, "readyNum": 2},
            "resourceSummary": {
                "allocatable": {"cpu": "10", "memory": "8Gi"},
                "allocated": {"cpu": "2500m", "memory": "2Gi"},
                "allocating": {"cpu": "500m"},
            },
        },
    }));
    let row = cluster(&object);
    assert_eq!(row.name, "m\u{241b}1");
    assert_eq!((row.ready, row.mark()), (Tri::False, Mark::Bad));
    assert_eq!(row.cpu.fraction(), Some(0.3));
    assert_eq!(row.memory.fraction(), Some(0.25));
    assert_eq!((row.nodes_ready, row.nodes), (2, 3));
    assert_eq!(row.taints, ["k=v:NoSchedule"]);
    assert_eq!(row.zone, "a,b");
    assert_eq!(row.ready_condition().unwrap().message, "no route");
}

fn ledger(status: Value, tasks: Value) -> BindingRow {
    let object: ResourceBinding = read(json!({
        "metadata": {
            "namespace": "payments", "name": "ledger-deployment", "generation": 4,
            "annotations": {
                "propagationpolicy.karmada.io/namespace": "payments",
                "propagationpolicy.karmada.io/name": "core",
            },
        },
        "spec": {
            "resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "ledger"},
            "replicas": 5,
            "clusters": [{"name": "m1", "replicas": 3}, {"name": "m2", "replicas": 2}],
            "gracefulEvictionTasks": tasks,
        },
        "status": status,
    }));
    binding((&object).into())
}

fn scheduled() -> Value {
    json!([{
        "type": "Scheduled", "status": "True", "reason": "Success", "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }])
}

#[test]
fn a_binding_counts_applied_and_healthy_targets() {
    let row = ledger(
        json!({
            "schedulerObservedGeneration": 3,
            "conditions": scheduled(),
            "aggregatedStatus": [
                {"clusterName": "m1", "applied": true, "health": "Healthy",
                 "status": {"replicas": 3, "readyReplicas": 3}},
                {"clusterName": "m2", "applied": false, "appliedMessage": "conflict"},
            ],
        }),
        json!([]),
    );
    assert_eq!(row.counts(), (2, 1, 1));
    assert_eq!(row.mark(), Mark::Bad);
    assert_eq!(row.trouble().unwrap(), "not applied in m2: conflict");
    assert_eq!(row.targets[0].status, "ready 3/3");
    assert_eq!(row.generations, (3, 4));
    assert_eq!(row.policy, "PropagationPolicy payments/core");
    assert_eq!(row.id, "payments/ledger-deployment");
}

#[test]
fn a_cluster_that_is_left_is_shown_as_such() {
    let task = json!([{
        "fromCluster": "m3", "reason": "TaintUntolerated", "producer": "TaintManager",
        "replicas": 4,
    }]);
    let row = ledger(json!({"conditions": scheduled()}), task);
    assert!(row.evicting());
    assert_eq!(row.mark(), Mark::Moving);
    assert_eq!(row.counts().0, 2);
    let leaving = row.targets.iter().find(|t| t.evicting).unwrap();
    assert_eq!((leaving.cluster.as_str(), leaving.replicas), ("m3", 4));
}

#[test]
fn pod_status_is_what_kubectl_prints() {
    let waiting = |reason: &str| json!({"waiting": {"reason": reason}});
    let container = |state: Value, ready: bool| json!({"name": "c", "image": "", "imageID": "", "restartCount": 2, "ready": ready, "state": state});
    let running = || json!({"running": {}});
    let cases = [
        (json!({"phase": "Pending"}), "Pending"),
        (
            json!({"phase": "Running", "containerStatuses": [container(running(), true)]}),
            "Running",
        ),
        (
            json!({"phase": "Running", "containerStatuses": [container(waiting("CrashLoopBackOff"), false)]}),
            "CrashLoopBackOff",
        ),
        (
            json!({"phase": "Failed", "containerStatuses":
                [container(json!({"terminated": {"exitCode": 3}}), false)]}),
            "ExitCode:3",
        ),
        (json!({"phase": "Failed", "reason": "Evicted"}), "Evicted"),
        (
            json!({"phase": "Pending", "initContainerStatuses": [container(running(), false)]}),
            "Init:0/1",
        ),
        (
            json!({"phase": "Pending", "initContainerStatuses": [container(waiting("ImagePullBackOff"), false)]}),
            "Init:ImagePullBackOff",
        ),
    ];
    for (status, expected) in cases {
        let object: Pod = read(json!({
            "metadata": {"name": "p", "namespace": "n"},
            "spec": {"containers": [{"name": "c"}], "initContainers": [{"name": "i"}]},
            "status": status,
        }));
        assert_eq!(pod::printed_status(&object), expected, "{status}");
    }
}
