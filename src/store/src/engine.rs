//! What an engine does for a store: it takes commits, makes them as durable as it can, publishes them.

use futures::future::BoxFuture;

use crate::error::Result;
use crate::ops::{Committed, Op};

/// The order and durability of commits.
pub(crate) trait Engine: std::fmt::Debug + Send + Sync {
    /// Applies operations atomically and answers once they are durable and published.
    fn commit(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Committed>>;

    /// Refuses further commits and waits until those taken are answered.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// The bytes on disk.
    fn file_bytes(&self) -> u64;
}
