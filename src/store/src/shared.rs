//! What readers, watchers and the writer share: roots, rings, retained snapshots.
//!
//! A commit becomes visible in one step, when the roots are swapped: its events lie in the rings
//! before that, and watchers read rings only up to the revision of the roots.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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
    /// Least recently used first.
    retained: Mutex<VecDeque<Snapshot>>,
    /// History up to this revision is forgotten, for buckets that have no ring yet too.
    compacted: AtomicU64,
    closed: AtomicBool,
}

impl Shared {
    pub(crate) fn new(roots: Snapshot, limits: RingLimits, compacted: u64) -> Self {
        Self {
            roots: ArcSwap::from_pointee(roots),
            rings: RwLock::default(),
            limits,
            retained: Mutex::default(),
            compacted: AtomicU64::new(compacted),
            closed: AtomicBool::new(false),
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::clone(&self.roots.load())
    }

    pub(crate) fn revision(&self) -> u64 {
        self.roots.load().revision()
    }

    pub(crate) fn compacted(&self) -> u64 {
        self.compacted.load(Ordering::Acquire)
    }

    pub(crate) fn ring(&self, bucket: &Arc<str>) -> Arc<Ring> {
        if let Some(ring) = self.rings.read().get(bucket) {
            return Arc::clone(ring);
        }
        let mut rings = self.rings.write();
        let ring = rings
            .entry(Arc::clone(bucket))
            .or_insert_with(|| Arc::new(Ring::new(self.limits, self.compacted())));
        Arc::clone(ring)
    }

    fn all_rings(&self) -> Vec<Arc<Ring>> {
        self.rings.read().values().map(Arc::clone).collect()
    }

    /// Fills the rings with history from before the process started.
    pub(crate) fn restore(&self, events: Vec<Arc<Event>>) {
        for event in events {
            self.ring(&event.key.bucket).push(event);
        }
    }

    /// Makes a durable commit visible.
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

    fn retained(&self, revision: u64) -> Option<Snapshot> {
        let mut retained = self.retained.lock();
        let at = retained
            .iter()
            .position(|kept| kept.revision() == revision)?;
        let kept = retained.remove(at)?;
        retained.push_back(kept.clone());
        Some(kept)
    }

    /// The state of one bucket, or of all, at a revision.
    pub(crate) fn snapshot_at(&self, revision: u64, bucket: Option<&str>) -> Result<Snapshot> {
        let present = self.snapshot();
        let current = present.revision();
        if revision > current {
            return Err(Error::Future {
                requested: revision,
                current,
            });
        }
        if revision == current {
            return Ok(bucket.map_or_else(|| present.clone(), |bucket| present.only(bucket)));
        }
        if let Some(kept) = self.retained(revision) {
            return Ok(kept);
        }
        let rings = match bucket {
            Some(bucket) => self
                .rings
                .read()
                .get(bucket)
                .map(Arc::clone)
                .into_iter()
                .collect(),
            None => self.all_rings(),
        };
        let from = bucket.map_or_else(|| present.clone(), |bucket| present.only(bucket));
        self.rewind(from, revision, &rings)
    }

    fn rewind(&self, from: Snapshot, revision: u64, rings: &[Arc<Ring>]) -> Result<Snapshot> {
        let oldest = self.compacted();
        if revision < oldest {
            return Err(Error::Compacted {
                requested: revision,
                oldest,
            });
        }
        let mut snapshot = from;
        let present = snapshot.revision();
        for ring in rings {
            for event in ring.back_to(revision, present)? {
                snapshot.undo(&event);
            }
        }
        snapshot.set_revision(revision);
        Ok(snapshot)
    }

    /// Forgets history up to a revision.
    pub(crate) fn compact(&self, revision: u64) {
        self.compacted.fetch_max(revision, Ordering::AcqRel);
        self.retained
            .lock()
            .retain(|kept| kept.revision() >= revision);
        for ring in self.all_rings() {
            ring.compact(revision);
        }
    }

    /// The number of events in all rings and their bytes.
    pub(crate) fn ring_sizes(&self) -> (usize, usize) {
        self.all_rings()
            .iter()
            .map(|ring| ring.size())
            .fold((0, 0), |(events, bytes), size| {
                (events + size.0, bytes + size.1)
            })
    }

    pub(crate) fn oldest(&self) -> u64 {
        let rings = self.all_rings();
        let newest = rings.iter().map(|ring| ring.complete_after()).max();
        newest.unwrap_or(0).max(self.compacted())
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        for ring in self.all_rings() {
            ring.wake();
        }
    }
}
