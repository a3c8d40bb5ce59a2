//! Many members at once, and their registration with a control plane.

use std::collections::BTreeMap;

use flybridge_apis::{Cluster, ClusterSpec, SyncMode};
use flybridge_base::{Clock, Tasks};
use flybridge_client::{MemberClients, is_already_exists};
use flybridge_store::Store;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

use crate::config::MemberConfig;
use crate::error::{Error, Result};
use crate::member::Member;

/// The members of a fleet to start.
#[derive(Clone, Debug, Default)]
pub struct FleetConfig {
    /// The members.
    pub members: Vec<MemberConfig>,
}

/// A running fleet.
#[derive(Debug, Default)]
pub struct Fleet {
    members: BTreeMap<String, Member>,
}

impl Fleet {
    /// Starts every member, in order; `store` gives each its store by name.
    ///
    /// # Errors
    /// When a member cannot be started; those before it keep running under `tasks`.
    pub async fn start(
        config: FleetConfig,
        mut store: impl FnMut(&str) -> Store,
        clock: Clock,
        tasks: &Tasks,
    ) -> Result<Self> {
        let mut fleet = Self::default();
        for member in config.members {
            let store = store(&member.name);
            let member = Member::start(member, store, clock, tasks).await?;
            fleet.members.insert(member.name().to_owned(), member);
        }
        Ok(fleet)
    }

    /// The members by name.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// One member.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn member(&self, name: &str) -> Result<&Member> {
        let member = self.members.get(name);
        member.ok_or_else(|| Error::NoMember(name.to_owned()))
    }

    /// Makes the members reachable through `clients` and creates their Cluster objects.
    ///
    /// A Cluster object that exists keeps what was changed in it.
    ///
    /// # Errors
    /// When the control plane refuses an object.
    pub async fn register(&self, control_plane: &Client, clients: &MemberClients) -> Result<()> {
        let api: Api<Cluster> = Api::all(control_plane.clone());
        for member in self.members() {
            clients.register(member.name(), member.client());
            let cluster = cluster(member.config(), member.id().await?);
            let refused = |source| Error::Register {
                member: member.name().to_owned(),
                source: Box::new(source),
            };
            match api.create(&PostParams::default(), &cluster).await {
                Ok(_) => {}
                Err(error) if is_already_exists(&error) => {
                    // A member in memory is another cluster each time it starts.
                    let patch = Patch::Merge(json!({"spec": {"id": cluster.spec.id}}));
                    let params = PatchParams::default();
                    let patched = api.patch(member.name(), &params, &patch).await;
                    patched.map_err(refused)?;
                }
                Err(error) => return Err(refused(error)),
            }
        }
        Ok(())
    }

    /// Stops every member; returns whether all ended in time.
    pub async fn stop(&self) -> bool {
        let mut all = true;
        for member in self.members() {
            all &= member.stop().await;
        }
        all
    }
}

/// The Cluster object of a member.
fn cluster(config: &MemberConfig, id: String) -> Cluster {
    let spec = ClusterSpec {
        id,
        sync_mode: SyncMode::Push,
        api_endpoint: format!("https://{}.sim.flybridge.local:6443", config.name),
        provider: config.provider.clone(),
        region: config.region.clone(),
        zones: config.zones.clone(),
        taints: config.taints.clone(),
        ..ClusterSpec::default()
    };
    let mut cluster = Cluster::new(&config.name, spec);
    let labels = &config.labels;
    cluster.metadata.labels = (!labels.is_empty()).then(|| labels.clone());
    cluster
}

#[cfg(test)]
mod tests;
