//! Rules that built-in kinds obey beyond their schema, as pure functions of one or two objects.
//!
//! Only what users and tools run into is checked; anything unknown is accepted, so that no object
//! a real server takes is refused. Objects are expected to be defaulted. Metadata rules common to
//! all kinds are checked where metadata is prepared.
//! Source: field paths and reasons as a 1.36 server tells them.

mod autoscaling;
mod config;
mod containers;
mod endpoints;
mod env;
mod findings;
mod jobs;
mod networking;
mod nodes;
mod pod_update;
mod pods;
mod policy;
mod probes;
mod rbac;
mod resources;
mod schedule;
mod scheduling;
mod security;
mod selectors;
mod services;
mod storage;
mod volumes;
mod webhooks;
mod workloads;

use flybridge_machinery::{FieldError, Gvk};
use serde_json::Value;

use findings::{At, Findings};

/// Violations of a new object.
pub fn validate_create(gvk: &Gvk, object: &Value) -> Vec<FieldError> {
    let mut findings = Findings::default();
    check(gvk, &At::root(object), &mut findings);
    match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("batch", "Job") => jobs::created(&At::root(object), &mut findings),
        ("", "Service") => services::created(&At::root(object), &mut findings),
        _ => {}
    }
    findings.into_errors()
}

/// Violations of a changed object.
pub fn validate_update(gvk: &Gvk, old: &Value, new: &Value) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (old, new) = (At::root(old), At::root(new));
    check(gvk, &new, &mut findings);
    check_change(gvk, &old, &new, &mut findings);
    findings.into_errors()
}

fn check(gvk: &Gvk, object: &At<'_>, findings: &mut Findings) {
    match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("", "Pod") => pods::pod(object, findings),
        ("", "PodTemplate") => {
            pods::template(&object.get("template"), pods::Owner::Other, findings);
        }
        ("", "ReplicationController") => workloads::replication_controller(object, findings),
        ("apps", "Deployment") => workloads::deployment(object, findings),
        ("apps", "ReplicaSet") => workloads::replica_set(object, findings),
        ("apps", "StatefulSet") => workloads::stateful_set(object, findings),
        ("apps", "DaemonSet") => workloads::daemon_set(object, findings),
        ("batch", "Job") => jobs::job(&object.get("spec"), findings),
        ("batch", "CronJob") => jobs::cron_job(object, findings),
        ("", "Service") => services::service(object, findings),
        ("", "ConfigMap") => config::config_map(object, findings),
        ("", "Secret") => config::secret(object, findings),
        ("", "Node") => nodes::node(object, findings),
        ("", "LimitRange") => policy::limit_range(object, findings),
        ("", "ResourceQuota") => policy::resource_quota(object, findings),
        ("policy", "PodDisruptionBudget") => policy::disruption_budget(object, findings),
        ("scheduling.k8s.io", "PriorityClass") => policy::priority_class(object, findings),
        ("node.k8s.io", "RuntimeClass") => nodes::runtime_class(object, findings),
        ("coordination.k8s.io", "Lease") => nodes::lease(object, findings),
        ("autoscaling", "HorizontalPodAutoscaler") => autoscaling::autoscaler(object, findings),
        ("", "PersistentVolume") => storage::volume(object, findings),
        ("", "PersistentVolumeClaim") => storage::claim(&object.get("spec"), findings),
        ("storage.k8s.io", "StorageClass") => storage::class(object, findings),
        ("networking.k8s.io", "Ingress") => networking::ingress(object, findings),
        ("networking.k8s.io", "IngressClass") => networking::ingress_class(object, findings),
        ("networking.k8s.io", "NetworkPolicy") => networking::network_policy(object, findings),
        ("", "Endpoints") => endpoints::endpoints(object, findings),
        ("", "Event") => endpoints::event(object, findings),
        ("discovery.k8s.io", "EndpointSlice") => endpoints::slice(object, findings),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema") => webhooks::flow_schema(object, findings),
        (
            "admissionregistration.k8s.io",
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration",
        ) => webhooks::configuration(object, findings),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => {
            webhooks::policy(object, findings);
        }
        ("rbac.authorization.k8s.io", kind) => rbac::check(kind, object, findings),
        _ => {}
    }
}

fn check_change(gvk: &Gvk, old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let fixed: &[&[&str]] = match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("", "Pod") => return pod_update::pod(old, new, findings),
        ("", "Service") => return services::changed(old, new, findings),
        ("", "ConfigMap" | "Secret") => return config::changed(old, new, findings),
        ("", "Node") => return nodes::changed(old, new, findings),
        ("", "PersistentVolume") => return storage::volume_changed(old, new, findings),
        ("", "PersistentVolumeClaim") => return storage::claim_changed(old, new, findings),
        ("apps", "StatefulSet") => return workloads::stateful_set_changed(old, new, findings),
        ("batch", "Job") => return jobs::changed(old, new, findings),
        ("scheduling.k8s.io", "PriorityClass") => {
            return policy::priority_changed(old, new, findings);
        }
        ("rbac.authorization.k8s.io", _) => return rbac::changed(old, new, findings),
        ("apps", "Deployment" | "ReplicaSet" | "DaemonSet") => &[&["spec", "selector"]],
        ("storage.k8s.io", "StorageClass") => &[
            &["provisioner"],
            &["parameters"],
            &["reclaimPolicy"],
            &["volumeBindingMode"],
        ],
        ("networking.k8s.io", "IngressClass") => &[&["spec", "controller"]],
        ("node.k8s.io", "RuntimeClass") => &[&["handler"]],
        ("discovery.k8s.io", "EndpointSlice") => &[&["addressType"]],
        _ => &[],
    };
    for path in fixed {
        findings.fixed(&old.path(path), &new.path(path));
    }
}
