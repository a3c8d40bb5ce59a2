//! Works to binding, and binding to template: who has applied it, and what it says about itself.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::failover::PurgeMode;
use flybridge_apis::resource_binding::FULLY_APPLIED;
use flybridge_apis::work::APPLIED;
use flybridge_apis::{ResourceBindingSpec, names};
use flybridge_client::{Objects, is_not_found};
use flybridge_interpreter::{Operation, aggregate_status, hook_enabled};
use flybridge_machinery::{conditions, time};
use flybridge_runtime::{
    Action, EventType, LOW_PRIORITY, Object, ObjectKey, WorkQueue, run_workers, write_status,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::BY_BINDING;
use crate::kinds::{BindingKey, BindingKind};
use crate::{Context, Result};

/// How long a binding waits for reports of more of its Works.
const SETTLE: Duration = Duration::from_millis(25);

/// Starts the controller on a queue of bindings.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<BindingKey>) {
    let bindings = queue.clone();
    context.works.store().subscribe(move |change| {
        let Some(work) = change.object() else { return };
        let changed = match (change.old, change.new) {
            (Some(old), Some(new)) => old["status"] != new["status"],
            _ => true,
        };
        if changed && let Some(key) = BindingKey::of_work(work) {
            bindings.add_after(key, SETTLE);
        }
    });
    for kind in [BindingKind::Resource, BindingKind::ClusterResource] {
        let bindings = queue.clone();
        context.bindings(kind).store().subscribe(move |change| {
            let Some(binding) = change.new else { return };
            let relevant = match change.old {
                None => binding["status"]["lastScheduledTime"].is_string(),
                Some(old) => {
                    old["spec"]["resource"] != binding["spec"]["resource"]
                        || old["spec"]["clusters"] != binding["spec"]["clusters"]
                }
            };
            if relevant {
                let object = ObjectKey::new(binding.namespace(), binding.name());
                let key = BindingKey { kind, object };
                if change.initial {
                    bindings.add_with(key, LOW_PRIORITY);
                } else {
                    bindings.add_after(key, SETTLE);
                }
            }
        });
    }
    let context = Arc::clone(context);
    let (tasks, workers) = (context.tasks.clone(), context.options.workers);
    run_workers(&tasks, "binding status", queue, workers, move |key| {
        let context = Arc::clone(&context);
        async move { reconcile(&context, &key).await }
    });
}

async fn reconcile(context: &Context, key: &BindingKey) -> Result<Action> {
    let Some(binding) = context.binding(key) else {
        return Ok(Action::Done);
    };
    let spec = ResourceBindingSpec::deserialize(&binding["spec"])?;
    let id = binding.label(key.kind.permanent_id());
    let works = context.works.store().by_index(BY_BINDING, id);
    let scheduled = binding["status"]["lastScheduledTime"].is_string() || !works.is_empty();
    if binding.is_deleting() || !scheduled {
        return Ok(Action::Done);
    }
    let items = aggregate(&spec, &works);
    let condition = fully_applied(&spec, &items);
    let now = context.clock.now();
    let objects = context.binding_objects(key);
    let written = write_status(&objects, binding.name(), Some(binding.value()), |binding| {
        if items.is_empty() && binding["status"]["aggregatedStatus"].is_null() {
            // Nothing to show and nothing shown.
        } else {
            binding["status"]["aggregatedStatus"] = Value::Array(items.clone());
        }
        conditions::set_on(binding, condition.clone(), now);
    })
    .await;
    match written {
        Ok(Some(_)) => {
            let text = "Update ResourceBinding with AggregatedStatus successfully";
            let recorder = &context.recorder;
            recorder.event(&binding, EventType::Normal, "AggregateStatusSucceed", text);
        }
        Ok(None) => {}
        Err(error) if is_not_found(&error) => return Ok(Action::Done),
        Err(error) => return Err(error.into()),
    }
    update_template(context, &spec, &items).await?;
    Ok(Action::Done)
}

/// One item a cluster, ordered by name.
fn aggregate(spec: &ResourceBindingSpec, works: &[Arc<Object>]) -> Vec<Value> {
    let mut items: Vec<(String, Value)> = works
        .iter()
        .filter(|work| !work.is_deleting())
        .filter_map(|work| {
            let cluster = names::cluster_of_execution_namespace(work.namespace())?;
            Some((cluster.to_owned(), item(cluster, spec, work)))
        })
        .collect();
    items.sort_by(|(a, _), (b, _)| a.cmp(b));
    items.into_iter().map(|(_, item)| item).collect()
}

fn item(cluster: &str, spec: &ResourceBindingSpec, work: &Object) -> Value {
    let applied = conditions::of(work, APPLIED);
    let is_applied = applied.is_some_and(|applied| applied["status"] == "True");
    if !is_applied {
        let mut item = json!({"clusterName": cluster, "health": "Unknown"});
        let message = applied.and_then(|applied| applied["message"].as_str());
        if let Some(message) = message.filter(|message| !message.is_empty()) {
            item["appliedMessage"] = json!(message);
        }
        return item;
    }
    let mut item = json!({"clusterName": cluster, "applied": true, "health": "Unknown"});
    let reports = work["status"]["manifestStatuses"].as_array();
    let report = reports.into_iter().flatten().find(|report| {
        let identifier = &report["identifier"];
        identifier["kind"] == spec.resource.kind.as_str()
            && identifier["name"] == spec.resource.name.as_str()
            && identifier["namespace"].as_str().unwrap_or_default() == spec.resource.namespace
    });
    if let Some(report) = report {
        if !report["status"].is_null() {
            item["status"] = report["status"].clone();
        }
        if report["health"].is_string() {
            item["health"] = report["health"].clone();
        }
    }
    item
}

