//! The Work of a binding for one cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_apis::matching::{AppliedOverride, Overrides, Template, applied_overrides};
use flybridge_apis::placement::ReplicaSchedulingType;
use flybridge_apis::prune::{prune, record_managed};
use flybridge_apis::{
    Cluster, ClusterOverridePolicy, ConflictResolution, OverridePolicy, ResourceBindingSpec,
    TargetCluster, annotations, finalizers, labels, names,
};
use flybridge_interpreter::{Operation, apply_overriders, hook_enabled, revise_replica};
use flybridge_machinery::object::{self, set_annotation, set_label};
use flybridge_runtime::Object;
use flybridge_scheduler::webster;
use serde_json::{Value, json};

use crate::kinds::BindingKey;
use crate::{Error, Result};

/// What a Work is made from.
#[derive(Clone, Copy)]
pub struct Rendering<'a> {
    /// The binding's key.
    pub key: &'a BindingKey,
    /// The binding.
    pub binding: &'a Object,
    /// Its spec.
    pub spec: &'a ResourceBindingSpec,
    /// The template.
    pub template: &'a Object,
    /// The cluster, and its replicas.
    pub target: &'a TargetCluster,
    /// All clusters of the binding.
    pub targets: &'a [TargetCluster],
}

/// The permanent id of a Work.
pub fn work_id(work: &Value) -> String {
    object::label(work, labels::WORK_PERMANENT_ID)
        .unwrap_or_default()
        .to_owned()
}

/// Makes the Work: revises replicas, applies overrides, then stamps what ties it together.
///
/// # Errors
/// The template cannot be revised or overridden.
pub fn render(
    from: &Rendering<'_>,
    cluster: Option<&Cluster>,
    cluster_overrides: &[Arc<ClusterOverridePolicy>],
    overrides: &[Arc<OverridePolicy>],
    work_id: &str,
) -> Result<Value> {
    let mut manifest = from.template.value().clone();
    revise(from, &mut manifest)?;
    divide_completions(from, &mut manifest)?;
    let mut wide = Vec::new();
    let mut narrow = Vec::new();
    if let Some(cluster) = cluster {
        wide = overridden(&mut manifest, cluster, cluster_overrides)?;
        narrow = overridden(&mut manifest, cluster, overrides)?;
    }
    let work_name = names::work_name(
        object::kind(&manifest),
        object::name(&manifest),
        object::namespace(&manifest).unwrap_or_default(),
    );
    let work_namespace = names::execution_namespace(&from.target.name);
    let resolution = conflict_resolution(from);
    stamp(from, &mut manifest, work_id);
    for (key, value) in [
        (annotations::CONFLICT_RESOLUTION, resolution),
        (annotations::WORK_NAME, work_name.as_str()),
        (annotations::WORK_NAMESPACE, work_namespace.as_str()),
    ] {
        set_annotation(&mut manifest, key, value);
    }
    let uid = object::uid(from.template).unwrap_or_default();
    let manifest = finished(manifest, uid);
    let mut work = json!({
        "apiVersion": "work.karmada.io/v1alpha1",
        "kind": "Work",
        "metadata": {
            "name": work_name,
            "namespace": work_namespace,
            "finalizers": [finalizers::EXECUTION_CONTROLLER],
        },
        "spec": {
            "suspendDispatching": is_suspended(from),
            "preserveResourcesOnDeletion":
                from.spec.preserve_resources_on_deletion.unwrap_or_default(),
            "workload": {"manifests": [manifest]},
        },
    });
    label_work(from, &mut work, work_id, resolution);
    record_overrides(&mut work, annotations::APPLIED_CLUSTER_OVERRIDES, &wide)?;
    record_overrides(&mut work, annotations::APPLIED_OVERRIDES, &narrow)?;
    Ok(work)
}

/// The last touches any manifest gets: managed, traceable to its template, free of server fields.
pub fn finished(mut manifest: Value, template_uid: &str) -> Value {
    set_label(&mut manifest, labels::MANAGED, labels::TRUE);
    set_annotation(&mut manifest, annotations::TEMPLATE_UID, template_uid);
    prune(&mut manifest);
    record_managed(&mut manifest);
    manifest
}

fn revise(from: &Rendering<'_>, manifest: &mut Value) -> Result<()> {
    let resource = &from.spec.resource;
    let hook = hook_enabled(
        &resource.api_version,
        &resource.kind,
        Operation::ReviseReplica,
    );
    if hook && from.spec.is_workload() {
        revise_replica(manifest, i64::from(from.target.replicas))?;
    }
    Ok(())
}

