//! The taint manager: moves workloads off clusters whose taints drive them out.

use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::resource_binding::GracefulEvictionTask;
use flybridge_apis::{Cluster, Placement, ResourceBindingSpec, annotations};
use flybridge_runtime::{Action, EventType, Object, ObjectKey, WorkQueue, run_workers};
use serde::Deserialize;
use serde_json::json;

use super::decision::{Decision, decide, drives_out};
use super::{cluster_purge_mode, evict};
use crate::context::BY_CLUSTER;
use crate::kinds::BindingKey;
use crate::{Context, Error, Result};

/// A binding in a cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvictionKey {
    /// The cluster.
    pub cluster: String,
    /// The binding.
    pub binding: BindingKey,
}

/// Starts the controller on a queue of bindings in clusters.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<EvictionKey>) {
    let (evictions, shared) = (queue.clone(), Arc::downgrade(context));
    context.clusters.store().subscribe(move |change| {
        let (Some(cluster), Some(context)) = (change.new, shared.upgrade()) else {
            return;
        };
        let known = change
            .old
            .is_some_and(|old| old.spec.taints == cluster.spec.taints);
        if !known && cluster.spec.taints.iter().any(drives_out) {
            enqueue_all(&context, &evictions, cluster.name());
        }
    });
    for kind in [
        crate::kinds::BindingKind::Resource,
        crate::kinds::BindingKind::ClusterResource,
    ] {
        let (evictions, shared) = (queue.clone(), Arc::downgrade(context));
        context.bindings(kind).store().subscribe(move |change| {
            let (Some(binding), Some(context)) = (change.new, shared.upgrade()) else {
                return;
            };
            let same = change.old.is_some_and(|old| {
                let placement = annotations::APPLIED_PLACEMENT;
                old["spec"]["clusters"] == binding["spec"]["clusters"]
                    && old.annotation(placement) == binding.annotation(placement)
            });
            if !same {
                enqueue_tainted(&context, &evictions, kind, binding);
            }
        });
    }
    let (tasks, context) = (context.tasks.clone(), Arc::clone(context));
    run_workers(&tasks, "taint manager", queue, 3, move |key| {
        let context = Arc::clone(&context);
        async move { reconcile(&context, &key).await }
    });
}

fn enqueue_all(context: &Context, queue: &WorkQueue<EvictionKey>, cluster: &str) {
    for (kind, binding) in context.bindings_by(BY_CLUSTER, cluster) {
        let object = ObjectKey::new(binding.namespace(), binding.name());
        queue.add(EvictionKey {
            cluster: cluster.to_owned(),
            binding: BindingKey { kind, object },
        });
    }
}

fn enqueue_tainted(
    context: &Context,
    queue: &WorkQueue<EvictionKey>,
    kind: crate::kinds::BindingKind,
    binding: &Object,
) {
    let targets = binding["spec"]["clusters"].as_array();
    for name in targets
        .into_iter()
        .flatten()
        .filter_map(|target| target["name"].as_str())
    {
        let tainted = context
            .cluster(name)
            .is_some_and(|cluster| cluster.spec.taints.iter().any(drives_out));
        if tainted {
            let object = ObjectKey::new(binding.namespace(), binding.name());
            queue.add(EvictionKey {
                cluster: name.to_owned(),
                binding: BindingKey { kind, object },
            });
        }
    }
}

async fn reconcile(context: &Context, key: &EvictionKey) -> Result<Action> {
    let (Some(binding), Some(cluster)) =
        (context.binding(&key.binding), context.cluster(&key.cluster))
    else {
        return Ok(Action::Done);
    };
    let mut spec = ResourceBindingSpec::deserialize(&binding["spec"])?;
    if binding.is_deleting() || !spec.targets(&key.cluster) {
        return Ok(Action::Done);
    }
    match decision(context, &cluster, &binding)? {
        Decision::Never => return Ok(Action::Done),
        Decision::After(left) => return Ok(Action::After(left)),
        Decision::Now => {}
    }
    let task = GracefulEvictionTask {
        from_cluster: key.cluster.clone(),
        purge_mode: Some(cluster_purge_mode(&spec)),
        reason: "TaintUntolerated".to_owned(),
        producer: "TaintManager".to_owned(),
        ..GracefulEvictionTask::default()
    };
    if !evict(&mut spec, task) {
        return Ok(Action::Done);
    }
    let patch = json!({
        "metadata": {"resourceVersion": binding["metadata"]["resourceVersion"]},
        "spec": {
            "clusters": spec.clusters,
            "gracefulEvictionTasks": spec.graceful_eviction_tasks,
        },
    });
    let objects = context.binding_objects(&key.binding);
    if let Err(error) = objects.merge_patch(binding.name(), &patch).await {
        let text = format!("Evict from cluster {} failed: {error}", key.cluster);
        let reason = "EvictWorkloadFromClusterFailed";
        context
            .recorder
            .event(&binding, EventType::Warning, reason, text);
        return Err(error.into());
    }
    let rate = context.options.eviction_rate;
    let pause = if rate > 0.0 { 1.0 / rate } else { 1800.0 };
    tokio::time::sleep(Duration::from_secs_f64(pause)).await;
    Ok(Action::Done)
}

/// Source: tolerations are those of the placement that the scheduler last acted on.
fn decision(context: &Context, cluster: &Cluster, binding: &Object) -> Result<Decision> {
    let applied = binding.annotation(annotations::APPLIED_PLACEMENT);
    if applied.is_empty() {
        return Err(Error::not_yet("the binding has no applied placement"));
    }
    let placement: Placement = serde_json::from_str(applied)?;
    let tolerations = &placement.cluster_tolerations;
    Ok(decide(
        &cluster.spec.taints,
        tolerations,
        context.clock.now(),
    ))
}
