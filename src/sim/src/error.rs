//! What can go wrong while a fleet is set up.

/// The result of setting up a simulation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a member or a fleet could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A member's store refused what every cluster has.
    #[error("cannot set up member {member}")]
    Bootstrap {
        /// The member.
        member: String,
        /// The refusal.
        #[source]
        source: flybridge_store::Error,
    },
    /// A member's API server refused a write it must not refuse.
    #[error("cannot prepare {what} of member {member}")]
    Prepare {
        /// The member.
        member: String,
        /// What was being written.
        what: String,
        /// The refusal.
        #[source]
        source: Box<kube::Error>,
    },
    /// The control plane refused the Cluster object of a member.
    #[error("cannot register member {member}")]
    Register {
        /// The member.
        member: String,
        /// The refusal.
        #[source]
        source: Box<kube::Error>,
    },
    /// There is no such member.
    #[error("no member is called {0}")]
    NoMember(String),
    /// There is no such node.
    #[error("member {member} has no node {node}")]
    NoNode {
        /// The member.
        member: String,
        /// The node asked for.
        node: String,
    },
}
