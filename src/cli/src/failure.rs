//! What a user sees when a command fails: one line, perhaps a cause, perhaps a hint, an exit code.

use std::fmt;

/// Exit codes; scripts may rely on them.
pub(crate) mod exit {
    pub(crate) const OK: u8 = 0;
    pub(crate) const FAILED: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const NOT_FOUND: u8 = 3;
    pub(crate) const DATA_DIR: u8 = 4;
    pub(crate) const ADDRESS: u8 = 5;
    pub(crate) const TERMINAL: u8 = 6;
    pub(crate) const UNREACHABLE: u8 = 7;
}

/// A failure in the words of the user.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) exit: u8,
}

impl Failure {
    pub(crate) fn new(exit: u8, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            exit,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(failure) => failure,
            Err(error) => Self::new(exit::FAILED, format!("{error:#}")),
        }
    }
}

impl From<flybridge_controlplane::Error> for Failure {
    fn from(error: flybridge_controlplane::Error) -> Self {
        use flybridge_controlplane::Error;
        let message = flybridge_base::report(&error);
        match error {
            Error::Locked { .. } => Self::new(exit::DATA_DIR, message)
                .hint("run `flybridge` to attach to it, or give another --data-dir"),
            Error::DataDir { .. } | Error::Store { .. } => {
                Self::new(exit::DATA_DIR, message).hint("give a writable --data-dir")
            }
            Error::Listen { .. } => Self::new(exit::ADDRESS, message)
                .hint("give another --listen address; port 0 picks a free one"),
            Error::Socket { .. } => Self::new(exit::ADDRESS, message)
                .hint("the path of --data-dir may be too long for a unix socket"),
            _ => Self::new(exit::FAILED, message),
        }
    }
}
