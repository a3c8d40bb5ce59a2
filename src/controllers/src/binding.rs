//! Binding to Works: one Work for each cluster a binding goes to.

pub mod render;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::failover::PurgeMode;
use flybridge_apis::matching::ImplicitPriority;
use flybridge_apis::{ResourceBindingSpec, ResourceSelector, TargetCluster, names};
use flybridge_client::{Objects, is_already_exists, is_not_found};
use flybridge_runtime::{
    Action, EventType, LOW_PRIORITY, Object, ObjectKey, WorkQueue, run_workers,
};
use futures::future::join_all;
use serde::Deserialize;
use serde_json::Value;

use self::render::{Rendering, render, work_update};
use crate::context::BY_BINDING;
use crate::kinds::{BindingKey, BindingKind};
use crate::{Context, Error, Result, write};

/// How soon to look again whether a directly purged copy is gone.
const PURGE_POLL: Duration = Duration::from_secs(5);

/// Starts the controller on a queue of bindings.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<BindingKey>) {
    for kind in [BindingKind::Resource, BindingKind::ClusterResource] {
        let bindings = queue.clone();
        context.bindings(kind).store().subscribe(move |change| {
            let Some(binding) = change.new else { return };
            let relevant = change.old.is_none_or(|old| {
                old.generation() != binding.generation()
                    || old.is_deleting() != binding.is_deleting()
            });
            if relevant {
                let object = ObjectKey::new(binding.namespace(), binding.name());
                let priority = if change.initial { LOW_PRIORITY } else { 0 };
                bindings.add_with(BindingKey { kind, object }, priority);
            }
        });
    }
    let bindings = queue.clone();
    context.works.store().subscribe(move |change| {
        if change.new.is_none()
            && let Some(key) = change.old.and_then(|work| BindingKey::of_work(work))
        {
            bindings.add(key);
        }
    });
    watch_overrides(context, queue);
    let context = Arc::clone(context);
    let (tasks, workers) = (context.tasks.clone(), context.options.workers);
    run_workers(&tasks, "binding", queue, workers, move |key| {
        let context = Arc::clone(&context);
        async move { reconcile(&context, &key).await }
    });
}

fn watch_overrides(context: &Arc<Context>, queue: &WorkQueue<BindingKey>) {
    let (bindings, shared) = (queue.clone(), Arc::downgrade(context));
    context.overrides.store().subscribe(move |change| {
        let Some(context) = shared.upgrade() else {
            return;
        };
        if change.initial {
            return;
        }
        for policy in [change.old, change.new].into_iter().flatten() {
            let namespace = policy.metadata.namespace.as_deref().unwrap_or_default();
            let store = context.bindings(BindingKind::Resource).store();
            for binding in store.list_namespace(namespace) {
                let selectors = &policy.spec.resource_selectors;
                enqueue_selected(&bindings, BindingKind::Resource, &binding, selectors);
            }
        }
    });
    let (bindings, shared) = (queue.clone(), Arc::downgrade(context));
    context.cluster_overrides.store().subscribe(move |change| {
        let Some(context) = shared.upgrade() else {
            return;
        };
        if change.initial {
            return;
        }
        for policy in [change.old, change.new].into_iter().flatten() {
            for kind in [BindingKind::Resource, BindingKind::ClusterResource] {
                for binding in context.bindings(kind).store().list() {
                    let selectors = &policy.spec.resource_selectors;
                    enqueue_selected(&bindings, kind, &binding, selectors);
                }
            }
        }
    });
}

