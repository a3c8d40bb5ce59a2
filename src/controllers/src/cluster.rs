//! The life of a Cluster in the control plane: its execution namespace, taints, finalizer, and end.

use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::{Cluster, finalizers, labels, names};
use flybridge_client::{Objects, is_already_exists, is_not_found};
use flybridge_machinery::time;
use flybridge_runtime::{Action, EventType, Object, ObjectKey, WorkQueue, run_workers};
use k8s_openapi::api::core::v1::Taint;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::json;

use crate::context::BY_CLUSTER;
use crate::{Context, Result, kinds, write};

/// Set while a cluster says it is not ready.
pub const NOT_READY: &str = "cluster.karmada.io/not-ready";
/// Set while nothing is known of a cluster.
pub const UNREACHABLE: &str = "cluster.karmada.io/unreachable";
const NO_SCHEDULE: &str = "NoSchedule";
/// How soon to look again at a cluster that is going away.
const LEAVING_POLL: Duration = Duration::from_secs(1);

/// Starts the controller on a queue of cluster names.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<String>) {
    let clusters = queue.clone();
    context.clusters.store().subscribe(move |change| {
        if let Some(cluster) = change.object() {
            clusters.add(cluster.name().to_owned());
        }
    });
    let context = Arc::clone(context);
    let tasks = context.tasks.clone();
    run_workers(&tasks, "cluster", queue, 4, move |name| {
        let context = Arc::clone(&context);
        async move { reconcile(&context, &name).await }
    });
}

async fn reconcile(context: &Context, name: &str) -> Result<Action> {
    let Some(cluster) = context.cluster(name) else {
        context.members.forget(name);
        return Ok(Action::Done);
    };
    if cluster.is_deleting() {
        return remove(context, &cluster).await;
    }
    let finalizer = finalizers::CLUSTER_CONTROLLER;
    let held = cluster
        .metadata
        .finalizers
        .iter()
        .flatten()
        .any(|have| have == finalizer);
    if !held {
        ensure_namespace(context, &cluster).await?;
    }
    let now = context.clock.now();
    let taints = with_condition_taints(&cluster, now);
    if held && taints == cluster.spec.taints {
        return Ok(Action::Done);
    }
    let objects = Objects::new(&context.client, &kinds::clusters(), "");
    let mut patch = json!({"metadata": {"resourceVersion": cluster.metadata.resource_version}});
    if !held {
        let mut list = cluster.metadata.finalizers.clone().unwrap_or_default();
        list.push(finalizer.to_owned());
        patch["metadata"]["finalizers"] = json!(list);
    }
    if taints != cluster.spec.taints {
        patch["spec"] = json!({"taints": taints});
        tracing::info!(cluster = name, ready = cluster.is_ready(), "taints changed");
    }
    objects.merge_patch(name, &patch).await?;
    Ok(Action::Done)
}

