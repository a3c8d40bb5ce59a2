//! A running plane: API server, engine, members, sockets; started in that order, stopped in reverse.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flybridge_apis::Cluster;
use flybridge_apiserver::tls::Pki;
use flybridge_apiserver::{ApiServer, User};
use flybridge_base::{Clock, Ids, Tasks};
use flybridge_client::RestMapper;
use flybridge_controllers::Options;
use flybridge_sim::{FleetConfig, demo_workloads};
use flybridge_store::Store;
use futures::StreamExt;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client};
use tokio::net::TcpListener;

use crate::assembly::Assembly;
use crate::attendance::{Attendance, bind_private};
use crate::config::Config;
use crate::data_dir::{DataDir, write_private};
use crate::embedded;
use crate::error::{Error, Result};

/// Tasks that do not end by then are abandoned.
const STOP_LIMIT: Duration = Duration::from_secs(10);
/// Simulated members fail and recover at once, so a demo need not wait out production's thresholds.
const SIMULATED_SUCCESS_THRESHOLD: Duration = Duration::ZERO;

/// A running control plane.
pub struct Plane {
    client: Client,
    tasks: Tasks,
    store: Store,
    member_stores: Vec<Store>,
    members: usize,
    address: Option<SocketAddr>,
    kubeconfig: PathBuf,
    attendance: Option<Attendance>,
    _data_dir: DataDir,
    ephemeral: Option<PathBuf>,
}

impl Plane {
    /// Starts a plane; on return it answers requests, while members are still getting ready.
    ///
    /// # Errors
    /// When the data directory, the store or an address cannot be had; nothing is left running.
    pub async fn start(config: Config) -> Result<Self> {
        let (clock, tasks) = (Clock::system(), Tasks::new());
        let started = Self::start_in(config, clock, &tasks).await;
        if started.is_err() {
            tasks.stop(STOP_LIMIT).await;
        }
        started
    }

    async fn start_in(config: Config, clock: Clock, tasks: &Tasks) -> Result<Self> {
        let ids = Ids::random();
        let (data_dir, ephemeral) = open_data_dir(&config)?;
        let listener = bind(config.listen).await?;
        let store = open_store(&config, &data_dir.layout().store())?;
        let assembly = Assembly::start(store.clone(), clock, ids, tasks).await?;
        let (server, client) = (&assembly.server, assembly.client.clone());
        let (address, kubeconfig) = open_sockets(&config, server, listener, &data_dir, tasks)?;
        let attendance = attend(&config, server, &data_dir, tasks)?;
        let member_stores = start_members(&config, &data_dir, &assembly, tasks).await?;
        assembly.start_engine(client.clone(), engine_options(&config), tasks);
        if config.samples {
            let (client, members) = (client.clone(), config.simulated_clusters);
            tasks.spawn_until_shutdown("samples", async move {
                apply_samples(&client, members).await;
            });
        }
        Ok(Self {
            client,
            tasks: tasks.clone(),
            store,
            member_stores,
            members: config.simulated_clusters,
            address,
            kubeconfig,
            attendance,
            _data_dir: data_dir,
            ephemeral,
        })
    }

    /// A client with the administrator's rights, in process.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The administrator's kubeconfig file.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Where HTTPS is served.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Resolves when every simulated member is Ready; tells how many are, each time that changes.
    pub async fn members_ready(&self, progress: impl Fn(usize, usize)) {
        members_ready(&self.client, self.members, progress).await;
    }

    /// Resolves when the last attached console has quit deliberately.
    pub async fn unattended(&self) {
        match &self.attendance {
            Some(attendance) => attendance.wait_unattended().await,
            None => std::future::pending().await,
        }
    }

    /// Stops everything; what was acknowledged is on disk.
    pub async fn stop(self) {
        if !self.tasks.stop(STOP_LIMIT).await {
            tracing::warn!("some tasks did not stop in time");
        }
        self.store.close().await;
        for store in &self.member_stores {
            store.close().await;
        }
        if let Some(path) = &self.ephemeral {
            remove(path);
        }
    }
}

fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_dir_all(path) {
        tracing::warn!(%error, path = %path.display(), "the temporary folder stays behind");
    }
}

