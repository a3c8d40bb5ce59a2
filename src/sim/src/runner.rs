//! The one task of a member: it watches, keeps one queue and one set of timers, plans and writes.
//!
//! Work is done one key after the other, so each plan sees everything that was written before it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use flybridge_base::{Backoff, Clock, Shutdown};
use futures::{FutureExt, StreamExt};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::Client;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::config::Delays;
use crate::daemonset::Surroundings;
use crate::object::{Key, Kind, Name, Object, controller_of, is_deleting, uid};
use crate::observed::{Observed, SharedPods};
use crate::plan::Plan;
use crate::queue::Queue;
use crate::seed::Seed;
use crate::time::until;
use crate::watches::{self, Change};
use crate::writer::{Writer, Written, describe};
use crate::{
    addresses, daemonset, deployment, eviction, job, kubelet, nodes, pods, replicaset, scheduling,
    services, statefulset,
};

/// How long a key waits after a failure.
const RETRY: Backoff = Backoff::doubling(Duration::from_millis(100), Duration::from_secs(30));

/// Something an operator of the simulation asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Stop or resume the kubelet of a node.
    NodeAlive(String, bool),
}

/// Runs a member's controllers.
pub(crate) struct Runner {
    client: Client,
    writer: Writer,
    clock: Clock,
    seed: Seed,
    delays: Delays,
    observed: Observed,
    queue: Queue,
    failures: BTreeMap<Key, u32>,
    /// Nodes whose kubelet has stopped.
    silent: BTreeSet<String>,
    /// Pods whose deletion their kubelet has seen, by uid.
    stopping: BTreeSet<String>,
    /// What a running list has brought so far, and the kinds that were listed once.
    listing: BTreeMap<Kind, BTreeSet<Name>>,
    listed: BTreeSet<Kind>,
}

impl Runner {
    pub(crate) fn new(
        client: Client,
        clock: Clock,
        seed: Seed,
        delays: Delays,
        pods: SharedPods,
    ) -> Self {
        Self {
            writer: Writer::new(client.clone(), clock, seed),
            client,
            clock,
            seed,
            delays,
            observed: Observed {
                shared: pods,
                ..Observed::default()
            },
            queue: Queue::default(),
            failures: BTreeMap::new(),
            silent: BTreeSet::new(),
            stopping: BTreeSet::new(),
            listing: BTreeMap::new(),
            listed: BTreeSet::new(),
        }
    }

