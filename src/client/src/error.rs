//! Why a client could not be built.

/// A failure to build a client or to learn what an API serves.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kubeconfig could not be read or lacks something.
    #[error("loaded the kubeconfig")]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// A URL does not parse.
    #[error("parsed the {what} url {url:?}")]
    Url {
        /// What the URL is for.
        what: &'static str,
        /// The text given.
        url: String,
        /// Why it does not parse.
        #[source]
        source: http::uri::InvalidUri,
    },
    /// The CA bundle is neither PEM nor base64 of PEM.
    #[error("decoded the ca bundle of cluster {cluster}: {reason}")]
    CaBundle {
        /// The member cluster.
        cluster: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing tells how to reach the member.
    #[error("cluster {0} has no api endpoint")]
    NoEndpoint(String),
    /// A header of the member's proxy is not valid HTTP.
    #[error("proxy header {0:?} is not valid")]
    ProxyHeader(String),
    /// The transport could not be set up.
    #[error("built the client")]
    Build(#[source] Box<kube::Error>),
    /// The API failed while being asked what it serves.
    #[error("discovered the served resources")]
    Discovery(#[source] Box<kube::Error>),
    /// The API does not serve this kind.
    #[error("no resource is served for {kind} in {api_version}")]
    NoMatch {
        /// `group/version`, or `version` for the core group.
        api_version: String,
        /// The kind looked for.
        kind: String,
    },
}
