//! Data from a control plane and, through its cluster proxy, from its members.
//!
//! Every source is a task that sends events through one bounded channel. A task ends when its
//! request is replaced or cancelled, or with the console.

mod errors;
mod explain;
mod fleet;
mod logs;
mod project;
mod watch;
mod yaml;

use std::collections::BTreeMap;
use std::future::Future;

use flybridge_base::{Clock, Shutdown, Tasks};
use flybridge_client::via_proxy;
use tokio::sync::mpsc;

use crate::effect::Effect;
use crate::event::{Data, Event, Feed, TaskResult, WatchKey};
use crate::runner::Runner;
use fleet::Fleet;

/// Acts on effects with a client of the control plane.
pub(crate) struct LiveRunner {
    client: kube::Client,
    tasks: Tasks,
    events: mpsc::Sender<Event>,
    clock: Clock,
    fleet: Fleet,
    watches: BTreeMap<WatchKey, Shutdown>,
    /// The newest request of each kind of task.
    requests: BTreeMap<&'static str, Shutdown>,
}

impl LiveRunner {
    pub(crate) fn new(
        client: kube::Client,
        tasks: Tasks,
        events: mpsc::Sender<Event>,
        clock: Clock,
    ) -> Self {
        Self {
            client,
            tasks,
            events,
            clock,
            fleet: Fleet::default(),
            watches: BTreeMap::new(),
            requests: BTreeMap::new(),
        }
    }

    fn watch(&mut self, key: WatchKey, generation: u64) {
        self.unwatch(&key);
        let stop = self.tasks.shutdown().child();
        self.watches.insert(key.clone(), stop.clone());
        let client = self.client.clone();
        let sender = self.events.clone();
        let send_to = key.clone();
        let send = move |data: Data| {
            let event = Event::Data {
                key: send_to.clone(),
                generation,
                data,
            };
            let sender = sender.clone();
            async move { sender.send(event).await.is_ok() }
        };
        let fleet = self.fleet.clone();
        self.tasks.spawn("console watch", async move {
            stop.race(watch_list(client, key, fleet, send)).await;
        });
    }

    fn unwatch(&mut self, key: &WatchKey) {
        if let Some(stop) = self.watches.remove(key) {
            stop.trigger();
        }
    }

    /// Starts a task that replaces the one of its kind.
    fn request<F>(&mut self, kind: &'static str, work: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.cancel(kind);
        let stop = self.tasks.shutdown().child();
        self.requests.insert(kind, stop.clone());
        self.tasks.spawn(kind, async move {
            stop.race(work).await;
        });
    }

    fn cancel(&mut self, kind: &'static str) {
        if let Some(stop) = self.requests.remove(kind) {
            stop.trigger();
        }
    }
}

/// The client of a place: a member through the proxy, or the control plane itself.
fn client_of(client: &kube::Client, cluster: Option<&str>) -> kube::Client {
    match cluster {
        Some(cluster) => via_proxy(client, cluster),
        None => client.clone(),
    }
}

async fn watch_list<S, W>(client: kube::Client, key: WatchKey, fleet: Fleet, send: S)
where
    S: Fn(Data) -> W + Send,
    W: Future<Output = bool> + Send,
{
    match key {
        WatchKey::Clusters => {
            let parts = vec![fleet.watch(client)];
            watch::follow(parts, |feed| send(Data::Clusters(feed))).await;
        }
        WatchKey::Bindings => {
            watch::follow(watch::bindings(&client), |feed| send(Data::Bindings(feed))).await;
        }
        WatchKey::Works => {
            watch::follow(watch::works(&client), |feed| send(Data::Works(feed))).await;
        }
        WatchKey::Workloads(cluster) => {
            let parts = watch::workloads(&via_proxy(&client, &cluster), &cluster);
            watch::follow(parts, |feed| send(Data::Workloads(feed))).await;
        }
        WatchKey::Pods(cluster) => {
            let parts = watch::pods(&via_proxy(&client, &cluster), &cluster);
            watch::follow(parts, |feed: Feed<_>| send(Data::Pods(feed))).await;
        }
    }
}

impl Runner for LiveRunner {
    fn run(&mut self, effect: Effect) {
        let client = self.client.clone();
        let events = self.events.clone();
        let answer = move |generation: u64, result: TaskResult| async move {
            // Nobody is there to hear when the console has ended.
            drop(events.send(Event::Task { generation, result }).await);
        };
        match effect {
            Effect::Watch { key, generation } => self.watch(key, generation),
            Effect::Unwatch(key) => self.unwatch(&key),
            Effect::FetchYaml { generation, object } => self.request("console yaml", async move {
                let client = client_of(&client, object.cluster.as_deref());
                let result = yaml::fetch(client, &object).await;
                answer(generation, TaskResult::Yaml(result)).await;
            }),
            Effect::Explain {
                generation,
                binding,
            } => {
                let fleet = self.fleet.clone();
                self.request("console explain", async move {
                    let result = explain::explain(client, &fleet, &binding).await;
                    answer(generation, TaskResult::Explain(result.map(Box::new))).await;
                });
            }
            Effect::Logs {
                generation,
                request,
            } => {
                let events = self.events.clone();
                let clock = self.clock;
                self.request("console logs", async move {
                    let client = via_proxy(&client, &request.cluster);
                    logs::stream(client, request, clock, |result| {
                        let event = Event::Task { generation, result };
                        let events = events.clone();
                        async move { events.send(event).await.is_ok() }
                    })
                    .await;
                });
            }
            Effect::StopLogs => self.cancel("console logs"),
            // The event loop does these itself.
            Effect::Copy(_) | Effect::Suspend => {}
        }
    }
}
