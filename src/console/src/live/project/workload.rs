//! Rows of the workload list.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{count, created, name, namespace, text};
use crate::rows::WorkloadRow;
use crate::rows::workload::member_id;

fn row(cluster: &str, kind: &str, metadata: &ObjectMeta, pod: Option<&PodSpec>) -> WorkloadRow {
    let (namespace, name) = (namespace(metadata), name(metadata));
    let images: Vec<String> = pod
        .map(|pod| {
            pod.containers
                .iter()
                .filter_map(|c| c.image.as_deref())
                .map(text)
                .collect()
        })
        .unwrap_or_default();
    WorkloadRow {
        id: member_id(cluster, kind, &namespace, &name),
        cluster: cluster.to_owned(),
        namespace,
        name,
        kind: kind.to_owned(),
        images: images.join(","),
        created: created(metadata),
        ..WorkloadRow::default()
    }
}

pub(in crate::live) fn deployment(cluster: &str, object: &Deployment) -> WorkloadRow {
    let spec = &object.spec;
    let status = object.status.as_ref();
    let pod = spec.template.spec.as_ref();
    WorkloadRow {
        desired: count(spec.replicas.or(Some(1))),
        ready: count(status.and_then(|status| status.ready_replicas)),
        updated: count(status.and_then(|status| status.updated_replicas)),
        available: count(status.and_then(|status| status.available_replicas)),
        ..row(cluster, "Deployment", &object.metadata, pod)
    }
}

pub(in crate::live) fn stateful_set(cluster: &str, object: &StatefulSet) -> WorkloadRow {
    let spec = &object.spec;
    let status = object.status.as_ref();
    let pod = spec.template.spec.as_ref();
    WorkloadRow {
        desired: count(spec.replicas.or(Some(1))),
        ready: count(status.and_then(|status| status.ready_replicas)),
        updated: count(status.and_then(|status| status.updated_replicas)),
        available: count(status.and_then(|status| status.available_replicas)),
        ..row(cluster, "StatefulSet", &object.metadata, pod)
    }
}

pub(in crate::live) fn daemon_set(cluster: &str, object: &DaemonSet) -> WorkloadRow {
    let status = object.status.as_ref();
    let pod = object.spec.template.spec.as_ref();
    WorkloadRow {
        desired: count(status.map(|status| status.desired_number_scheduled)),
        ready: count(status.map(|status| status.number_ready)),
        updated: count(status.and_then(|status| status.updated_number_scheduled)),
        available: count(status.and_then(|status| status.number_available)),
        ..row(cluster, "DaemonSet", &object.metadata, pod)
    }
}

/// A Job counts completions: those that succeeded are ready, those running are on their way.
pub(in crate::live) fn job(cluster: &str, object: &Job) -> WorkloadRow {
    let spec = object.spec.as_ref();
    let status = object.status.as_ref();
    let desired = count(
        spec.and_then(|spec| spec.completions.or(spec.parallelism))
            .or(Some(1)),
    );
    let succeeded = count(status.and_then(|status| status.succeeded));
    let active = count(status.and_then(|status| status.active));
    let pod = spec.and_then(|spec| spec.template.spec.as_ref());
    WorkloadRow {
        desired,
        ready: succeeded,
        updated: succeeded + active,
        available: succeeded,
        ..row(cluster, "Job", &object.metadata, pod)
    }
}
