//! The server's own controllers: garbage collection, namespaces and what belongs in each, custom
//! resource clean-up, event expiry. One task follows every bucket and works through one queue, so order is deterministic.

mod collector;
mod events;
mod furniture;
mod namespaces;
mod sources;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use flybridge_base::Tasks;
use flybridge_machinery::object;
use flybridge_store::{Event, EventKind, Record};
use serde_json::Value;

use self::collector::Dependents;
use self::sources::Sources;
use crate::options::{DeleteOptions, Propagation, WriteOptions};
use crate::record::{self, Header};
use crate::registry::Definition;
use crate::registry::custom::CLEANUP_FINALIZER;
use crate::request::{Answer, User};
use crate::rest::pipeline::Part;
use crate::rest::{Call, delete, update};
use crate::server::ApiServer;

/// Failed work is looked at again after this long, with everything else that failed.
const RETRY_AFTER: Duration = Duration::from_millis(500);
/// How often expired events are looked for.
const EXPIRY_PERIOD: Duration = Duration::from_secs(60);

/// An object by its place in the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    bucket: Arc<str>,
    name: Arc<str>,
}

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// Whether an object still has an owner, and what its own deletion asks for.
    Object(Place),
    /// Whether a terminating namespace is empty.
    Namespace(Arc<str>),
    /// Whether a terminating CRD has objects left.
    Custom(Arc<str>),
    /// Whether a namespace has what every namespace has.
    Furniture(Arc<str>),
}

/// What a housekeeper does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Duties {
    /// Everything.
    All,
    /// Lets deleted CRDs go once their objects are gone, which clients expect of any API server.
    CustomResources,
}

struct Housekeeper {
    server: ApiServer,
    duties: Duties,
    dependents: Dependents,
    queue: VecDeque<Work>,
    queued: BTreeSet<Work>,
    failed: BTreeSet<Work>,
}

impl ApiServer {
    /// Starts the server's own controllers in `tasks`: garbage collection, namespaces, clean-up of
    /// custom resources, expiry of events.
    pub fn run_controllers(&self, tasks: &Tasks) {
        self.run_housekeeper(tasks, Duties::All);
    }

    /// Starts only the clean-up after deleted CRDs in `tasks`, for a server whose other controllers
    /// run elsewhere.
    pub fn run_custom_resource_cleanup(&self, tasks: &Tasks) {
        self.run_housekeeper(tasks, Duties::CustomResources);
    }

    fn run_housekeeper(&self, tasks: &Tasks, duties: Duties) {
        let server = self.clone();
        tasks.spawn_until_shutdown("housekeeping", async move {
            Housekeeper {
                server,
                duties,
                dependents: Dependents::default(),
                queue: VecDeque::new(),
                queued: BTreeSet::new(),
                failed: BTreeSet::new(),
            }
            .run()
            .await;
        });
    }
}

impl Housekeeper {
    async fn run(mut self) {
        let mut sources = Sources::default();
        let mut expiry = tokio::time::interval(EXPIRY_PERIOD);
        loop {
            for record in sources.refresh(&self.server) {
                self.seen(&record.0, &record.1);
            }
            while let Some(event) = sources.try_next() {
                self.changed(&event);
            }
            if let Some(work) = self.queue.pop_front() {
                self.queued.remove(&work);
                self.attempt(work).await;
                continue;
            }
            tokio::select! {
                biased;
                () = sources.wait() => {}
                () = tokio::time::sleep(RETRY_AFTER), if !self.failed.is_empty() => {
                    for work in std::mem::take(&mut self.failed) {
                        self.enqueue(work);
                    }
                }
                _ = expiry.tick(), if self.duties == Duties::All => events::expire(&self.server).await,
            }
        }
    }

    fn enqueue(&mut self, work: Work) {
        if self.duties == Duties::CustomResources && !matches!(work, Work::Custom(_)) {
            return;
        }
        if self.queued.insert(work.clone()) {
            self.queue.push_back(work);
        }
    }

    async fn attempt(&mut self, work: Work) {
        let outcome = match &work {
            Work::Object(place) => self.look_at(place).await,
            Work::Namespace(name) => namespaces::finish(&self.server, name).await,
            Work::Custom(name) => self.finish_custom(name).await,
            Work::Furniture(name) => furniture::ensure(&self.server, name).await,
        };
        if let Err(status) = outcome
            && status.code != 404
        {
            tracing::debug!(?work, %status, "housekeeping will try again");
            self.failed.insert(work);
        }
    }

    /// Takes note of an object as it is now.
    fn seen(&mut self, place: &Place, record: &Record) {
        let header = Header::of(record);
        self.dependents.note(place, &header);
        let terminating = header.deletion_timestamp.is_some();
        if !header.owner_references.is_empty() || (terminating && !header.finalizers.is_empty()) {
            self.enqueue(Work::Object(place.clone()));
        }
        if &*place.bucket == "namespaces" {
            let name = Arc::clone(&place.name);
            self.enqueue(if terminating {
                Work::Namespace(name)
            } else {
                Work::Furniture(name)
            });
        }
        if terminating
            && header
                .finalizers
                .iter()
                .any(|finalizer| finalizer == CLEANUP_FINALIZER)
        {
            self.enqueue(Work::Custom(Arc::clone(&place.name)));
        }
    }

