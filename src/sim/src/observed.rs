//! What a member's controllers know: every handled object, indexed by owner and node.
//!
//! The watches and the answers to own writes both feed it. An older version never replaces a newer
//! one, so a controller that has written sees its own write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Node, Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use parking_lot::Mutex;

use crate::object::{Key, Kind, Name, Object, controller_of, uid};
use crate::pods;
use crate::resources::Resources;
use crate::services::selects;

/// All objects of one kind.
#[derive(Debug)]
pub(crate) struct Table<K> {
    objects: BTreeMap<Name, Arc<K>>,
    /// Names by the uid of the controlling owner.
    owned: BTreeMap<String, BTreeSet<Name>>,
    /// Uids of objects known to be deleted: a late version must not bring them back.
    gone: BTreeSet<String>,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        Self {
            objects: BTreeMap::new(),
            owned: BTreeMap::new(),
            gone: BTreeSet::new(),
        }
    }
}

impl<K: Resource> Table<K> {
    /// Takes in a version; returns whether it is news, and what it replaced.
    fn put(&mut self, object: K) -> Option<Option<Arc<K>>> {
        let name = Name::of(object.meta());
        if self.gone.contains(uid(object.meta())) {
            return None;
        }
        if let Some(present) = self.objects.get(&name)
            && version(present.meta()) >= version(object.meta())
        {
            return None;
        }
        if let Some(owner) = controller_of(object.meta()) {
            let names = self.owned.entry(owner.uid.clone()).or_default();
            names.insert(name.clone());
        }
        Some(self.objects.insert(name, Arc::new(object)))
    }

    /// Forgets the object of this name, if it has this uid.
    fn remove(&mut self, name: &Name, wanted: &str) -> Option<Arc<K>> {
        let present = self.objects.get(name)?;
        if uid(present.meta()) != wanted {
            return None;
        }
        let removed = self.objects.remove(name)?;
        if let Some(owner) = controller_of(removed.meta())
            && let Some(names) = self.owned.get_mut(&owner.uid)
        {
            names.remove(name);
            if names.is_empty() {
                self.owned.remove(&owner.uid);
            }
        }
        Some(removed)
    }

    /// [`Self::remove`], of which only the metadata is kept.
    fn take_out(&mut self, name: &Name, wanted: &str) -> Option<ObjectMeta> {
        self.remove(name, wanted)
            .map(|object| object.meta().clone())
    }

    /// One object.
    pub(crate) fn get(&self, name: &Name) -> Option<&Arc<K>> {
        self.objects.get(name)
    }

    /// The objects an owner controls, by name.
    pub(crate) fn owned_by(&self, owner: &str) -> Vec<Arc<K>> {
        let names = self.owned.get(owner).into_iter().flatten();
        names
            .filter_map(|name| self.objects.get(name).map(Arc::clone))
            .collect()
    }

    /// All objects, by name.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Arc<K>> {
        self.objects.values()
    }

    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Name> {
        self.objects.keys()
    }
}

fn version(metadata: &ObjectMeta) -> u64 {
    let text = metadata.resource_version.as_deref().unwrap_or_default();
    text.parse().unwrap_or(0)
}

/// The pods as readers of logs see them.
pub(crate) type SharedPods = Arc<Mutex<BTreeMap<Name, Arc<Pod>>>>;

/// The pods of one node.
#[derive(Debug, Default)]
pub(crate) struct Load {
    /// What they ask for together.
    pub(crate) used: Resources,
    /// Their names.
    pub(crate) pods: BTreeSet<Name>,
}

/// Everything a member's controllers know.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    pub(crate) nodes: Table<Node>,
    pub(crate) pods: Table<Pod>,
    pub(crate) deployments: Table<Deployment>,
    pub(crate) replica_sets: Table<ReplicaSet>,
    pub(crate) stateful_sets: Table<StatefulSet>,
    pub(crate) daemon_sets: Table<DaemonSet>,
    pub(crate) jobs: Table<Job>,
    pub(crate) revisions: Table<ControllerRevision>,
    pub(crate) services: Table<Service>,
    pub(crate) slices: Table<EndpointSlice>,
    /// What runs on each node.
    pub(crate) load: BTreeMap<String, Load>,
    /// Pods that found no node.
    pub(crate) unschedulable: BTreeSet<Name>,
    /// The pods once more, for readers outside.
    pub(crate) shared: SharedPods,
}

