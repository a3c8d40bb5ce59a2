//! Kinds whose defaults are a plain list of fields, and a few small ones beside.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flybridge_machinery::object::{ensure_path, get_path, path_str};
use serde_json::{Value, json};

use super::fill::Fill::{Bool, EmptyText, Int, Map, Null, Text, Texts};
use super::fill::{Fill, fill, fill_all, omit_empty, visit};

const SERVICE_PORT: Fill = Int(443);

type Rules = &'static [(&'static str, Fill)];

const REPLICA_SET: Rules = &[("spec.replicas", Int(1))];
const CRON_JOB: Rules = &[
    ("spec.concurrencyPolicy", Text("Allow")),
    ("spec.suspend", Bool(false)),
    ("spec.successfulJobsHistoryLimit", Int(3)),
    ("spec.failedJobsHistoryLimit", Int(1)),
    ("spec.jobTemplate.metadata", Map),
];
const EVENT: Rules = &[
    ("source", Map),
    ("firstTimestamp", Null),
    ("lastTimestamp", Null),
    ("eventTime", Null),
    ("reportingComponent", EmptyText),
    ("reportingInstance", EmptyText),
];
const ENDPOINTS: Rules = &[("subsets[].ports[].protocol", Text("TCP"))];
const ENDPOINT_SLICE: Rules = &[
    ("endpoints[].conditions", Map),
    ("ports", Null),
    ("ports[].name", EmptyText),
    ("ports[].protocol", Text("TCP")),
];
const PRIORITY_CLASS: Rules = &[("preemptionPolicy", Text("PreemptLowerPriority"))];
const INGRESS_CLASS: Rules = &[("spec.parameters.scope", Text("Cluster"))];
const STORAGE_CLASS: Rules = &[
    ("reclaimPolicy", Text("Delete")),
    ("volumeBindingMode", Text("Immediate")),
];
const CSI_DRIVER: Rules = &[
    ("spec.attachRequired", Bool(true)),
    ("spec.podInfoOnMount", Bool(false)),
    ("spec.storageCapacity", Bool(false)),
    ("spec.fsGroupPolicy", Text("ReadWriteOnceWithFSType")),
    ("spec.volumeLifecycleModes", Texts(&["Persistent"])),
    ("spec.requiresRepublish", Bool(false)),
    ("spec.seLinuxMount", Bool(false)),
];
const WEBHOOKS: Rules = &[
    ("webhooks[].failurePolicy", Text("Fail")),
    ("webhooks[].matchPolicy", Text("Equivalent")),
    ("webhooks[].namespaceSelector", Map),
    ("webhooks[].objectSelector", Map),
    ("webhooks[].timeoutSeconds", Int(10)),
    ("webhooks[].clientConfig.service.port", SERVICE_PORT),
    ("webhooks[].rules[].scope", Text("*")),
];
const MUTATING: Rules = &[("webhooks[].reinvocationPolicy", Text("Never"))];
const ADMISSION_POLICY: Rules = &[("spec.failurePolicy", Text("Fail"))];
const ADMISSION_MATCH: Rules = &[
    ("spec.matchConstraints.matchPolicy", Text("Equivalent")),
    ("spec.matchConstraints.namespaceSelector", Map),
    ("spec.matchConstraints.objectSelector", Map),
    ("spec.matchConstraints.resourceRules[].scope", Text("*")),
    (
        "spec.matchConstraints.excludeResourceRules[].scope",
        Text("*"),
    ),
    ("spec.matchResources.matchPolicy", Text("Equivalent")),
    ("spec.matchResources.namespaceSelector", Map),
    ("spec.matchResources.objectSelector", Map),
    ("spec.matchResources.resourceRules[].scope", Text("*")),
];
const DEFINITION: Rules = &[
    ("spec.conversion", Map),
    ("spec.conversion.strategy", Text("None")),
    (
        "spec.conversion.webhook.clientConfig.service.port",
        SERVICE_PORT,
    ),
];
const API_SERVICE: Rules = &[("spec.service.port", SERVICE_PORT)];
const FLOW_SCHEMA: Rules = &[("spec.matchingPrecedence", Fill::NonZero(1000))];
const PRIORITY_LEVEL: Rules = &[
    ("spec.limited.nominalConcurrencyShares", Int(30)),
    ("spec.limited.lendablePercent", Int(0)),
    (
        "spec.limited.limitResponse.queuing.queues",
        Fill::NonZero(64),
    ),
    (
        "spec.limited.limitResponse.queuing.handSize",
        Fill::NonZero(8),
    ),
    (
        "spec.limited.limitResponse.queuing.queueLengthLimit",
        Fill::NonZero(50),
    ),
    ("spec.exempt.nominalConcurrencyShares", Int(0)),
    ("spec.exempt.lendablePercent", Int(0)),
];
const RESOURCE_CLAIM: Rules = &[
    (
        "spec.devices.requests[].exactly.allocationMode",
        Text("ExactCount"),
    ),
    ("spec.devices.requests[].exactly.count", Fill::NonZero(1)),
];

