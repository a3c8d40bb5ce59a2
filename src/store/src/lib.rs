//! A multi-version key-value store: revisions, point-in-time reads, watches, group commit.
//!
//! Bytes only. A write is visible to readers and watchers only after it is durable, every event of
//! a bucket reaches a watcher once and in revision order, and a writer never waits for a reader.

mod disk;
mod durable;
mod engine;
pub mod error;
mod memory;
pub mod ops;
pub mod record;
pub mod ring;
pub mod roots;
mod shared;
pub mod store;
pub mod watcher;

pub use error::{Error, Result};
pub use ops::{Committed, Expect, Op};
pub use record::{Event, EventKind, Key, Record, Value};
pub use ring::RingLimits;
pub use roots::Snapshot;
pub use store::{Options, Stats, Store};
pub use watcher::Watcher;
