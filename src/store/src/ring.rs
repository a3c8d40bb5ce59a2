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
    /// At most this many bytes of values and names; the newest event is kept whatever its size.
    pub bytes: usize,
}

impl Default for RingLimits {
    fn default() -> Self {
        Self {
            events: 20_000,
            bytes: 32 << 20,
        }
    }
}

#[derive(Debug)]
struct Kept {
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    /// Every event after this revision is in `events`.
    complete_after: u64,
    /// The newest event that was dropped: a watcher that has not read it has missed something.
    dropped: u64,
}

#[derive(Debug)]
pub(crate) struct Ring {
    kept: Mutex<Kept>,
    news: Notify,
    limits: RingLimits,
}

impl Ring {
    pub(crate) fn new(limits: RingLimits, complete_after: u64) -> Self {
        let kept = Kept {
            events: VecDeque::new(),
            bytes: 0,
            complete_after,
            dropped: 0,
        };
        Self {
            kept: Mutex::new(kept),
            news: Notify::new(),
            limits,
        }
    }

    pub(crate) fn push(&self, event: Arc<Event>) {
        let mut kept = self.kept.lock();
        kept.bytes += event.bytes();
        kept.events.push_back(event);
        while kept.events.len() > self.limits.events.max(1)
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

    /// The oldest revision a watch can start after.
    pub(crate) fn complete_after(&self) -> u64 {
        self.kept.lock().complete_after
    }

    /// Forgets events up to `revision`.
    pub(crate) fn compact(&self, revision: u64) {
        let mut kept = self.kept.lock();
        while kept
            .events
            .front()
            .is_some_and(|event| event.revision <= revision)
        {
            kept.drop_oldest();
        }
        kept.complete_after = kept.complete_after.max(revision);
    }

    /// Up to `limit` events after `read` and not after `visible`, for a watcher that has all up to
    /// `read`. Compaction of revisions in which nothing happened here does not harm it.
    pub(crate) fn after(&self, read: u64, visible: u64, limit: usize) -> Result<Vec<Arc<Event>>> {
        let kept = self.kept.lock();
        if read < kept.dropped {
            return Err(Error::Lagged);
        }
        let start = kept.events.partition_point(|event| event.revision <= read);
        let events = kept.events.range(start..).take(limit);
        Ok(events
            .take_while(|event| event.revision <= visible)
            .map(Arc::clone)
            .collect())
    }

    /// Every event after `revision` and not after `visible`, newest first.
    pub(crate) fn back_to(&self, revision: u64, visible: u64) -> Result<Vec<Arc<Event>>> {
        let kept = self.kept.lock();
        if revision < kept.complete_after {
            return Err(Error::Compacted {
                requested: revision,
                oldest: kept.complete_after,
            });
        }
        let newest_first = kept.events.iter().rev();
        Ok(newest_first
            .skip_while(|event| event.revision > visible)
            .take_while(|event| event.revision > revision)
            .map(Arc::clone)
            .collect())
    }

    /// The number of events and their bytes.
    pub(crate) fn size(&self) -> (usize, usize) {
        let kept = self.kept.lock();
        (kept.events.len(), kept.bytes)
    }
}

impl Kept {
    fn drop_oldest(&mut self) {
        if let Some(event) = self.events.pop_front() {
            self.bytes = self.bytes.saturating_sub(event.bytes());
            self.complete_after = self.complete_after.max(event.revision);
            self.dropped = event.revision;
        }
    }
}
