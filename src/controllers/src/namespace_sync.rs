//! Namespaces to every member, without policies or bindings.

use std::sync::Arc;

use flybridge_apis::matching::{Template, applied_overrides};
use flybridge_apis::{Cluster, ClusterOverridePolicy, annotations, finalizers, labels, names};
use flybridge_interpreter::apply_overriders;
use flybridge_machinery::object::{self, OwnerReference};
use flybridge_runtime::{Action, Informer, LOW_PRIORITY, Object, WorkQueue, run_workers};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::binding::put_work;
use crate::binding::render::{finished, work_id};
use crate::{Context, Error, Result, kinds};
use flybridge_runtime::ObjectKey;

/// Starts the controller on a queue of namespace names.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<String>) {
    let (informer, _) = context.templates.informer(&kinds::namespaces());
    let namespaces = queue.clone();
    informer.store().subscribe(move |change| {
        let Some(namespace) = change.object() else {
            return;
        };
        let relevant = match (change.old, change.new) {
            (Some(old), Some(new)) => crate::write::differs_beyond_status(old, new),
            _ => true,
        };
        if relevant && is_synced_kind(namespace.name()) {
            namespaces.add(namespace.name().to_owned());
        }
    });
    let (namespaces, store) = (queue.clone(), Arc::clone(informer.store()));
    let everything = move || {
        for namespace in store.list() {
            if is_synced_kind(namespace.name()) {
                namespaces.add_with(namespace.name().to_owned(), LOW_PRIORITY);
            }
        }
    };
    let all = everything.clone();
    context.clusters.store().subscribe(move |change| {
        if change.old.is_none() {
            all();
        }
    });
    context.cluster_overrides.store().subscribe(move |change| {
        if !change.initial {
            everything();
        }
    });
    let context = Arc::clone(context);
    let tasks = context.tasks.clone();
    run_workers(&tasks, "namespace sync", queue, 4, move |name| {
        let (context, informer) = (Arc::clone(&context), informer.clone());
        async move { reconcile(&context, &informer, &name).await }
    });
}

fn is_synced_kind(name: &str) -> bool {
    !names::is_reserved_namespace(name) && name != "default" && !name.starts_with("kube-")
}

fn is_skipped(namespace: &Object) -> bool {
    namespace
        .label(labels::SKIP_AUTO_PROPAGATION)
        .eq_ignore_ascii_case(labels::TRUE)
}

async fn reconcile(context: &Context, informer: &Informer<Object>, name: &str) -> Result<Action> {
    let namespace = informer.store().get(&ObjectKey::cluster_scoped(name));
    let Some(namespace) = namespace.filter(|namespace| !namespace.is_deleting()) else {
        return remove(context, informer, name).await;
    };
    if is_skipped(&namespace) {
        return Ok(Action::Done);
    }
    let clusters = context.clusters.store().list();
    let policies = context.cluster_overrides.store().list();
    let syncs = clusters
        .iter()
        .filter(|cluster| !cluster.is_deleting())
        .map(|cluster| {
            let (namespace, policies) = (&namespace, &policies);
            async move {
                let key = work_key(cluster.name(), name);
                let existing = context.works.store().get(&key);
                let id = existing
                    .as_ref()
                    .map_or_else(|| context.ids.uid(), |work| work_id(work));
                let wanted = render(namespace, cluster, policies, &id)?;
                put_work(context, &wanted, existing.as_ref().map(|work| work.value())).await
            }
        });
    let failures: Vec<String> = join_all(syncs)
        .await
        .into_iter()
        .filter_map(Result::err)
        .map(|error| error.to_string())
        .collect();
    if failures.is_empty() {
        Ok(Action::Done)
    } else {
        Err(Error::NotYet(failures.join(", ")))
    }
}

fn work_key(cluster: &str, namespace: &str) -> ObjectKey {
    ObjectKey::new(
        names::execution_namespace(cluster),
        names::work_name("Namespace", namespace, ""),
    )
}

/// Deletes the Works of a namespace that is gone.
async fn remove(context: &Context, informer: &Informer<Object>, name: &str) -> Result<Action> {
    if informer
        .store()
        .get(&ObjectKey::cluster_scoped(name))
        .is_some()
    {
        return Ok(Action::Done);
    }
    for cluster in context.clusters.store().list() {
        let key = work_key(cluster.name(), name);
        if let Some(work) = context.works.store().get(&key)
            && !work.is_deleting()
        {
            let objects = context.work_objects(&key.namespace);
            objects.delete(&key.name, None).await?;
        }
    }
    Ok(Action::Done)
}

/// The Work that carries a namespace to a cluster.
fn render(
    namespace: &Object,
    cluster: &Cluster,
    policies: &[Arc<ClusterOverridePolicy>],
    work_id: &str,
) -> Result<Value> {
    let mut manifest = namespace.value().clone();
    if let Some(fields) = manifest.as_object_mut() {
        fields.remove("spec");
    }
    let rules = {
        let template = Template::of(&manifest);
        applied_overrides(policies.iter().map(AsRef::as_ref), &template, cluster)
    };
    for rule in &rules {
        apply_overriders(&mut manifest, rule.overriders)?;
    }
    let key = work_key(cluster.name(), namespace.name());
    object::set_label(&mut manifest, labels::WORK_PERMANENT_ID, work_id);
    object::set_annotation(&mut manifest, annotations::WORK_NAME, &key.name);
    object::set_annotation(&mut manifest, annotations::WORK_NAMESPACE, &key.namespace);
    let manifest = finished(manifest, object::uid(namespace).unwrap_or_default());
    let mut work = json!({
        "apiVersion": "work.karmada.io/v1alpha1",
        "kind": "Work",
        "metadata": {
            "name": key.name, "namespace": key.namespace,
            "finalizers": [finalizers::EXECUTION_CONTROLLER],
            "labels": {labels::WORK_PERMANENT_ID: work_id},
            "ownerReferences": [OwnerReference::controller_of(namespace)],
        },
        "spec": {"workload": {"manifests": [manifest]}},
    });
    if !rules.is_empty() {
        let list: Vec<Value> = rules
            .iter()
            .map(|rule| json!({"policyName": rule.policy, "overriders": rule.overriders}))
            .collect();
        let text = serde_json::to_string(&list)?;
        object::set_annotation(&mut work, annotations::APPLIED_CLUSTER_OVERRIDES, &text);
    }
    Ok(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_named_and_owned_by_its_namespace() {
        let namespace = Object::from(json!({"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": "test", "uid": "N1"}, "spec": {"finalizers": ["kubernetes"]}}));
        let cluster = Cluster::new("m1", Default::default());
        let work = render(&namespace, &cluster, &[], "W").unwrap();
        assert_eq!(work["metadata"]["name"], "test-69fd499b4c");
        assert_eq!(work["metadata"]["ownerReferences"][0]["uid"], "N1");
        let manifest = &work["spec"]["workload"]["manifests"][0];
        assert_eq!(manifest["metadata"]["labels"][labels::MANAGED], "true");
        assert!(manifest.get("spec").is_none());
    }

    #[test]
    fn system_namespaces_stay_home() {
        assert!(is_synced_kind("demo"));
        for name in ["default", "kube-system", "karmada-system", "karmada-es-m1"] {
            assert!(!is_synced_kind(name), "{name}");
        }
    }
}