    fn changed(&mut self, event: &Event) {
        let place = Place {
            bucket: Arc::clone(&event.key.bucket),
            name: Arc::clone(&event.key.name),
        };
        if event.kind == EventKind::Put {
            self.seen(&place, &event.record);
            return;
        }
        let header = Header::of(&event.record);
        for owner in self.dependents.forget(&place) {
            if let Some(owner) = self.dependents.place_of(&owner) {
                self.enqueue(Work::Object(owner));
            }
        }
        for dependent in self.dependents.of(&header.uid) {
            self.enqueue(Work::Object(dependent));
        }
        self.dependents.owner_gone(&header.uid);
        if !header.namespace.is_empty()
            && namespaces::is_terminating(&self.server, &header.namespace)
        {
            self.enqueue(Work::Namespace(header.namespace.as_str().into()));
        }
        if furniture::is_piece(&place.bucket, &header.name) {
            self.enqueue(Work::Furniture(header.namespace.as_str().into()));
        }
        if let Some(crd) = self.crd_of(&place.bucket) {
            self.enqueue(Work::Custom(crd));
        }
    }

    /// The terminating CRD whose objects lie in a bucket.
    fn crd_of(&self, bucket: &str) -> Option<Arc<str>> {
        let (group, plural) = bucket.split_once('/')?;
        let name: Arc<str> = format!("{plural}.{group}").into();
        let bucket = Definition::bucket_of("apiextensions.k8s.io", "customresourcedefinitions");
        let record = self.server.inner.store.snapshot().get(&bucket, &name)?;
        Header::of(&record)
            .deletion_timestamp
            .is_some()
            .then_some(name)
    }

    async fn look_at(&self, place: &Place) -> Answer<()> {
        let Some((call, object)) = self.open(place) else {
            return Ok(());
        };
        if object::is_terminating(&object) {
            return self.unblock(&call, &object).await;
        }
        collector::collect(&self.server, &call, &object).await
    }

    /// Does what the deletion of an object still waits for.
    async fn unblock(&self, call: &Call, object: &Value) -> Answer<()> {
        let uid = object::uid(object).unwrap_or_default();
        if object::has_finalizer(object, "orphan") {
            for dependent in self.dependents.of(uid) {
                if let Some((call, _)) = self.open(&dependent) {
                    collector::drop_owner(&call, uid).await?;
                }
            }
            return remove_finalizer(call, "orphan").await;
        }
        if object::has_finalizer(object, "foregroundDeletion") {
            let mut blocked = false;
            for dependent in self.dependents.of(uid) {
                let Some((call, object)) = self.open(&dependent) else {
                    continue;
                };
                let references = object::owner_references(&object);
                blocked |= references
                    .iter()
                    .any(|owner| owner.uid == uid && owner.block_owner_deletion == Some(true));
                if !object::is_terminating(&object) {
                    let own = object::uid(&object);
                    let leaf = self.dependents.of(own.unwrap_or_default()).is_empty();
                    let propagation = if leaf {
                        Propagation::Background
                    } else {
                        Propagation::Foreground
                    };
                    remove(&call, propagation, own).await?;
                }
            }
            if !blocked {
                return remove_finalizer(call, "foregroundDeletion").await;
            }
        }
        Ok(())
    }

    fn open(&self, place: &Place) -> Option<(Call, Value)> {
        open(&self.server, &place.bucket, &place.name)
    }

    /// Deletes the objects of a terminating CRD, then lets the CRD go.
    async fn finish_custom(&self, name: &str) -> Answer<()> {
        let bucket = Definition::bucket_of("apiextensions.k8s.io", "customresourcedefinitions");
        let Some((call, crd)) = open(&self.server, &bucket, name) else {
            return Ok(());
        };
        if !object::is_terminating(&crd) {
            return Ok(());
        }
        let text = |path: &[&str]| object::path_str(&crd, path).unwrap_or_default().to_owned();
        let instances = Definition::bucket_of(
            &text(&["spec", "group"]),
            &text(&["spec", "names", "plural"]),
        );
        let snapshot = self.server.inner.store.snapshot();
        let names: Vec<Arc<str>> = snapshot
            .range(&instances, "", None)
            .map(|(name, _)| Arc::clone(name))
            .collect();
        if names.is_empty() {
            return remove_finalizer(&call, CLEANUP_FINALIZER).await;
        }
        for name in names {
            if let Some((call, _)) = open(&self.server, &instances, &name) {
                remove(&call, Propagation::Background, None).await?;
            }
        }
        Ok(())
    }
}

/// An object and the call that is about it.
fn open(server: &ApiServer, bucket: &Arc<str>, name: &str) -> Option<(Call, Value)> {
    let record = server.inner.store.snapshot().get(bucket, name)?;
    let object = record::decode(&record.value).ok()?;
    let registry = server.registry();
    let definition = registry.of_bucket(bucket).map(Arc::clone)?;
    let call = Call {
        server: server.clone(),
        definition,
        namespace: object::namespace(&object).unwrap_or_default().to_owned(),
        name: object::name(&object).to_owned(),
        user: User::system("garbage-collector"),
    };
    Some((call, object))
}

async fn remove(call: &Call, propagation: Propagation, uid: Option<&str>) -> Answer<()> {
    let options = DeleteOptions {
        propagation: Some(propagation),
        uid: uid.map(str::to_owned),
        ..DeleteOptions::default()
    };
    match delete::delete(call, &options).await {
        Err(status) if status.code != 404 => Err(status),
        _ => Ok(()),
    }
}

async fn remove_finalizer(call: &Call, finalizer: &str) -> Answer<()> {
    let change = |old: &Value| {
        let mut new = old.clone();
        object::remove_finalizer(&mut new, finalizer);
        Ok(new)
    };
    let outcome = update::modify(call, Part::Both, &WriteOptions::default(), change).await;
    match outcome {
        Err(status) if status.code != 404 => Err(status),
        _ => Ok(()),
    }
}
