//! Graceful eviction: drops the tasks of copies that may go now.

use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::resource_binding::{AggregatedStatusItem, GracefulEvictionTask};
use flybridge_apis::work::ResourceHealth;
use flybridge_apis::{ResourceBindingSpec, ResourceBindingStatus};
use flybridge_machinery::time;
use flybridge_runtime::{Action, EventType, ObjectKey, WorkQueue, run_workers};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::Deserialize;
use serde_json::json;

use crate::kinds::{BindingKey, BindingKind};
use crate::{Context, Result};

/// Starts the controller on a queue of bindings.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<BindingKey>) {
    for kind in [BindingKind::Resource, BindingKind::ClusterResource] {
        let bindings = queue.clone();
        context.bindings(kind).store().subscribe(move |change| {
            let Some(binding) = change.new else { return };
            let tasks = binding["spec"]["gracefulEvictionTasks"].as_array();
            if tasks.is_some_and(|tasks| !tasks.is_empty()) {
                let object = ObjectKey::new(binding.namespace(), binding.name());
                bindings.add(BindingKey { kind, object });
            }
        });
    }
    let (tasks, context) = (context.tasks.clone(), Arc::clone(context));
    run_workers(&tasks, "graceful eviction", queue, 2, move |key| {
        let context = Arc::clone(&context);
        async move { reconcile(&context, &key).await }
    });
}

async fn reconcile(context: &Context, key: &BindingKey) -> Result<Action> {
    let Some(binding) = context.binding(key) else {
        return Ok(Action::Done);
    };
    if binding.is_deleting() {
        return Ok(Action::Done);
    }
    let spec = ResourceBindingSpec::deserialize(&binding["spec"])?;
    let status = Option::<ResourceBindingStatus>::deserialize(&binding["status"])?;
    let status = status.unwrap_or_default();
    let settled = status.scheduler_observed_generation == binding.generation()
        && is_healthy_everywhere(&spec, &status.aggregated_status);
    let now = time::parse(&time::format(context.clock.now())).unwrap_or_default();
    let timeout = context.options.graceful_eviction_timeout;
    let verdict = assess(&spec.graceful_eviction_tasks, settled, now, timeout);
    if verdict.kept != spec.graceful_eviction_tasks {
        let patch = json!({
            "metadata": {"resourceVersion": binding["metadata"]["resourceVersion"]},
            "spec": {"gracefulEvictionTasks": verdict.kept},
        });
        let objects = context.binding_objects(key);
        objects.merge_patch(binding.name(), &patch).await?;
        for cluster in &verdict.dropped {
            let text = format!("Evict from cluster {cluster} succeed.");
            let reason = "EvictWorkloadFromClusterSucceed";
            context
                .recorder
                .event(&binding, EventType::Normal, reason, text);
        }
    }
    Ok(verdict.next.map_or(Action::Done, Action::After))
}

/// What becomes of a binding's tasks.
struct Verdict {
    kept: Vec<GracefulEvictionTask>,
    dropped: Vec<String>,
    next: Option<Duration>,
}

/// Whether every target says the new copy is well.
fn is_healthy_everywhere(spec: &ResourceBindingSpec, items: &[AggregatedStatusItem]) -> bool {
    spec.clusters.iter().all(|target| {
        let item = items.iter().find(|item| item.cluster_name == target.name);
        item.is_some_and(|item| item.health == Some(ResourceHealth::Healthy))
    })
}

fn assess(
    tasks: &[GracefulEvictionTask],
    settled: bool,
    now: Timestamp,
    timeout: Duration,
) -> Verdict {
    let mut verdict = Verdict {
        kept: Vec::new(),
        dropped: Vec::new(),
        next: None,
    };
    for task in tasks {
        let Some(created) = &task.creation_timestamp else {
            let mut accepted = task.clone();
            accepted.creation_timestamp = Some(Time(now));
            verdict.kept.push(accepted);
            continue;
        };
        match task.suppress_deletion {
            Some(true) => {
                verdict.kept.push(task.clone());
                continue;
            }
            Some(false) => {
                verdict.dropped.push(task.from_cluster.clone());
                continue;
            }
            None => {}
        }
        let grace = task.grace_period_seconds.map_or(timeout, |seconds| {
            Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
        });
        let age = now.duration_since(created.0);
        let left = SignedDuration::try_from(grace).unwrap_or(SignedDuration::MAX) - age;
        match Duration::try_from(left) {
            Ok(left) if !settled && left > Duration::ZERO => {
                verdict.next = Some(verdict.next.map_or(left, |have| have.min(left)));
                verdict.kept.push(task.clone());
            }
            _ => verdict.dropped.push(task.from_cluster.clone()),
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(600);

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn task(created: Option<&str>) -> GracefulEvictionTask {
        GracefulEvictionTask {
            from_cluster: "m1".to_owned(),
            creation_timestamp: created.map(|text| Time(at(text))),
            ..GracefulEvictionTask::default()
        }
    }

    #[test]
    fn a_new_task_is_stamped_first() {
        let now = at("2026-01-01T00:00:00Z");
        let verdict = assess(&[task(None)], true, now, TIMEOUT);
        assert_eq!(verdict.kept[0].creation_timestamp, Some(Time(now)));
    }

    #[test]
    fn a_copy_goes_when_the_new_ones_are_well_or_time_is_up() {
        let created = Some("2026-01-01T00:00:00Z");
        let early = at("2026-01-01T00:01:00Z");
        assert_eq!(
            assess(&[task(created)], true, early, TIMEOUT).dropped,
            ["m1"]
        );
        let waiting = assess(&[task(created)], false, early, TIMEOUT);
        assert_eq!(waiting.next, Some(Duration::from_secs(540)));
        let late = at("2026-01-01T00:10:00Z");
        assert_eq!(
            assess(&[task(created)], false, late, TIMEOUT).dropped,
            ["m1"]
        );
    }

    #[test]
    fn a_suppressed_deletion_waits_for_the_user() {
        let mut task = task(Some("2026-01-01T00:00:00Z"));
        let late = at("2026-02-01T00:00:00Z");
        task.suppress_deletion = Some(true);
        assert!(
            assess(&[task.clone()], true, late, TIMEOUT)
                .dropped
                .is_empty()
        );
        task.suppress_deletion = Some(false);
        assert_eq!(assess(&[task], false, late, TIMEOUT).dropped, ["m1"]);
    }
}
