//! What a plane is asked to be.

use std::net::SocketAddr;
use std::path::PathBuf;

/// How to start a plane.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where state is kept; `None` keeps it in memory and forgets it at the end.
    pub data_dir: Option<PathBuf>,
    /// Where to serve HTTPS; port 0 picks a free one; `None` serves this process only.
    pub listen: Option<SocketAddr>,
    /// How many simulated member clusters to run; 0 for none.
    pub simulated_clusters: usize,
    /// Whether to apply the sample workloads and policies once the members are there.
    pub samples: bool,
    /// The seed of everything random in the simulation.
    pub seed: u64,
    /// Whether to listen on the owner-only socket of the data directory.
    pub attachable: bool,
}

impl Config {
    /// An ephemeral plane for this process only, with no members.
    pub fn ephemeral() -> Self {
        Self {
            data_dir: None,
            listen: None,
            simulated_clusters: 0,
            samples: false,
            seed: 1,
            attachable: false,
        }
    }
}
