//! The member clusters as the engine sees them: a client, what it serves, what is watched there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flybridge_apis::{Cluster, labels};
use flybridge_base::{Ids, Tasks};
use flybridge_client::{MemberClients, MemberSpec, Objects, RestMapper};
use flybridge_runtime::{Change, Informer, InformerPool, Object, ObjectKey, Scope};
use kube::Client;
use kube::core::ApiResource;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::{Result, kinds};

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
        let spec = if self.clients.registered(name).is_some() {
            registered_spec(cluster)
        } else {
            self.spec(cluster).await?
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
            old.member.pool.stop();
        }
        Ok(member)
    }

    /// Stops watching a member and forgets it.
    pub fn forget(&self, name: &str) {
        if let Some(entry) = self.members.lock().remove(name) {
            entry.member.pool.stop();
        }
    }

    /// The member in use, if it still fits the description and its credentials are fresh.
    fn current(&self, cluster: &Cluster, uid: &str) -> Option<Arc<Member>> {
        let members = self.members.lock();
        let entry = members.get(cluster.name())?;
        let registered = self.clients.registered(cluster.name()).is_some();
        let fresh = registered || entry.read.elapsed() < CREDENTIALS_AGE;
        let described = registered_spec(cluster);
        let same = entry.spec.api_endpoint == described.api_endpoint
            && entry.spec.insecure == described.insecure
            && entry.spec.proxy_url == described.proxy_url;
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
            client,
            hook: Arc::clone(&self.hook),
            versions: Mutex::default(),
        }
    }

    async fn spec(&self, cluster: &Cluster) -> Result<MemberSpec> {
        let mut spec = registered_spec(cluster);
        if let Some(reference) = &cluster.spec.secret_ref {
            let secrets = Objects::new(&self.plane, &kinds::secrets(), &reference.namespace);
            let secret = secrets.get(&reference.name).await?;
            let decoded = |field: &str| {
                let text = secret["data"][field].as_str().unwrap_or_default();
                let bytes = STANDARD.decode(text).unwrap_or_default();
                String::from_utf8(bytes).unwrap_or_default()
            };
            spec.token = decoded("token");
            spec.ca_bundle = decoded("caBundle");
        }
        Ok(spec)
    }
}

/// What a Cluster tells without its Secret.
fn registered_spec(cluster: &Cluster) -> MemberSpec {
    let proxy = &cluster.spec.proxy_url;
    MemberSpec {
        name: cluster.name().to_owned(),
        api_endpoint: cluster.spec.api_endpoint.clone(),
        insecure: cluster.spec.insecure_skip_tls_verification,
        proxy_url: (!proxy.is_empty()).then(|| proxy.clone()),
        proxy_header: cluster.spec.proxy_header.clone(),
        ..MemberSpec::default()
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
