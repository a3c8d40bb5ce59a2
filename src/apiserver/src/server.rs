//! The server: store, registry, clock and hooks behind one cheap handle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arc_swap::ArcSwap;
use flybridge_base::{Clock, Ids};
use flybridge_machinery::Gvr;
use flybridge_store::Store;
use parking_lot::Mutex;

use crate::admission::{Admission, NoAdmission};
use crate::connect::Connect;
use crate::registry::{Definition, Registry, builtin};

/// Version a server reports unless told otherwise; clients refuse what is not a semantic version.
pub const GIT_VERSION: &str = "v1.36.2";

/// A Kubernetes API server over one store; clones are handles of the same one.
#[derive(Clone)]
pub struct ApiServer {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) ids: Ids,
    /// What `/version` says: `v1.36.2`.
    pub(crate) version: String,
    pub(crate) registry: ArcSwap<Registry>,
    /// Built-ins and embedded definitions: what a registry starts from when CRDs change.
    pub(crate) fixed: Vec<Arc<Definition>>,
    /// Serialises changes of the registry.
    pub(crate) registering: Mutex<()>,
    pub(crate) admission: Arc<dyn Admission>,
    pub(crate) connects: BTreeMap<(String, String, String), Arc<dyn Connect>>,
    pub(crate) documents: crate::discovery::Documents,
    /// Pods and services are completed as in a cluster that runs them.
    pub(crate) runs_workloads: bool,
    /// What every namespace gets as `kube-root-ca.crt`.
    pub(crate) root_certificate: Option<String>,
    /// Service addresses and node ports of writes under way.
    pub(crate) pending_addresses: Mutex<BTreeSet<String>>,
}

impl std::fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiServer")
            .field("store", &self.inner.store.stats())
            .finish_non_exhaustive()
    }
}

/// What a server is made of.
pub struct Builder {
    store: Store,
    clock: Clock,
    ids: Ids,
    version: String,
    admission: Arc<dyn Admission>,
    embedded: Vec<Definition>,
    connects: BTreeMap<(String, String, String), Arc<dyn Connect>>,
    runs_workloads: bool,
    root_certificate: Option<String>,
}

impl Builder {
    /// The certificate that clients inside check the server against, in PEM; every namespace gets it.
    pub fn root_certificate(mut self, pem: impl Into<String>) -> Self {
        self.root_certificate = Some(pem.into());
        self
    }

    /// Completes pods and services as a cluster that runs them does: service accounts (a pod without
    /// one is refused), tolerations and priority; cluster addresses and node ports.
    pub fn runs_workloads(mut self) -> Self {
        self.runs_workloads = true;
        self
    }

    /// The clock that stamps objects.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Where uids and name suffixes come from.
    pub fn ids(mut self, ids: Ids) -> Self {
        self.ids = ids;
        self
    }

    /// The version the server reports, such as `v1.35.4`.
    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    /// What changes and checks objects beside the built-in rules.
    pub fn admission(mut self, admission: Arc<dyn Admission>) -> Self {
        self.admission = admission;
        self
    }

    /// Serves a resource beside the built-in ones.
    pub fn embed(mut self, definition: Definition) -> Self {
        self.embedded.push(definition);
        self
    }

    /// Hands requests for a subresource to a handler.
    pub fn connect(
        mut self,
        group: &str,
        resource: &str,
        subresource: &str,
        handler: Arc<dyn Connect>,
    ) -> Self {
        let key = (
            group.to_owned(),
            resource.to_owned(),
            subresource.to_owned(),
        );
        self.connects.insert(key, handler);
        self
    }

    /// The server, with the custom resources that the store already defines.
    pub fn build(self) -> ApiServer {
        let fixed = builtin::definitions()
            .into_iter()
            .chain(self.embedded)
            .map(Arc::new)
            .collect();
        let server = ApiServer {
            inner: Arc::new(Inner {
                store: self.store,
                clock: self.clock,
                ids: self.ids,
                version: self.version,
                registry: ArcSwap::from_pointee(Registry::default()),
                fixed,
                registering: Mutex::new(()),
                admission: self.admission,
                connects: self.connects,
                documents: crate::discovery::Documents::default(),
                runs_workloads: self.runs_workloads,
                root_certificate: self.root_certificate,
                pending_addresses: Mutex::new(BTreeSet::new()),
            }),
        };
        server.refresh_registry();
        server
    }
}

impl ApiServer {
    /// Begins a server over a store.
    pub fn builder(store: Store) -> Builder {
        Builder {
            store,
            clock: Clock::system(),
            ids: Ids::random(),
            version: GIT_VERSION.to_owned(),
            admission: Arc::new(NoAdmission),
            embedded: Vec::new(),
            connects: BTreeMap::new(),
            runs_workloads: false,
            root_certificate: None,
        }
    }

    /// The store behind the server.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// The clock that stamps objects.
    pub fn clock(&self) -> Clock {
        self.inner.clock
    }

    /// What is served at this moment.
    pub fn registry(&self) -> Arc<Registry> {
        self.inner.registry.load_full()
    }

    /// Rebuilds the registry from the fixed definitions and the CRD objects of the store.
    pub(crate) fn refresh_registry(&self) {
        let _registering = self.inner.registering.lock();
        let mut registry = Registry::default();
        for definition in &self.inner.fixed {
            registry.insert(Arc::clone(definition));
        }
        let known = &self.inner.registry.load().known;
        let known = crate::registry::custom::definitions(&self.inner.store.snapshot(), known);
        for definition in known.values().flat_map(|(_, definitions)| definitions) {
            let gvr: Gvr = definition.gvr();
            if registry
                .find(&gvr.group, &gvr.version, &gvr.resource)
                .is_none()
            {
                registry.insert(Arc::clone(definition));
                registry.prefer_newest(&gvr.group);
            }
        }
        registry.known = known;
        self.inner.registry.store(Arc::new(registry));
        self.inner.documents.forget();
    }
}
