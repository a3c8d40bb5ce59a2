//! Claims and bindings as they should be.

use flybridge_apis::resource_binding::{BindingSuspension, ObjectReference, ReplicaRequirements};
use flybridge_apis::{ResourceBindingSpec, annotations, labels, names};
use flybridge_interpreter::{Operation, Replicas, get_replicas, hook_enabled};
use flybridge_machinery::object::{self, OwnerReference};
use flybridge_runtime::Object;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::policy::{Claim, Policy};
use crate::kinds::BindingKind;
use crate::{Error, Result};

/// Labels and annotations of a claim by a policy of the namespace, then by a cluster-wide one.
const NAMESPACED_CLAIM: (&str, &[&str]) = (
    labels::PROPAGATION_POLICY_PERMANENT_ID,
    &[
        annotations::PROPAGATION_POLICY_NAMESPACE,
        annotations::PROPAGATION_POLICY_NAME,
    ],
);
const CLUSTER_WIDE_CLAIM: (&str, &[&str]) = (
    labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID,
    &[annotations::CLUSTER_PROPAGATION_POLICY_NAME],
);

/// The label and annotations that mark what belongs to a policy.
fn marks(policy: &Policy) -> (Map<String, Value>, Map<String, Value>) {
    let label = Map::from_iter([(policy.id_label().to_owned(), json!(policy.id()))]);
    let notes = match policy {
        Policy::Namespaced(_) => Map::from_iter([
            (
                annotations::PROPAGATION_POLICY_NAMESPACE.to_owned(),
                json!(policy.namespace()),
            ),
            (
                annotations::PROPAGATION_POLICY_NAME.to_owned(),
                json!(policy.name()),
            ),
        ]),
        Policy::ClusterWide(_) => Map::from_iter([(
            annotations::CLUSTER_PROPAGATION_POLICY_NAME.to_owned(),
            json!(policy.name()),
        )]),
    };
    (label, notes)
}

/// The patch that makes a template belong to a policy; nothing if it does.
pub fn claim_patch(template: &Object, policy: &Policy) -> Option<Value> {
    let (mut label, mut notes) = marks(policy);
    let mut needed = template.label(policy.id_label()) != policy.id();
    if matches!(policy, Policy::Namespaced(_)) {
        let (wide_label, wide_notes) = CLUSTER_WIDE_CLAIM;
        if object::label(template, wide_label).is_some() {
            label.insert(wide_label.to_owned(), Value::Null);
            needed = true;
        }
        for note in wide_notes {
            if object::annotation(template, note).is_some() {
                notes.insert((*note).to_owned(), Value::Null);
                needed = true;
            }
        }
    }
    needed.then(|| {
        json!({"metadata": {
            "resourceVersion": template["metadata"]["resourceVersion"],
            "labels": label, "annotations": notes,
        }})
    })
}

/// The patch that ends a claim; nothing if the object is not claimed under that id.
pub fn strip_patch(object: &Object, claim: &Claim) -> Option<Value> {
    let (label, notes) = if claim.policy.namespace.is_empty() {
        CLUSTER_WIDE_CLAIM
    } else {
        NAMESPACED_CLAIM
    };
    if object.label(label) != claim.id {
        return None;
    }
    let gone = |keys: &[&str]| -> Map<String, Value> {
        keys.iter()
            .map(|key| ((*key).to_owned(), Value::Null))
            .collect()
    };
    Some(json!({"metadata": {
        "resourceVersion": object["metadata"]["resourceVersion"],
        "labels": gone(&[label]), "annotations": gone(notes),
    }}))
}

/// What a binding must look like.
pub struct Wanted {
    /// Its kind.
    pub kind: BindingKind,
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    owner: OwnerReference,
    labels: Map<String, Value>,
    annotations: Map<String, Value>,
    withdrawn: (Vec<&'static str>, Vec<&'static str>),
    policy: Policy,
    resource: ObjectReference,
    replicas: i32,
    requirements: Option<ReplicaRequirements>,
}