/// Gives a divided Job its share of the completions, by the replicas of each cluster.
fn divide_completions(from: &Rendering<'_>, manifest: &mut Value) -> Result<()> {
    let spec = from.spec;
    let divided = spec.placement.as_ref().is_some_and(|placement| {
        placement.scheduling_type() == Some(ReplicaSchedulingType::Divided)
    });
    if spec.resource.kind != "Job" || spec.replicas <= 0 || !divided {
        return Ok(());
    }
    let Some(completions) = manifest["spec"]["completions"].as_u64() else {
        return Ok(());
    };
    let shares = shares(completions, from.targets, &spec.resource.uid);
    let share = shares.get(&from.target.name);
    let share = share.ok_or_else(|| Error::not_yet("the cluster has no share of completions"))?;
    manifest["spec"]["completions"] = json!(share);
    Ok(())
}

fn shares(total: u64, targets: &[TargetCluster], uid: &str) -> BTreeMap<String, u64> {
    let votes: Vec<(String, u64)> = targets
        .iter()
        .map(|target| {
            let votes = u64::try_from(target.replicas).unwrap_or_default();
            (target.name.clone(), votes)
        })
        .collect();
    webster::divide_by_name(total, &votes, &[], uid)
        .into_iter()
        .collect()
}

fn overridden<'p, P: Overrides + 'p>(
    manifest: &mut Value,
    cluster: &Cluster,
    policies: &'p [Arc<P>],
) -> Result<Vec<AppliedOverride<'p>>> {
    let rules = {
        let template = Template::of(manifest);
        applied_overrides(policies.iter().map(AsRef::as_ref), &template, cluster)
    };
    for rule in &rules {
        apply_overriders(manifest, rule.overriders)?;
    }
    Ok(rules)
}

