//! Why a patch was refused, and the status a server answers with.

use flybridge_machinery::{Reason, Status, StatusDetails};

/// A patch that does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The patch is not of the shape its media type demands.
    #[error("{0}")]
    BadPatch(String),
    /// More operations than the server takes.
    #[error("The allowed maximum operations in a JSON patch is {max}, got {got}")]
    TooManyOperations {
        /// The limit.
        max: usize,
        /// How many there were.
        got: usize,
    },
    /// An operation of a JSON patch does not fit the document.
    #[error("{0}")]
    DoesNotApply(String),
    /// A strategic merge that upstream cannot do either.
    #[error("{0}")]
    Unmergeable(String),
}

impl Error {
    /// The status an API server answers with.
    pub fn to_status(&self) -> Status {
        match self {
            Self::BadPatch(message) => Status::bad_request(message.as_str()),
            Self::TooManyOperations { .. } => Status::request_entity_too_large(&self.to_string()),
            Self::DoesNotApply(_) => Status::failure(
                Reason::Invalid,
                "the server rejected our request due to an error in our request",
            )
            .with_details(StatusDetails::default()),
            Self::Unmergeable(message) => Status::failure(Reason::Unknown, message.as_str()),
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        error.to_status()
    }
}