fn rules(kind: (&str, &str)) -> &'static [Rules] {
    match kind {
        ("apps", "ReplicaSet") => &[REPLICA_SET],
        ("batch", "CronJob") => &[CRON_JOB],
        ("", "Event") => &[EVENT],
        ("", "Endpoints") => &[ENDPOINTS],
        ("discovery.k8s.io", "EndpointSlice") => &[ENDPOINT_SLICE],
        ("scheduling.k8s.io", "PriorityClass") => &[PRIORITY_CLASS],
        ("networking.k8s.io", "IngressClass") => &[INGRESS_CLASS],
        ("storage.k8s.io", "StorageClass") => &[STORAGE_CLASS],
        ("storage.k8s.io", "CSIDriver") => &[CSI_DRIVER],
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration") => &[WEBHOOKS],
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration") => &[WEBHOOKS, MUTATING],
        (
            "admissionregistration.k8s.io",
            "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy",
        ) => &[ADMISSION_POLICY, ADMISSION_MATCH],
        ("admissionregistration.k8s.io", _) => &[ADMISSION_MATCH],
        ("apiextensions.k8s.io", "CustomResourceDefinition") => &[DEFINITION],
        ("apiregistration.k8s.io", "APIService") => &[API_SERVICE],
        ("flowcontrol.apiserver.k8s.io", "FlowSchema") => &[FLOW_SCHEMA],
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration") => &[PRIORITY_LEVEL],
        ("resource.k8s.io", "ResourceClaim") => &[RESOURCE_CLAIM],
        ("", "Secret") => &[&[("type", Text("Opaque"))]],
        _ => &[],
    }
}

/// Fields Go leaves out when they are empty.
fn omitted(kind: (&str, &str)) -> &'static [&'static str] {
    match kind {
        ("", "ConfigMap" | "Secret") => &["data", "binaryData"],
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => &["subjects"],
        ("scheduling.k8s.io", "PriorityClass") => &["globalDefault"],
        ("apiextensions.k8s.io", "CustomResourceDefinition") => &["spec.preserveUnknownFields"],
        _ => &[],
    }
}

/// Applies the lists of a kind.
pub(super) fn apply(kind: (&str, &str), object: &mut Value) {
    for rules in rules(kind) {
        fill_all(object, rules);
    }
    for path in omitted(kind) {
        omit_empty(object, path);
    }
    if kind == ("discovery.k8s.io", "EndpointSlice")
        && get_path(object, &["ports"])
            .and_then(Value::as_array)
            .is_some_and(Vec::is_empty)
    {
        object["ports"] = Value::Null;
    }
}

/// `stringData` of a secret goes into `data`.
pub(super) fn fold_string_data(secret: &mut Value) {
    let Some(map) = secret.as_object_mut() else {
        return;
    };
    let Some(Value::Object(texts)) = map.remove("stringData") else {
        return;
    };
    if texts.is_empty() {
        return;
    }
    let data = ensure_path(secret, &["data"]);
    for (key, text) in texts {
        data.insert(
            key,
            STANDARD.encode(text.as_str().unwrap_or_default()).into(),
        );
    }
}

const NODE: Rules = &[
    ("status", Map),
    ("status.daemonEndpoints", Map),
    ("status.daemonEndpoints.kubeletEndpoint", Map),
    ("status.daemonEndpoints.kubeletEndpoint.Port", Int(0)),
    ("status.nodeInfo", Map),
    ("status.nodeInfo.machineID", EmptyText),
    ("status.nodeInfo.systemUUID", EmptyText),
    ("status.nodeInfo.bootID", EmptyText),
    ("status.nodeInfo.kernelVersion", EmptyText),
    ("status.nodeInfo.osImage", EmptyText),
    ("status.nodeInfo.containerRuntimeVersion", EmptyText),
    ("status.nodeInfo.kubeletVersion", EmptyText),
    ("status.nodeInfo.kubeProxyVersion", EmptyText),
    ("status.nodeInfo.operatingSystem", EmptyText),
    ("status.nodeInfo.architecture", EmptyText),
];

/// What a node can hold is what it has, unless said otherwise.
pub(super) fn default_node(node: &mut Value) {
    fill_all(node, NODE);
    if let Some(capacity) = get_path(node, &["status", "capacity"]).cloned()
        && get_path(node, &["status", "allocatable"]).is_none_or(Value::is_null)
    {
        node["status"]["allocatable"] = capacity;
    }
    if let Some(range) = path_str(node, &["spec", "podCIDR"]).map(str::to_owned)
        && get_path(node, &["spec", "podCIDRs"]).is_none_or(Value::is_null)
    {
        node["spec"]["podCIDRs"] = json!([range]);
    }
}

/// Subjects and roles name their API group.
pub(super) fn default_subjects(object: &mut Value) {
    const GROUP: Fill = Text("rbac.authorization.k8s.io");
    fill(object, "roleRef.apiGroup", GROUP);
    visit(object, "subjects[]", &mut |subject| {
        if matches!(path_str(subject, &["kind"]), Some("User" | "Group")) {
            fill(subject, "apiGroup", GROUP);
        }
    });
    let empty = |rules: &Value| rules.as_array().is_some_and(Vec::is_empty);
    if get_path(object, &["rules"]).is_some_and(empty) {
        object["rules"] = Value::Null;
    }
}

/// Names a definition implies.
pub(super) fn default_names(definition: &mut Value) {
    visit(definition, "spec.names", &mut |names| {
        let kind = path_str(names, &["kind"]).unwrap_or_default().to_owned();
        if kind.is_empty() {
            return;
        }
        let missing = |names: &Value, key: &str| path_str(names, &[key]).is_none_or(str::is_empty);
        if missing(names, "singular") {
            names["singular"] = kind.to_lowercase().into();
        }
        if missing(names, "listKind") {
            names["listKind"] = format!("{kind}List").into();
        }
    });
}
