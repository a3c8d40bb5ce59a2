//! The composition root: configuration in, a running control plane out, and a graceful stop.
//!
//! Nothing above this crate starts a server, a controller or a simulated member by itself.

mod admission;
pub mod assembly;
pub mod attendance;
pub mod config;
pub mod data_dir;
mod embedded;
pub mod error;
pub mod plane;

pub use admission::KarmadaAdmission;
pub use assembly::Assembly;
pub use config::Config;
pub use data_dir::DataDir;
pub use error::{Error, Result};
pub use plane::Plane;

/// The Kubernetes version whose API is served.
pub const KUBERNETES_VERSION: &str = flybridge_apiserver::server::GIT_VERSION;
/// The Karmada release line whose API is served.
pub const KARMADA_API: &str = "v1.19";
