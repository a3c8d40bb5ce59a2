//! Commits in memory, inline: no thread, so paused time stays deterministic.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::error::{Error, Result};
use crate::ops::{Committed, Op};
use crate::shared::Shared;

#[derive(Debug)]
pub(crate) struct Memory {
    shared: Arc<Shared>,
    writing: Mutex<()>,
}

impl Memory {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, writing: Mutex::new(()) }
    }

    pub(crate) fn commit(&self, ops: Vec<Op>) -> Result<Committed> {
        let _writing = self.writing.lock();
        if self.shared.is_closed() {
            return Err(Error::Unavailable { reason: "the store is closed".to_owned() });
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
