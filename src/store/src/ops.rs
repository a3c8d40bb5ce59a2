//! What a commit asks for, and what it got.

use std::sync::Arc;

use crate::record::{Event, Key, Value};

/// What an operation needs to find, or the whole commit fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Anything.
    Any,
    /// No record.
    Absent,
    /// Some record.
    Exists,
    /// A record of exactly this modification revision.
    Revision(u64),
}

/// One operation of a commit.
#[derive(Clone, Debug)]
pub enum Op {
    /// Creates or replaces a record.
    Put {
        /// Which.
        key: Key,
        /// On what condition.
        expect: Expect,
        /// The new value.
        value: Value,
    },
    /// Removes a record; removing what is absent is no change when `expect` allows it.
    Delete {
        /// Which.
        key: Key,
        /// On what condition.
        expect: Expect,
        /// The last state that watchers see; `None` shows the stored value.
        value: Option<Value>,
    },
}

impl Op {
    /// The key the operation is about.
    pub fn key(&self) -> &Key {
        match self {
            Self::Put { key, .. } | Self::Delete { key, .. } => key,
        }
    }

    /// What the operation needs to find.
    pub fn expect(&self) -> Expect {
        match self {
            Self::Put { expect, .. } | Self::Delete { expect, .. } => *expect,
        }
    }
}

/// A commit that is durable and published.
#[derive(Clone, Debug)]
pub struct Committed {
    /// The revision after the commit.
    pub revision: u64,
    /// What changed, in revision order; removals of absent records are left out.
    pub events: Vec<Arc<Event>>,
}