/// Whether every cluster that should have it says it has.
fn fully_applied(spec: &ResourceBindingSpec, items: &[Value]) -> Value {
    let required = spec.required_by.iter().flat_map(|by| &by.clusters);
    let leaving = spec
        .graceful_eviction_tasks
        .iter()
        .filter(|task| task.purge_mode != Some(PurgeMode::Directly))
        .map(|task| task.from_cluster.as_str());
    let expected: BTreeSet<&str> = spec
        .clusters
        .iter()
        .chain(required)
        .map(|target| target.name.as_str())
        .chain(leaving)
        .collect();
    let good = items.iter().all(|item| {
        let cluster = item["clusterName"].as_str().unwrap_or_default();
        item["applied"] == true && expected.contains(cluster)
    });
    if !expected.is_empty() && items.len() == expected.len() && good {
        let message = "All works have been successfully applied";
        conditions::new(FULLY_APPLIED, "True", "FullyAppliedSuccess", message)
    } else {
        let message = "Failed to apply all works, see status.aggregatedStatus for details";
        conditions::new(FULLY_APPLIED, "False", "FullyAppliedFailed", message)
    }
}

/// Brings the template's own status to what the members say together.
async fn update_template(
    context: &Context,
    spec: &ResourceBindingSpec,
    items: &[Value],
) -> Result<()> {
    let resource = &spec.resource;
    let hook = Operation::AggregateStatus;
    if !hook_enabled(&resource.api_version, &resource.kind, hook) {
        return Ok(());
    }
    let mapping = context
        .mapper
        .lookup(&resource.api_version, &resource.kind)
        .await?;
    let key = ObjectKey::new(&*resource.namespace, &*resource.name);
    let informer = context.templates.existing(&mapping.resource);
    let known = informer.and_then(|informer| informer.store().get(&key));
    let now = time::format(context.clock.now());
    if let Some(known) = &known {
        let mut trial = known.value().clone();
        if !aggregate_status(&mut trial, items, &now)? {
            return Ok(());
        }
    }
    let objects = Objects::new(&context.client, &mapping.resource, &resource.namespace);
    let known = known.as_ref().map(|known| known.value());
    let written = write_status(&objects, &resource.name, known, |template| {
        if let Err(error) = aggregate_status(template, items, &now) {
            tracing::debug!(%error, "could not aggregate status");
        }
    })
    .await;
    match written {
        Ok(_) => Ok(()),
        Err(error) if is_not_found(&error) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use flybridge_apis::TargetCluster;

    use super::*;

    fn spec(clusters: &[&str]) -> ResourceBindingSpec {
        let mut spec = ResourceBindingSpec::default();
        spec.resource.kind = "Deployment".to_owned();
        spec.resource.name = "web".to_owned();
        spec.resource.namespace = "demo".to_owned();
        spec.clusters = clusters
            .iter()
            .map(|name| TargetCluster {
                name: (*name).to_owned(),
                ..TargetCluster::default()
            })
            .collect();
        spec
    }

    fn work(cluster: &str, applied: &str) -> Arc<Object> {
        Arc::new(Object::from(json!({
            "metadata": {"name": "w", "namespace": names::execution_namespace(cluster)},
            "status": {
                "conditions": [{"type": "Applied", "status": applied, "message": "why"}],
                "manifestStatuses": [{
                    "identifier": {"kind": "Deployment", "name": "web", "namespace": "demo"},
                    "status": {"replicas": 2}, "health": "Healthy",
                }],
            },
        })))
    }

    #[test]
    fn items_are_sorted_and_tell_why_not() {
        let items = aggregate(
            &spec(&["m1", "m2"]),
            &[work("m2", "True"), work("m1", "False")],
        );
        assert_eq!(
            items,
            [
                json!({"clusterName": "m1", "health": "Unknown", "appliedMessage": "why"}),
                json!({"clusterName": "m2", "applied": true, "health": "Healthy",
                    "status": {"replicas": 2}}),
            ]
        );
    }

    #[test]
    fn fully_applied_means_everywhere_and_nowhere_else() {
        let state = |clusters: &[&str], works: &[Arc<Object>]| {
            let spec = spec(clusters);
            let items = aggregate(&spec, works);
            fully_applied(&spec, &items)["status"] == "True"
        };
        assert!(state(&["m1"], &[work("m1", "True")]));
        assert!(!state(&["m1", "m2"], &[work("m1", "True")]));
        assert!(!state(&["m1"], &[work("m1", "False")]));
        assert!(!state(&["m1"], &[work("m1", "True"), work("m2", "True")]));
        assert!(!state(&[], &[]));
    }
}
