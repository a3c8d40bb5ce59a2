//! Defaulting of policies, works and bindings.

use flybridge_base::Ids;
use serde_json::{Map, Value, json};

use crate::{finalizers, labels, prune};

const DEFAULT_GRACE_PERIOD_SECONDS: i32 = 600;

/// Defaults of PropagationPolicy (`namespaced`) and ClusterPropagationPolicy.
pub(super) fn propagation_policy(
    old: Option<&Value>,
    new: &mut Value,
    ids: &Ids,
    namespaced: bool,
    warnings: &mut Vec<String>,
) {
    affinity_spelling(new, warnings);
    if namespaced {
        selector_namespaces(new);
    }
    if let Some(spec) = new.get_mut("spec").and_then(Value::as_object_mut) {
        service_imports(spec);
        placement(spec);
        failover(spec);
    }
    if old.is_some() {
        return;
    }
    let (label, finalizer) = if namespaced {
        (
            labels::PROPAGATION_POLICY_PERMANENT_ID,
            finalizers::PROPAGATION_POLICY_CONTROLLER,
        )
    } else {
        (
            labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID,
            finalizers::CLUSTER_PROPAGATION_POLICY_CONTROLLER,
        )
    };
    if let Some(entries) = labels_mut(new) {
        entries.insert(label.to_owned(), ids.uid().into());
    }
    add_finalizer(new, finalizer);
}

/// Moves `clusterLabels` of every cluster affinity to `labelSelector`, warning about it.
pub(super) fn affinity_spelling(object: &mut Value, warnings: &mut Vec<String>) {
    if let Some(spec) = object.get_mut("spec") {
        respell(spec, "spec", warnings);
    }
}

/// Only cluster affinities have this member, so the walk need not know where they are; it stays out of
/// values that users own.
fn respell(value: &mut Value, path: &str, warnings: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(selector) = members.remove("clusterLabels") {
                if members.contains_key("labelSelector") {
                    warnings.push(format!(
                        "{path}.clusterLabels is ignored because {path}.labelSelector is set"
                    ));
                } else {
                    warnings.push(format!(
                        "{path}.clusterLabels is not a field of cluster affinities; stored as {path}.labelSelector"
                    ));
                    members.insert("labelSelector".to_owned(), selector);
                }
            }
            for (name, member) in members.iter_mut() {
                if !matches!(name.as_str(), "overriders" | "labelSelector") {
                    respell(member, &format!("{path}.{name}"), warnings);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                respell(item, &format!("{path}[{index}]"), warnings);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Fills the policy's namespace into selectors that name none.
pub(super) fn selector_namespaces(object: &mut Value) {
    let Some(namespace) = object.pointer("/metadata/namespace").cloned() else {
        return;
    };
    let selectors = object
        .pointer_mut("/spec/resourceSelectors")
        .and_then(Value::as_array_mut);
    for selector in selectors.into_iter().flatten() {
        if is_blank(selector.get("namespace"))
            && let Some(members) = selector.as_object_mut()
        {
            members.insert("namespace".to_owned(), namespace.clone());
        }
    }
}

fn is_blank(value: Option<&Value>) -> bool {
    value.is_none_or(|value| value.is_null() || value.as_str() == Some(""))
}

/// A policy for imported services takes along what they depend on.
fn service_imports(spec: &mut Map<String, Value>) {
    let imports = spec
        .get("resourceSelectors")
        .and_then(Value::as_array)
        .is_some_and(|selectors| {
            selectors.iter().any(|selector| {
                selector.get("apiVersion").and_then(Value::as_str)
                    == Some("multicluster.x-k8s.io/v1alpha1")
                    && selector.get("kind").and_then(Value::as_str) == Some("ServiceImport")
            })
        });
    if imports {
        spec.insert("propagateDeps".to_owned(), Value::Bool(true));
    }
}

fn placement(spec: &mut Map<String, Value>) {
    let Some(placement) = spec.get_mut("placement").and_then(Value::as_object_mut) else {
        return;
    };
    let constraints = placement
        .get_mut("spreadConstraints")
        .and_then(Value::as_array_mut);
    for constraint in constraints.into_iter().flatten() {
        let Some(members) = constraint.as_object_mut() else {
            continue;
        };
        if is_blank(members.get("spreadByField")) && is_blank(members.get("spreadByLabel")) {
            members.insert("spreadByField".to_owned(), "cluster".into());
        }
        if members
            .get("minGroups")
            .and_then(Value::as_i64)
            .unwrap_or(0)
            == 0
        {
            members.insert("minGroups".to_owned(), 1.into());
        }
    }
    if let Some(strategy) = placement
        .get_mut("replicaScheduling")
        .and_then(Value::as_object_mut)
        && strategy
            .get("replicaSchedulingType")
            .and_then(Value::as_str)
            == Some("Divided")
        && is_blank(strategy.get("replicaDivisionPreference"))
    {
        strategy.insert("replicaDivisionPreference".to_owned(), "Weighted".into());
    }
}

fn failover(spec: &mut Map<String, Value>) {
    if let Some(application) = spec
        .get_mut("failover")
        .and_then(|failover| failover.get_mut("application"))
        .and_then(Value::as_object_mut)
        && application.get("purgeMode").and_then(Value::as_str) == Some("Gracefully")
        && application
            .get("gracePeriodSeconds")
            .is_none_or(Value::is_null)
    {
        application.insert(
            "gracePeriodSeconds".to_owned(),
            DEFAULT_GRACE_PERIOD_SECONDS.into(),
        );
    }
}

/// Gives the object a permanent id unless it has one.
pub(super) fn permanent_id(object: &mut Value, label: &str, ids: &Ids) -> String {
    let Some(entries) = labels_mut(object) else {
        return String::new();
    };
    match entries.get(label).and_then(Value::as_str) {
        Some(id) if !id.is_empty() => id.to_owned(),
        _ => {
            let id = ids.uid();
            entries.insert(label.to_owned(), id.clone().into());
            id
        }
    }
}

/// Gives the work a permanent id and prunes and stamps its manifests.
pub(super) fn work(object: &mut Value, ids: &Ids) {
    let id = permanent_id(object, labels::WORK_PERMANENT_ID, ids);
    let manifests = object
        .pointer_mut("/spec/workload/manifests")
        .and_then(Value::as_array_mut);
    for manifest in manifests.into_iter().flatten() {
        prune::prune(manifest);
        if let Some(entries) = labels_mut(manifest) {
            entries.insert(labels::WORK_PERMANENT_ID.to_owned(), id.clone().into());
        }
        prune::record_managed(manifest);
    }
}

fn labels_mut(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let metadata = object
        .as_object_mut()?
        .entry("metadata")
        .or_insert_with(|| json!({}))
        .as_object_mut()?;
    let entries = metadata.entry("labels").or_insert_with(|| json!({}));
    if entries.is_null() {
        *entries = json!({});
    }
    entries.as_object_mut()
}

fn add_finalizer(object: &mut Value, finalizer: &str) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return;
    };
    let list = metadata.entry("finalizers").or_insert_with(|| json!([]));
    if let Some(list) = list.as_array_mut()
        && !list.iter().any(|listed| listed.as_str() == Some(finalizer))
    {
        list.push(finalizer.into());
    }
}
