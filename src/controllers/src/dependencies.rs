//! What a workload depends on follows it: bindings for ConfigMaps, Secrets and the like that are
//! attached to the binding of the workload and go where it goes.

pub mod plan;

use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_apis::matching::selector_matches;
use flybridge_apis::{ResourceBindingSpec, annotations, finalizers, labels, names};
use flybridge_client::{is_already_exists, is_not_found};
use flybridge_interpreter::{Operation, dependencies, hook_enabled};
use flybridge_machinery::object;
use flybridge_runtime::{
    Action, Change, EventType, LOW_PRIORITY, Object, ObjectKey, WorkQueue, run_workers,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde::Deserialize;
use serde_json::{Value, json};

use self::plan::{Referrer, attached, attachment, detachment};
use crate::detector::Detector;
use crate::kinds::{BindingKey, BindingKind, TemplateKey};
use crate::{Context, Error, Result, write};

/// Index of bindings: by the labels that say which binding they are attached to.
const BY_REFERRER: &str = "referrer";
/// Index of bindings: by `apiVersion/Kind/namespace` of what they depend on.
const BY_DEPENDENCY: &str = "dependency";

/// Starts the controller on a queue of ResourceBindings; `detector` tells of changed objects.
pub fn start(context: &Arc<Context>, detector: &Detector, queue: &WorkQueue<ObjectKey>) {
    let store = context.resource_bindings.store();
    store.add_index(BY_REFERRER, |binding| {
        let labels = object::labels(binding);
        let ours = labels.filter(|(key, _)| key.starts_with(labels::DEPENDED_BY_PREFIX));
        ours.map(|(key, _)| key.to_owned()).collect()
    });
    store.add_index(BY_DEPENDENCY, |binding| {
        let kinds = recorded(binding)
            .into_iter()
            .map(|dependency| dependency.family());
        kinds.collect()
    });
    let bindings = queue.clone();
    store.subscribe(move |change| {
        let Some(binding) = change.new else { return };
        let same = change.old.is_some_and(|old| {
            old.generation() == binding.generation() && old.is_deleting() == binding.is_deleting()
        });
        let held = binding.has_finalizer(finalizers::BINDING_DEPENDENCIES_DISTRIBUTOR);
        if !same && (held || binding["spec"]["propagateDeps"] == true) {
            let priority = if change.initial { LOW_PRIORITY } else { 0 };
            let key = ObjectKey::new(binding.namespace(), binding.name());
            bindings.add_with(key, priority);
        }
    });
    let (bindings, shared) = (queue.clone(), Arc::downgrade(context));
    detector.listen(move |change| {
        if let Some(context) = shared.upgrade() {
            enqueue_dependents(&context, &bindings, change);
        }
    });
    let (tasks, context) = (context.tasks.clone(), Arc::clone(context));
    run_workers(&tasks, "dependencies", queue, 2, move |key| {
        let context = Arc::clone(&context);
        async move { reconcile(&context, &key).await }
    });
}

/// A `DependentObjectReference`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Dependency {
    api_version: String,
    kind: String,
    namespace: String,
    name: String,
    label_selector: Option<LabelSelector>,
}

impl Dependency {
    fn family(&self) -> String {
        format!("{}/{}/{}", self.api_version, self.kind, self.namespace)
    }

    /// Whether it means an object, by name if it has one, else by label.
    fn means(&self, candidate: &Object) -> bool {
        if !self.name.is_empty() {
            return self.name == candidate.name();
        }
        let selector = self.label_selector.as_ref();
        selector
            .is_some_and(|selector| selector_matches(selector, |key| object::label(candidate, key)))
    }
}

/// The dependencies that a binding has on record.
fn recorded(binding: &Object) -> Vec<Dependency> {
    serde_json::from_str(binding.annotation(annotations::DEPENDENCIES)).unwrap_or_default()
}

/// Looks again at the bindings that depend on a changed object.
fn enqueue_dependents(
    context: &Context,
    queue: &WorkQueue<ObjectKey>,
    change: &Change<'_, Object>,
) {
    let Some(changed) = change.object().filter(|_| !change.initial) else {
        return;
    };
    let family = format!(
        "{}/{}/{}",
        changed.api_version(),
        changed.kind(),
        changed.namespace()
    );
    let bindings = context.resource_bindings.store();
    for binding in bindings.by_index(BY_DEPENDENCY, &family) {
        let concerns = recorded(&binding).iter().any(|dependency| {
            let sides = [change.old, change.new].into_iter().flatten();
            dependency.family() == family && sides.into_iter().any(|side| dependency.means(side))
        });
        if concerns {
            queue.add(ObjectKey::new(binding.namespace(), binding.name()));
        }
    }
}

