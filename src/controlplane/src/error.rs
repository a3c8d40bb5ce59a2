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
    /// The store could not be opened or written.
    #[error("opened the store")]
    Store {
        /// What the store said.
        #[source]
        source: flybridge_store::Error,
    },
    /// Keys or certificates could not be made or read.
    #[error("prepared the certificates")]
    Pki {
        /// What went wrong.
        #[source]
        source: flybridge_apiserver::tls::Error,
    },
    /// An object that the plane needs was refused.
    #[error("created {name}")]
    Install {
        /// The object.
        name: String,
        /// What the server said.
        #[source]
        source: Box<kube::Error>,
    },
    /// A sample is of a kind that is not served.
    #[error("created the sample {name}")]
    Sample {
        /// The object.
        name: String,
        /// Why not.
        #[source]
        source: Box<flybridge_client::Error>,
    },
    /// An embedded object does not read as an object.
    #[error("the embedded object {name} is malformed")]
    Malformed {
        /// The object.
        name: String,
        /// What the parser said.
        #[source]
        source: serde_json::Error,
    },
    /// A simulated member could not start.
    #[error("started the simulated members")]
    Members {
        /// What went wrong.
        #[source]
        source: Box<flybridge_sim::Error>,
    },
}

/// The result of starting something.
pub type Result<T, E = Error> = std::result::Result<T, E>;

fn holder(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" by process {pid}"))
        .unwrap_or_default()
}