fn record_overrides(work: &mut Value, key: &str, rules: &[AppliedOverride<'_>]) -> Result<()> {
    if rules.is_empty() {
        return Ok(());
    }
    let mut entries: Vec<(&str, Value)> = Vec::new();
    for rule in rules {
        let entry = json!({"policyName": rule.policy, "overriders": rule.overriders});
        entries.push((rule.policy, entry));
    }
    entries.sort_by_key(|(name, _)| *name);
    let list: Vec<Value> = entries.into_iter().map(|(_, entry)| entry).collect();
    set_annotation(work, key, &serde_json::to_string(&list)?);
    Ok(())
}

/// What happens when the object exists in the member: the template's own wish, else the binding's.
fn conflict_resolution(from: &Rendering<'_>) -> &'static str {
    match from.template.annotation(annotations::CONFLICT_RESOLUTION) {
        annotations::CONFLICT_OVERWRITE => annotations::CONFLICT_OVERWRITE,
        annotations::CONFLICT_ABORT => annotations::CONFLICT_ABORT,
        _ if from.spec.conflict_resolution == ConflictResolution::Overwrite => {
            annotations::CONFLICT_OVERWRITE
        }
        _ => annotations::CONFLICT_ABORT,
    }
}

fn is_suspended(from: &Rendering<'_>) -> bool {
    from.spec.suspension.as_ref().is_some_and(|suspension| {
        let here = suspension.dispatching_on_clusters.as_ref();
        suspension.dispatching == Some(true)
            || here.is_some_and(|only| only.cluster_names.contains(&from.target.name))
    })
}

/// Ties the manifest to its binding and template.
fn stamp(from: &Rendering<'_>, manifest: &mut Value, work_id: &str) {
    let label = from.key.kind.permanent_id();
    set_label(manifest, label, from.binding.label(label));
    set_label(manifest, labels::WORK_PERMANENT_ID, work_id);
    for (key, value) in from.key.kind.reference(&from.key.object) {
        set_annotation(manifest, key, &value);
    }
    let generation = from.template.generation();
    if generation > 0 {
        let text = generation.to_string();
        set_annotation(manifest, annotations::TEMPLATE_GENERATION, &text);
    }
}

fn label_work(from: &Rendering<'_>, work: &mut Value, work_id: &str, resolution: &str) {
    let label = from.key.kind.permanent_id();
    set_label(work, label, from.binding.label(label));
    set_label(work, labels::WORK_PERMANENT_ID, work_id);
    for (key, value) in from.key.kind.reference(&from.key.object) {
        set_annotation(work, key, &value);
    }
    set_annotation(work, annotations::CONFLICT_RESOLUTION, resolution);
}

/// The update that brings a Work to the wanted form: labels and annotations are added, the spec is
/// replaced; nothing if that is no change.
///
/// Differs: the record of overrides goes when no override applies any more.
pub fn work_update(existing: &Value, wanted: &Value) -> Option<Value> {
    let mut update = existing.clone();
    for (key, value) in object::labels(wanted) {
        set_label(&mut update, key, value);
    }
    for (key, value) in object::annotations(wanted) {
        set_annotation(&mut update, key, value);
    }
    for record in [
        annotations::APPLIED_CLUSTER_OVERRIDES,
        annotations::APPLIED_OVERRIDES,
    ] {
        if object::annotation(wanted, record).is_none() {
            object::remove_annotation(&mut update, record);
        }
    }
    for finalizer in object::finalizers(wanted) {
        object::add_finalizer(&mut update, finalizer);
    }
    update["spec"] = wanted["spec"].clone();
    (update != *existing).then_some(update)
}

#[cfg(test)]
mod tests {
    use flybridge_runtime::ObjectKey;

    use super::*;
    use crate::kinds::BindingKind;

    fn target(name: &str, replicas: i32) -> TargetCluster {
        TargetCluster {
            name: name.to_owned(),
            replicas,
            ..TargetCluster::default()
        }
    }

    fn rendered(edit: impl Fn(&mut ResourceBindingSpec, &mut Value)) -> Value {
        let mut template = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "nginx", "namespace": "default", "uid": "U1", "generation": 3,
                "resourceVersion": "7"},
            "spec": {"replicas": 10, "template": {"spec": {"containers": []}}},
            "status": {"replicas": 1},
        });
        let mut spec = ResourceBindingSpec {
            replicas: 10,
            clusters: vec![target("m1", 7), target("m2", 3)],
            ..ResourceBindingSpec::default()
        };
        spec.resource.api_version = "apps/v1".to_owned();
        spec.resource.kind = "Deployment".to_owned();
        edit(&mut spec, &mut template);
        let binding = Object::from(json!({"metadata": {
            "name": "nginx-deployment", "namespace": "default",
            "labels": {labels::RESOURCE_BINDING_PERMANENT_ID: "B1"},
        }}));
        let key = BindingKey {
            kind: BindingKind::Resource,
            object: ObjectKey::new("default", "nginx-deployment"),
        };
        let from = Rendering {
            key: &key,
            binding: &binding,
            spec: &spec,
            template: &Object::from(template),
            target: &spec.clusters[0],
            targets: &spec.clusters,
        };
        render(&from, None, &[], &[], "W1").unwrap()
    }

    #[test]
    fn the_work_carries_the_clusters_share_and_every_tie() {
        let work = rendered(|_, _| {});
        assert_eq!(work["metadata"]["name"], "nginx-687f7fb96f");
        assert_eq!(work["metadata"]["namespace"], "karmada-es-m1");
        let manifest = &work["spec"]["workload"]["manifests"][0];
        assert_eq!(manifest["spec"]["replicas"], 7);
        assert!(manifest.get("status").is_none());
        assert_eq!(
            manifest["metadata"]["labels"],
            json!({
                "karmada.io/managed": "true",
                "resourcebinding.karmada.io/permanent-id": "B1",
                "work.karmada.io/permanent-id": "W1",
            })
        );
        let notes = &manifest["metadata"]["annotations"];
        assert_eq!(notes["resourcetemplate.karmada.io/generation"], "3");
        assert_eq!(notes["resourcetemplate.karmada.io/uid"], "U1");
        assert_eq!(notes["work.karmada.io/conflict-resolution"], "abort");
        let recorded = notes["resourcetemplate.karmada.io/managed-annotations"].as_str();
        assert!(
            recorded
                .unwrap()
                .contains("resourcetemplate.karmada.io/managed-labels")
        );
    }

    #[test]
    fn a_non_workload_keeps_what_the_template_says() {
        let work = rendered(|spec, _| spec.replicas = 0);
        assert_eq!(
            work["spec"]["workload"]["manifests"][0]["spec"]["replicas"],
            10
        );
    }

    #[test]
    fn the_templates_wish_for_conflicts_wins() {
        let work = rendered(|spec, template| {
            spec.conflict_resolution = ConflictResolution::Overwrite;
            template["metadata"]["annotations"] =
                json!({"work.karmada.io/conflict-resolution": "abort"});
        });
        let resolution = object::annotation(&work, annotations::CONFLICT_RESOLUTION);
        assert_eq!(resolution, Some("abort"));
    }

    #[test]
    fn updating_to_the_same_form_is_no_update() {
        let work = rendered(|_, _| {});
        assert_eq!(work_update(&work, &work), None);
        let mut stored = work.clone();
        set_label(&mut stored, "theirs", "x");
        set_annotation(&mut stored, annotations::APPLIED_OVERRIDES, "[]");
        let update = work_update(&stored, &work).unwrap();
        assert_eq!(object::label(&update, "theirs"), Some("x"));
        assert_eq!(
            object::annotation(&update, annotations::APPLIED_OVERRIDES),
            None
        );
    }

    #[test]
    fn completions_are_divided_by_replicas() {
        let targets = [target("m1", 7), target("m2", 3)];
        let shares = shares(20, &targets, "");
        assert_eq!(
            shares,
            BTreeMap::from([("m1".to_owned(), 14), ("m2".to_owned(), 6)])
        );
    }
}