async fn reconcile(context: &Context, key: &ObjectKey) -> Result<Action> {
    let Some(binding) = context.resource_bindings.store().get(key) else {
        return Ok(Action::Done);
    };
    let spec = ResourceBindingSpec::deserialize(&binding["spec"])?;
    let referrer = Referrer::of(&binding, &spec);
    let template = context.template(&TemplateKey::bound_by(&binding)).await?;
    let wanted = spec.propagate_deps && !binding.is_deleting();
    let Some(template) = template.filter(|_| wanted) else {
        detach_all(context, &referrer, &BTreeMap::new()).await?;
        let objects = context.binding_objects(&binding_key(key));
        let finalizer = finalizers::BINDING_DEPENDENCIES_DISTRIBUTOR;
        write::remove_finalizer(&objects, &binding, finalizer).await?;
        return Ok(Action::Done);
    };
    let hook = Operation::InterpretDependency;
    if !hook_enabled(template.api_version(), template.kind(), hook) {
        return Ok(Action::Done);
    }
    let found = dependencies(&template).inspect_err(|error| {
        let text = error.to_string();
        let reason = "GetDependenciesFailed";
        context
            .recorder
            .event(&template, EventType::Warning, reason, text);
    })?;
    record(context, key, &binding, &found).await?;
    let objects = dependency_objects(context, &found).await?;
    detach_all(context, &referrer, &objects).await?;
    for object in objects.values() {
        attach(context, &referrer, object).await?;
    }
    Ok(Action::Done)
}

fn binding_key(object: &ObjectKey) -> BindingKey {
    BindingKey {
        kind: BindingKind::Resource,
        object: object.clone(),
    }
}

/// Writes down what a binding depends on, and holds it until that is let go of.
async fn record(
    context: &Context,
    key: &ObjectKey,
    binding: &Object,
    found: &[Value],
) -> Result<()> {
    let text = serde_json::to_string(found)?;
    let finalizer = finalizers::BINDING_DEPENDENCIES_DISTRIBUTOR;
    if binding.annotation(annotations::DEPENDENCIES) == text && binding.has_finalizer(finalizer) {
        return Ok(());
    }
    let mut list: Vec<Value> = object::finalizers(binding).map(|f| json!(f)).collect();
    if !binding.has_finalizer(finalizer) {
        list.push(json!(finalizer));
    }
    let patch = json!({"metadata": {
        "resourceVersion": binding["metadata"]["resourceVersion"],
        "finalizers": list,
        "annotations": {annotations::DEPENDENCIES: text},
    }});
    let objects = context.binding_objects(&binding_key(key));
    objects.merge_patch(binding.name(), &patch).await?;
    Ok(())
}

/// The objects that dependencies mean, by the name of their binding.
async fn dependency_objects(
    context: &Context,
    found: &[Value],
) -> Result<BTreeMap<String, Arc<Object>>> {
    let mut objects = BTreeMap::new();
    for value in found {
        let dependency = Dependency::deserialize(value)?;
        let store = context
            .template_store(&dependency.api_version, &dependency.kind)
            .await?;
        let Some(store) = store else {
            continue;
        };
        let candidates = if dependency.name.is_empty() {
            store.list_namespace(&dependency.namespace)
        } else {
            let key = ObjectKey::new(&*dependency.namespace, &*dependency.name);
            store.get(&key).into_iter().collect()
        };
        for object in candidates {
            if dependency.means(&object) && !object.is_deleting() {
                objects.insert(names::binding_name(object.kind(), object.name()), object);
            }
        }
    }
    Ok(objects)
}

async fn attach(context: &Context, referrer: &Referrer, object: &Object) -> Result<()> {
    let name = names::binding_name(object.kind(), object.name());
    let key = ObjectKey::new(&*referrer.snapshot.namespace, &*name);
    let objects = context.binding_objects(&binding_key(&key));
    let existing = match context.resource_bindings.store().get(&key) {
        Some(existing) => existing,
        None => {
            let created = attached(referrer, object, &context.ids.uid());
            match objects.create(&created).await {
                Ok(_created) => return Ok(()),
                Err(error) if is_already_exists(&error) => {
                    Arc::new(Object::from(objects.get(&name).await?))
                }
                Err(error) => return Err(error.into()),
            }
        }
    };
    let owner = object::controller(&existing);
    if owner.is_some_and(|owner| Some(owner.uid.as_str()) != object::uid(object)) {
        let text = "the binding belongs to an earlier object of the same name";
        return Err(Error::not_yet(text));
    }
    if let Some(update) = attachment(&existing, referrer, object)? {
        objects.replace(&name, &update).await?;
    }
    Ok(())
}

/// Ends every attachment to a binding except to those kept.
async fn detach_all(
    context: &Context,
    referrer: &Referrer,
    kept: &BTreeMap<String, Arc<Object>>,
) -> Result<()> {
    let store = context.resource_bindings.store();
    for binding in store.by_index(BY_REFERRER, &referrer.label) {
        if kept.contains_key(binding.name()) || binding.namespace() != referrer.snapshot.namespace {
            continue;
        }
        if let Some(update) = detachment(&binding, referrer)? {
            let key = ObjectKey::new(binding.namespace(), binding.name());
            let objects = context.binding_objects(&binding_key(&key));
            match objects.replace(binding.name(), &update).await {
                Err(error) if is_not_found(&error) => {}
                outcome => drop(outcome?),
            }
        }
    }
    Ok(())
}
