//! One stream of changes over all handled kinds.

use std::fmt::Debug;
use std::time::Duration;

use futures::stream::{self, BoxStream, SelectAll, StreamExt};
use k8s_openapi::api::apps::v1::{
    ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet,
};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Node, Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::runtime::utils::Backoff;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;

use crate::object::{Kind, Object};

/// Something a watch saw.
#[derive(Debug)]
pub(crate) enum Change {
    /// A complete list of the kind begins.
    Listing(Kind),
    /// An object of that list.
    Listed(Object),
    /// The list is complete.
    Complete(Kind),
    /// An object was added or changed.
    Applied(Object),
    /// An object was deleted.
    Deleted(Object),
}

/// Watches every kind the controllers read.
pub(crate) fn all(client: &Client) -> SelectAll<BoxStream<'static, Change>> {
    stream::select_all([
        one::<Node>(Kind::Node, client),
        one::<Deployment>(Kind::Deployment, client),
        one::<ReplicaSet>(Kind::ReplicaSet, client),
        one::<StatefulSet>(Kind::StatefulSet, client),
        one::<DaemonSet>(Kind::DaemonSet, client),
        one::<Job>(Kind::Job, client),
        one::<ControllerRevision>(Kind::ControllerRevision, client),
        one::<Pod>(Kind::Pod, client),
        one::<Service>(Kind::Service, client),
        one::<EndpointSlice>(Kind::EndpointSlice, client),
    ])
}

/// How many kinds [`all`] watches.
pub(crate) const KINDS: usize = 10;

fn one<K>(kind: Kind, client: &Client) -> BoxStream<'static, Change>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + 'static,
    Object: From<K>,
{
    watcher(Api::<K>::all(client.clone()), watcher::Config::default())
        .backoff(Steady)
        .filter_map(move |event| std::future::ready(change(kind, event)))
        .boxed()
}

fn change<K>(kind: Kind, event: watcher::Result<watcher::Event<K>>) -> Option<Change>
where
    Object: From<K>,
{
    match event {
        Ok(watcher::Event::Init) => Some(Change::Listing(kind)),
        Ok(watcher::Event::InitApply(object)) => Some(Change::Listed(object.into())),
        Ok(watcher::Event::InitDone) => Some(Change::Complete(kind)),
        Ok(watcher::Event::Apply(object)) => Some(Change::Applied(object.into())),
        Ok(watcher::Event::Delete(object)) => Some(Change::Deleted(object.into())),
        Err(error) => {
            tracing::warn!(?kind, %error, "watch failed, will be retried");
            None
        }
    }
}

/// Waits the same short time after every failure: no random jitter, so that runs repeat.
struct Steady;

impl Iterator for Steady {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }
}

impl Backoff for Steady {
    fn reset(&mut self) {}
}
