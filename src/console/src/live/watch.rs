//! Lists kept up to date: watches of one or more kinds, projected to rows at arrival, gathered
//! for a moment, and sent as one snapshot.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::{ClusterResourceBinding, ResourceBinding, Work};
use flybridge_ui::Record;
use futures::StreamExt;
use futures::stream::{BoxStream, select_all};
use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep_until};

use super::{errors, project};
use crate::event::Feed;
use crate::rows::{BindingRow, PodRow, WorkRow, WorkloadRow};

/// How long changes are gathered before they are sent; long lists, which cost more, take longer.
const GATHER: Duration = Duration::from_millis(60);
/// Rows that add a millisecond to it.
const ROWS_A_MILLISECOND: usize = 400;

/// News of one kind.
pub(super) enum Change<R> {
    /// All rows of the kind follow.
    Begin,
    /// One of them.
    Listed(R),
    /// That was all.
    Listing,
    /// A row is new or different.
    Put(R),
    /// A row is gone; only its id counts.
    Gone(R),
    /// The kind cannot be watched, and whether that is final for now.
    Failed(String, bool),
}

/// An event of a watch as news.
pub(super) fn change<K, R>(
    event: watcher::Result<watcher::Event<K>>,
    project: impl Fn(K) -> R,
) -> Change<R> {
    match event {
        Ok(watcher::Event::Init) => Change::Begin,
        Ok(watcher::Event::InitApply(object)) => Change::Listed(project(object)),
        Ok(watcher::Event::InitDone) => Change::Listing,
        Ok(watcher::Event::Apply(object)) => Change::Put(project(object)),
        Ok(watcher::Event::Delete(object)) => Change::Gone(project(object)),
        Err(error) => Change::Failed(errors::watch_words(&error), errors::is_denied(&error)),
    }
}

fn part<K, R>(
    client: &kube::Client,
    project: impl Fn(K) -> R + Send + 'static,
) -> BoxStream<'static, Change<R>>
where
    K: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + 'static,
    R: Send + 'static,
{
    let api: Api<K> = Api::all(client.clone());
    watcher(api, watcher::Config::default())
        .default_backoff()
        .map(move |event| change(event, &project))
        .boxed()
}

/// Bindings of both scopes.
pub(super) fn bindings(client: &kube::Client) -> Vec<BoxStream<'static, Change<BindingRow>>> {
    vec![
        part(client, |b: ResourceBinding| project::binding((&b).into())),
        part(client, |b: ClusterResourceBinding| {
            project::binding((&b).into())
        }),
    ]
}

/// Works of all members.
pub(super) fn works(client: &kube::Client) -> Vec<BoxStream<'static, Change<WorkRow>>> {
    vec![part(client, |work: Work| project::work(&work))]
}

/// Workloads of a member.
pub(super) fn workloads(
    client: &kube::Client,
    cluster: &str,
) -> Vec<BoxStream<'static, Change<WorkloadRow>>> {
    let name = || cluster.to_owned();
    let (a, b, c, d) = (name(), name(), name(), name());
    vec![
        part(client, move |o: Deployment| project::deployment(&a, &o)),
        part(client, move |o: StatefulSet| project::stateful_set(&b, &o)),
        part(client, move |o: DaemonSet| project::daemon_set(&c, &o)),
        part(client, move |o: Job| project::job(&d, &o)),
    ]
}

/// Pods of a member.
pub(super) fn pods(
    client: &kube::Client,
    cluster: &str,
) -> Vec<BoxStream<'static, Change<PodRow>>> {
    let cluster = cluster.to_owned();
    vec![part(client, move |pod: Pod| project::pod(&cluster, &pod))]
}

/// Rows of one kind.
struct Kind<R> {
    rows: BTreeMap<String, Arc<R>>,
    listing: BTreeMap<String, Arc<R>>,
    phase: KindPhase,
}

#[derive(Clone, Debug, PartialEq)]
enum KindPhase {
    Waiting,
    Live,
    /// It does not exist or may not be seen.
    Denied(String),
    Failed(String),
}

impl<R> Default for Kind<R> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            listing: BTreeMap::new(),
            phase: KindPhase::Waiting,
        }
    }
}

impl<R: Record> Kind<R> {
    fn apply(&mut self, change: Change<R>) {
        let keyed = |row: R| (row.id().to_owned(), Arc::new(row));
        match change {
            Change::Begin => self.listing.clear(),
            Change::Listed(row) => {
                let (id, row) = keyed(row);
                self.listing.insert(id, row);
            }
            Change::Listing => {
                self.rows = std::mem::take(&mut self.listing);
                self.phase = KindPhase::Live;
            }
            Change::Put(row) => {
                let (id, row) = keyed(row);
                self.rows.insert(id, row);
                self.phase = KindPhase::Live;
            }
            Change::Gone(row) => {
                self.rows.remove(row.id());
                self.phase = KindPhase::Live;
            }
            Change::Failed(error, true) => self.phase = KindPhase::Denied(error),
            Change::Failed(error, false) => self.phase = KindPhase::Failed(error),
        }
    }
}