impl Observed {
    /// Takes in a version of an object; returns the keys to look at again.
    pub(crate) fn put(&mut self, object: Object) -> BTreeSet<Key> {
        let key = Key::new(object.kind(), Name::of(object.metadata()));
        let mut keys = interested(object.kind(), object.metadata());
        let news = match object {
            Object::Node(node) => {
                let news = self.nodes.put(*node).is_some();
                if news {
                    keys.extend(self.on_node_change(&key.name));
                }
                news
            }
            Object::Pod(pod) => {
                keys.extend(self.services_of(&pod));
                self.put_pod(*pod)
            }
            Object::Service(object) => self.services.put(*object).is_some(),
            Object::EndpointSlice(object) => self.slices.put(*object).is_some(),
            Object::Deployment(object) => self.deployments.put(*object).is_some(),
            Object::ReplicaSet(object) => self.replica_sets.put(*object).is_some(),
            Object::StatefulSet(object) => self.stateful_sets.put(*object).is_some(),
            Object::DaemonSet(object) => self.daemon_sets.put(*object).is_some(),
            Object::Job(object) => self.jobs.put(*object).is_some(),
            Object::ControllerRevision(object) => self.revisions.put(*object).is_some(),
            Object::Event(_) | Object::PersistentVolumeClaim(_) => false,
        };
        if !news {
            return BTreeSet::new();
        }
        keys.insert(key);
        keys
    }

    fn put_pod(&mut self, pod: Pod) -> bool {
        let name = Name::of(&pod.metadata);
        let Some(before) = self.pods.put(pod) else {
            return false;
        };
        if let Some(before) = before {
            self.unload(&name, &before);
        }
        if let Some(pod) = self.pods.get(&name).map(Arc::clone) {
            self.load(&name, &pod);
            self.shared.lock().insert(name, pod);
        }
        true
    }

    /// Notes that an object is deleted; returns the keys to look at again.
    pub(crate) fn remove(&mut self, key: &Key, uid: &str) -> BTreeSet<Key> {
        let name = &key.name;
        let mut services = BTreeSet::new();
        if key.kind == Kind::Pod
            && let Some(pod) = self.pods.get(name)
        {
            services = self.services_of(pod);
        }
        let metadata = self.take_out(key.kind, name, uid);
        let Some(metadata) = metadata else {
            return BTreeSet::new();
        };
        let mut keys = interested(key.kind, &metadata);
        match key.kind {
            Kind::Node => keys.extend(self.on_node_change(name)),
            Kind::Pod => {
                keys.extend(self.retries());
                keys.extend(services);
            }
            Kind::Job => keys.extend(
                self.pods
                    .owned_by(uid)
                    .iter()
                    .map(|pod| Key::new(Kind::Pod, Name::of(&pod.metadata))),
            ),
            _ => {}
        }
        keys
    }

    fn take_out(&mut self, kind: Kind, name: &Name, uid: &str) -> Option<ObjectMeta> {
        match kind {
            Kind::Node => self.nodes.take_out(name, uid),
            Kind::Pod => self.remove_pod(name, uid),
            Kind::Deployment => self.deployments.take_out(name, uid),
            Kind::ReplicaSet => self.replica_sets.take_out(name, uid),
            Kind::StatefulSet => self.stateful_sets.take_out(name, uid),
            Kind::DaemonSet => self.daemon_sets.take_out(name, uid),
            Kind::Job => self.jobs.take_out(name, uid),
            Kind::ControllerRevision => self.revisions.take_out(name, uid),
            Kind::Service => self.services.take_out(name, uid),
            Kind::EndpointSlice => self.slices.take_out(name, uid),
            Kind::Event | Kind::PersistentVolumeClaim => None,
        }
    }

    /// The services a pod stands behind.
    fn services_of(&self, pod: &Pod) -> BTreeSet<Key> {
        let services = self.services.values();
        services
            .filter(|service| selects(service, pod))
            .map(|service| Key::new(Kind::Service, Name::of(&service.metadata)))
            .collect()
    }

    fn remove_pod(&mut self, name: &Name, uid: &str) -> Option<ObjectMeta> {
        let pod = self.pods.remove(name, uid)?;
        self.unload(name, &pod);
        self.unschedulable.remove(name);
        self.shared.lock().remove(name);
        Some(pod.metadata.clone())
    }

