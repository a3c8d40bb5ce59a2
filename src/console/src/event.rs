//! What can happen to the console. The enum is closed: nothing else changes the state.

use flybridge_ui::Chord;
use flybridge_ui::log::LogLine;
use jiff::Timestamp;

use crate::explanation::Explanation;
use crate::panes::Laid;
use crate::rows::{BindingRow, ClusterRow, PodRow, Rows, WorkRow, WorkloadRow};

/// One thing that happened.
#[derive(Debug)]
pub(crate) enum Event {
    /// A key.
    Key(Chord),
    /// Text from the clipboard.
    Paste(String),
    /// The terminal has another size.
    Resize(u16, u16),
    /// A second has passed.
    Tick(Timestamp),
    /// The last frame was laid out like this.
    LaidOut(Laid),
    /// Rows of a list.
    Data {
        key: WatchKey,
        /// Which start of the watch it is from; those of an earlier start are dropped.
        generation: u64,
        data: Data,
    },
    /// The result of a task.
    Task {
        /// Which request it answers; answers to an earlier request are dropped.
        generation: u64,
        result: TaskResult,
    },
}

/// One list that is kept up to date.
#[derive(Clone, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub(crate) enum WatchKey {
    Clusters,
    Bindings,
    Works,
    /// Of a member.
    Workloads(String),
    /// Of a member.
    Pods(String),
}

/// News of a list.
#[derive(Debug)]
pub(crate) enum Data {
    Clusters(Feed<ClusterRow>),
    Bindings(Feed<BindingRow>),
    Works(Feed<WorkRow>),
    Workloads(Feed<WorkloadRow>),
    Pods(Feed<PodRow>),
}

/// The rows of a list, or why there are none.
#[derive(Debug)]
pub(crate) enum Feed<R> {
    /// All rows as of now.
    Rows(Rows<R>),
    /// The list cannot be kept up to date; the last rows stay.
    Failed(String),
}

/// What a task found.
#[derive(Debug)]
pub(crate) enum TaskResult {
    Yaml(Result<String, String>),
    Explain(Result<Box<Explanation>, String>),
    LogLines(Vec<LogLine>),
    /// The stream ended, or why it could not be had.
    LogEnd(Option<String>),
}
