//! Dynamic informers of one API, started on first use and shared.

use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_base::{Ids, Tasks};
use kube::Client;
use kube::core::ApiResource;
use parking_lot::Mutex;

use crate::{Informer, Object, Scope};

/// Informers by `apiVersion` and plural name.
type Informers = BTreeMap<(String, String), Informer<Object>>;

/// The informers of one cluster; clones share them.
#[derive(Clone)]
pub struct InformerPool {
    client: Client,
    tasks: Tasks,
    ids: Ids,
    scope: Scope,
    informers: Arc<Mutex<Informers>>,
}

impl InformerPool {
    /// An empty pool whose informers see what is in `scope`; they end with `tasks`.
    pub fn new(tasks: &Tasks, ids: &Ids, client: &Client, scope: Scope) -> Self {
        Self {
            client: client.clone(),
            tasks: Tasks::under(tasks.shutdown()),
            ids: ids.clone(),
            scope,
            informers: Arc::default(),
        }
    }

    /// The client the informers use.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The informer of `resource`, and whether this call started it.
    pub fn informer(&self, resource: &ApiResource) -> (Informer<Object>, bool) {
        let key = (resource.api_version.clone(), resource.plural.clone());
        let mut informers = self.informers.lock();
        if let Some(informer) = informers.get(&key) {
            return (informer.clone(), false);
        }
        let informer = Informer::start(&self.tasks, &self.ids, &self.client, resource, &self.scope);
        informers.insert(key, informer.clone());
        (informer, true)
    }

    /// The informer of `resource` if it has been started.
    pub fn existing(&self, resource: &ApiResource) -> Option<Informer<Object>> {
        let key = (resource.api_version.clone(), resource.plural.clone());
        self.informers.lock().get(&key).cloned()
    }

    /// Stops every informer for good.
    pub fn stop(&self) {
        self.tasks.shutdown().trigger();
        self.informers.lock().clear();
    }
}