    /// Runs until shutdown.
    pub(crate) async fn run(mut self, mut commands: mpsc::Receiver<Command>, shutdown: Shutdown) {
        let mut changes = watches::all(&self.client);
        loop {
            while let Some(Some(change)) = changes.next().now_or_never() {
                self.take(change);
            }
            self.queue.expire(Instant::now());
            if self.listed.len() == watches::KINDS
                && let Some(key) = self.queue.pop()
            {
                if shutdown.race(self.work(key)).await.is_none() {
                    return;
                }
                continue;
            }
            let timer = self.queue.next();
            let due = async move {
                match timer {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = shutdown.wait() => return,
                Some(command) = commands.recv() => self.obey(command),
                change = changes.next() => match change {
                    Some(change) => self.take(change),
                    None => return,
                },
                () = due => {}
            }
        }
    }

    fn obey(&mut self, command: Command) {
        let Command::NodeAlive(node, alive) = command;
        if alive {
            self.silent.remove(&node);
        } else {
            self.silent.insert(node.clone());
        }
        let load = self.observed.load.get(&node);
        for pod in load.iter().flat_map(|load| &load.pods) {
            self.queue.add(Key::new(Kind::Pod, pod.clone()));
        }
        self.queue.add(Key::new(Kind::Node, Name::new("", &node)));
    }

    fn take(&mut self, change: Change) {
        let keys = match change {
            Change::Listing(kind) => {
                self.listing.insert(kind, BTreeSet::new());
                BTreeSet::new()
            }
            Change::Listed(object) => {
                let name = Name::of(object.metadata());
                self.listing.entry(object.kind()).or_default().insert(name);
                self.observed.put(object)
            }
            Change::Complete(kind) => {
                self.listed.insert(kind);
                let listed = self.listing.remove(&kind).unwrap_or_default();
                self.observed.retain(kind, &listed)
            }
            Change::Applied(object) => self.observed.put(object),
            Change::Deleted(object) => self.forget(&object),
        };
        self.add(keys);
    }

    fn forget(&mut self, object: &Object) -> BTreeSet<Key> {
        let key = Key::new(object.kind(), Name::of(object.metadata()));
        let uid = uid(object.metadata());
        self.stopping.remove(uid);
        self.failures.remove(&key);
        let keys = self.observed.remove(&key, uid);
        self.observed.settle(&key, uid);
        keys
    }

    fn add(&mut self, keys: BTreeSet<Key>) {
        for key in keys {
            self.queue.add(key);
        }
    }

    /// Plans for one key and carries the plan out.
    async fn work(&mut self, key: Key) {
        let now = self.clock.now();
        let plan = self.plan(&key, now);
        if let Some(at) = plan.again {
            let at = Instant::now() + until(now, at);
            self.queue.add_at(key.clone(), at);
        }
        for action in plan.actions {
            let what = describe(&action);
            tracing::trace!(%key, action = what, "acts");
            match self.writer.write(action).await {
                Ok(written) => self.note(written),
                Err(error) => {
                    self.fail(key, &what, &error);
                    return;
                }
            }
        }
        self.failures.remove(&key);
    }

    fn note(&mut self, written: Written) {
        let keys = match written {
            Written::Present(object) => self.observed.put(object),
            Written::Gone(key, uid) => {
                self.stopping.remove(&uid);
                self.observed.bury(&key, &uid)
            }
            Written::Bound(pod, uid, node) => {
                self.observed.bind(&pod, &uid, &node);
                BTreeSet::from([Key::new(Kind::Pod, pod)])
            }
            Written::Nothing => BTreeSet::new(),
        };
        self.add(keys);
    }

    /// Puts a key off. What it lost to another writer comes back soon anyway.
    fn fail(&mut self, key: Key, what: &str, error: &kube::Error) {
        let attempt = self.failures.entry(key.clone()).or_default();
        let delay = RETRY.delay(*attempt);
        *attempt += 1;
        let expected = matches!(error, kube::Error::Api(status)
            if status.is_not_found() || status.is_conflict() || status.is_forbidden());
        if expected {
            tracing::debug!(%key, action = what, %error, "will be retried");
        } else {
            tracing::warn!(%key, action = what, %error, "write failed, will be retried");
        }
        self.queue.add_at(key, Instant::now() + delay);
    }

    fn plan(&mut self, key: &Key, now: Timestamp) -> Plan {
        match key.kind {
            Kind::Pod => self.plan_pod(&key.name, now),
            Kind::Node => self.plan_node(&key.name, now),
            _ => self.plan_workload(key, now).unwrap_or_default(),
        }
    }

    fn plan_workload(&self, key: &Key, now: Timestamp) -> Option<Plan> {
        let (observed, name) = (&self.observed, &key.name);
        let plan = match key.kind {
            Kind::Deployment => {
                let object = observed.deployments.get(name)?;
                let sets = observed.replica_sets.owned_by(uid(&object.metadata));
                deployment::plan(object, &sets, now)
            }
            Kind::ReplicaSet => {
                let object = observed.replica_sets.get(name)?;
                let pods = observed.pods.owned_by(uid(&object.metadata));
                replicaset::plan(object, &pods, now, self.seed)
            }
            Kind::StatefulSet => {
                let object = observed.stateful_sets.get(name)?;
                let pods = observed.pods.owned_by(uid(&object.metadata));
                let revisions = observed.revisions.owned_by(uid(&object.metadata));
                statefulset::plan(object, &pods, &revisions, now)
            }
            Kind::DaemonSet => {
                let object = observed.daemon_sets.get(name)?;
                let nodes: Vec<Arc<Node>> = observed.nodes.values().map(Arc::clone).collect();
                let around = Surroundings {
                    pods: &observed.pods.owned_by(uid(&object.metadata)),
                    revisions: &observed.revisions.owned_by(uid(&object.metadata)),
                    nodes: &nodes,
                    now,
                    seed: self.seed,
                };
                daemonset::plan(object, around)
            }
            Kind::Job => {
                let object = observed.jobs.get(name)?;
                let pods = observed.pods.owned_by(uid(&object.metadata));
                job::plan(object, &pods, now, self.seed)
            }
            Kind::Service => {
                let object = observed.services.get(name)?;
                let slices = observed.slices.owned_by(uid(&object.metadata));
                let pods: Vec<Arc<Pod>> = observed.pods.values().map(Arc::clone).collect();
                services::plan(object, &slices, &pods, self.seed)
            }
            _ => return None,
        };
        Some(plan)
    }

    fn plan_node(&self, name: &Name, now: Timestamp) -> Plan {
        let alive = !self.silent.contains(&name.name);
        let node = self.observed.nodes.get(name);
        node.map_or_else(Plan::idle, |node| nodes::plan(node, alive, now))
    }

    fn plan_pod(&mut self, name: &Name, now: Timestamp) -> Plan {
        let Some(pod) = self.observed.pods.get(name).map(Arc::clone) else {
            return Plan::idle();
        };
        let mut plan = Plan::idle();
        if self.is_orphan(&pod) {
            plan.actions.extend(job::without_finalizer(&pod));
        }
        let Some(node_name) = pods::node_name(&pod) else {
            let scheduled = scheduling::plan(&pod, &self.observed, now);
            if scheduled.fits {
                self.observed.unschedulable.remove(name);
            } else {
                self.observed.unschedulable.insert(name.clone());
            }
            plan.actions.extend(scheduled.plan.actions);
            return plan;
        };
        let node = self.observed.nodes.get(&Name::new("", node_name));
        let Some(node) = node.map(Arc::clone) else {
            return plan;
        };
        let evicted = eviction::plan(&pod, &node, now);
        if !evicted.actions.is_empty() {
            plan.actions.extend(evicted.actions);
            return plan;
        }
        let on_node = if self.silent.contains(node_name) {
            eviction::mark_unready(&pod, now)
        } else {
            self.plan_on_node(&pod, &node, now)
        };
        plan.actions.extend(on_node.actions);
        plan.again = crate::time::earliest(on_node.again, evicted.again);
        plan
    }

    fn plan_on_node(&mut self, pod: &Pod, node: &Node, now: Timestamp) -> Plan {
        let ip = addresses::free(pod, node, &self.observed, self.seed);
        let host = kubelet::Host {
            name: node.metadata.name.as_deref().unwrap_or_default(),
            ip: nodes::internal_ip(node),
            free_pod_ip: &ip,
            delays: &self.delays,
            seed: self.seed,
        };
        let first_sight =
            is_deleting(&pod.metadata) && self.stopping.insert(uid(&pod.metadata).to_owned());
        kubelet::plan(pod, &host, first_sight, now)
    }

    /// Whether the pod waits for a job that no longer exists.
    fn is_orphan(&self, pod: &Pod) -> bool {
        let held = pod
            .metadata
            .finalizers
            .iter()
            .flatten()
            .any(|f| f == job::FINALIZER);
        let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
        held && controller_of(&pod.metadata).is_none_or(|owner| {
            let job = self.observed.jobs.get(&Name::new(namespace, &owner.name));
            job.is_none_or(|job| uid(&job.metadata) != owner.uid)
        })
    }
}
