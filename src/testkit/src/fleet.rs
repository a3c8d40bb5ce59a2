//! A whole fleet in memory: the plane that ships, simulated members, a network with delays and
//! losses, all on paused time and from one seed.
//!
//! Nothing here waits on the wall clock; whoever uses it runs on a current-thread runtime with
//! paused time, as [`for_each_seed`] gives. What goes wrong fails the test and tells the seed.

mod dump;
mod invariants;
mod network;
mod seeds;
mod site;

use std::collections::BTreeMap;
use std::time::Duration;

use flybridge_apis::cluster::COMPLETE_API_ENABLEMENTS;
use flybridge_apiserver::User;
use flybridge_base::{Clock, Ids, Tasks};
use flybridge_client::in_process;
use flybridge_controllers::{Handle, Options};
use flybridge_controlplane::Assembly;
use flybridge_machinery::object;
use flybridge_sim::FleetConfig;
use flybridge_store::Store;
use kube::Client;
use serde_json::Value;
use tokio::time::Instant;

pub use network::Network;
pub use seeds::{for_each_seed, seeds};
pub use site::Site;

use network::Link;

/// How long anything may take, on paused time.
const PATIENCE: Duration = Duration::from_secs(900);
/// How often predicates are tried, on paused time.
const LOOK: Duration = Duration::from_millis(500);
/// Longer than the engine waits before it tries to reach a member again.
const QUIET: Duration = Duration::from_secs(45);
/// How long tasks may take to stop.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// What a fleet is made of.
#[derive(Clone, Debug)]
pub struct Builder {
    clusters: usize,
    seed: u64,
    delay: Duration,
    loss: f64,
    options: Options,
}

impl Builder {
    /// How many members there are.
    #[must_use]
    pub fn clusters(mut self, clusters: usize) -> Self {
        self.clusters = clusters;
        self
    }

    /// Where all randomness comes from.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The longest delay of a request of the engine, each way together.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The share of the engine's requests that get lost, on the way there or with their answer.
    #[must_use]
    pub fn loss(mut self, loss: f64) -> Self {
        self.loss = loss;
        self
    }

    /// The engine's tunables.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Starts everything and waits until all members are ready.
    ///
    /// # Panics
    /// When something does not start.
    pub async fn build(self) -> Fleet {
        let clock = Clock::starting_at("2026-01-01T00:00:00Z".parse().expect("a time"));
        let ids = Ids::seeded(self.seed);
        let network = Network::new(ids.fork(), self.delay, self.loss);
        let (tasks, store) = (Tasks::new(), Store::memory());
        let assembly = Assembly::start(store.clone(), clock, ids.fork(), &tasks).await;
        let assembly = assembly.expect("the plane starts");
        let config = FleetConfig::demo(self.clusters, self.seed);
        let members = assembly.simulate(config, |_| Store::memory(), &tasks).await;
        let members = members.expect("the members start");
        let sites = members.members().map(|member| {
            let client = in_process(member.server().service(User::admin()));
            (
                member.name().to_owned(),
                Site::new(&client, member.server().store()),
            )
        });
        let mut fleet = Fleet {
            seed: self.seed,
            options: self.options,
            plane: Site::new(&assembly.client, &store),
            sites: sites.collect(),
            links: BTreeMap::new(),
            link: network.link(assembly.client.clone()),
            assembly,
            members,
            network,
            engine: None,
            tasks,
            clock,
            ids,
        };
        fleet.connect();
        fleet.start_engine();
        let all_ready = async |fleet: &Fleet| fleet.ready_clusters().await == self.clusters;
        fleet.wait("all members are ready", all_ready).await;
        fleet
    }
}

/// A plane, its members and the engine, all in this process.
pub struct Fleet {
    seed: u64,
    options: Options,
    plane: Site,
    sites: BTreeMap<String, Site>,
    /// The engine's way to the plane.
    link: Link,
    /// The engine's ways to the members.
    links: BTreeMap<String, Link>,
    assembly: Assembly,
    members: flybridge_sim::Fleet,
    network: Network,
    engine: Option<Handle>,
    /// Everything but the engine.
    tasks: Tasks,
    clock: Clock,
    ids: Ids,
}

impl Fleet {
    /// Three members, seed 1, delays up to 40 ms and no losses, if nothing else is said.
    pub fn builder() -> Builder {
        Builder {
            clusters: 3,
            seed: 1,
            delay: Duration::from_millis(40),
            loss: 0.0,
            options: Options {
                success_threshold: Duration::ZERO,
                ..Options::default()
            },
        }
    }

    /// The seed it came from.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// A client of the plane with full rights and a network without faults.
    pub fn client(&self) -> Client {
        self.plane.client()
    }

    /// The plane's objects.
    pub const fn plane(&self) -> &Site {
        &self.plane
    }

    /// The objects of a member, whether or not the engine reaches it.
    pub fn member(&self, name: &str) -> &Site {
        self.sites.get(name).expect("a member of this name")
    }

