//! What can go wrong in the store.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::record::Record;

/// A store operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An operation of a commit expected something else; nothing of the commit was applied.
    #[error("expected another state of operation {index}")]
    Conflict {
        /// Which operation, counted from 0.
        index: usize,
        /// What is there now, earlier operations of the same commit included.
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
    /// The file, its directory or its file system may not be written.
    #[error("may not write the store {}", path.display())]
    Denied {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file is damaged or not a store.
    #[error("the store {} is damaged: {reason}", path.display())]
    Corrupted {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The file was written by a newer version.
    #[error("the store {} has format {found}, this version reads {supported}", path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The format found.
        found: u64,
        /// The newest format understood.
        supported: u64,
    },
    /// The file could not be opened, read or written.
    #[error("failed to use the store {}", path.display())]
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

/// Says which file an engine's error is about.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T>;
}

impl<T, E: Into<redb::Error>> At<T> for std::result::Result<T, E> {
    fn at(self, path: &Path) -> Result<T> {
        self.map_err(|error| classify(path, error.into()))
    }
}

fn classify(path: &Path, error: redb::Error) -> Error {
    let path = path.to_owned();
    match error {
        redb::Error::DatabaseAlreadyOpen => Error::Locked { path },
        redb::Error::Corrupted(reason) => Error::Corrupted { path, reason },
        redb::Error::Io(source) => match source.kind() {
            io::ErrorKind::WouldBlock => Error::Locked { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Error::Denied { path, source }
            }
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Error::Corrupted {
                path,
                reason: source.to_string(),
            },
            _ => Error::Engine {
                path,
                source: Box::new(redb::Error::Io(source)),
            },
        },
        wrong @ (redb::Error::TableTypeMismatch { .. } | redb::Error::TableIsMultimap(_)) => {
            Error::Corrupted {
                path,
                reason: wrong.to_string(),
            }
        }
        other => Error::Engine {
            path,
            source: Box::new(other),
        },
    }
}
