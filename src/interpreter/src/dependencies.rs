//! What else an object needs in the clusters it goes to.

use std::collections::BTreeSet;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{Pod, PodSpec};
use k8s_openapi::api::networking::v1::Ingress;
use serde_json::{Value, json};

use crate::operation::{not_handled, type_of};
use crate::pod_template::{References, references};
use crate::{Error, Operation, Result, decode};

/// The `DependentObjectReference`s of an object as JSON, in a stable order.
///
/// # Errors
/// No rule for the kind, or the object does not have its shape.
pub fn dependencies(object: &Value) -> Result<Vec<Value>> {
    let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
    let spec = match type_of(object) {
        ("apps/v1", "Deployment") => {
            let spec = decode::object::<Deployment>(object)?.spec;
            spec.template.spec
        }
        ("apps/v1", "ReplicaSet") => {
            let spec = decode::object::<ReplicaSet>(object)?.spec;
            spec.template.and_then(|template| template.spec)
        }
        ("apps/v1", "StatefulSet") => return stateful_set(object, namespace),
        ("apps/v1", "DaemonSet") => {
            let spec = decode::object::<DaemonSet>(object)?.spec;
            spec.template.spec
        }
        ("batch/v1", "Job") => {
            let spec = decode::object::<Job>(object)?.spec.unwrap_or_default();
            spec.template.spec
        }
        ("batch/v1", "CronJob") => {
            let spec = decode::object::<CronJob>(object)?.spec;
            spec.job_template.spec.and_then(|job| job.template.spec)
        }
        ("v1", "Pod") => decode::object::<Pod>(object)?.spec,
        ("networking.k8s.io/v1", "Ingress") => return ingress(object, namespace),
        ("multicluster.x-k8s.io/v1alpha1", "ServiceImport") => {
            return Ok(service_import(object, namespace));
        }
        _ => return not_handled(object, Operation::InterpretDependency),
    };
    Ok(listed(&found(spec.as_ref()), namespace))
}

fn found(spec: Option<&PodSpec>) -> References {
    spec.map(references).unwrap_or_default()
}

fn reference(kind: &str, namespace: &str, name: &str) -> Value {
    let mut reference = json!({"apiVersion": "v1", "kind": kind, "name": name});
    if !namespace.is_empty() {
        reference["namespace"] = json!(namespace);
    }
    reference
}

fn listed(references: &References, namespace: &str) -> Vec<Value> {
    let of = |kind: &'static str, names: &BTreeSet<String>| -> Vec<Value> {
        let each = names.iter().map(|name| reference(kind, namespace, name));
        each.collect()
    };
    let mut all = of("ConfigMap", &references.config_maps);
    all.extend(of("Secret", &references.secrets));
    all.extend(of("ServiceAccount", &references.service_accounts));
    all.extend(of("PersistentVolumeClaim", &references.claims));
    all
}

/// Claims that the set makes from its own templates are no dependencies.
fn stateful_set(object: &Value, namespace: &str) -> Result<Vec<Value>> {
    let spec = decode::object::<StatefulSet>(object)?.spec;
    let mut references = found(spec.template.spec.as_ref());
    for template in spec.volume_claim_templates.into_iter().flatten() {
        if let Some(name) = template.metadata.name {
            references.claims.remove(&name);
        }
    }
    Ok(listed(&references, namespace))
}

fn ingress(object: &Value, namespace: &str) -> Result<Vec<Value>> {
    let spec = decode::object::<Ingress>(object)?.spec.unwrap_or_default();
    let mut secrets = Vec::new();
    for tls in spec.tls.into_iter().flatten() {
        let name = tls.secret_name.unwrap_or_default();
        if name.is_empty() {
            let text = "dependency can not leave name and labelSelector all empty";
            return Err(Error::invalid(text));
        }
        secrets.push(reference("Secret", namespace, &name));
    }
    Ok(secrets)
}

fn service_import(object: &Value, namespace: &str) -> Vec<Value> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let derived = format!("derived-{name}");
    let slices = json!({
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "namespace": namespace,
        "labelSelector": {"matchLabels": {"kubernetes.io/service-name": derived}},
    });
    vec![reference("Service", namespace, &derived), slices]
}