    /// The members by name.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Site)> {
        self.sites.iter().map(|(name, site)| (name.as_str(), site))
    }

    /// The network between engine, plane and members.
    pub const fn network(&self) -> &Network {
        &self.network
    }

    /// A random source of this fleet, for what a scenario does by chance.
    pub const fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Applies manifests to the plane.
    pub async fn apply(&self, yaml: &str) {
        self.plane.apply(yaml).await;
    }

    /// Cuts a member off from the engine, or joins it again.
    pub fn partition(&self, member: &str, cut: bool) {
        let member = self.members.member(member).expect("a member of this name");
        member.partition(cut);
    }

    /// Lets time pass.
    pub async fn pass(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// Waits until `done`.
    ///
    /// # Panics
    /// When that takes too long; the message holds the seed and the state of the fleet.
    #[expect(clippy::panic, reason = "a wait in vain fails the test")]
    pub async fn wait(&self, what: &str, done: impl AsyncFn(&Self) -> bool) {
        let began = Instant::now();
        while !done(self).await {
            if began.elapsed() > PATIENCE {
                panic!("seed {}: never: {what}\n{}", self.seed, self.dump().await);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until the engine has nothing in line and nothing has changed for a while.
    pub async fn settle(&self) {
        let calm = Instant::now();
        let state = std::cell::Cell::new((self.revisions(), calm));
        self.wait("the fleet is settled", async |fleet| {
            let revisions = fleet.revisions();
            let idle = fleet.engine.as_ref().is_none_or(Handle::is_idle);
            let (before, since) = state.get();
            if !idle || revisions != before {
                state.set((revisions, Instant::now()));
                return false;
            }
            since.elapsed() >= QUIET
        })
        .await;
    }

    /// How many writes all stores have seen together.
    pub fn revisions(&self) -> u64 {
        let members = self.sites.values().map(Site::revision);
        self.plane.revision() + members.sum::<u64>()
    }

    /// Every write the engine has tried since it was asked last.
    pub fn take_writes(&self) -> Vec<String> {
        let links = self.links.iter().map(|(name, link)| (name.as_str(), link));
        let links = links.chain([("plane", &self.link)]);
        let writes = links.flat_map(|(name, link)| {
            let writes = link.take_writes().into_iter();
            writes.map(move |write| format!("{name}: {write}"))
        });
        writes.collect()
    }

    /// Stops the engine wherever it is.
    ///
    /// # Panics
    /// When it does not stop.
    pub async fn stop_engine(&mut self) {
        if let Some(engine) = self.engine.take() {
            assert!(
                engine.stop(STOP_LIMIT).await,
                "seed {}: the engine stops",
                self.seed
            );
        }
    }

    /// Starts an engine that knows nothing of what an earlier one did.
    pub fn start_engine(&mut self) {
        let (client, options) = (self.link.client(), self.options.clone());
        let engine = self.assembly.start_engine(client, options, &Tasks::new());
        self.engine = Some(engine);
    }

    /// Stops engine and API server, and starts others on the same store.
    ///
    /// # Panics
    /// When they do not stop or start.
    pub async fn restart(&mut self) {
        self.stop_engine().await;
        let store = self.assembly.server.store().clone();
        let ids = self.ids.fork();
        let assembly = Assembly::start(store.clone(), self.clock, ids, &self.tasks).await;
        self.assembly = assembly.expect("the plane starts again");
        self.plane = Site::new(&self.assembly.client, &store);
        self.link = self.network.link(self.assembly.client.clone());
        self.connect();
        self.start_engine();
    }

    /// Stops everything.
    ///
    /// # Panics
    /// When a task does not stop.
    pub async fn stop(mut self) {
        self.stop_engine().await;
        assert!(
            self.members.stop().await,
            "seed {}: the members stop",
            self.seed
        );
        assert!(
            self.tasks.stop(STOP_LIMIT).await,
            "seed {}: the plane stops",
            self.seed
        );
    }

    /// Leads the engine to the members through the network.
    fn connect(&mut self) {
        for member in self.members.members() {
            let link = self.network.link(member.client());
            self.assembly.members.register(member.name(), link.client());
            self.links.insert(member.name().to_owned(), link);
        }
    }

    /// How many members are ready and have told what they serve; without that nothing goes there.
    async fn ready_clusters(&self) -> usize {
        let clusters = self
            .plane
            .list("cluster.karmada.io/v1alpha1", "Cluster")
            .await;
        let holds = |cluster: &&Value, kind: &str| {
            let mut conditions = object::path_list(cluster, &["status", "conditions"]).iter();
            conditions.any(|c| c["type"] == kind && c["status"] == "True")
        };
        let usable =
            |cluster: &&Value| holds(cluster, "Ready") && holds(cluster, COMPLETE_API_ENABLEMENTS);
        clusters.iter().filter(usable).count()
    }
}
