//! Small objects for the tests of the planning functions.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::{Value, json};

use crate::time::{after, time};

/// The `seconds`-th second of a test.
pub(crate) fn at(seconds: u64) -> Timestamp {
    after(
        "2026-01-01T00:00:00Z".parse().unwrap(),
        Duration::from_secs(seconds),
    )
}

pub(crate) fn decode<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn template() -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "nginx:1.27"}]},
    })
}

pub(crate) fn replica_set(name: &str, replicas: i32) -> ReplicaSet {
    decode(json!({
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}"), "generation": 1},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": template(),
        },
    }))
}

pub(crate) fn deployment(name: &str, replicas: i32) -> Deployment {
    decode(json!({
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}"), "generation": 1},
        "spec": {
            "replicas": replicas,
            "progressDeadlineSeconds": 600,
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": {"app": "web"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            "template": template(),
        },
    }))
}

pub(crate) fn node(name: &str, cpu: &str, memory: &str) -> Node {
    decode(json!({
        "metadata": {"name": name, "uid": format!("uid-{name}"), "labels": {"kubernetes.io/hostname": name}},
        "spec": {},
        "status": {
            "allocatable": {"cpu": cpu, "memory": memory, "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }))
}

pub(crate) struct PodBuilder(Value);

pub(crate) fn pod(name: &str) -> PodBuilder {
    PodBuilder(json!({
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}"), "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "nginx:1.27"}]},
        "status": {"phase": "Pending"},
    }))
}

impl PodBuilder {
    pub(crate) fn on(mut self, node: &str) -> Self {
        self.0["spec"]["nodeName"] = json!(node);
        self
    }

    pub(crate) fn phase(mut self, phase: &str) -> Self {
        self.0["status"]["phase"] = json!(phase);
        self
    }

    pub(crate) fn ready(self) -> Self {
        self.ready_since(at(0))
    }

    pub(crate) fn ready_since(self, since: Timestamp) -> Self {
        let mut this = self.phase("Running");
        this.0["status"]["conditions"] =
            json!([{"type": "Ready", "status": "True", "lastTransitionTime": time(since)}]);
        this
    }

    pub(crate) fn annotate(mut self, key: &str, value: &str) -> Self {
        self.0["metadata"]["annotations"][key] = json!(value);
        self
    }

    pub(crate) fn label(mut self, key: &str, value: &str) -> Self {
        self.0["metadata"]["labels"][key] = json!(value);
        self
    }

    pub(crate) fn deletion_cost(self, cost: i32) -> Self {
        self.annotate(
            "controller.kubernetes.io/pod-deletion-cost",
            &cost.to_string(),
        )
    }

    pub(crate) fn deleting(mut self, at: Timestamp) -> Self {
        self.0["metadata"]["deletionTimestamp"] = json!(time(at));
        self.0["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        self
    }

    pub(crate) fn requests(mut self, cpu: &str, memory: &str) -> Self {
        self.0["spec"]["containers"][0]["resources"] =
            json!({"requests": {"cpu": cpu, "memory": memory}});
        self
    }

    pub(crate) fn spec(mut self, field: &str, value: Value) -> Self {
        self.0["spec"][field] = value;
        self
    }

    pub(crate) fn build(self) -> Pod {
        decode(self.0)
    }
}
