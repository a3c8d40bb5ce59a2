//! What can go wrong while reading the text forms of the object model.

/// A text that is not what it claims to be.
///
/// The wording follows upstream, because servers put it into answers verbatim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not `version` or `group/version`.
    #[error("unexpected GroupVersion string: {0}")]
    GroupVersion(String),
    /// One requirement of a label selector is malformed or breaks the rules of label names.
    #[error("unable to parse requirement: {0}")]
    LabelRequirement(String),
    /// A label selector is malformed between its requirements, or its JSON form is.
    #[error("{0}")]
    LabelSelector(String),
    /// A field selector is malformed.
    #[error("{0}")]
    FieldSelector(String),
    /// A quantity is malformed.
    #[error("{0}")]
    Quantity(&'static str),
    /// A JSONPath template is malformed.
    #[error("{0}")]
    JsonPathSyntax(String),
    /// A JSONPath template does not fit the object.
    #[error("{0}")]
    JsonPathEvaluation(String),
    /// Not an RFC 3339 time.
    #[error("parsing time {0:?}: not an RFC 3339 time")]
    Time(String),
}
