//! Following one bucket from a revision on.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::Result;
use crate::record::Event;
use crate::ring::Ring;
use crate::shared::Shared;

/// Events taken from the ring at a time.
const BATCH: usize = 256;

/// A cursor in the events of one bucket; every event once, in revision order.
#[derive(Debug)]
pub struct Watcher {
    ring: Arc<Ring>,
    shared: Arc<Shared>,
    /// The last revision delivered.
    delivered: u64,
    pending: VecDeque<Arc<Event>>,
}

impl Watcher {
    pub(crate) fn new(ring: Arc<Ring>, shared: Arc<Shared>, after: u64) -> Self {
        Self {
            ring,
            shared,
            delivered: after,
            pending: VecDeque::new(),
        }
    }

    /// The next event; waits for one. `None` once the store is closed and all is read. Cancel safe.
    ///
    /// # Errors
    /// [`Error::Lagged`](crate::Error::Lagged) if events were dropped before this watcher read them.
    pub async fn next(&mut self) -> Result<Option<Arc<Event>>> {
        let ring = Arc::clone(&self.ring);
        loop {
            let mut news = std::pin::pin!(ring.news().notified());
            news.as_mut().enable();
            // Read before looking: what is published before the end must still be found.
            let closed = self.shared.is_closed();
            if let Some(event) = self.try_next()? {
                return Ok(Some(event));
            }
            if closed {
                return Ok(None);
            }
            news.await;
        }
    }

    /// The next event if one is there.
    ///
    /// # Errors
    /// [`Error::Lagged`](crate::Error::Lagged) if events were dropped before this watcher read them.
    pub fn try_next(&mut self) -> Result<Option<Arc<Event>>> {
        if self.pending.is_empty() {
            let visible = self.shared.revision();
            self.pending
                .extend(self.ring.after(self.delivered, visible, BATCH)?);
        }
        let event = self.pending.pop_front();
        if let Some(event) = &event {
            self.delivered = event.revision;
        }
        Ok(event)
    }

    /// Up to `limit` events that are there.
    ///
    /// # Errors
    /// [`Error::Lagged`](crate::Error::Lagged) if events were dropped before this watcher read them;
    /// events read in the same call before that are delivered first.
    pub fn try_batch(&mut self, limit: usize) -> Result<Vec<Arc<Event>>> {
        let mut batch = Vec::new();
        while batch.len() < limit {
            match self.try_next() {
                Ok(Some(event)) => batch.push(event),
                Ok(None) => break,
                Err(error) if batch.is_empty() => return Err(error),
                Err(_told_by_the_next_call) => break,
            }
        }
        Ok(batch)
    }

    /// A revision up to which every event of the bucket has been delivered; grows with the store.
    pub fn synced_to(&self) -> u64 {
        if !self.pending.is_empty() {
            return self.delivered;
        }
        let visible = self.shared.revision();
        match self.ring.after(self.delivered, visible, 1) {
            Ok(events) if events.is_empty() => self.delivered.max(visible),
            _ => self.delivered,
        }
    }
}