/// Enqueues a binding whose template the selectors may mean; labels are not looked at here.
fn enqueue_selected(
    queue: &WorkQueue<BindingKey>,
    kind: BindingKind,
    binding: &Object,
    selectors: &[ResourceSelector],
) {
    let resource = &binding["spec"]["resource"];
    let stand_in = serde_json::json!({
        "apiVersion": resource["apiVersion"], "kind": resource["kind"],
        "metadata": {"namespace": resource["namespace"], "name": resource["name"]},
    });
    let template = flybridge_apis::matching::Template::of(&stand_in);
    let meant = selectors.iter().any(|selector| {
        let mut selector = selector.clone();
        selector.label_selector = None;
        selector.implicit_priority(&template) > ImplicitPriority::Mismatch
    });
    if selectors.is_empty() || meant {
        let object = ObjectKey::new(binding.namespace(), binding.name());
        queue.add_with(BindingKey { kind, object }, LOW_PRIORITY);
    }
}

async fn reconcile(context: &Context, key: &BindingKey) -> Result<Action> {
    let Some(binding) = context.binding(key) else {
        return Ok(Action::Done);
    };
    let permanent_id = binding.label(key.kind.permanent_id());
    let works = if permanent_id.is_empty() {
        Vec::new()
    } else {
        context.works.store().by_index(BY_BINDING, permanent_id)
    };
    if binding.is_deleting() {
        delete_works(context, works.iter()).await?;
        let objects = context.binding_objects(key);
        write::remove_finalizer(&objects, &binding, key.kind.finalizer()).await?;
        return Ok(Action::Done);
    }
    let spec = ResourceBindingSpec::deserialize(&binding["spec"])?;
    if permanent_id.is_empty() {
        let text = "the binding has no permanent id yet";
        return if spec.clusters.is_empty() {
            Ok(Action::Done)
        } else {
            Err(Error::not_yet(text))
        };
    }
    let expected = expected_clusters(&spec);
    let orphans = works.iter().filter(|work| {
        let cluster = names::cluster_of_execution_namespace(work.namespace());
        cluster.is_none_or(|cluster| !expected.contains(cluster))
    });
    if let Err(error) = delete_works(context, orphans).await {
        let text = format!("Failed to delete works: {error}");
        context
            .recorder
            .event(&binding, EventType::Warning, "CleanupWorkFailed", text);
        return Err(error);
    }
    if purging(&spec, &works) {
        return Ok(Action::After(PURGE_POLL));
    }
    let targets = targets(&spec);
    if targets.is_empty() {
        return Ok(Action::Done);
    }
    let Some(template) = template(context, &spec).await? else {
        return Ok(Action::Done);
    };
    sync_works(context, key, &binding, &spec, &template, &targets, &works).await
}

/// Every cluster whose Work must stay: targets, what dependents need, and copies leaving gently.
fn expected_clusters(spec: &ResourceBindingSpec) -> BTreeSet<&str> {
    let required = spec.required_by.iter().flat_map(|by| &by.clusters);
    let leaving = spec
        .graceful_eviction_tasks
        .iter()
        .filter(|task| task.purge_mode != Some(PurgeMode::Directly))
        .map(|task| task.from_cluster.as_str());
    let named = spec.clusters.iter().chain(required);
    named
        .map(|target| target.name.as_str())
        .chain(leaving)
        .collect()
}

/// The clusters that get a Work, with their replicas.
fn targets(spec: &ResourceBindingSpec) -> Vec<TargetCluster> {
    let mut targets = spec.clusters.clone();
    for required in spec.required_by.iter().flat_map(|by| &by.clusters) {
        if !targets.iter().any(|target| target.name == required.name) {
            targets.push(required.clone());
        }
    }
    targets
}

/// Whether a copy that must vanish before new ones start is still there.
fn purging(spec: &ResourceBindingSpec, works: &[Arc<Object>]) -> bool {
    spec.graceful_eviction_tasks.iter().any(|task| {
        let namespace = names::execution_namespace(&task.from_cluster);
        task.purge_mode == Some(PurgeMode::Directly)
            && works.iter().any(|work| work.namespace() == namespace)
    })
}

