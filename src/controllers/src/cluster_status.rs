//! The health and inventory of members: probes them and writes what it finds to Cluster status.

pub mod inventory;
pub mod readiness;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::cluster::{READY, SyncMode};
use flybridge_apis::{Cluster, finalizers};
use flybridge_client::{Objects, is_not_found};
use flybridge_machinery::conditions;
use flybridge_runtime::{Action, WorkQueue, retry_on_conflict, run_workers};
use http::Request;
use kube::Client;
use parking_lot::Mutex;
use serde_json::{Value, json};

use self::readiness::{Observation, Readiness};
use crate::{Context, Result, kinds};

/// How long a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Starts the controller on a queue of cluster names.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<String>) {
    let clusters = queue.clone();
    context.clusters.store().subscribe(move |change| {
        let Some(cluster) = change.object() else {
            return;
        };
        let relevant = match (change.old, change.new) {
            (Some(old), Some(new)) => {
                old.spec.api_endpoint != new.spec.api_endpoint
                    || old.metadata.finalizers != new.metadata.finalizers
            }
            _ => true,
        };
        if relevant {
            clusters.add(cluster.name().to_owned());
        }
    });
    let context = Arc::clone(context);
    let tasks = context.tasks.clone();
    let memories: Arc<Mutex<BTreeMap<String, Readiness>>> = Arc::default();
    run_workers(&tasks, "cluster status", queue, 8, move |name| {
        let (context, memories) = (Arc::clone(&context), Arc::clone(&memories));
        async move { reconcile(&context, &memories, &name).await }
    });
}

async fn reconcile(
    context: &Context,
    memories: &Mutex<BTreeMap<String, Readiness>>,
    name: &str,
) -> Result<Action> {
    let Some(cluster) = context.cluster(name) else {
        memories.lock().remove(name);
        return Ok(Action::Done);
    };
    let held = cluster.metadata.finalizers.iter().flatten();
    let held = held
        .into_iter()
        .any(|have| have == finalizers::CLUSTER_CONTROLLER);
    if !held || cluster.spec.sync_mode != SyncMode::Push {
        return Ok(Action::Done);
    }
    let member = context.members.get(&cluster).await;
    let observation = match &member {
        Ok(member) => probe(&member.client).await,
        Err(error) => Observation::no_client(error.to_string()),
    };
    let current = cluster.condition(READY).map(|ready| ready.status.as_str());
    let shown = {
        let mut memories = memories.lock();
        let readiness = memories.entry(name.to_owned()).or_default();
        readiness.judge(observation.status(), current, &context.options)
    };
    let found = Found {
        held_back: shown != observation.status(),
        observation,
    };
    let healthy = found.observation.status() == "True" && !found.held_back;
    let mut collected = json!({});
    if healthy && let Ok(member) = &member {
        collected = member.inventory().collect(member).await;
    }
    write(context, &cluster, &found, &collected).await?;
    Ok(Action::After(context.options.cluster_status_period))
}

/// What is to be shown of a member.
struct Found {
    observation: Observation,
    /// The condition stays as it is until the observation has lasted.
    held_back: bool,
}

/// Asks a member whether it is well.
async fn probe(client: &Client) -> Observation {
    for path in ["/readyz", "/healthz"] {
        let Ok(request) = Request::get(path).body(Vec::new()) else {
            break;
        };
        let answer = tokio::time::timeout(PROBE_TIMEOUT, client.request_text(request)).await;
        match answer {
            Ok(Ok(_text)) => return Observation::ready(),
            Ok(Err(kube::Error::Api(status))) if status.code == 404 => {}
            Ok(Err(kube::Error::Api(status))) if status.code < 500 => {
                return Observation::not_ready();
            }
            Ok(Err(error)) => {
                tracing::debug!(%error, path, "probe failed");
                return Observation::unreachable();
            }
            Err(_elapsed) => return Observation::unreachable(),
        }
    }
    Observation::not_ready()
}

/// Writes the Ready condition and what was collected, if that changes anything.
async fn write(
    context: &Context,
    cluster: &Cluster,
    found: &Found,
    collected: &Value,
) -> Result<()> {
    let observation = &found.observation;
    let objects = Objects::new(&context.client, &kinds::clusters(), "");
    let now = context.clock.now();
    let name = cluster.name();
    if !changes(cluster, found, collected) {
        return Ok(());
    }
    let written = retry_on_conflict(|_attempt| async {
        let mut live = objects.get(name).await?;
        let before = live["status"].clone();
        if !found.held_back {
            let condition = conditions::new(
                READY,
                observation.status(),
                observation.reason,
                &observation.message,
            );
            conditions::set_on(&mut live, condition, now);
        }
        for (field, value) in collected.as_object().into_iter().flatten() {
            if field == "conditions" {
                for condition in value.as_array().into_iter().flatten() {
                    conditions::set_on(&mut live, condition.clone(), now);
                }
            } else {
                live["status"][field] = value.clone();
            }
        }
        if live["status"] != before {
            objects.replace_status(name, &live).await?;
        }
        Ok(())
    })
    .await;
    match written {
        Ok(()) => Ok(()),
        Err(error) if is_not_found(&error) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether the cached Cluster shows something else than what was found.
fn changes(cluster: &Cluster, found: &Found, collected: &Value) -> bool {
    let observation = &found.observation;
    let Ok(shown) = serde_json::to_value(&cluster.status) else {
        return true;
    };
    let condition = cluster.condition(READY);
    let same_condition = condition.is_some_and(|condition| {
        found.held_back
            || (condition.status == observation.status()
                && condition.reason == observation.reason
                && condition.message == observation.message)
    });
    let same_fields = collected
        .as_object()
        .into_iter()
        .flatten()
        .all(|(field, value)| match field.as_str() {
            "conditions" => value.as_array().into_iter().flatten().all(|condition| {
                let kind = condition["type"].as_str().unwrap_or_default();
                cluster.condition(kind).is_some_and(|have| {
                    condition["status"] == have.status.as_str()
                        && condition["reason"] == have.reason.as_str()
                        && condition["message"] == have.message.as_str()
                })
            }),
            _ => shown[field] == *value,
        });
    !(same_condition && same_fields)
}
