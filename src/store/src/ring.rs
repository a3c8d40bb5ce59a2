//! Recent events of one bucket, for watchers; bounded in number and bytes, oldest dropped first.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::error::{Error, Result};
use crate::record::Event;

/// Bounds of one ring.
#[derive(Clone, Copy, Debug)]
pub struct RingLimits {
    /// At most this many events.
    pub events: usize,
    /// At most this many bytes of values and names.
    pub bytes: usize,
}

impl Default for RingLimits {
    fn default() -> Self {
        Self { events: 20_000, bytes: 64 << 20 }
    }
}

#[derive(Debug)]
struct Kept {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    /// Every event after this revision is in `events`.
    complete_after: u64,
}

#[derive(Debug)]
pub(crate) struct Ring {
    kept: Mutex<Kept>,
    news: Notify,
    limits: RingLimits,
}

impl Ring {
    pub(crate) fn new(limits: RingLimits, complete_after: u64) -> Self {
        let kept = Kept { events: VecDeque::new(), bytes: 0, complete_after };
        Self { kept: Mutex::new(kept), news: Notify::new(), limits }
    }

    pub(crate) fn push(&self, event: Arc<Event>) {
        let mut kept = self.kept.lock();
        kept.bytes += event.bytes();
        kept.events.push_back(event);
        while kept.events.len() > self.limits.events
            || (kept.bytes > self.limits.bytes && kept.events.len() > 1)
        {
            kept.drop_oldest();
        }
    }

    pub(crate) fn wake(&self) {
        self.news.notify_waiters();
    }

    pub(crate) fn news(&self) -> &Notify {
        &self.news
    }

    pub(crate) fn oldest(&self) -> u64 {
        self.kept.lock().complete_after
    }

    /// Forgets events before `revision`.
    pub(crate) fn compact(&self, revision: u64) {
        let mut kept = self.kept.lock();
        while kept.events.front().is_some_and(|event| event.revision < revision) {
            kept.drop_oldest();
        }
        kept.complete_after = kept.complete_after.max(revision.saturating_sub(1));
    }

    /// Up to `limit` events after `revision`.
    pub(crate) fn after(&self, revision: u64, limit: usize) -> Result<Vec<Arc<Event>>> {
        let kept = self.kept.lock();
        if revision < kept.complete_after {
            return Err(Error::Compacted { requested: revision, oldest: kept.complete_after });
        }
        let start = kept.events.partition_point(|event| event.revision <= revision);
        Ok(kept.events.iter().skip(start).take(limit).map(Arc::clone).collect())
    }

    /// Every event after `revision`, newest first.
    pub(crate) fn back_to(&self, revision: u64) -> Result<Vec<Arc<Event>>> {
        let mut events = self.after(revision, usize::MAX)?;
        events.reverse();
        Ok(events)
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.lock().events.len()
    }
}

impl Kept {
    fn drop_oldest(&mut self) {
        if let Some(event) = self.events.pop_front() {
            self.bytes = self.bytes.saturating_sub(event.bytes());
            self.complete_after = event.revision;
        }
    }
}
