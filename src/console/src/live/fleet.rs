//! The clusters as the scheduler needs them, kept beside the rows of the list.

use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_apis::Cluster;
use flybridge_scheduler::Snapshot;
use futures::StreamExt;
use futures::stream::BoxStream;
use kube::Api;
use kube::runtime::{WatchStreamExt, watcher};
use parking_lot::Mutex;

use super::project;
use super::watch::{Change, change};
use crate::rows::ClusterRow;

/// Whole Clusters by name; clones share them. There are few, so they are kept whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Fleet {
    clusters: Arc<Mutex<Clusters>>,
}

#[derive(Debug, Default)]
struct Clusters {
    current: BTreeMap<String, Arc<Cluster>>,
    listing: BTreeMap<String, Arc<Cluster>>,
}

impl Fleet {
    /// What the scheduler would see now.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.clusters.lock().current.values().cloned())
    }

    /// The rows of the cluster list; whole objects are taken in on the way.
    pub(super) fn watch(&self, client: kube::Client) -> BoxStream<'static, Change<ClusterRow>> {
        let api: Api<Cluster> = Api::all(client);
        let fleet = self.clone();
        watcher(api, watcher::Config::default())
            .default_backoff()
            .map(move |event| {
                if let Ok(event) = &event {
                    fleet.apply(event);
                }
                change(event, |cluster| project::cluster(&cluster))
            })
            .boxed()
    }

    fn apply(&self, event: &watcher::Event<Cluster>) {
        let slim = |cluster: &Cluster| {
            let mut cluster = cluster.clone();
            cluster.metadata.managed_fields = None;
            (cluster.name().to_owned(), Arc::new(cluster))
        };
        let mut clusters = self.clusters.lock();
        match event {
            watcher::Event::Init => clusters.listing.clear(),
            watcher::Event::InitApply(cluster) => {
                let (name, cluster) = slim(cluster);
                clusters.listing.insert(name, cluster);
            }
            watcher::Event::InitDone => clusters.current = std::mem::take(&mut clusters.listing),
            watcher::Event::Apply(cluster) => {
                let (name, cluster) = slim(cluster);
                clusters.current.insert(name, cluster);
            }
            watcher::Event::Delete(cluster) => {
                clusters.current.remove(cluster.name());
            }
        }
    }
}
