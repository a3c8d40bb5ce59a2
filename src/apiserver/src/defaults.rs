//! Defaulting of built-in kinds: what the server fills in before it validates and stores.
//!
//! Pure and idempotent: [`apply`] twice is [`apply`] once. Custom resources are defaulted by their
//! schema, not here.
//!
//! Source: upstream's `SetDefaults_*` functions, the fields Go writes even when empty, and the
//! canonical form of quantities.

mod autoscaling;
mod batch;
mod fill;
mod initial;
mod pods;
mod quantities;
mod services;
mod storage;
mod tables;
mod volumes;
mod workloads;

use flybridge_machinery::{Gvk, object};
use serde_json::Value;

pub use initial::qos_class;

/// Fills in the defaults of a built-in object; other kinds are left alone.
pub fn apply(gvk: &Gvk, object: &mut Value) {
    let kind = (gvk.group.as_str(), gvk.kind.as_str());
    if let Some(path) = pod_template_path(kind)
        && let Some(template) = at_mut(object, path)
    {
        object::ensure_path(template, &["metadata"]);
        if let Some(spec) = template.get_mut("spec") {
            pods::default_spec(spec);
        }
    }
    match kind {
        ("", "Pod") => pods::default_pod(object),
        ("", "ReplicationController") => workloads::default_replication_controller(object),
        ("apps", "Deployment") => workloads::default_deployment(object),
        ("apps", "StatefulSet") => workloads::default_stateful_set(object),
        ("apps", "DaemonSet") => workloads::default_daemon_set(object),
        ("batch", "Job") => batch::default_job(object),
        ("", "Service") => services::default_service(object),
        ("", "Secret") => tables::fold_string_data(object),
        ("", "Node") => tables::default_node(object),
        ("", "LimitRange") => quantities::default_limit_range(object),
        ("", "PersistentVolumeClaim") => storage::default_claim(object),
        ("", "PersistentVolume") => storage::default_volume(object),
        ("autoscaling", "HorizontalPodAutoscaler") => {
            autoscaling::default_autoscaler(&gvk.version, object);
        }
        ("networking.k8s.io", "NetworkPolicy") => services::default_network_policy(object),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => tables::default_names(object),
        ("rbac.authorization.k8s.io", _) => tables::default_subjects(object),
        _ => {}
    }
    tables::apply(kind, object);
    quantities::canonicalize(kind, object);
}

/// [`apply`], and the state a new object starts in: empty status, generated selectors, labels.
///
/// The object has its uid already. Allocations (addresses, ports) and what admission adds to pods
/// are not made here.
pub fn apply_for_create(gvk: &Gvk, object: &mut Value) {
    let own_labels = object::labels(object).next().is_some();
    apply(gvk, object);
    let kind = (gvk.group.as_str(), gvk.kind.as_str());
    if kind == ("batch", "Job") {
        batch::generate_selector(object, own_labels);
    }
    initial::prepare(kind, &gvk.version, object);
}

/// Where a kind keeps its pod template.
pub fn pod_template_path(kind: (&str, &str)) -> Option<&'static [&'static str]> {
    match kind {
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet")
        | ("batch", "Job")
        | ("", "ReplicationController") => Some(&["spec", "template"]),
        ("batch", "CronJob") => Some(&["spec", "jobTemplate", "spec", "template"]),
        ("", "PodTemplate") => Some(&["template"]),
        _ => None,
    }
}

fn at_mut<'a>(object: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter()
        .try_fold(object, |value, key| value.get_mut(*key))
        .filter(|value| value.is_object())
}
