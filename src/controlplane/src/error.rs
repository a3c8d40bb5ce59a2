//! What can go wrong while a plane starts.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A plane could not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The data directory could not be created or read.
    #[error("opened the data directory {}", path.display())]
    DataDir {
        /// The directory or the file in it.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Another process runs a plane on the same data directory.
    #[error("the data directory {} is in use{}", path.display(), holder(*pid))]
    Locked {
        /// The directory.
        path: PathBuf,
        /// The process that holds it, when it said so.
        pid: Option<u32>,
    },
    /// The listening address could not be bound.
    #[error("listened on {address}")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The unix socket could not be bound.
    #[error("listened on {}", path.display())]
    Socket {
        /// The socket's path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// The result of starting something.
pub type Result<T, E = Error> = std::result::Result<T, E>;

fn holder(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" by process {pid}"))
        .unwrap_or_default()
}
