//! Creating Deployments and timing their arrival in every member.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use flybridge_base::Tasks;
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use serde_json::json;
use tokio::sync::mpsc;

use crate::MEMBERS;

const CREATORS: usize = 16;
const PATIENCE: Duration = Duration::from_secs(600);

/// How long each object took and how long all of them took together.
#[derive(Debug)]
pub(crate) struct Timing {
    /// Milliseconds from the accepted create to the last member, ascending.
    latencies_ms: Vec<f64>,
    pub(crate) total: Duration,
}

impl Timing {
    fn percentile(&self, share: f64) -> f64 {
        let last = self.latencies_ms.len().saturating_sub(1);
        let index = (last as f64 * share).round() as usize;
        self.latencies_ms.get(index).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn p50_ms(&self) -> f64 {
        self.percentile(0.5)
    }

    pub(crate) fn p99_ms(&self) -> f64 {
        self.percentile(0.99)
    }

    pub(crate) fn rate(&self) -> f64 {
        self.latencies_ms.len() as f64 / self.total.as_secs_f64()
    }
}

/// Creates `count` Deployments, each after the one before has arrived everywhere.
pub(crate) async fn one_at_a_time(client: &Client, count: usize) -> Result<Timing> {
    let namespace = prepare(client, "single").await?;
    let mut arrivals = watch_members(client, &namespace).await?;
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), &namespace);
    let mut latencies_ms = Vec::new();
    let started = Instant::now();
    for index in 0..count {
        let name = format!("one-{index}");
        deployments
            .create(&PostParams::default(), &deployment(&name)?)
            .await?;
        let accepted = Instant::now();
        for _ in 0..MEMBERS {
            arrivals.next().await?;
        }
        latencies_ms.push(accepted.elapsed().as_secs_f64() * 1000.0);
    }
    finish(latencies_ms, started)
}

/// Creates `count` Deployments from several connections at once.
pub(crate) async fn burst(client: &Client, count: usize) -> Result<Timing> {
    let namespace = prepare(client, "burst").await?;
    let mut arrivals = watch_members(client, &namespace).await?;
    let deployments: Api<Deployment> = Api::namespaced(client.clone(), &namespace);
    let started = Instant::now();
    let creating = stream::iter(0..count)
        .map(|index| {
            let deployments = deployments.clone();
            async move {
                let name = format!("burst-{index}");
                deployments
                    .create(&PostParams::default(), &deployment(&name)?)
                    .await?;
                anyhow::Ok((name, Instant::now()))
            }
        })
        .buffer_unordered(CREATORS)
        .try_collect::<BTreeMap<String, Instant>>();
    let arriving = async {
        let mut seen: BTreeMap<String, (usize, Instant)> = BTreeMap::new();
        for _ in 0..count * MEMBERS {
            let (name, at) = arrivals.next().await?;
            let entry = seen.entry(name).or_insert((0, at));
            *entry = (entry.0 + 1, at);
        }
        anyhow::Ok(seen)
    };
    let (accepted, arrived) = tokio::try_join!(creating, arriving)?;
    let mut latencies_ms = Vec::new();
    for (name, (members, at)) in &arrived {
        ensure!(*members == MEMBERS, "{name} was seen {members} times");
        let accepted = accepted
            .get(name)
            .with_context(|| format!("{name} was never created"))?;
        latencies_ms.push(at.saturating_duration_since(*accepted).as_secs_f64() * 1000.0);
    }
    finish(latencies_ms, started)
}

fn finish(mut latencies_ms: Vec<f64>, started: Instant) -> Result<Timing> {
    latencies_ms.sort_by(f64::total_cmp);
    Ok(Timing {
        latencies_ms,
        total: started.elapsed(),
    })
}

fn deployment(name: &str) -> Result<Deployment> {
    Ok(serde_json::from_value(json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{
                    "name": "web", "image": "nginx:1.27",
                    "resources": {"requests": {"cpu": "1m", "memory": "1Mi"}},
                }]},
            },
        },
    }))?)
}

/// A namespace whose Deployments all go to every cluster.
async fn prepare(client: &Client, name: &str) -> Result<String> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = serde_json::from_value(json!({"metadata": {"name": name}}))?;
    namespaces
        .create(&PostParams::default(), &namespace)
        .await?;
    let kind = GroupVersionKind::gvk("policy.karmada.io", "v1alpha1", "PropagationPolicy");
    let resource = ApiResource::from_gvk_with_plural(&kind, "propagationpolicies");
    let policies: Api<DynamicObject> = Api::namespaced_with(client.clone(), name, &resource);
    let policy = serde_json::from_value(json!({
        "apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy",
        "metadata": {"name": "everywhere"},
        "spec": {
            "resourceSelectors": [{"apiVersion": "apps/v1", "kind": "Deployment"}],
            "placement": {"replicaScheduling": {"replicaSchedulingType": "Duplicated"}},
        },
    }))?;
    policies.create(&PostParams::default(), &policy).await?;
    Ok(name.to_owned())
}

/// Arrivals in members, as they are seen.
struct Arrivals {
    tasks: Tasks,
    receiver: mpsc::Receiver<(String, Instant)>,
}

impl Arrivals {
    async fn next(&mut self) -> Result<(String, Instant)> {
        let next = tokio::time::timeout(PATIENCE, self.receiver.recv()).await;
        next.context("no object arrived for ten minutes")?
            .context("the watches ended")
    }
}

impl Drop for Arrivals {
    fn drop(&mut self) {
        self.tasks.shutdown().trigger();
    }
}

async fn watch_members(client: &Client, namespace: &str) -> Result<Arrivals> {
    let kind = GroupVersionKind::gvk("cluster.karmada.io", "v1alpha1", "Cluster");
    let resource = ApiResource::from_gvk_with_plural(&kind, "clusters");
    let clusters: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    let list = clusters.list(&kube::api::ListParams::default()).await?;
    ensure!(
        list.items.len() == MEMBERS,
        "{} members instead of {MEMBERS}",
        list.items.len()
    );
    let tasks = Tasks::new();
    let (sender, receiver) = mpsc::channel(1024);
    for cluster in list.items {
        let name = cluster.metadata.name.context("a cluster has a name")?;
        let member = flybridge_client::via_proxy(client, &name);
        let deployments: Api<Deployment> = Api::namespaced(member, namespace);
        let sender = sender.clone();
        tasks.spawn_until_shutdown("arrivals", async move {
            let mut seen = std::collections::BTreeSet::new();
            let stream = watcher(deployments, watcher::Config::default()).applied_objects();
            let mut stream = std::pin::pin!(stream);
            while let Some(event) = stream.next().await {
                let Ok(object) = event else { continue };
                let at = Instant::now();
                let name: Arc<str> = object.metadata.name.unwrap_or_default().into();
                if seen.insert(Arc::clone(&name))
                    && sender.send((name.to_string(), at)).await.is_err()
                {
                    return;
                }
            }
        });
    }
    Ok(Arrivals { tasks, receiver })
}
