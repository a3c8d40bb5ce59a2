//! What readers, watchers and the writer share: roots, rings, retained snapshots.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;
use parking_lot::{Mutex, RwLock};

use crate::error::{Error, Result};
use crate::record::Event;
use crate::ring::{Ring, RingLimits};
use crate::roots::Snapshot;

/// Snapshots kept for readers that come back for an old revision.
const RETAINED: usize = 256;

#[derive(Debug)]
pub(crate) struct Shared {
    roots: ArcSwap<Snapshot>,
    rings: RwLock<BTreeMap<Arc<str>, Arc<Ring>>>,
    limits: RingLimits,
    retained: Mutex<VecDeque<Snapshot>>,
    /// Revisions up to this one are forgotten, for buckets that have no ring yet too.
    compacted: Mutex<u64>,
    /// Older views than this cannot be rebuilt: events read from disk lack their previous values.
    views_from: u64,
    closed: AtomicBool,
}

impl Shared {
    pub(crate) fn new(roots: Snapshot, limits: RingLimits, compacted: u64) -> Self {
        Self {
            views_from: roots.revision(),
            roots: ArcSwap::from_pointee(roots),
            rings: RwLock::new(BTreeMap::new()),
            limits,
            retained: Mutex::default(),
            compacted: Mutex::new(compacted),
            closed: AtomicBool::new(false),
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::clone(&self.roots.load())
    }

    pub(crate) fn revision(&self) -> u64 {
        self.roots.load().revision()
    }

    pub(crate) fn ring(&self, bucket: &Arc<str>) -> Arc<Ring> {
        if let Some(ring) = self.rings.read().get(bucket) {
            return Arc::clone(ring);
        }
        let complete_after = *self.compacted.lock();
        let mut rings = self.rings.write();
        let ring = rings
            .entry(Arc::clone(bucket))
            .or_insert_with(|| Arc::new(Ring::new(self.limits, complete_after)));
        Arc::clone(ring)
    }

    /// Fills the rings with history from before the process started.
    pub(crate) fn restore(&self, events: Vec<Arc<Event>>) {
        for event in events {
            self.ring(&event.key.bucket).push(event);
        }
    }

    /// Makes a durable commit visible: rings first, so that whoever sees the roots finds the events.
    pub(crate) fn publish(&self, roots: Snapshot, events: &[Arc<Event>]) {
        let mut touched: Vec<Arc<Ring>> = Vec::new();
        for event in events {
            let ring = self.ring(&event.key.bucket);
            ring.push(Arc::clone(event));
            if !touched.iter().any(|known| Arc::ptr_eq(known, &ring)) {
                touched.push(ring);
            }
        }
        self.roots.store(Arc::new(roots));
        for ring in touched {
            ring.wake();
        }
    }

    pub(crate) fn retain(&self, snapshot: &Snapshot) {
        let mut retained = self.retained.lock();
        retained.retain(|kept| kept.revision() != snapshot.revision());
        retained.push_back(snapshot.clone());
        if retained.len() > RETAINED {
            retained.pop_front();
        }
    }

    pub(crate) fn snapshot_at(&self, revision: u64) -> Result<Snapshot> {
        let present = self.snapshot();
        if revision > present.revision() {
            return Err(Error::Future { requested: revision, current: present.revision() });
        }
        if revision == present.revision() {
            return Ok(present);
        }
        let kept = self.retained.lock().iter().find(|kept| kept.revision() == revision).cloned();
        if let Some(kept) = kept {
            return Ok(kept);
        }
        self.rewind(present, revision)
    }

    fn rewind(&self, mut snapshot: Snapshot, revision: u64) -> Result<Snapshot> {
        let oldest = self.views_from.max(*self.compacted.lock());
        if revision < oldest {
            return Err(Error::Compacted { requested: revision, oldest });
        }
        let present = snapshot.revision();
        let rings: Vec<Arc<Ring>> = self.rings.read().values().map(Arc::clone).collect();
        for ring in rings {
            // Events published after the snapshot was taken are not part of it.
            for event in ring.back_to(revision)?.iter().filter(|event| event.revision <= present) {
                snapshot.undo(event);
            }
        }
        snapshot.set_revision(revision);
        Ok(snapshot)
    }

    pub(crate) fn compact(&self, revision: u64) {
        {
            let mut compacted = self.compacted.lock();
            *compacted = (*compacted).max(revision.saturating_sub(1));
        }
        self.retained.lock().retain(|kept| kept.revision() >= revision);
        for ring in self.rings.read().values() {
            ring.compact(revision);
        }
    }

    pub(crate) fn ring_events(&self) -> usize {
        self.rings.read().values().map(|ring| ring.len()).sum()
    }

    pub(crate) fn oldest(&self) -> u64 {
        let compacted = *self.compacted.lock();
        self.rings.read().values().map(|ring| ring.oldest()).max().unwrap_or(0).max(compacted)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        for ring in self.rings.read().values() {
            ring.wake();
        }
    }
}
