//! What can go wrong in the store.

use std::path::PathBuf;
use std::sync::Arc;

use crate::record::Record;

/// A store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An operation of a commit expected something else; nothing of the commit was applied.
    #[error("expected another state of operation {index}")]
    Conflict {
        /// Which operation, counted from 0.
        index: usize,
        /// What is there now.
        current: Option<Arc<Record>>,
    },
    /// The history asked for is gone.
    #[error("revision {requested} is compacted, the oldest kept is {oldest}")]
    Compacted {
        /// The revision asked for.
        requested: u64,
        /// The oldest revision that can still be asked for.
        oldest: u64,
    },
    /// The revision asked for has not happened yet.
    #[error("revision {requested} is in the future, the present is {current}")]
    Future {
        /// The revision asked for.
        requested: u64,
        /// The present revision.
        current: u64,
    },
    /// A watcher read too slowly and must start again from what it has seen.
    #[error("fell too far behind")]
    Lagged,
    /// The store is closed, or refuses writes after a failed one.
    #[error("refused the write: {reason}")]
    Unavailable {
        /// Why.
        reason: String,
    },
    /// Another process has the file open.
    #[error("the store {} is open in another process", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version.
    #[error("the store {} has format {found}, this version reads up to {supported}", path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The format found.
        found: u64,
        /// The newest format understood.
        supported: u64,
    },
    /// The file could not be opened, read or written.
    #[error("used the store {}", path.display())]
    Engine {
        /// The file.
        path: PathBuf,
        /// What the engine said.
        #[source]
        source: Box<redb::Error>,
    },
}

/// The result of a store operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;
