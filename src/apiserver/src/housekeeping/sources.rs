//! Following every bucket at once, new ones included.

use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_store::{Event, Record, Watcher};
use futures::future::{FutureExt, select_all};

use super::Place;
use crate::server::ApiServer;

#[derive(Debug, Default)]
pub(super) struct Sources {
    watchers: BTreeMap<Arc<str>, Watcher>,
    /// An event that a wait has taken already.
    taken: Option<Arc<Event>>,
    /// Buckets whose watcher fell behind and must be read again.
    lost: Vec<Arc<str>>,
}

impl Sources {
    /// Starts to follow buckets that are new or were lost, and returns what is in them.
    pub(super) fn refresh(&mut self, server: &ApiServer) -> Vec<(Place, Arc<Record>)> {
        for bucket in self.lost.drain(..) {
            self.watchers.remove(&bucket);
        }
        let mut found = Vec::new();
        for definition in server.registry().storage() {
            if self.watchers.contains_key(&definition.bucket) {
                continue;
            }
            let snapshot = server.inner.store.snapshot();
            let bucket = Arc::clone(&definition.bucket);
            let Ok(watcher) = server
                .inner
                .store
                .watch(Arc::clone(&bucket), snapshot.revision())
            else {
                continue;
            };
            for (name, record) in snapshot.range(&bucket, "", None) {
                let place = Place {
                    bucket: Arc::clone(&bucket),
                    name: Arc::clone(name),
                };
                found.push((place, Arc::clone(record)));
            }
            self.watchers.insert(bucket, watcher);
        }
        found
    }

    /// The next event of any bucket that is there already.
    pub(super) fn try_next(&mut self) -> Option<Arc<Event>> {
        if let Some(event) = self.taken.take() {
            return Some(event);
        }
        for (bucket, watcher) in &mut self.watchers {
            match watcher.try_next() {
                Ok(Some(event)) => return Some(event),
                Ok(None) => {}
                Err(_lagged) => self.lost.push(Arc::clone(bucket)),
            }
        }
        None
    }

    /// Resolves when some bucket has news. Cancel safe: an event that was taken is kept.
    pub(super) async fn wait(&mut self) {
        if !self.lost.is_empty() || self.watchers.is_empty() {
            return;
        }
        let waits = self.watchers.iter_mut().map(|(bucket, watcher)| {
            async move { (Arc::clone(bucket), watcher.next().await) }.boxed()
        });
        let ((bucket, news), _, _) = select_all(waits).await;
        match news {
            Ok(Some(event)) => self.taken = Some(event),
            Ok(None) => std::future::pending().await,
            Err(_lagged) => self.lost.push(bucket),
        }
    }
}
