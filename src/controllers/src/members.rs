//! The member clusters as the engine sees them: a client, what it serves, what is watched there.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use flybridge_apis::{Cluster, labels};
use flybridge_base::{Ids, Tasks};
use flybridge_client::{MemberClients, MemberSpec, RestMapper};
use flybridge_runtime::{Change, Informer, InformerPool, Object, ObjectKey, Scope};
use kube::Client;
use kube::core::ApiResource;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::Result;
use crate::cluster_status::inventory::Inventory;

/// How long credentials read from Secrets are trusted.
const CREDENTIALS_AGE: Duration = Duration::from_secs(300);

/// Called for every change of a managed object in a member.
pub type Hook = Arc<dyn Fn(&Member, &Change<'_, Object>) + Send + Sync>;

/// All members in use; clones share them.
#[derive(Clone)]
pub struct Members {
    clients: MemberClients,
    plane: Client,
    tasks: Tasks,
    ids: Ids,
    hook: Hook,
    members: Arc<Mutex<BTreeMap<String, Entry>>>,
}

struct Entry {
    member: Arc<Member>,
    spec: MemberSpec,
    uid: String,
    read: Instant,
}

/// One member cluster.
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its API.
    pub client: Client,
    /// What it serves.
    pub mapper: RestMapper,
    /// Its nodes and pods.
    inventory: OnceLock<Inventory>,
    tasks: Tasks,
    ids: Ids,
    pool: InformerPool,
    hook: Hook,
    versions: Mutex<BTreeMap<MemberObject, Version>>,
}

/// An object in a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberObject {
    /// `group/version`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// Namespace and name.
    pub object: ObjectKey,
}

/// What the engine last left or found right in a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The object's resource version.
    pub resource_version: String,
    /// The Work's uid and generation that it was made from.
    pub made_from: (String, i64),
}

impl Members {
    /// No members yet; `hook` is told of changes in them.
    pub fn new(
        clients: MemberClients,
        plane: &Client,
        tasks: &Tasks,
        ids: &Ids,
        hook: Hook,
    ) -> Self {
        Self {
            clients,
            plane: plane.clone(),
            tasks: tasks.clone(),
            ids: ids.clone(),
            hook,
            members: Arc::default(),
        }
    }

    /// The member of that name if it is in use.
    pub fn existing(&self, name: &str) -> Option<Arc<Member>> {
        let members = self.members.lock();
        members.get(name).map(|entry| Arc::clone(&entry.member))
    }

    /// The member that `cluster` describes; a changed description makes a new one.
    ///
    /// # Errors
    /// Its credentials cannot be read or do not make a client.
    pub async fn get(&self, cluster: &Cluster) -> Result<Arc<Member>> {
        let name = cluster.name();
        let uid = cluster.metadata.uid.clone().unwrap_or_default();
        if let Some(member) = self.current(cluster, &uid) {
            return Ok(member);
        }
        let described = serde_json::to_value(cluster)?;
        let spec = if self.clients.registered(name).is_some() {
            MemberSpec::of_cluster(&described)
        } else {
            MemberSpec::read(&self.plane, &described).await?
        };
        let client = self.clients.get(&spec)?;
        let mut members = self.members.lock();
        if let Some(entry) = members.get_mut(name)
            && entry.spec == spec
            && entry.uid == uid
        {
            entry.read = Instant::now();
            return Ok(Arc::clone(&entry.member));
        }
        let member = Arc::new(self.build(name, client));
        let entry = Entry {
            member: Arc::clone(&member),
            spec,
            uid,
            read: Instant::now(),
        };
        if let Some(old) = members.insert(name.to_owned(), entry) {
            old.member.stop();
        }
        Ok(member)
    }

    /// Stops watching a member and forgets it.
    pub fn forget(&self, name: &str) {
        let gone = self.members.lock().remove(name);
        if let Some(entry) = gone {
            entry.member.stop();
        }
    }

    /// The member in use, if it still fits the description and its credentials are fresh.
    fn current(&self, cluster: &Cluster, uid: &str) -> Option<Arc<Member>> {
        let members = self.members.lock();
        let entry = members.get(cluster.name())?;
        let registered = self.clients.registered(cluster.name()).is_some();
        let fresh = registered || entry.read.elapsed() < CREDENTIALS_AGE;
        let spec = &cluster.spec;
        let same = entry.spec.api_endpoint == spec.api_endpoint
            && entry.spec.insecure == spec.insecure_skip_tls_verification
            && entry.spec.proxy_url.as_deref().unwrap_or_default() == spec.proxy_url;
        (fresh && same && entry.uid == uid).then(|| Arc::clone(&entry.member))
    }

    fn build(&self, name: &str, client: Client) -> Member {
        let scope = Scope {
            label_selector: format!("{}={}", labels::MANAGED, labels::TRUE),
            ..Scope::default()
        };
        Member {
            name: name.to_owned(),
            mapper: RestMapper::new(&client),
            pool: InformerPool::new(&self.tasks, &self.ids, &client, scope),
            inventory: OnceLock::new(),
            tasks: self.tasks.clone(),
            ids: self.ids.clone(),
            client,
            hook: Arc::clone(&self.hook),
            versions: Mutex::default(),
        }
    }
}

impl Member {
    /// The informer of managed objects of a resource; the first call starts it.
    pub fn follow(self: &Arc<Self>, resource: &ApiResource) -> Informer<Object> {
        let (informer, started) = self.pool.informer(resource);
        if started {
            let member = Arc::downgrade(self);
            informer.store().subscribe(move |change| {
                if let Some(member) = member.upgrade() {
                    (member.hook)(&member, change);
                }
            });
        }
        informer
    }

    /// What it has; the first call starts to follow that.
    pub fn inventory(&self) -> &Inventory {
        self.inventory
            .get_or_init(|| Inventory::start(&self.tasks, &self.ids, &self.client))
    }

    fn stop(&self) {
        self.pool.stop();
        if let Some(inventory) = self.inventory.get() {
            inventory.stop();
        }
    }

    /// What is recorded of an object.
    pub fn version(&self, object: &MemberObject) -> Option<Version> {
        self.versions.lock().get(object).cloned()
    }

    /// Records what was left or found right.
    pub fn record(&self, object: MemberObject, version: Version) {
        self.versions.lock().insert(object, version);
    }

    /// Drops the record of an object.
    pub fn unrecord(&self, object: &MemberObject) {
        self.versions.lock().remove(object);
    }
}

impl MemberObject {
    /// The place of an object or manifest.
    pub fn of(object: &serde_json::Value) -> Self {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let metadata = &object["metadata"];
        Self {
            api_version: text(&object["apiVersion"]),
            kind: text(&object["kind"]),
            object: ObjectKey::new(text(&metadata["namespace"]), text(&metadata["name"])),
        }
    }
}
