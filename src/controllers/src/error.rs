//! Why a reconcile failed. Every failure is retried with back-off.

/// A failed reconcile.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request to an API failed.
    #[error("requested from the api: {0}")]
    Api(#[source] Box<kube::Error>),
    /// A client of a member could not be made, or its API not be discovered.
    #[error("reached the member: {0}")]
    Client(#[from] flybridge_client::Error),
    /// An object could not be interpreted or overridden.
    #[error("interpreted the object: {0}")]
    Interpret(#[from] flybridge_interpreter::Error),
    /// An object does not have the shape of its kind.
    #[error("decoded the object: {0}")]
    Decode(#[from] serde_json::Error),
    /// Something must happen elsewhere first.
    #[error("{0}")]
    NotYet(String),
}

impl Error {
    /// An [`Error::NotYet`] from any text.
    pub fn not_yet(text: impl Into<String>) -> Self {
        Self::NotYet(text.into())
    }
}

impl From<kube::Error> for Error {
    fn from(error: kube::Error) -> Self {
        Self::Api(Box::new(error))
    }
}
