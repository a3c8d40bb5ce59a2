//! Attached bindings as they should be.

use flybridge_apis::resource_binding::{BindingSnapshot, ObjectReference};
use flybridge_apis::{ConflictResolution, ResourceBindingSpec, labels, names};
use flybridge_machinery::object::{self, OwnerReference};
use flybridge_runtime::Object;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::kinds::BindingKind;

/// A binding that others are attached to.
pub struct Referrer {
    /// Where it goes.
    pub snapshot: BindingSnapshot,
    /// The label of what is attached to it.
    pub label: String,
    /// Its permanent id, the label's value.
    pub id: String,
    conflict_resolution: ConflictResolution,
    preserve: bool,
}

impl Referrer {
    /// What a binding asks of what is attached to it.
    pub fn of(binding: &Object, spec: &ResourceBindingSpec) -> Self {
        let reference = names::binding_reference_key(binding.namespace(), binding.name());
        Self {
            snapshot: BindingSnapshot {
                namespace: binding.namespace().to_owned(),
                name: binding.name().to_owned(),
                clusters: spec.clusters.clone(),
            },
            label: labels::depended_by(&reference),
            id: binding
                .label(BindingKind::Resource.permanent_id())
                .to_owned(),
            conflict_resolution: spec.conflict_resolution,
            preserve: spec.preserve_resources_on_deletion.unwrap_or_default(),
        }
    }

    fn is(&self, other: &BindingSnapshot) -> bool {
        other.namespace == self.snapshot.namespace && other.name == self.snapshot.name
    }
}

fn reference(object: &Object) -> ObjectReference {
    ObjectReference {
        api_version: object.api_version().to_owned(),
        kind: object.kind().to_owned(),
        namespace: object.namespace().to_owned(),
        name: object.name().to_owned(),
        uid: object::uid(object).unwrap_or_default().to_owned(),
        resource_version: object::resource_version(object)
            .unwrap_or_default()
            .to_owned(),
    }
}

/// The binding to create for an object that a binding depends on.
pub fn attached(referrer: &Referrer, object: &Object, permanent_id: &str) -> Value {
    json!({
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": BindingKind::Resource.name(),
        "metadata": {
            "name": names::binding_name(object.kind(), object.name()),
            "namespace": referrer.snapshot.namespace,
            "finalizers": [BindingKind::Resource.finalizer()],
            "labels": {
                BindingKind::Resource.permanent_id(): permanent_id,
                referrer.label.as_str(): referrer.id,
            },
            "ownerReferences": [OwnerReference::controller_of(object)],
        },
        "spec": {
            "resource": reference(object),
            "requiredBy": [referrer.snapshot],
            "conflictResolution": referrer.conflict_resolution,
            "preserveResourcesOnDeletion": referrer.preserve,
        },
    })
}

/// The update that attaches an existing binding; nothing if it is attached.
///
/// Without a policy of its own, a binding overwrites if any referrer does, and preserves likewise.
///
/// # Errors
/// The binding cannot be read.
pub fn attachment(
    existing: &Object,
    referrer: &Referrer,
    object: &Object,
) -> Result<Option<Value>> {
    let spec = ResourceBindingSpec::deserialize(&existing["spec"])?;
    let mut required = spec.required_by.clone();
    match required.iter_mut().find(|snapshot| referrer.is(snapshot)) {
        Some(snapshot) => *snapshot = referrer.snapshot.clone(),
        None => required.push(referrer.snapshot.clone()),
    }
    let mut update = existing.value().clone();
    object::set_label(&mut update, &referrer.label, &referrer.id);
    update["spec"]["requiredBy"] = json!(required);
    if spec.placement.is_none() {
        update["spec"]["resource"] = json!(reference(object));
        if referrer.conflict_resolution == ConflictResolution::Overwrite {
            update["spec"]["conflictResolution"] = json!(ConflictResolution::Overwrite);
        }
        if referrer.preserve {
            update["spec"]["preserveResourcesOnDeletion"] = json!(true);
        }
    }
    Ok((update != *existing.value()).then_some(update))
}

/// The update that ends an attachment; nothing if there is none.
///
/// # Errors
/// The binding cannot be read.
pub fn detachment(existing: &Object, referrer: &Referrer) -> Result<Option<Value>> {
    let spec = ResourceBindingSpec::deserialize(&existing["spec"])?;
    let mut required = spec.required_by.clone();
    required.retain(|snapshot| !referrer.is(snapshot));
    let mut update = existing.value().clone();
    object::remove_label(&mut update, &referrer.label);
    let fields = object::ensure_path(&mut update, &["spec"]);
    if required.is_empty() {
        fields.remove("requiredBy");
        if spec.placement.is_none() {
            fields.insert(
                "conflictResolution".to_owned(),
                json!(ConflictResolution::Abort),
            );
            fields.remove("preserveResourcesOnDeletion");
        }
    } else {
        fields.insert("requiredBy".to_owned(), json!(required));
    }
    Ok((update != *existing.value()).then_some(update))
}

#[cfg(test)]
mod tests {
    use flybridge_apis::TargetCluster;

    use super::*;

    fn referrer(name: &str, cluster: &str) -> Referrer {
        let binding = Object::from(json!({"metadata": {"name": name, "namespace": "demo",
            "labels": {labels::RESOURCE_BINDING_PERMANENT_ID: name}}}));
        let spec = ResourceBindingSpec {
            clusters: vec![TargetCluster {
                name: cluster.to_owned(),
                ..TargetCluster::default()
            }],
            ..ResourceBindingSpec::default()
        };
        Referrer::of(&binding, &spec)
    }

    fn map() -> Object {
        Object::from(json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "cfg", "namespace": "demo", "uid": "U", "resourceVersion": "3"}}))
    }

    #[test]
    fn attachments_add_up_and_end_one_by_one() {
        let (one, two) = (referrer("one", "m1"), referrer("two", "m2"));
        let first = Object::from(attached(&one, &map(), "B"));
        assert_eq!(first["metadata"]["name"], "cfg-configmap");
        assert_eq!(attachment(&first, &one, &map()).unwrap(), None);
        let both = Object::from(attachment(&first, &two, &map()).unwrap().unwrap());
        assert_eq!(both["spec"]["requiredBy"].as_array().map(Vec::len), Some(2));
        let left = Object::from(detachment(&both, &one).unwrap().unwrap());
        assert_eq!(left["spec"]["requiredBy"][0]["name"], "two");
        let none = Object::from(detachment(&left, &two).unwrap().unwrap());
        assert!(none["spec"].get("requiredBy").is_none());
        assert_eq!(detachment(&none, &two).unwrap(), None);
    }
}