/// Says what the binding of a template under a policy must look like.
///
/// # Errors
/// The template's replicas cannot be read.
pub fn wanted(template: &Object, policy: &Policy) -> Result<Wanted> {
    let kind = BindingKind::for_namespace(template.namespace());
    let hook = hook_enabled(
        template.api_version(),
        template.kind(),
        Operation::InterpretReplica,
    );
    let replicas = if hook {
        get_replicas(template)?
    } else {
        Replicas::default()
    };
    let requirements = replicas.requirements.map(ReplicaRequirements::deserialize);
    let (labels, annotations) = marks(policy);
    let withdrawn = match policy {
        Policy::Namespaced(_) => {
            let (label, notes) = CLUSTER_WIDE_CLAIM;
            (vec![label], notes.to_vec())
        }
        Policy::ClusterWide(_) => (Vec::new(), Vec::new()),
    };
    Ok(Wanted {
        kind,
        name: names::binding_name(template.kind(), template.name()),
        namespace: template.namespace().to_owned(),
        owner: OwnerReference::controller_of(template),
        labels,
        annotations,
        withdrawn,
        policy: policy.clone(),
        resource: ObjectReference {
            api_version: template.api_version().to_owned(),
            kind: template.kind().to_owned(),
            namespace: template.namespace().to_owned(),
            name: template.name().to_owned(),
            uid: object::uid(template).unwrap_or_default().to_owned(),
            resource_version: object::resource_version(template)
                .unwrap_or_default()
                .to_owned(),
        },
        replicas: i32::try_from(replicas.count).unwrap_or(i32::MAX),
        requirements: requirements.transpose()?,
    })
}

impl Wanted {
    /// The binding to create.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn create(&self, permanent_id: &str) -> Result<Value> {
        let mut labels = self.labels.clone();
        labels.insert(self.kind.permanent_id().to_owned(), json!(permanent_id));
        let mut metadata = json!({
            "name": self.name,
            "finalizers": [self.kind.finalizer()],
            "labels": labels,
            "annotations": self.annotations,
            "ownerReferences": [self.owner],
        });
        if !self.namespace.is_empty() {
            metadata["namespace"] = json!(self.namespace);
        }
        let spec = self.spec(&ResourceBindingSpec::default());
        Ok(json!({
            "apiVersion": "work.karmada.io/v1alpha2",
            "kind": self.kind.name(),
            "metadata": metadata,
            "spec": serde_json::to_value(spec)?,
        }))
    }

    /// The update of an existing binding; nothing if it is as it should be.
    ///
    /// # Errors
    /// The binding belongs to an earlier template of the same name, or cannot be read.
    pub fn update(&self, existing: &Object) -> Result<Option<Value>> {
        if let Some(owner) = object::controller(existing)
            && owner.uid != self.owner.uid
        {
            let text = "the binding belongs to an earlier object of the same name";
            return Err(Error::not_yet(text));
        }
        let mut update = existing.value().clone();
        for (key, value) in &self.labels {
            object::set_label(&mut update, key, value.as_str().unwrap_or_default());
        }
        for (key, value) in &self.annotations {
            object::set_annotation(&mut update, key, value.as_str().unwrap_or_default());
        }
        for key in &self.withdrawn.0 {
            object::remove_label(&mut update, key);
        }
        for key in &self.withdrawn.1 {
            object::remove_annotation(&mut update, key);
        }
        object::add_finalizer(&mut update, self.kind.finalizer());
        if !object::owner_references(&update).contains(&self.owner) {
            object::add_owner_reference(&mut update, &self.owner);
        }
        let old = ResourceBindingSpec::deserialize(&existing["spec"])?;
        let new = self.spec(&old);
        if new != old {
            update["spec"] = overlaid(&existing["spec"], &old, &new)?;
        }
        Ok((update != *existing.value()).then_some(update))
    }

    /// The spec, with what is not the detector's taken from `old`.
    fn spec(&self, old: &ResourceBindingSpec) -> ResourceBindingSpec {
        let policy = self.policy.spec();
        let mut spec = old.clone();
        spec.resource = self.resource.clone();
        spec.replicas = self.replicas;
        spec.replica_requirements = self.requirements.clone();
        spec.propagate_deps = policy.propagate_deps;
        spec.scheduler_name.clone_from(&policy.scheduler_name);
        spec.placement = Some(policy.placement.clone());
        spec.failover.clone_from(&policy.failover);
        spec.conflict_resolution = policy.conflict_resolution;
        spec.preserve_resources_on_deletion = policy.preserve_resources_on_deletion;
        let held = policy.suspension.as_ref();
        let suspension = BindingSuspension {
            dispatching: held.and_then(|held| held.dispatching),
            dispatching_on_clusters: held.and_then(|held| held.dispatching_on_clusters.clone()),
            scheduling: old.suspension.as_ref().and_then(|own| own.scheduling),
        };
        spec.suspension = (suspension != BindingSuspension::default()).then_some(suspension);
        spec
    }
}