/// Resolves when `members` clusters are Ready; tells how many are, each time that changes.
async fn members_ready(client: &Client, members: usize, progress: impl Fn(usize, usize)) {
    let clusters: Api<Cluster> = Api::all(client.clone());
    let stream = watcher(clusters, watcher::Config::default())
        .default_backoff()
        .applied_objects();
    let mut stream = std::pin::pin!(stream);
    let mut ready = std::collections::BTreeSet::new();
    progress(0, members);
    while ready.len() < members {
        match stream.next().await {
            Some(Ok(cluster)) if cluster.is_ready() => {
                ready.insert(cluster.name().to_owned());
                progress(ready.len(), members);
            }
            Some(_) => {}
            None => return,
        }
    }
}

/// Applies the samples once every member can take its share of them.
async fn apply_samples(client: &Client, members: usize) {
    members_ready(client, members, |_, _| {}).await;
    let mapper = RestMapper::new(client);
    if let Err(error) = embedded::apply_samples(client, &mapper, demo_workloads()).await {
        tracing::error!(
            error = flybridge_base::report(&error),
            "the samples were not applied"
        );
    }
}

fn engine_options(config: &Config) -> Options {
    let mut options = Options::default();
    if config.simulated_clusters > 0 {
        options.success_threshold = SIMULATED_SUCCESS_THRESHOLD;
    }
    options
}

fn open_data_dir(config: &Config) -> Result<(DataDir, Option<PathBuf>)> {
    if let Some(path) = &config.data_dir {
        return Ok((DataDir::open(path)?, None));
    }
    let base = std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let path = base.join(format!("flybridge-{}", std::process::id()));
    Ok((DataDir::open(&path)?, Some(path)))
}

async fn bind(address: Option<SocketAddr>) -> Result<Option<TcpListener>> {
    let Some(address) = address else {
        return Ok(None);
    };
    let listener = TcpListener::bind(address).await;
    listener
        .map(Some)
        .map_err(|source| Error::Listen { address, source })
}

fn open_store(config: &Config, path: &Path) -> Result<Store> {
    if config.data_dir.is_none() {
        return Ok(Store::memory());
    }
    let options = flybridge_store::Options::default();
    Store::open_redb(path, options).map_err(|source| Error::Store { source })
}

fn open_sockets(
    config: &Config,
    server: &ApiServer,
    listener: Option<TcpListener>,
    data_dir: &DataDir,
    tasks: &Tasks,
) -> Result<(Option<SocketAddr>, PathBuf)> {
    let path = data_dir.layout().kubeconfig();
    let Some(listener) = listener else {
        return Ok((None, path));
    };
    let failed = |source| Error::Pki { source };
    let address = listener.local_addr().map_err(|source| Error::DataDir {
        path: path.clone(),
        source,
    })?;
    let hosts = config
        .listen
        .map(|address| address.ip())
        .filter(|ip| !ip.is_unspecified());
    let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
    let pki = Pki::load_or_create(&data_dir.layout().pki(), &hosts, server.clock().now())
        .map_err(failed)?;
    let tls = pki.server_config().map_err(failed)?;
    server.serve_tls(listener, tls, tasks);
    let reachable = if address.ip().is_unspecified() {
        SocketAddr::new(std::net::Ipv4Addr::LOCALHOST.into(), address.port())
    } else {
        address
    };
    let kubeconfig = pki.admin_kubeconfig(&format!("https://{reachable}"), "flybridge");
    write_private(&path, &kubeconfig)?;
    Ok((Some(address), path))
}

fn attend(
    config: &Config,
    server: &ApiServer,
    data_dir: &DataDir,
    tasks: &Tasks,
) -> Result<Option<Attendance>> {
    if !config.attachable {
        return Ok(None);
    }
    let layout = data_dir.layout();
    server.serve_unix(bind_private(&layout.socket())?, User::admin(), tasks);
    Attendance::listen(&layout.control_socket(), tasks).map(Some)
}

async fn start_members(
    config: &Config,
    data_dir: &DataDir,
    assembly: &Assembly,
    tasks: &Tasks,
) -> Result<Vec<Store>> {
    if config.simulated_clusters == 0 {
        return Ok(Vec::new());
    }
    let fleet_config = FleetConfig::demo(config.simulated_clusters, config.seed);
    let mut stores = std::collections::BTreeMap::new();
    for member in &fleet_config.members {
        let path = data_dir.layout().member_store(&member.name);
        stores.insert(member.name.clone(), open_store(config, &path)?);
    }
    let find = |name: &str| stores.get(name).cloned().unwrap_or_else(Store::memory);
    assembly.simulate(fleet_config, find, tasks).await?;
    Ok(stores.into_values().collect())
}
