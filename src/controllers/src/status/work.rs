//! Member object to Work: reflects status and health; and sends drift to the execution controller.

use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::annotations;
use flybridge_apis::prune::prune;
use flybridge_apis::work::APPLIED;
use flybridge_client::is_not_found;
use flybridge_interpreter::{Operation, hook_enabled, interpret_health, reflect_status};
use flybridge_machinery::conditions;
use flybridge_runtime::{Action, Change, Object, ObjectKey, WorkQueue, run_workers, write_status};
use serde_json::{Value, json};

use crate::execution::plan::is_managed;
use crate::members::{Hook, Member, MemberObject};
use crate::{Context, Result};

/// How long reports wait for more changes of the same object.
const SETTLE: Duration = Duration::from_millis(20);

/// What must be looked at after a change in a member: a Work, and one of its objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReportKey {
    /// The Work.
    pub work: ObjectKey,
    /// The member.
    pub cluster: String,
    /// `apiVersion` of the object.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Namespace and name.
    pub object: ObjectKey,
}

/// The hook that sorts changes in members: drift to `works`, everything to `reports`.
pub fn hook(works: &WorkQueue<ObjectKey>, reports: &WorkQueue<ReportKey>) -> Hook {
    let (works, reports) = (works.clone(), reports.clone());
    Arc::new(move |member, change| {
        if let Some(work) = drifted(member, change) {
            works.add(work);
        }
        if let Some(key) = report_key(member, change) {
            reports.add_after(key, SETTLE);
        }
    })
}

fn work_of(object: &Object) -> Option<ObjectKey> {
    let name = object.annotation(annotations::WORK_NAME);
    let namespace = object.annotation(annotations::WORK_NAMESPACE);
    (!name.is_empty() && !namespace.is_empty()).then(|| ObjectKey::new(namespace, name))
}

/// The Work whose object was changed or deleted by someone else.
fn drifted(member: &Member, change: &Change<'_, Object>) -> Option<ObjectKey> {
    let reference = change.old.or(change.new)?;
    if !is_managed(reference) {
        return None;
    }
    let work = work_of(reference)?;
    let known = member.version(&MemberObject::of(reference))?;
    let Some(new) = change.new else {
        return Some(work);
    };
    if new["metadata"]["resourceVersion"] == known.resource_version.as_str() {
        return None;
    }
    match change.old {
        Some(old) => differs(old, new).then_some(work),
        None => Some(work),
    }
}

/// Whether an object changed in what a manifest determines.
fn differs(old: &Object, new: &Object) -> bool {
    let same_meta = |field: &str| old["metadata"][field] == new["metadata"][field];
    let counted = old.generation() > 0 && new.generation() > 0;
    if counted && same_meta("generation") && same_meta("labels") && same_meta("annotations") {
        return false;
    }
    let pruned = |object: &Object| {
        let mut value = object.value().clone();
        prune(&mut value);
        value
    };
    pruned(old) != pruned(new)
}

fn report_key(member: &Member, change: &Change<'_, Object>) -> Option<ReportKey> {
    let object = change.new?;
    let place = MemberObject::of(object);
    let ours = member.version(&place).is_some_and(|known| {
        object["metadata"]["resourceVersion"] == known.resource_version.as_str()
    });
    if ours {
        return None;
    }
    Some(ReportKey {
        work: work_of(object)?,
        cluster: member.name.clone(),
        api_version: place.api_version,
        kind: place.kind,
        object: place.object,
    })
}

/// Starts the controller on a queue of reports.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<ReportKey>) {
    let (tasks, workers) = (context.tasks.clone(), context.options.workers);
    let context = Arc::clone(context);
    run_workers(&tasks, "work status", queue, workers, move |key| {
        let context = Arc::clone(&context);
        async move { reconcile(&context, &key).await }
    });
}

