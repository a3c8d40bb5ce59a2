//! The composition root: configuration in, a running control plane out, and a graceful stop.
//!
//! Nothing above this crate starts a server, a controller or a simulated member by itself.

pub mod attendance;
pub mod config;
pub mod data_dir;
pub mod error;

pub use config::Config;
pub use data_dir::DataDir;
pub use error::{Error, Result};