/// The stored spec with the members that differ between `old` and `new` replaced.
fn overlaid(stored: &Value, old: &ResourceBindingSpec, new: &ResourceBindingSpec) -> Result<Value> {
    let (old, new) = (serde_json::to_value(old)?, serde_json::to_value(new)?);
    let mut spec = stored.clone();
    let fields = object::ensure_object(&mut spec);
    for key in old.as_object().into_iter().flatten().map(|(key, _)| key) {
        if new.get(key).is_none() {
            fields.remove(key);
        }
    }
    for (key, value) in new.as_object().into_iter().flatten() {
        if old.get(key) != Some(value) {
            fields.insert(key.clone(), value.clone());
        }
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flybridge_apis::PropagationPolicy;

    use super::*;
    use crate::detector::policy::{PolicyKey, claim};

    fn policy(id: &str) -> Policy {
        let mut policy = PropagationPolicy::new("web-pp", Default::default());
        policy.metadata.namespace = Some("demo".to_owned());
        let label = labels::PROPAGATION_POLICY_PERMANENT_ID.to_owned();
        policy.metadata.labels = Some([(label, id.to_owned())].into());
        Policy::Namespaced(Arc::new(policy))
    }

    fn template() -> Object {
        Object::from(json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "demo", "uid": "U1", "resourceVersion": "9",
                "labels": {labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID: "C"}},
            "spec": {"replicas": 4, "selector": {}, "template": {"spec": {"containers": [
                {"name": "c", "resources": {"requests": {"cpu": "100m"}}}]}}},
        }))
    }

    fn patched(object: &Object, patch: &Value) -> Object {
        let mut value = object.value().clone();
        flybridge_patch::merge_patch(&mut value, patch);
        Object::from(value)
    }

    #[test]
    fn claiming_replaces_a_cluster_wide_claim_and_is_done_once() {
        let claimed = patched(
            &template(),
            &claim_patch(&template(), &policy("P")).unwrap(),
        );
        let expected = Claim {
            policy: PolicyKey::new("demo", "web-pp"),
            id: "P".to_owned(),
        };
        assert_eq!(claim(&claimed), Some(expected.clone()));
        assert_eq!(
            claimed.label(labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID),
            ""
        );
        assert_eq!(claim_patch(&claimed, &policy("P")), None);
        let stripped = patched(&claimed, &strip_patch(&claimed, &expected).unwrap());
        assert_eq!(claim(&stripped), None);
        assert_eq!(strip_patch(&stripped, &expected), None);
    }

    #[test]
    fn the_binding_names_owns_and_counts() {
        let wanted = wanted(&template(), &policy("P")).unwrap();
        let binding = wanted.create("B").unwrap();
        assert_eq!(binding["metadata"]["name"], "web-deployment");
        assert_eq!(binding["metadata"]["ownerReferences"][0]["uid"], "U1");
        assert_eq!(binding["spec"]["replicas"], 4);
        let request = &binding["spec"]["replicaRequirements"]["resourceRequest"];
        assert_eq!(*request, json!({"cpu": "100m"}));
        assert_eq!(wanted.update(&Object::from(binding)).unwrap(), None);
    }

    #[test]
    fn updates_leave_the_schedulers_part_alone() {
        let wanted = wanted(&template(), &policy("P")).unwrap();
        let mut stored = wanted.create("B").unwrap();
        stored["spec"]["clusters"] = json!([{"name": "m1", "replicas": 4}]);
        stored["spec"]["future"] = json!("kept");
        stored["spec"]["replicas"] = json!(1);
        let update = wanted.update(&Object::from(stored)).unwrap().unwrap();
        assert_eq!(update["spec"]["replicas"], 4);
        assert_eq!(update["spec"]["future"], "kept");
        assert_eq!(update["spec"]["clusters"][0]["name"], "m1");
    }

    #[test]
    fn a_binding_of_an_earlier_template_is_waited_for() {
        let wanted = wanted(&template(), &policy("P")).unwrap();
        let mut stored = wanted.create("B").unwrap();
        stored["metadata"]["ownerReferences"][0]["uid"] = json!("U0");
        assert!(wanted.update(&Object::from(stored)).is_err());
    }
}
