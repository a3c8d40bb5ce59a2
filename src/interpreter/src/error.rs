//! Why an interpretation or an override failed.

/// A failed interpretation or override.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No rule is known for the kind.
    #[error("default {operation} interpreter for {kind:?} not found")]
    NotHandled {
        /// The operation's wire name.
        operation: &'static str,
        /// `apiVersion/kind`.
        kind: String,
    },
    /// The object does not have the shape of its kind.
    #[error("{what} does not decode: {source}")]
    Shape {
        /// What was decoded.
        what: &'static str,
        /// Why not.
        #[source]
        source: serde_json::Error,
    },
    /// A needed part is absent or of another type.
    #[error("{0}")]
    Invalid(String),
}

impl Error {
    /// An [`Error::Invalid`] from any text.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::Invalid(text.into())
    }
}