async fn delete_works(context: &Context, works: impl Iterator<Item = &Arc<Object>>) -> Result<()> {
    let deletions = works.filter(|work| !work.is_deleting()).map(|work| async {
        let uid = work["metadata"]["uid"].as_str();
        let objects = context.work_objects(work.namespace());
        match objects.delete(work.name(), uid).await {
            Err(error) if flybridge_client::is_conflict(&error) => Ok(()),
            outcome => outcome,
        }
    });
    for outcome in join_all(deletions).await {
        outcome?;
    }
    Ok(())
}

/// The template, at least as new as the binding knows it.
async fn template(context: &Context, spec: &ResourceBindingSpec) -> Result<Option<Arc<Object>>> {
    let resource = &spec.resource;
    let mapping = context
        .mapper
        .lookup(&resource.api_version, &resource.kind)
        .await?;
    let key = ObjectKey::new(&*resource.namespace, &*resource.name);
    if let Some(informer) = context.templates.existing(&mapping.resource)
        && let Some(cached) = informer.store().get(&key)
        && is_current(&cached, &resource.resource_version)
    {
        return Ok(Some(cached));
    }
    let objects = Objects::new(&context.client, &mapping.resource, &resource.namespace);
    match objects.get(&resource.name).await {
        Ok(live) => Ok(Some(Arc::new(Object::from(live)))),
        Err(error) if is_not_found(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn is_current(cached: &Object, known: &str) -> bool {
    let version = |text: &str| text.parse::<u64>().ok();
    let cached = cached["metadata"]["resourceVersion"]
        .as_str()
        .unwrap_or_default();
    match (version(cached), version(known)) {
        (Some(cached), Some(known)) => cached >= known,
        _ => cached == known,
    }
}

async fn sync_works(
    context: &Context,
    key: &BindingKey,
    binding: &Object,
    spec: &ResourceBindingSpec,
    template: &Object,
    targets: &[TargetCluster],
    works: &[Arc<Object>],
) -> Result<Action> {
    let syncs = targets.iter().map(|target| async move {
        let namespace = names::execution_namespace(&target.name);
        let existing = works.iter().find(|work| work.namespace() == namespace);
        let rendering = Rendering {
            key,
            binding,
            spec,
            template,
            target,
            targets,
        };
        ensure_work(context, &rendering, existing).await
    });
    let mut failures = Vec::new();
    let mut written = false;
    for outcome in join_all(syncs).await {
        match outcome {
            Ok(wrote) => written |= wrote,
            Err(error) => failures.push(error.to_string()),
        }
    }
    let tell = |event_type, reason, text: &str| {
        context.recorder.event(binding, event_type, reason, text);
        context.recorder.event(template, event_type, reason, text);
    };
    if failures.is_empty() {
        if written {
            let text = "Sync work of binding successful";
            tell(EventType::Normal, "SyncWorkSucceed", text);
        }
        return Ok(Action::Done);
    }
    let text = failures.join(", ");
    tell(EventType::Warning, "SyncWorkFailed", &text);
    Err(Error::NotYet(text))
}

/// Creates or updates the Work of one cluster; says whether it wrote.
async fn ensure_work(
    context: &Context,
    rendering: &Rendering<'_>,
    existing: Option<&Arc<Object>>,
) -> Result<bool> {
    let cluster = context.cluster(&rendering.target.name);
    let namespace = &rendering.key.object.namespace;
    let overrides = context.overrides.store().list_namespace(namespace);
    let overrides = if namespace.is_empty() {
        Vec::new()
    } else {
        overrides
    };
    let cluster_overrides = context.cluster_overrides.store().list();
    let work_id = existing.map_or_else(|| context.ids.uid(), |work| render::work_id(work));
    let work = render(
        rendering,
        cluster.as_deref(),
        &cluster_overrides,
        &overrides,
        &work_id,
    );
    let work = work.inspect_err(|error| {
        let text = error.to_string();
        let reason = "ApplyOverridePolicyFailed";
        context
            .recorder
            .event(rendering.template, EventType::Warning, reason, text);
    })?;
    put_work(context, &work, existing.map(|work| work.value())).await
}

/// Brings a Work to the wanted form, from what is known of it; says whether it wrote.
///
/// # Errors
/// As the API answers; or the Work is being deleted.
pub async fn put_work(context: &Context, wanted: &Value, existing: Option<&Value>) -> Result<bool> {
    let text = |field: &str| wanted["metadata"][field].as_str().unwrap_or_default();
    let objects = context.work_objects(text("namespace"));
    let renamed = existing.filter(|work| work["metadata"]["name"] != text("name"));
    if let Some(old) = renamed {
        let name = old["metadata"]["name"].as_str().unwrap_or_default();
        objects.delete(name, None).await?;
    }
    let existing = existing.filter(|_| renamed.is_none());
    let mut known = match existing {
        Some(work) => work.clone(),
        None => match objects.create(wanted).await {
            Ok(_created) => return Ok(true),
            Err(error) if is_already_exists(&error) => objects.get(text("name")).await?,
            Err(error) => return Err(error.into()),
        },
    };
    for _attempt in 0..3 {
        if known["metadata"]["deletionTimestamp"].is_string() {
            let name = text("name");
            return Err(Error::not_yet(format!("work {name} is being deleted")));
        }
        let Some(update) = work_update(&known, wanted) else {
            return Ok(false);
        };
        match objects.replace(text("name"), &update).await {
            Ok(_replaced) => return Ok(true),
            Err(error) if flybridge_client::is_conflict(&error) => {
                known = objects.get(text("name")).await?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::not_yet("the work keeps changing"))
}

#[cfg(test)]
mod tests {
    use flybridge_apis::resource_binding::{BindingSnapshot, GracefulEvictionTask};

    use super::*;

    fn target(name: &str, replicas: i32) -> TargetCluster {
        TargetCluster {
            name: name.to_owned(),
            replicas,
            ..TargetCluster::default()
        }
    }

    fn leaving(cluster: &str, mode: PurgeMode) -> GracefulEvictionTask {
        GracefulEvictionTask {
            from_cluster: cluster.to_owned(),
            purge_mode: Some(mode),
            ..GracefulEvictionTask::default()
        }
    }

    #[test]
    fn works_stay_where_the_binding_goes_or_leaves_gently() {
        let spec = ResourceBindingSpec {
            clusters: vec![target("m1", 1)],
            required_by: vec![BindingSnapshot {
                clusters: vec![target("m1", 5), target("m2", 3)],
                ..BindingSnapshot::default()
            }],
            graceful_eviction_tasks: vec![
                leaving("m3", PurgeMode::Gracefully),
                leaving("m4", PurgeMode::Directly),
            ],
            ..ResourceBindingSpec::default()
        };
        assert_eq!(
            expected_clusters(&spec).into_iter().collect::<Vec<_>>(),
            ["m1", "m2", "m3"]
        );
        let targets = targets(&spec);
        assert_eq!(targets, [target("m1", 1), target("m2", 3)]);
    }

    #[test]
    fn a_direct_purge_holds_everything_until_the_copy_is_gone() {
        let spec = ResourceBindingSpec {
            graceful_eviction_tasks: vec![leaving("m4", PurgeMode::Directly)],
            ..ResourceBindingSpec::default()
        };
        let work = |namespace: &str| {
            Arc::new(Object::from(
                serde_json::json!({"metadata": {"namespace": namespace, "name": "w"}}),
            ))
        };
        assert!(purging(&spec, &[work("karmada-es-m4")]));
        assert!(!purging(&spec, &[work("karmada-es-m1")]));
    }

    #[test]
    fn a_cached_template_counts_only_if_it_is_new_enough() {
        let cached = Object::from(serde_json::json!({"metadata": {"resourceVersion": "10"}}));
        assert!(is_current(&cached, "9") && is_current(&cached, "10"));
        assert!(!is_current(&cached, "11"));
    }
}