async fn reconcile(context: &Context, key: &ReportKey) -> Result<Action> {
    let Some(work) = context.works.store().get(&key.work) else {
        return Ok(Action::Done);
    };
    if work.is_deleting() {
        return Ok(Action::Done);
    }
    match conditions::status_of(&work, APPLIED) {
        Some("True") => {}
        // Applying again will report what it finds.
        Some(_) => return Ok(Action::Done),
        None => return Ok(Action::After(SETTLE)),
    }
    let Some(member) = context.members.existing(&key.cluster) else {
        return Ok(Action::Done);
    };
    let mapping = member.mapper.lookup(&key.api_version, &key.kind).await?;
    let Some(object) = member.follow(&mapping.resource).store().get(&key.object) else {
        return Ok(Action::Done);
    };
    let place = MemberObject::of(&object);
    let manifests = work["spec"]["workload"]["manifests"].as_array();
    let found = manifests
        .into_iter()
        .flatten()
        .enumerate()
        .find(|(_, manifest)| MemberObject::of(manifest) == place);
    let Some((ordinal, manifest)) = found else {
        return Ok(Action::Done);
    };
    let report = manifest_status(ordinal, manifest, &object)?;
    let written = write_status(
        &context.work_objects(work.namespace()),
        work.name(),
        Some(work.value()),
        |work| put_report(work, &report),
    )
    .await;
    match written {
        Ok(_) => Ok(Action::Done),
        Err(error) if is_not_found(&error) => Ok(Action::Done),
        Err(error) => Err(error.into()),
    }
}

/// Replaces the report of the same identifier, or adds one.
fn put_report(work: &mut Value, report: &Value) {
    if !work["status"].is_object() {
        work["status"] = json!({});
    }
    let slot = &mut work["status"]["manifestStatuses"];
    let Some(reports) = slot.as_array_mut() else {
        *slot = json!([report]);
        return;
    };
    match reports
        .iter_mut()
        .find(|have| have["identifier"] == report["identifier"])
    {
        Some(have) => *have = report.clone(),
        None => reports.push(report.clone()),
    }
}

/// The report of one object: identifier, reflected status, health.
///
/// # Errors
/// Its status cannot be read.
pub fn manifest_status(ordinal: usize, manifest: &Value, object: &Value) -> Result<Value> {
    let place = MemberObject::of(manifest);
    let (group, version) = place
        .api_version
        .split_once('/')
        .unwrap_or(("", &place.api_version));
    let mut identifier = json!({
        "ordinal": ordinal, "version": version, "kind": place.kind,
        "resource": "", "name": place.object.name,
    });
    if !group.is_empty() {
        identifier["group"] = json!(group);
    }
    if !place.object.namespace.is_empty() {
        identifier["namespace"] = json!(place.object.namespace);
    }
    let mut report = json!({"identifier": identifier, "health": health(object)});
    if let Some(status) = reflect_status(object)? {
        report["status"] = status;
    }
    Ok(report)
}

fn health(object: &Value) -> &'static str {
    let (api_version, kind) = (&object["apiVersion"], &object["kind"]);
    let (api_version, kind) = (
        api_version.as_str().unwrap_or_default(),
        kind.as_str().unwrap_or_default(),
    );
    if !hook_enabled(api_version, kind, Operation::InterpretHealth) {
        return "Healthy";
    }
    match interpret_health(object) {
        Ok(true) => "Healthy",
        Ok(false) => "Unhealthy",
        Err(_unreadable) => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_identify_reflect_and_judge() {
        let manifest = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "demo"}});
        let object = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "demo", "generation": 1,
                "annotations": {annotations::TEMPLATE_GENERATION: "3"}},
            "spec": {"replicas": 2},
            "status": {"replicas": 2, "updatedReplicas": 2, "availableReplicas": 2,
                "observedGeneration": 1}});
        let report = manifest_status(0, &manifest, &object).unwrap();
        assert_eq!(report["health"], "Healthy");
        assert_eq!(report["identifier"]["group"], "apps");
        assert_eq!(report["status"]["resourceTemplateGeneration"], 3);
        let mut work = json!({});
        put_report(&mut work, &report);
        put_report(&mut work, &report);
        assert_eq!(work["status"]["manifestStatuses"], json!([report]));
    }

    #[test]
    fn a_new_status_is_no_drift_but_a_new_spec_is() {
        let object = |generation: i64, status: i64| {
            Object::from(json!({"kind": "Deployment",
                "metadata": {"generation": generation, "name": "a"},
                "spec": generation, "status": status}))
        };
        assert!(!differs(&object(1, 1), &object(1, 2)));
        assert!(differs(&object(1, 1), &object(2, 1)));
        let map =
            |data: i64| Object::from(json!({"kind": "ConfigMap", "metadata": {}, "data": data}));
        assert!(differs(&map(1), &map(2)));
        assert!(!differs(&map(1), &map(1)));
    }
}
