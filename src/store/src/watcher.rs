//! Following one bucket from a revision on.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::{Error, Result};
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
    /// The last revision taken from the ring.
    taken: u64,
    pending: VecDeque<Arc<Event>>,
}

impl Watcher {
    pub(crate) fn new(ring: Arc<Ring>, shared: Arc<Shared>, after: u64) -> Self {
        Self { ring, shared, taken: after, pending: VecDeque::new() }
    }

    /// The next event; waits for one. `None` when the store is closed. Cancel safe.
    ///
    /// # Errors
    /// [`Error::Lagged`] if events were dropped before this watcher read them.
    pub async fn next(&mut self) -> Result<Option<Arc<Event>>> {
        let ring = Arc::clone(&self.ring);
        loop {
            let news = ring.news().notified();
            let mut news = std::pin::pin!(news);
            news.as_mut().enable();
            if let Some(event) = self.try_next()? {
                return Ok(Some(event));
            }
            if self.shared.is_closed() {
                return Ok(None);
            }
            news.await;
        }
    }

    /// The next event if one is there.
    ///
    /// # Errors
    /// [`Error::Lagged`] if events were dropped before this watcher read them.
    pub fn try_next(&mut self) -> Result<Option<Arc<Event>>> {
        if self.pending.is_empty() {
            let batch = self.ring.after(self.taken, BATCH).map_err(|_compacted| Error::Lagged)?;
            self.pending.extend(batch);
        }
        let event = self.pending.pop_front();
        if let Some(event) = &event {
            self.taken = event.revision;
        }
        Ok(event)
    }

    /// A revision up to which every event of the bucket has been delivered; grows with the store.
    pub fn synced_to(&self) -> u64 {
        // The revision is read first: an event published after it has a higher one.
        let present = self.shared.revision();
        let behind = !self.pending.is_empty()
            || !self.ring.after(self.taken, 1).is_ok_and(|events| events.is_empty());
        if behind { self.taken } else { self.taken.max(present) }
    }
}
