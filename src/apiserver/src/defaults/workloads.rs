//! The `apps` group and replication controllers; their templates are defaulted elsewhere.

use flybridge_machinery::object::path_str;
use serde_json::{Value, json};

use super::fill::Fill::{EmptyText, Int, Map, Text};
use super::fill::{Fill, fill, fill_all, visit};

const DEPLOYMENT: &[(&str, Fill)] = &[
    ("spec.replicas", Int(1)),
    ("spec.strategy", Map),
    ("spec.strategy.type", Text("RollingUpdate")),
    ("spec.revisionHistoryLimit", Int(10)),
    ("spec.progressDeadlineSeconds", Int(600)),
];

pub(super) fn default_deployment(deployment: &mut Value) {
    fill_all(deployment, DEPLOYMENT);
    if path_str(deployment, &["spec", "strategy", "type"]) == Some("RollingUpdate") {
        fill(deployment, "spec.strategy.rollingUpdate", Map);
        fill(
            deployment,
            "spec.strategy.rollingUpdate.maxUnavailable",
            Text("25%"),
        );
        fill(
            deployment,
            "spec.strategy.rollingUpdate.maxSurge",
            Text("25%"),
        );
    }
}

const STATEFUL_SET: &[(&str, Fill)] = &[
    ("spec.replicas", Int(1)),
    ("spec.serviceName", EmptyText),
    ("spec.podManagementPolicy", Text("OrderedReady")),
    ("spec.revisionHistoryLimit", Int(10)),
    ("spec.updateStrategy", Map),
    ("spec.updateStrategy.type", Text("RollingUpdate")),
    ("spec.persistentVolumeClaimRetentionPolicy", Map),
    (
        "spec.persistentVolumeClaimRetentionPolicy.whenDeleted",
        Text("Retain"),
    ),
    (
        "spec.persistentVolumeClaimRetentionPolicy.whenScaled",
        Text("Retain"),
    ),
    ("spec.volumeClaimTemplates[].apiVersion", Text("v1")),
    (
        "spec.volumeClaimTemplates[].kind",
        Text("PersistentVolumeClaim"),
    ),
    (
        "spec.volumeClaimTemplates[].spec.volumeMode",
        Text("Filesystem"),
    ),
    ("spec.volumeClaimTemplates[].status", Map),
    ("spec.volumeClaimTemplates[].status.phase", Text("Pending")),
];

pub(super) fn default_stateful_set(set: &mut Value) {
    fill_all(set, STATEFUL_SET);
    if path_str(set, &["spec", "updateStrategy", "type"]) == Some("RollingUpdate") {
        fill(set, "spec.updateStrategy.rollingUpdate", Map);
        fill(set, "spec.updateStrategy.rollingUpdate.partition", Int(0));
    }
}

const DAEMON_SET: &[(&str, Fill)] = &[
    ("spec.revisionHistoryLimit", Int(10)),
    ("spec.updateStrategy", Map),
    ("spec.updateStrategy.type", Text("RollingUpdate")),
];

pub(super) fn default_daemon_set(set: &mut Value) {
    fill_all(set, DAEMON_SET);
    if path_str(set, &["spec", "updateStrategy", "type"]) == Some("RollingUpdate") {
        fill(set, "spec.updateStrategy.rollingUpdate", Map);
        fill(
            set,
            "spec.updateStrategy.rollingUpdate.maxUnavailable",
            Int(1),
        );
        fill(set, "spec.updateStrategy.rollingUpdate.maxSurge", Int(0));
    }
}

/// Selector and labels follow the template's labels.
pub(super) fn default_replication_controller(controller: &mut Value) {
    fill(controller, "spec.replicas", Int(1));
    let labels = controller
        .pointer("/spec/template/metadata/labels")
        .cloned();
    let Some(labels) =
        labels.filter(|labels| labels.as_object().is_some_and(|map| !map.is_empty()))
    else {
        return;
    };
    let unset = |map: Option<&Value>| {
        map.is_none_or(|map| map.as_object().is_none_or(serde_json::Map::is_empty))
    };
    visit(controller, "spec", &mut |spec| {
        if unset(spec.get("selector")) {
            spec["selector"] = labels.clone();
        }
    });
    if unset(controller.pointer("/metadata/labels")) {
        controller["metadata"]["labels"] = labels;
    }
}

/// The revision of a daemon set's template that upstream keeps in an annotation.
pub(super) fn template_generation() -> Value {
    json!({"deprecated.daemonset.template.generation": "1"})
}
