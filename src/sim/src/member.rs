//! A simulated member cluster: an API server, one task of controllers, and switches for faults.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use flybridge_apiserver::{ApiServer, User};
use flybridge_base::{Clock, Ids, Tasks};
use flybridge_client::in_process;
use flybridge_store::Store;
use k8s_openapi::api::core::v1::{Namespace, Node};
use kube::api::PostParams;
use kube::{Api, Client};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::config::MemberConfig;
use crate::error::{Error, Result};
use crate::gate::Gate;
use crate::nodes::new_node;
use crate::observed::SharedPods;
use crate::pod_logs::PodLogs;
use crate::runner::{Command, Runner};
use crate::seed::Seed;

/// How long a member's tasks may take to stop.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// A running simulated member.
pub struct Member {
    config: MemberConfig,
    server: ApiServer,
    /// For the simulation itself: no fault reaches it.
    admin: Client,
    /// For everybody else.
    client: Client,
    gate: Gate,
    commands: mpsc::Sender<Command>,
    tasks: Tasks,
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member")
            .field("name", &self.config.name)
            .finish_non_exhaustive()
    }
}

impl Member {
    /// Starts a member over `store`, under the shutdown of `tasks`.
    ///
    /// A store that was used before is taken on: nothing is created twice and pods go on living.
    ///
    /// # Errors
    /// When the member's own server refuses its namespaces or nodes.
    pub async fn start(
        config: MemberConfig,
        store: Store,
        clock: Clock,
        tasks: &Tasks,
    ) -> Result<Self> {
        let seed = Seed::new(config.seed).of(&["member", &config.name]);
        let pods: SharedPods = Arc::new(Mutex::new(BTreeMap::new()));
        let logs = PodLogs::new(Arc::clone(&pods), clock, seed);
        // A member that goes on from a used store must not hand out the same uids again.
        let used = store.revision().to_string();
        let server = ApiServer::builder(store)
            .clock(clock)
            .version(&config.kubernetes_version)
            .ids(Ids::seeded(seed.of(&["ids", &used]).value()))
            .connect("", "pods", "log", Arc::new(logs))
            .build();
        let admin = in_process(server.service(User::system("flybridge-sim")));
        let gate = Gate::open();
        let client = in_process(gate.guard(server.service(User::admin())));
        let own_tasks = Tasks::under(tasks.shutdown());
        server.run_controllers(&own_tasks);
        let runner = Runner::new(admin.clone(), clock, seed, config.delays, pods);
        let (commands, inbox) = mpsc::channel(64);
        let member = Self {
            config,
            server,
            admin,
            client,
            gate,
            commands,
            tasks: own_tasks,
        };
        member.prepare(clock).await?;
        let shutdown = member.tasks.shutdown().clone();
        member.tasks.spawn("member", runner.run(inbox, shutdown));
        Ok(member)
    }

    /// Creates what a new cluster has.
    async fn prepare(&self, clock: Clock) -> Result<()> {
        let booted = self.server.bootstrap().await;
        booted.map_err(|source| Error::Bootstrap {
            member: self.config.name.clone(),
            source,
        })?;
        let api: Api<Node> = Api::all(self.admin.clone());
        for index in 0..self.config.nodes.len() {
            let node = new_node(&self.config, index, clock.now());
            let name = node.metadata.name.clone().unwrap_or_default();
            let what = format!("node {name}");
            let made = api.create(&PostParams::default(), &node).await;
            if self.check(&what, existing(made))? {
                let written = api
                    .replace_status(&name, &PostParams::default(), &node)
                    .await;
                self.check(&what, written.map(|_| true))?;
            }
        }
        Ok(())
    }

    fn check<T>(&self, what: &str, outcome: kube::Result<T>) -> Result<T> {
        outcome.map_err(|source| Error::Prepare {
            member: self.config.name.clone(),
            what: what.to_owned(),
            source: Box::new(source),
        })
    }

    /// The member's name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// What the member was started with.
    pub const fn config(&self) -> &MemberConfig {
        &self.config
    }

    /// The administrator's client; it feels a partition.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The member's API server.
    pub const fn server(&self) -> &ApiServer {
        &self.server
    }

    /// The uid of the `kube-system` namespace, which identifies a cluster.
    ///
    /// # Errors
    /// When the member's own server does not answer.
    pub async fn id(&self) -> Result<String> {
        let api: Api<Namespace> = Api::all(self.admin.clone());
        let namespace = self.check("namespace kube-system", api.get("kube-system").await)?;
        Ok(namespace.metadata.uid.unwrap_or_default())
    }

    /// Cuts or restores the network between the member and everybody else.
    pub fn partition(&self, cut: bool) {
        self.gate.set_closed(cut);
    }

    /// Whether the network is cut.
    pub fn is_partitioned(&self) -> bool {
        self.gate.is_closed()
    }

    /// Stops or restarts the kubelet of a node: a stopped one makes the node NotReady, and its pods
    /// are evicted once their tolerations run out.
    ///
    /// # Errors
    /// When the member has no such node.
    pub async fn set_node_ready(&self, node: &str, ready: bool) -> Result<()> {
        if !self.config.nodes.iter().any(|known| known.name == node) {
            return Err(Error::NoNode {
                member: self.config.name.clone(),
                node: node.to_owned(),
            });
        }
        let command = Command::NodeAlive(node.to_owned(), ready);
        if self.commands.send(command).await.is_err() {
            tracing::debug!(member = self.name(), "stopped already");
        }
        Ok(())
    }

    /// Stops the member's tasks; returns whether they ended in time. The store stays as it is.
    pub async fn stop(&self) -> bool {
        self.tasks.stop(STOP_LIMIT).await
    }
}

/// Whether something was created; that it existed before is fine.
fn existing<T>(made: kube::Result<T>) -> kube::Result<bool> {
    match made {
        Ok(_) => Ok(true),
        Err(error) if flybridge_client::is_already_exists(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
