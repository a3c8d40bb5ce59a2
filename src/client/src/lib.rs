//! Every way to reach a Kubernetes API: in process, by kubeconfig, over a unix socket, through the
//! cluster proxy; the read-only seal; clients of member clusters; discovery.
//!
//! All of them are plain [`kube::Client`]s: whoever holds one cannot tell which transport it has.

pub mod discovery;
pub mod error;
pub mod in_process;
pub mod kubeconfig;
pub mod members;
pub mod objects;
pub mod proxied;
pub mod read_only;
pub mod unix;

pub use discovery::{Mapping, RestMapper};
pub use error::Error;
pub use in_process::in_process;
pub use kubeconfig::from_kubeconfig;
pub use members::{MemberClients, MemberSpec};
pub use objects::{Objects, is_already_exists, is_conflict, is_not_found};
pub use proxied::via_proxy;
pub use read_only::read_only;
pub use unix::over_unix;

/// The result of building a client.
pub type Result<T, E = Error> = std::result::Result<T, E>;