async fn ensure_namespace(context: &Context, cluster: &Cluster) -> Result<()> {
    let name = names::execution_namespace(cluster.name());
    let namespace = json!({
        "apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": name, "labels": {labels::SYSTEM: labels::TRUE}},
    });
    let objects = Objects::new(&context.client, &kinds::namespaces(), "");
    match objects.create(&namespace).await {
        Ok(_created) => {
            let text = format!("Created execution space({name}) for cluster");
            let reason = "CreateExecutionSpaceSucceed";
            context
                .recorder
                .event(&reference(cluster), EventType::Normal, reason, text);
            Ok(())
        }
        Err(error) if is_already_exists(&error) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A stand-in for a Cluster that events can refer to.
fn reference(cluster: &Cluster) -> serde_json::Value {
    json!({
        "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
        "metadata": {"name": cluster.name(), "uid": cluster.metadata.uid},
    })
}

/// The taints a cluster must have, given its Ready condition.
fn with_condition_taints(cluster: &Cluster, now: jiff::Timestamp) -> Vec<Taint> {
    let ready = cluster.condition(flybridge_apis::cluster::READY);
    let (add, remove): (Option<&str>, &[&str]) = match ready.map(|ready| ready.status.as_str()) {
        Some("True") => (None, &[NOT_READY, UNREACHABLE]),
        Some("Unknown") => (Some(UNREACHABLE), &[NOT_READY]),
        Some(_) => (Some(NOT_READY), &[UNREACHABLE]),
        None => (Some(NOT_READY), &[]),
    };
    let ours = |taint: &Taint, key: &str| taint.key == key && taint.effect == NO_SCHEDULE;
    let mut taints = cluster.spec.taints.clone();
    taints.retain(|taint| !remove.iter().any(|key| ours(taint, key)));
    if let Some(key) = add
        && !taints.iter().any(|taint| ours(taint, key))
    {
        taints.push(Taint {
            key: key.to_owned(),
            effect: NO_SCHEDULE.to_owned(),
            time_added: time::parse(&time::format(now)).ok().map(Time),
            ..Taint::default()
        });
    }
    taints
}

/// Removes what a cluster has in the control plane, step by step, and then lets it go.
async fn remove(context: &Context, cluster: &Cluster) -> Result<Action> {
    let name = cluster.name();
    let namespace = names::execution_namespace(name);
    let namespaces = Objects::new(&context.client, &kinds::namespaces(), "");
    match namespaces.get(&namespace).await {
        Ok(object) => {
            if object["metadata"]["deletionTimestamp"].is_null() {
                namespaces.delete(&namespace, None).await?;
            }
            for work in context.works.store().list_namespace(&namespace) {
                if !work.is_deleting() {
                    let works = context.work_objects(&namespace);
                    works.delete(work.name(), None).await?;
                }
            }
            return Ok(Action::After(LEAVING_POLL));
        }
        Err(error) if is_not_found(&error) => {}
        Err(error) => return Err(error.into()),
    }
    if !context.bindings_by(BY_CLUSTER, name).is_empty() {
        return Ok(Action::After(LEAVING_POLL));
    }
    context.members.forget(name);
    let objects = Objects::new(&context.client, &kinds::clusters(), "");
    match objects.get(name).await {
        Ok(live) => {
            let live = Object::from(live);
            let finalizer = finalizers::CLUSTER_CONTROLLER;
            write::remove_finalizer(&objects, &live, finalizer).await?;
        }
        Err(error) if is_not_found(&error) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(Action::Done)
}

/// The key of a cluster in its store.
pub fn key(name: &str) -> ObjectKey {
    ObjectKey::cluster_scoped(name)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    fn taints(ready: Option<&str>, present: &[&str]) -> Vec<String> {
        let conditions = ready.map(|status| {
            json!([{"type": "Ready", "status": status, "reason": "r", "message": "",
                "lastTransitionTime": "2026-01-01T00:00:00Z"}])
        });
        let present: Vec<_> = present
            .iter()
            .map(|key| json!({"key": key, "effect": "NoSchedule"}))
            .collect();
        let mut value = json!({"metadata": {"name": "m1"},
            "spec": {"syncMode": "Push", "taints": present}});
        if let Some(conditions) = conditions {
            value["status"] = json!({"conditions": conditions});
        }
        let cluster = Cluster::deserialize(&value).unwrap();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let taints = with_condition_taints(&cluster, now);
        taints.into_iter().map(|taint| taint.key).collect()
    }

    #[test]
    fn taints_follow_the_ready_condition() {
        assert_eq!(
            taints(Some("True"), &[NOT_READY, UNREACHABLE, "mine"]),
            ["mine"]
        );
        assert_eq!(taints(Some("False"), &[UNREACHABLE]), [NOT_READY]);
        assert_eq!(taints(Some("Unknown"), &[NOT_READY]), [UNREACHABLE]);
        assert_eq!(taints(None, &[]), [NOT_READY]);
        assert_eq!(taints(Some("False"), &[NOT_READY]), [NOT_READY]);
    }
}