    /// Forgets what a complete list of a kind no longer has; returns the keys to look at again.
    pub(crate) fn retain(&mut self, kind: Kind, listed: &BTreeSet<Name>) -> BTreeSet<Key> {
        let lost: Vec<(Name, String)> = match kind {
            Kind::Node => lost(&self.nodes, listed),
            Kind::Pod => lost(&self.pods, listed),
            Kind::Deployment => lost(&self.deployments, listed),
            Kind::ReplicaSet => lost(&self.replica_sets, listed),
            Kind::StatefulSet => lost(&self.stateful_sets, listed),
            Kind::DaemonSet => lost(&self.daemon_sets, listed),
            Kind::Job => lost(&self.jobs, listed),
            Kind::ControllerRevision => lost(&self.revisions, listed),
            Kind::Service => lost(&self.services, listed),
            Kind::EndpointSlice => lost(&self.slices, listed),
            Kind::Event | Kind::PersistentVolumeClaim => Vec::new(),
        };
        let mut keys = BTreeSet::new();
        for (name, uid) in lost {
            keys.extend(self.remove(&Key::new(kind, name), &uid));
        }
        keys
    }

    /// Notes that an own deletion took effect at once, before the watch says so.
    pub(crate) fn bury(&mut self, key: &Key, uid: &str) -> BTreeSet<Key> {
        if key.kind == Kind::Pod {
            self.pods.gone.insert(uid.to_owned());
        }
        self.remove(key, uid)
    }

    /// Notes that the watch has said the last word on an object.
    pub(crate) fn settle(&mut self, key: &Key, uid: &str) {
        if key.kind == Kind::Pod {
            self.pods.gone.remove(uid);
        }
    }

    /// Notes an own binding before the watch says so.
    pub(crate) fn bind(&mut self, name: &Name, wanted: &str, node: &str) {
        let Some(pod) = self
            .pods
            .get(name)
            .filter(|pod| uid(&pod.metadata) == wanted)
        else {
            return;
        };
        let before = Arc::clone(pod);
        let mut bound = before.as_ref().clone();
        bound.spec.get_or_insert_default().node_name = Some(node.to_owned());
        let bound = Arc::new(bound);
        self.unload(name, &before);
        self.load(name, &bound);
        self.unschedulable.remove(name);
        self.pods.objects.insert(name.clone(), bound);
    }

    fn load(&mut self, name: &Name, pod: &Pod) {
        if let Some(node) = pods::node_name(pod)
            && !pods::is_finished(pod)
        {
            let load = self.load.entry(node.to_owned()).or_default();
            load.used.add(&Resources::requested_by(pod));
            load.pods.insert(name.clone());
        }
    }

    fn unload(&mut self, name: &Name, pod: &Pod) {
        if let Some(node) = pods::node_name(pod)
            && let Some(load) = self.load.get_mut(node)
            && load.pods.remove(name)
        {
            load.used.subtract(&Resources::requested_by(pod));
        }
    }

    /// Pods that may find a node now.
    fn retries(&self) -> impl Iterator<Item = Key> + '_ {
        let names = self.unschedulable.iter();
        names.map(|name| Key::new(Kind::Pod, name.clone()))
    }

    fn on_node_change(&self, node: &Name) -> BTreeSet<Key> {
        let mut keys: BTreeSet<Key> = self.retries().collect();
        for name in self.daemon_sets.names() {
            keys.insert(Key::new(Kind::DaemonSet, name.clone()));
        }
        let load = self.load.get(&node.name);
        for name in load.iter().flat_map(|load| &load.pods) {
            keys.insert(Key::new(Kind::Pod, name.clone()));
        }
        keys
    }
}

fn lost<K: Resource>(table: &Table<K>, listed: &BTreeSet<Name>) -> Vec<(Name, String)> {
    let objects = table.objects.iter();
    objects
        .filter(|(name, _)| !listed.contains(name))
        .map(|(name, object)| (name.clone(), uid(object.meta()).to_owned()))
        .collect()
}

/// The owner that wants to know about a change of an object.
fn interested(kind: Kind, metadata: &ObjectMeta) -> BTreeSet<Key> {
    let owner = controller_of(metadata).filter(|_| {
        matches!(
            kind,
            Kind::Pod | Kind::ReplicaSet | Kind::ControllerRevision | Kind::EndpointSlice
        )
    });
    let kind = match owner.map(|owner| owner.kind.as_str()) {
        Some("Deployment") => Kind::Deployment,
        Some("ReplicaSet") => Kind::ReplicaSet,
        Some("StatefulSet") => Kind::StatefulSet,
        Some("DaemonSet") => Kind::DaemonSet,
        Some("Job") => Kind::Job,
        Some("Service") => Kind::Service,
        _ => return BTreeSet::new(),
    };
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    let name = owner.map_or("", |owner| owner.name.as_str());
    BTreeSet::from([Key::new(kind, Name::new(namespace, name))])
}
