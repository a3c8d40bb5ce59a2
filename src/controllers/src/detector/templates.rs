//! Following everything that may be propagated: which kinds, which objects, which changes.

use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::{labels, names};
use flybridge_client::Mapping;
use flybridge_runtime::{Change, LOW_PRIORITY, Object};
use serde_json::{Map, Value};

use super::Detector;
use crate::kinds::{TemplateKey, entries};
use crate::write::differs_beyond_status;

/// API groups whose objects are the engine's own business.
const SKIPPED_GROUPS: [&str; 9] = [
    "cluster.karmada.io",
    "policy.karmada.io",
    "work.karmada.io",
    "config.karmada.io",
    "networking.karmada.io",
    "autoscaling.karmada.io",
    "remedy.karmada.io",
    "apps.karmada.io",
    "events.k8s.io",
];

/// How soon a failed discovery, or one after a change of definitions, is tried.
const RETRY: Duration = Duration::from_millis(200);

/// Starts informers for every kind that may be propagated, now and as kinds appear.
pub(super) fn follow(detector: &Arc<Detector>) {
    let this = Arc::clone(detector);
    let period = this.context.options.discovery_period;
    this.context
        .tasks
        .clone()
        .spawn_until_shutdown("discovery", async move {
            loop {
                match this.context.mapper.refresh().await {
                    Ok(served) => {
                        for mapping in served.mappings.iter().filter(|m| is_propagatable(m)) {
                            this.follow_kind(mapping);
                        }
                        this.wait_for_kinds(period).await;
                    }
                    Err(error) => {
                        tracing::debug!(%error, "could not discover what the control plane serves");
                        tokio::time::sleep(RETRY).await;
                    }
                }
            }
        });
}

/// Whether objects of a kind may be propagated.
pub fn is_propagatable(mapping: &Mapping) -> bool {
    let resource = &mapping.resource;
    mapping.preferred
        && mapping.takes(&["delete", "list", "watch"])
        && !SKIPPED_GROUPS.contains(&resource.group.as_str())
        && resource.api_version != "coordination.k8s.io/v1"
        && !(resource.group.is_empty() && resource.kind == "Event")
}

impl Detector {
    /// Resolves after `period`, or soon after a definition of kinds appeared or changed.
    async fn wait_for_kinds(&self, period: Duration) {
        let changed = self.definitions_changed.notified();
        tokio::select! {
            biased;
            () = changed => tokio::time::sleep(RETRY).await,
            () = tokio::time::sleep(period) => {}
        }
    }

    fn follow_kind(self: &Arc<Self>, mapping: &Mapping) {
        let (informer, started) = self.context.templates.informer(&mapping.resource);
        if !started {
            return;
        }
        tracing::debug!(resource = ?mapping.resource, "follows templates");
        let this = Arc::clone(self);
        informer
            .store()
            .subscribe(move |change| this.observe(change));
    }

    fn observe(self: &Arc<Self>, change: &Change<'_, Object>) {
        let Some(object) = change.object() else {
            return;
        };
        if object.kind() == "CustomResourceDefinition" {
            self.definitions_changed.notify_one();
        }
        if !is_candidate(object) {
            return;
        }
        let same = match (change.old, change.new) {
            (Some(old), Some(new)) => !differs_beyond_status(old, new),
            _ => false,
        };
        if same {
            return;
        }
        for listener in self.listeners.lock().iter() {
            listener(change);
        }
        let Some(new) = change.new else {
            let (this, gone) = (Arc::clone(self), Arc::clone(object));
            self.context.tasks.spawn("template deleted", async move {
                if let Err(error) = this.forget(&gone).await {
                    tracing::debug!(%error, "could not delete the binding of a deleted template");
                }
            });
            return;
        };
        let key = TemplateKey::of(new);
        let mut edited = true;
        if let Some(old) = change.old {
            if self.is_own_claim(&key, new) {
                return;
            }
            edited = users_part(old) != users_part(new);
        }
        let priority = if change.initial { LOW_PRIORITY } else { 0 };
        self.enqueue(key, edited, priority);
    }

    /// Whether exactly this version was made by the last claim, which went on with it at once.
    fn is_own_claim(&self, key: &TemplateKey, template: &Object) -> bool {
        let mut claims = self.claims.lock();
        let version = template["metadata"]["resourceVersion"].as_str();
        let own = claims.get(key).map(String::as_str) == version && version.is_some();
        if own {
            claims.remove(key);
        }
        own
    }
}

/// Whether an object may be a template, by where it lives.
fn is_candidate(object: &Object) -> bool {
    let namespace = if object.api_version() == "v1" && object.kind() == "Namespace" {
        object.name()
    } else {
        object.namespace()
    };
    !names::is_reserved_namespace(namespace) && !namespace.starts_with("kube-")
}

/// An object without what the engine writes: its labels and annotations, versions and status.
fn users_part(object: &Object) -> Value {
    let mut value = object.value().clone();
    let kept = |field: &str| -> Map<String, Value> {
        entries(object, field)
            .into_iter()
            .flatten()
            .filter(|(key, _)| {
                !key.contains(".karmada.io") || *key == labels::SKIP_AUTO_PROPAGATION
            })
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    };
    let (labels, annotations) = (kept("labels"), kept("annotations"));
    if let Some(fields) = value.as_object_mut() {
        fields.remove("status");
    }
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
        metadata.remove("generation");
        metadata.insert("labels".to_owned(), Value::Object(labels));
        metadata.insert("annotations".to_owned(), Value::Object(annotations));
    }
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn claims_are_no_users_edits() {
        let object = |labels: Value, replicas: i64| {
            Object::from(json!({"metadata": {"name": "a", "labels": labels}, "spec": replicas}))
        };
        let claimed = json!({labels::PROPAGATION_POLICY_PERMANENT_ID: "P"});
        assert_eq!(
            users_part(&object(json!({}), 1)),
            users_part(&object(claimed.clone(), 1))
        );
        assert_ne!(
            users_part(&object(json!({}), 1)),
            users_part(&object(claimed, 2))
        );
        assert_ne!(
            users_part(&object(json!({}), 1)),
            users_part(&object(json!({"karmada.io/bare": "x"}), 1))
        );
    }

    #[test]
    fn system_namespaces_hold_no_templates() {
        let candidate = |namespace: &str| {
            is_candidate(&Object::from(
                json!({"metadata": {"namespace": namespace, "name": "a"}}),
            ))
        };
        assert!(candidate("default") && candidate(""));
        assert!(
            !candidate("karmada-es-m1")
                && !candidate("karmada-system")
                && !candidate("kube-system")
        );
    }
}