/// Follows watches and sends a snapshot whenever something changed; ends when nobody listens.
pub(super) async fn follow<R, S, W>(parts: Vec<BoxStream<'static, Change<R>>>, send: S)
where
    R: Record + Send + Sync + 'static,
    S: Fn(Feed<R>) -> W,
    W: Future<Output = bool>,
{
    let mut kinds: Vec<Kind<R>> = parts.iter().map(|_| Kind::default()).collect();
    let numbered = parts
        .into_iter()
        .enumerate()
        .map(|(i, part)| part.map(move |c| (i, c)).boxed());
    let mut news = select_all(numbered);
    let mut due: Option<Instant> = None;
    loop {
        let wake = due.unwrap_or_else(Instant::now);
        tokio::select! {
            biased;
            () = sleep_until(wake), if due.is_some() => {
                due = None;
                if let Some(feed) = feed(&kinds) && !send(feed).await {
                    return;
                }
            }
            next = news.next() => {
                let Some((kind, change)) = next else { return };
                kinds[kind].apply(change);
                due = due.or_else(|| Some(Instant::now() + gather(&kinds)));
            }
        }
    }
}

fn gather<R>(kinds: &[Kind<R>]) -> Duration {
    let rows: usize = kinds.iter().map(|kind| kind.rows.len()).sum();
    GATHER + Duration::from_millis((rows / ROWS_A_MILLISECOND) as u64)
}

/// What there is to send: all rows, a failure, or nothing as long as a kind has not been listed.
fn feed<R>(kinds: &[Kind<R>]) -> Option<Feed<R>> {
    let failed = kinds.iter().find_map(|kind| match &kind.phase {
        KindPhase::Failed(error) => Some(error.clone()),
        _ => None,
    });
    if let Some(error) = failed {
        return Some(Feed::Failed(error));
    }
    if kinds.iter().any(|kind| kind.phase == KindPhase::Waiting) {
        return None;
    }
    // A kind that is denied leaves a gap; when all are, there is no list.
    let denied = kinds.iter().find_map(|kind| match &kind.phase {
        KindPhase::Denied(error) => Some(error.clone()),
        _ => None,
    });
    if let Some(error) = denied.filter(|_| kinds.iter().all(|k| k.phase != KindPhase::Live)) {
        return Some(Feed::Failed(error));
    }
    let rows = kinds
        .iter()
        .flat_map(|kind| kind.rows.values().cloned())
        .collect();
    Some(Feed::Rows(Arc::new(rows)))
}

#[cfg(test)]
mod tests {
    use futures::stream;
    use tokio::sync::mpsc;

    use super::*;
    use crate::rows::ClusterRow;

    fn row(name: &str, version: &str) -> ClusterRow {
        ClusterRow {
            name: name.to_owned(),
            version: version.to_owned(),
            ..ClusterRow::default()
        }
    }

    async fn followed(parts: Vec<Vec<Change<ClusterRow>>>) -> Vec<Feed<ClusterRow>> {
        let (sender, mut receiver) = mpsc::channel(64);
        let streams = parts
            .into_iter()
            .map(|part| stream::iter(part).chain(stream::pending()).boxed())
            .collect();
        let task = async {
            follow(streams, |feed| {
                let sender = sender.clone();
                async move { sender.send(feed).await.is_ok() }
            })
            .await;
        };
        // The streams never end; time passes only when nothing is left to do.
        let ended = tokio::time::timeout(Duration::from_secs(5), task).await;
        assert!(ended.is_err());
        drop(sender);
        let mut feeds = Vec::new();
        while let Ok(feed) = receiver.try_recv() {
            feeds.push(feed);
        }
        feeds
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_becomes_one_snapshot() {
        let feeds = followed(vec![vec![
            Change::Begin,
            Change::Listed(row("a", "1")),
            Change::Listed(row("b", "1")),
            Change::Listing,
            Change::Put(row("b", "2")),
            Change::Gone(row("a", "1")),
        ]])
        .await;
        let [Feed::Rows(rows)] = &feeds[..] else {
            panic!("{feeds:?}")
        };
        assert_eq!(
            rows.iter().map(|r| r.version.as_str()).collect::<Vec<_>>(),
            ["2"]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_denied_kind_leaves_the_others() {
        let listed = vec![
            Change::Begin,
            Change::Listed(row("a", "1")),
            Change::Listing,
        ];
        let denied = || vec![Change::Failed("no such resource".to_owned(), true)];
        let feeds = followed(vec![listed, denied()]).await;
        assert!(
            matches!(&feeds[..], [Feed::Rows(rows)] if rows.len() == 1),
            "{feeds:?}"
        );
        let feeds = followed(vec![denied(), denied()]).await;
        assert!(matches!(&feeds[..], [Feed::Failed(_)]), "{feeds:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_sent_before_every_kind_was_listed() {
        let listed = vec![
            Change::Begin,
            Change::Listed(row("a", "1")),
            Change::Listing,
        ];
        let feeds = followed(vec![listed, vec![Change::Begin]]).await;
        assert!(feeds.is_empty(), "{feeds:?}");
    }
}
