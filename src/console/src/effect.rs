//! What `update` asks to be done. Effects are values; only runners act on them.

use crate::event::WatchKey;
use crate::rows::ObjectRef;

/// One thing to do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Effect {
    /// Keep a list up to date and send its rows.
    Watch { key: WatchKey, generation: u64 },
    /// Stop doing so.
    Unwatch(WatchKey),
    /// Fetch an object and show it as YAML. A later request replaces an earlier one.
    FetchYaml { generation: u64, object: ObjectRef },
    /// Explain a binding. A later request replaces an earlier one.
    Explain { generation: u64, binding: ObjectRef },
    /// Stream logs. A later request replaces an earlier one.
    Logs {
        generation: u64,
        request: LogRequest,
    },
    /// Stop streaming logs.
    StopLogs,
    /// Put text on the clipboard.
    Copy(String),
    /// Suspend the process.
    Suspend,
}

/// Which logs.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct LogRequest {
    pub(crate) cluster: String,
    pub(crate) namespace: String,
    pub(crate) pod: String,
    pub(crate) container: String,
    pub(crate) previous: bool,
    pub(crate) since: Since,
}

/// From where logs start.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Since {
    /// The last lines.
    #[default]
    Tail,
    /// So many seconds ago.
    Seconds(i64),
    /// The beginning.
    All,
}

/// Lines of [`Since::Tail`].
pub(crate) const TAIL_LINES: i64 = 500;

impl Since {
    /// The next choice, further back; after the beginning, the last lines again.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Tail => Self::Seconds(60),
            Self::Seconds(..=60) => Self::Seconds(300),
            Self::Seconds(..=300) => Self::Seconds(900),
            Self::Seconds(..=900) => Self::Seconds(3600),
            Self::Seconds(_) => Self::All,
            Self::All => Self::Tail,
        }
    }

    /// In words.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Tail => format!("last {TAIL_LINES} lines"),
            Self::Seconds(s) if s >= 3600 => format!("last {} h", s / 3600),
            Self::Seconds(s) => format!("last {} min", s / 60),
            Self::All => "from the start".to_owned(),
        }
    }
}
