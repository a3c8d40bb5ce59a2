//! The handle: snapshots, commits, watches, compaction.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, Restored};
use crate::durable::Durable;
use crate::engine::Engine;
use crate::error::{At, Error, Result};
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
    pub log_events: usize,
    /// Bytes of events kept on disk.
    pub log_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ring: RingLimits::default(),
            log_events: 50_000,
            log_bytes: 64 << 20,
        }
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
    /// Bytes of those events.
    pub event_bytes: usize,
    /// Bytes on disk; 0 for a store in memory.
    pub file_bytes: u64,
}

/// A store; clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<Shared>,
    engine: Arc<dyn Engine>,
}

impl Store {
    /// A store in memory that commits inline.
    pub fn memory() -> Self {
        Self::memory_with(Options::default())
    }

    /// A store in memory with other bounds.
    pub fn memory_with(options: Options) -> Self {
        let shared = Arc::new(Shared::new(Snapshot::default(), options.ring, 0));
        let engine = Arc::new(Memory::new(Arc::clone(&shared)));
        Self { shared, engine }
    }

    /// Opens or creates a durable store in one file, in a directory that exists.
    ///
    /// Blocks while it reads everything. Dropping the last handle, or closing it, frees the file.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::Denied`], [`Error::Corrupted`], [`Error::NewerFormat`] or
    /// [`Error::Engine`]; the records are left as they were.
    pub fn open_redb(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let (disk, restored) = Disk::open(path, &options)?;
        Self::restored(path.to_owned(), disk, restored, &options)
    }

    pub(crate) fn restored(
        path: PathBuf,
        disk: Disk,
        restored: Restored,
        options: &Options,
    ) -> Result<Self> {
        let shared = Shared::new(restored.roots, options.ring, restored.compacted);
        shared.restore(restored.events);
        let shared = Arc::new(shared);
        let durable = Durable::start(path.clone(), Arc::clone(&shared), disk).at(&path)?;
        Ok(Self {
            shared,
            engine: Arc::new(durable),
        })
    }

    /// The present state.
    pub fn snapshot(&self) -> Snapshot {
        self.shared.snapshot()
    }

    /// The present revision.
    pub fn revision(&self) -> u64 {
        self.shared.revision()
    }

    /// The state of all buckets at an earlier revision.
    ///
    /// # Errors
    /// [`Error::Compacted`] or [`Error::Future`].
    pub fn snapshot_at(&self, revision: u64) -> Result<Snapshot> {
        self.shared.snapshot_at(revision, None)
    }

    /// The state of one bucket at an earlier revision, which may be known when that of another,
    /// busier bucket is not. The snapshot answers for no other bucket.
    ///
    /// # Errors
    /// [`Error::Compacted`] or [`Error::Future`].
    pub fn bucket_at(&self, bucket: &str, revision: u64) -> Result<Snapshot> {
        self.shared.snapshot_at(revision, Some(bucket))
    }

    /// Keeps a snapshot for readers that come back for its revision; the least recently used of
    /// many are dropped.
    pub fn retain(&self, snapshot: &Snapshot) {
        self.shared.retain(snapshot);
    }

    /// Applies operations atomically; answers once they are durable and published.
    ///
    /// Dropping the future does not undo what it has begun.
    ///
    /// # Errors
    /// [`Error::Conflict`] and nothing was applied; [`Error::Unavailable`] if the store refuses writes.
    pub async fn commit(&self, ops: Vec<Op>) -> Result<Committed> {
        self.engine.commit(ops).await
    }

    /// Follows a bucket from just after a revision, which may lie in the future.
    ///
    /// # Errors
    /// [`Error::Compacted`] if events after it are gone.
    pub fn watch(&self, bucket: impl Into<Arc<str>>, after: u64) -> Result<Watcher> {
        let ring = self.shared.ring(&bucket.into());
        let oldest = ring.complete_after();
        if after < oldest {
            return Err(Error::Compacted {
                requested: after,
                oldest,
            });
        }
        Ok(Watcher::new(ring, Arc::clone(&self.shared), after))
    }

    /// Forgets history before a revision: watches can start after `before - 1` or later, which is
    /// also the oldest state that can be rebuilt. On disk it goes bit by bit with later commits.
    pub fn compact(&self, before: u64) {
        self.shared
            .compact(before.saturating_sub(1).min(self.revision()));
    }

    /// Figures.
    pub fn stats(&self) -> Stats {
        let snapshot = self.snapshot();
        let (events, event_bytes) = self.shared.ring_sizes();
        Stats {
            revision: snapshot.revision(),
            oldest: self.shared.oldest(),
            records: snapshot
                .buckets()
                .map(|bucket| snapshot.count(bucket, ""))
                .sum(),
            events,
            event_bytes,
            file_bytes: self.engine.file_bytes(),
        }
    }

    /// Refuses further writes, finishes those taken, ends all watches and frees the file.
    pub async fn close(&self) {
        self.engine.close().await;
        self.shared.close();
    }
}
