//! Work to member cluster: creates, updates, repairs and deletes what the manifests describe.
//!
//! The status of a fresh copy is reported together with the outcome, in one write.

pub mod plan;

use std::sync::Arc;

use flybridge_apis::cluster::SyncMode;
use flybridge_apis::work::{APPLIED, DISPATCHING};
use flybridge_apis::{Cluster, finalizers, names};
use flybridge_client::{Mapping, Objects, is_already_exists, is_not_found};
use flybridge_machinery::conditions;
use flybridge_runtime::{
    Action, EventType, Object, ObjectKey, WorkQueue, run_workers, write_status,
};
use serde_json::Value;

use self::plan::{Step, is_managed, plan, released};
use crate::context::BY_CLUSTER;
use crate::members::{Member, MemberObject, Version};
use crate::status::work::manifest_status;
use crate::{Context, Error, Result, write};

/// Starts the controller on a queue of Works.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<ObjectKey>) {
    let works = queue.clone();
    context.works.store().subscribe(move |change| {
        let Some(work) = change.new else { return };
        let relevant = change.old.is_none_or(|old| {
            old.generation() != work.generation() || old.is_deleting() != work.is_deleting()
        });
        if relevant {
            works.add(ObjectKey::new(work.namespace(), work.name()));
        }
    });
    let (works, shared) = (queue.clone(), Arc::downgrade(context));
    context.clusters.store().subscribe(move |change| {
        let (Some(cluster), Some(context)) = (change.new, shared.upgrade()) else {
            return;
        };
        let state = |cluster: &Cluster| (cluster.is_ready(), cluster.is_deleting());
        let known = change.old.map(|old| state(old));
        if known != Some(state(cluster)) {
            for work in context.works.store().by_index(BY_CLUSTER, cluster.name()) {
                works.add(ObjectKey::new(work.namespace(), work.name()));
            }
        }
    });
    let context = Arc::clone(context);
    let workers = context.options.workers;
    let tasks = context.tasks.clone();
    run_workers(&tasks, "execution", queue, workers, move |key| {
        let context = Arc::clone(&context);
        async move { reconcile(&context, &key).await }
    });
}

async fn reconcile(context: &Context, key: &ObjectKey) -> Result<Action> {
    let Some(work) = context.works.store().get(key) else {
        return Ok(Action::Done);
    };
    let Some(name) = names::cluster_of_execution_namespace(&key.namespace) else {
        return Ok(Action::Done);
    };
    let Some(cluster) = context.cluster(name) else {
        if work.is_deleting() {
            return release(context, &work).await;
        }
        return Err(Error::not_yet(format!("cluster {name} is not known")));
    };
    if cluster.spec.sync_mode != SyncMode::Push {
        return Ok(Action::Done);
    }
    if work.is_deleting() {
        return remove(context, &cluster, &work).await;
    }
    if work["spec"]["suspendDispatching"] == true {
        dispatching(context, &work, false).await?;
        return Ok(Action::Done);
    }
    if !cluster.is_ready() {
        // The change to ready brings all Works of the cluster back.
        return Ok(Action::Done);
    }
    let member = context.members.get(&cluster).await?;
    let outcome = apply_all(&member, &work).await;
    report(context, &work, &outcome).await?;
    match outcome.failure {
        None => Ok(Action::Done),
        Some(failure) => Err(Error::not_yet(failure)),
    }
}

/// What became of a Work's manifests.
#[derive(Default)]
struct Outcome {
    total: usize,
    applied: usize,
    failure: Option<String>,
    /// Identifier, status and health of each object that was read or written.
    reports: Vec<Value>,
    changed: bool,
}

fn manifests(work: &Object) -> &[Value] {
    work["spec"]["workload"]["manifests"]
        .as_array()
        .map_or(&[], Vec::as_slice)
}

