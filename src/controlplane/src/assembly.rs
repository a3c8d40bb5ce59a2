//! The parts of a plane put together, without sockets, files or a clock of their own.
//!
//! What a running [`Plane`](crate::Plane) and a simulated fleet in a test have in common, so that
//! tests run what ships.

use std::sync::Arc;

use flybridge_apiserver::{ApiServer, User};
use flybridge_base::{Clock, Ids, Tasks};
use flybridge_client::{MemberClients, in_process};
use flybridge_controllers::{self as controllers, Handle, Options};
use flybridge_proxy::ClusterProxy;
use flybridge_sim::{Fleet, FleetConfig};
use flybridge_store::Store;
use kube::Client;

use crate::admission::KarmadaAdmission;
use crate::embedded;
use crate::error::{Error, Result};

/// A control plane's API server with everything plugged in that the engine relies on.
pub struct Assembly {
    /// The API server.
    pub server: ApiServer,
    /// A client with full rights.
    pub client: Client,
    /// The members that are reached in process.
    pub members: MemberClients,
    clock: Clock,
    ids: Ids,
}

impl Assembly {
    /// Builds the API server over `store`, installs the Karmada kinds and starts the server's own
    /// controllers under `tasks`.
    ///
    /// # Errors
    /// When the store refuses what every server starts with, or the server a CRD.
    pub async fn start(store: Store, clock: Clock, ids: Ids, tasks: &Tasks) -> Result<Self> {
        let members = MemberClients::new();
        let proxy = ClusterProxy::new(members.clone());
        let server = ApiServer::builder(store)
            .clock(clock)
            .ids(ids.clone())
            .admission(Arc::new(KarmadaAdmission::new(clock, ids.clone())))
            .embed(embedded::cluster())
            .connect(
                "cluster.karmada.io",
                "clusters",
                "proxy",
                Arc::new(proxy.clone()),
            )
            .build();
        server
            .bootstrap()
            .await
            .map_err(|source| Error::Store { source })?;
        let client = in_process(server.service(User::system("flybridge")));
        proxy.attach(client.clone());
        embedded::install_crds(&client).await?;
        server.run_controllers(tasks);
        Ok(Self {
            server,
            client,
            members,
            clock,
            ids,
        })
    }

    /// Starts simulated members and registers them; `store` gives each its store by name.
    ///
    /// # Errors
    /// When a member cannot start or its Cluster object is refused.
    pub async fn simulate(
        &self,
        config: FleetConfig,
        store: impl FnMut(&str) -> Store,
        tasks: &Tasks,
    ) -> Result<Fleet> {
        let failed = |source| Error::Members {
            source: Box::new(source),
        };
        let fleet = Fleet::start(config, store, self.clock, tasks)
            .await
            .map_err(failed)?;
        fleet
            .register(&self.client, &self.members)
            .await
            .map_err(failed)?;
        Ok(fleet)
    }

    /// Starts the engine under `tasks`; it reaches the plane through `client`.
    pub fn start_engine(&self, client: Client, options: Options, tasks: &Tasks) -> Handle {
        controllers::start(controllers::Config {
            client,
            members: self.members.clone(),
            clock: self.clock,
            ids: self.ids.clone(),
            tasks: tasks.clone(),
            options,
        })
    }
}
