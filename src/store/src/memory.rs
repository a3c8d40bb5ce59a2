//! Commits in memory, inline: no thread, so paused time stays deterministic.

use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt, ready};
use parking_lot::Mutex;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::ops::{Committed, Op};
use crate::shared::Shared;

#[derive(Debug)]
pub(crate) struct Memory {
    shared: Arc<Shared>,
    /// Whether the store is closed; held while writing.
    closed: Mutex<bool>,
}

impl Memory {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            closed: Mutex::new(false),
        }
    }

    fn write(&self, ops: Vec<Op>) -> Result<Committed> {
        let closed = self.closed.lock();
        if *closed {
            return Err(Error::Unavailable {
                reason: "the store is closed".to_owned(),
            });
        }
        let mut roots = self.shared.snapshot();
        let events = roots.apply(ops)?;
        let revision = roots.revision();
        if !events.is_empty() {
            self.shared.publish(roots, &events);
        }
        Ok(Committed { revision, events })
    }
}

impl Engine for Memory {
    fn commit(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Committed>> {
        // Not before the first poll: a future that is dropped unpolled has done nothing.
        async move { self.write(ops) }.boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        *self.closed.lock() = true;
        ready(()).boxed()
    }

    fn file_bytes(&self) -> u64 {
        0
    }
}