async fn apply_all(member: &Arc<Member>, work: &Object) -> Outcome {
    let mut outcome = Outcome::default();
    for (ordinal, manifest) in manifests(work).iter().enumerate() {
        outcome.total += 1;
        match apply(member, work, manifest).await {
            Ok((object, changed)) => {
                outcome.applied += 1;
                outcome.changed |= changed;
                if let Ok(report) = manifest_status(ordinal, manifest, &object) {
                    outcome.reports.push(report);
                }
            }
            Err(error) => {
                let text = error.to_string();
                let all = outcome.failure.take();
                outcome.failure = Some(match all {
                    Some(have) => format!("{have}, {text}"),
                    None => text,
                });
            }
        }
    }
    outcome
}

/// Brings one object to its manifest; returns it and whether it was written.
async fn apply(member: &Arc<Member>, work: &Object, manifest: &Value) -> Result<(Value, bool)> {
    let place = MemberObject::of(manifest);
    let mapping = member
        .mapper
        .lookup(&place.api_version, &place.kind)
        .await?;
    let objects = Objects::new(&member.client, &mapping.resource, &place.object.namespace);
    let made_from = (
        work["metadata"]["uid"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        work.generation(),
    );
    let mut observed = observe(member, &mapping, &objects, &place).await?;
    if let Some(object) = &observed
        && member.version(&place).is_some_and(|known| {
            known.made_from == made_from
                && Some(known.resource_version.as_str())
                    == object["metadata"]["resourceVersion"].as_str()
        })
    {
        return Ok((object.clone(), false));
    }
    for _attempt in 0..3 {
        let written = match plan(manifest, observed.as_ref())? {
            Step::Create => objects.create(manifest).await,
            Step::Replace(desired) => objects.replace(&place.object.name, &desired).await,
            Step::Keep => {
                let object = observed.unwrap_or_default();
                record(member, place, &object, made_from);
                return Ok((object, false));
            }
            Step::Refuse(text) => return Err(Error::NotYet(text)),
        };
        match written {
            Ok(object) => {
                record(member, place, &object, made_from);
                return Ok((object, true));
            }
            Err(error) if is_already_exists(&error) || flybridge_client::is_conflict(&error) => {
                observed = live(&objects, &place.object.name).await?;
            }
            Err(error) if is_not_found(&error) && observed.is_some() => observed = None,
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::not_yet("the object keeps changing in the member"))
}

fn record(member: &Member, place: MemberObject, object: &Value, made_from: (String, i64)) {
    let resource_version = object["metadata"]["resourceVersion"].as_str();
    member.record(
        place,
        Version {
            resource_version: resource_version.unwrap_or_default().to_owned(),
            made_from,
        },
    );
}

/// The member's copy: from the cache once that is filled, else from its API.
async fn observe(
    member: &Arc<Member>,
    mapping: &Mapping,
    objects: &Objects,
    place: &MemberObject,
) -> Result<Option<Value>> {
    let informer = member.follow(&mapping.resource);
    if informer.is_synced() {
        let cached = informer.store().get(&place.object);
        return Ok(cached.map(|object| object.value().clone()));
    }
    live(objects, &place.object.name).await
}

async fn live(objects: &Objects, name: &str) -> Result<Option<Value>> {
    match objects.get(name).await {
        Ok(object) => Ok(Some(object)),
        Err(error) if is_not_found(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes conditions and manifest statuses, and tells users what changed.
async fn report(context: &Context, work: &Object, outcome: &Outcome) -> Result<()> {
    let (status, reason, message) = match &outcome.failure {
        None => (
            "True",
            "AppliedSuccessful",
            "Manifest has been successfully applied".to_owned(),
        ),
        Some(failure) => (
            "False",
            "AppliedFailed",
            format!(
                "Failed to apply all manifests ({}/{}): {failure}",
                outcome.applied, outcome.total
            ),
        ),
    };
    let now = context.clock.now();
    let written = write_status(
        &context.work_objects(work.namespace()),
        work.name(),
        Some(work.value()),
        |work| {
            conditions::set_on(work, dispatching_condition(true), now);
            let applied = conditions::new(APPLIED, status, reason, &message);
            conditions::set_on(work, applied, now);
            if !outcome.reports.is_empty() && outcome.failure.is_none() {
                work["status"]["manifestStatuses"] = Value::Array(outcome.reports.clone());
            }
        },
    )
    .await;
    match written {
        Ok(_) => {}
        Err(error) if is_not_found(&error) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    if outcome.failure.is_some() {
        let recorder = &context.recorder;
        recorder.event(work, EventType::Warning, "SyncFailed", message);
    } else if outcome.changed {
        let text = "Successful to apply the resource to the cluster";
        context
            .recorder
            .event(work, EventType::Normal, "SyncSucceed", text);
    }
    Ok(())
}

fn dispatching_condition(dispatching: bool) -> Value {
    if dispatching {
        let message = "Work is being dispatched to member clusters.";
        conditions::new(DISPATCHING, "True", "Dispatching", message)
    } else {
        let message = "Work dispatching is in a suspended state.";
        conditions::new(DISPATCHING, "False", "SuspendDispatching", message)
    }
}

async fn dispatching(context: &Context, work: &Object, state: bool) -> Result<()> {
    let now = context.clock.now();
    write_status(
        &context.work_objects(work.namespace()),
        work.name(),
        Some(work.value()),
        |work| {
            conditions::set_on(work, dispatching_condition(state), now);
        },
    )
    .await?;
    Ok(())
}

/// Deletes a Work's objects from the member, or lets go of them, and then the Work.
async fn remove(context: &Context, cluster: &Cluster, work: &Object) -> Result<Action> {
    let keep = work["spec"]["preserveResourcesOnDeletion"] == true;
    if keep || cluster.is_ready() {
        let member = context.members.get(cluster).await?;
        for manifest in manifests(work) {
            if keep {
                detach(&member, manifest).await?;
            } else {
                delete(&member, manifest).await?;
            }
        }
    } else if !cluster.is_deleting() {
        // The change to ready brings all Works of the cluster back.
        return Ok(Action::Done);
    }
    release(context, work).await
}

async fn release(context: &Context, work: &Object) -> Result<Action> {
    let objects = context.work_objects(work.namespace());
    write::remove_finalizer(&objects, work, finalizers::EXECUTION_CONTROLLER).await?;
    Ok(Action::Done)
}

async fn delete(member: &Arc<Member>, manifest: &Value) -> Result<()> {
    let place = MemberObject::of(manifest);
    let mapping = match member.mapper.lookup(&place.api_version, &place.kind).await {
        Ok(mapping) => mapping,
        Err(flybridge_client::Error::NoMatch { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let objects = Objects::new(&member.client, &mapping.resource, &place.object.namespace);
    let observed = observe(member, &mapping, &objects, &place).await?;
    let observed = match observed {
        Some(observed) => Some(observed),
        None if member.version(&place).is_some() => live(&objects, &place.object.name).await?,
        None => None,
    };
    if let Some(observed) = observed
        && is_managed(&observed)
    {
        objects.delete(&place.object.name, None).await?;
    }
    member.unrecord(&place);
    Ok(())
}

/// Takes what ties an object to its Work off the member's copy.
async fn detach(member: &Arc<Member>, manifest: &Value) -> Result<()> {
    let place = MemberObject::of(manifest);
    let mapping = member
        .mapper
        .lookup(&place.api_version, &place.kind)
        .await?;
    let objects = Objects::new(&member.client, &mapping.resource, &place.object.namespace);
    member.unrecord(&place);
    let Some(observed) = live(&objects, &place.object.name).await? else {
        return Ok(());
    };
    if let Step::Replace(desired) = plan(&released(manifest), Some(&observed))? {
        objects.replace(&place.object.name, &desired).await?;
    }
    Ok(())
}
