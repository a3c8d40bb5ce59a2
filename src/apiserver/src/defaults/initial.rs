//! The state objects are created in, whatever the client sent as status.

use flybridge_machinery::object::{self, ensure_path, path_list, path_str};
use serde_json::{Value, json};

use super::{services, storage, workloads};

/// Resets the status and adds what creation adds.
pub(super) fn prepare(kind: (&str, &str), version: &str, object: &mut Value) {
    match kind {
        ("", "Pod") => {
            let class = qos_class(object);
            object["status"] = json!({"phase": "Pending", "qosClass": class});
        }
        ("", "Service") => services::prepare_families(object),
        ("", "Namespace") => prepare_namespace(object),
        ("", "PersistentVolumeClaim") => storage::protect(object, "kubernetes.io/pvc-protection"),
        ("", "PersistentVolume") => storage::protect(object, "kubernetes.io/pv-protection"),
        ("apps", "DaemonSet") => {
            let generation = workloads::template_generation();
            let annotations = ensure_path(object, &["metadata", "annotations"]);
            annotations.extend(generation.as_object().cloned().unwrap_or_default());
        }
        _ => {}
    }
    if let Some(status) = empty_status(kind, version, object) {
        object["status"] = status;
    }
}

fn prepare_namespace(namespace: &mut Value) {
    let name = object::name(namespace).to_owned();
    object::set_label(namespace, "kubernetes.io/metadata.name", &name);
    let finalizers = ensure_path(namespace, &["spec"])
        .entry("finalizers")
        .or_insert(json!([]));
    if let Some(list) = finalizers.as_array_mut()
        && !list.iter().any(|finalizer| finalizer == "kubernetes")
    {
        list.push("kubernetes".into());
    }
    namespace["status"] = json!({"phase": "Active"});
}

/// The empty status as Go writes it.
fn empty_status(kind: (&str, &str), version: &str, object: &Value) -> Option<Value> {
    Some(match kind {
        ("apps", "Deployment")
        | ("batch", "Job" | "CronJob")
        | ("", "ResourceQuota")
        | ("apiregistration.k8s.io", "APIService")
        | ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy")
        | ("flowcontrol.apiserver.k8s.io", "FlowSchema" | "PriorityLevelConfiguration")
        | ("resource.k8s.io", "ResourceClaim") => json!({}),
        ("apps", "ReplicaSet") | ("", "ReplicationController") => json!({"replicas": 0}),
        ("apps", "StatefulSet") => json!({"replicas": 0, "availableReplicas": 0}),
        ("apps", "DaemonSet") => json!({
            "currentNumberScheduled": 0, "numberMisscheduled": 0,
            "desiredNumberScheduled": 0, "numberReady": 0
        }),
        ("", "Service") | ("networking.k8s.io", "Ingress") => json!({"loadBalancer": {}}),
        ("policy", "PodDisruptionBudget") => json!({
            "disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0
        }),
        ("autoscaling", "HorizontalPodAutoscaler") if version == "v1" => {
            json!({"currentReplicas": 0, "desiredReplicas": 0})
        }
        ("autoscaling", "HorizontalPodAutoscaler") => {
            json!({"desiredReplicas": 0, "currentMetrics": null})
        }
        ("storage.k8s.io", "VolumeAttachment") => json!({"attached": false}),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            let storage = path_list(object, &["spec", "versions"])
                .iter()
                .find(|version| version.get("storage") == Some(&Value::Bool(true)))
                .and_then(|version| path_str(version, &["name"]));
            json!({
                "conditions": null, "acceptedNames": {"plural": "", "kind": ""},
                "storedVersions": storage.into_iter().collect::<Vec<_>>()
            })
        }
        _ => return None,
    })
}

/// The quality of service a pod gets from its requests and limits of CPU and memory.
pub fn qos_class(pod: &Value) -> &'static str {
    let spec = pod.get("spec").unwrap_or(&Value::Null);
    let whole = spec.get("resources").filter(|resources| {
        ["limits", "requests"]
            .iter()
            .any(|part| counted(resources, part) > 0)
    });
    let parts: Vec<&Value> = match whole {
        Some(resources) => vec![resources],
        None => ["containers", "initContainers"]
            .iter()
            .flat_map(|list| path_list(spec, &[*list]))
            .map(|container| container.get("resources").unwrap_or(&Value::Null))
            .collect(),
    };
    let set =
        |resources: &&Value| counted(resources, "limits") > 0 || counted(resources, "requests") > 0;
    if !parts.iter().any(set) {
        return "BestEffort";
    }
    let guaranteed = |resources: &&Value| {
        counted(resources, "limits") == 2
            && ["cpu", "memory"].iter().all(|resource| {
                let limit = amount(resources, "limits", resource);
                let request = amount(resources, "requests", resource);
                request.is_none() || request == limit
            })
    };
    if parts.iter().all(guaranteed) {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

fn amount(resources: &Value, part: &str, resource: &str) -> Option<flybridge_machinery::Quantity> {
    let value = resources.get(part)?.get(resource)?;
    flybridge_machinery::Quantity::from_json(value)
        .ok()
        .filter(|quantity| !quantity.is_zero())
}

fn counted(resources: &Value, part: &str) -> usize {
    ["cpu", "memory"]
        .iter()
        .filter(|name| amount(resources, part, name).is_some())
        .count()
}
