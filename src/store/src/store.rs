//! The handle: snapshots, commits, watches, compaction.

use std::path::Path;
use std::sync::Arc;

use crate::disk::Disk;
use crate::durable::Durable;
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::ops::{Committed, Op};
use crate::ring::RingLimits;
use crate::roots::Snapshot;
use crate::shared::Shared;
use crate::watcher::Watcher;

/// Bounds of what a store keeps of its past.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Recent events of one bucket kept in memory.
    pub ring: RingLimits,
    /// Events kept on disk, so that watches go on after a restart.
    pub log_events: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { ring: RingLimits::default(), log_events: 50_000 }
    }
}

/// Figures about a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// The present revision.
    pub revision: u64,
    /// The oldest revision a watch of any bucket may start after.
    pub oldest: u64,
    /// Records in all buckets.
    pub records: usize,
    /// Events kept for watchers.
    pub events: usize,
}

/// A store; clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<Shared>,
    engine: Arc<Engine>,
}

#[derive(Debug)]
enum Engine {
    Memory(Memory),
    Durable(Durable),
}

impl Store {
    /// A store in memory that commits inline.
    pub fn memory() -> Self {
        Self::memory_with(Options::default())
    }

    /// A store in memory with other bounds.
    pub fn memory_with(options: Options) -> Self {
        let shared = Arc::new(Shared::new(Snapshot::default(), options.ring, 0));
        let engine = Engine::Memory(Memory::new(Arc::clone(&shared)));
        Self { shared, engine: Arc::new(engine) }
    }

    /// Opens or creates a durable store in one file.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::NewerFormat`], [`Error::Engine`]; the file is left as it was.
    pub fn open_redb(path: &Path, options: Options) -> Result<Self> {
        let (disk, restored) = Disk::open(path, options.log_events)?;
        let shared = Arc::new(Shared::new(restored.roots, options.ring, restored.compacted));
        shared.restore(restored.events);
        let durable = Durable::start(Arc::clone(&shared), disk)
            .map_err(|error| Error::Unavailable { reason: error.to_string() })?;
        Ok(Self { shared, engine: Arc::new(Engine::Durable(durable)) })
    }

    /// The present state.
    pub fn snapshot(&self) -> Snapshot {
        self.shared.snapshot()
    }

    /// The present revision.
    pub fn revision(&self) -> u64 {
        self.shared.revision()
    }

    /// The state at an earlier revision.
    ///
    /// # Errors
    /// [`Error::Compacted`] or [`Error::Future`].
    pub fn snapshot_at(&self, revision: u64) -> Result<Snapshot> {
        self.shared.snapshot_at(revision)
    }

    /// Keeps a snapshot for readers that come back for its revision; the oldest of many are dropped.
    pub fn retain(&self, snapshot: &Snapshot) {
        self.shared.retain(snapshot);
    }

    /// Applies operations atomically; answers once they are durable and published.
    ///
    /// # Errors
    /// [`Error::Conflict`] and nothing was applied; [`Error::Unavailable`] if the store refuses writes.
    pub async fn commit(&self, ops: Vec<Op>) -> Result<Committed> {
        match &*self.engine {
            Engine::Memory(memory) => memory.commit(ops),
            Engine::Durable(durable) => durable.commit(ops).await,
        }
    }

    /// Follows a bucket from just after a revision, which may lie in the future.
    ///
    /// # Errors
    /// [`Error::Compacted`] if events after it are gone.
    pub fn watch(&self, bucket: impl Into<Arc<str>>, after: u64) -> Result<Watcher> {
        let ring = self.shared.ring(&bucket.into());
        ring.after(after, 0)?;
        Ok(Watcher::new(ring, Arc::clone(&self.shared), after))
    }

    /// Forgets history before a revision.
    pub fn compact(&self, before: u64) {
        self.shared.compact(before.min(self.revision() + 1));
    }

    /// Figures.
    pub fn stats(&self) -> Stats {
        let snapshot = self.snapshot();
        let records = snapshot.buckets().map(|bucket| snapshot.count(bucket, "")).sum();
        Stats {
            revision: snapshot.revision(),
            oldest: self.shared.oldest(),
            records,
            events: self.shared.ring_events(),
        }
    }

    /// Refuses further writes, finishes those taken and ends all watches.
    pub async fn close(&self) {
        if let Engine::Durable(durable) = &*self.engine {
            durable.close().await;
        }
        self.shared.close();
    }
}
