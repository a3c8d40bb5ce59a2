//! WATCH: the present objects if asked for, then every change, in revision order, as frames.
//!
//! Frames are encoded once for all watchers that see an event the same way.

use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use flybridge_base::Ids;
use flybridge_machinery::Status;
use flybridge_store::{Event, EventKind, Record, Snapshot, Watcher};
use futures::Stream;
use tokio::time::Instant;

use super::list::{self, Filter};
use super::{Call, store_failure};
use crate::http::present::Presenter;
use crate::options::ListOptions;
use crate::request::Answer;

/// Bookmarks are sent this often while nothing else happens.
const BOOKMARK_PERIOD: Duration = Duration::from_secs(60);
/// A bookmark goes out this long before the end, so that a client resumes close to the present.
const FINAL_BOOKMARK: Duration = Duration::from_secs(2);
/// Without a limit of the client's, a watch lasts between one and two of these.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(1800);

/// What a change means to one watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Added,
    Modified,
    Deleted,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// Plain JSON frames of an event, for the three things it can mean.
#[derive(Debug, Default)]
struct Frames([std::sync::OnceLock<Bytes>; 3]);

/// One frame of a stream.
pub(crate) fn frame(kind: &str, object: &[u8]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(object.len() + kind.len() + 24);
    bytes.put_slice(b"{\"type\":\"");
    bytes.put_slice(kind.as_bytes());
    bytes.put_slice(b"\",\"object\":");
    bytes.put_slice(object);
    bytes.put_slice(b"}\n");
    bytes.freeze()
}

/// The frame of an event as plain JSON, encoded once for all watchers.
pub(crate) fn shared_frame(event: &Event, kind: Kind) -> Bytes {
    let frames = event.memo(|_| Frames::default());
    let index = match kind {
        Kind::Added => 0,
        Kind::Modified => 1,
        Kind::Deleted => 2,
    };
    frames.0[index]
        .get_or_init(|| frame(kind.name(), &event.record.value))
        .clone()
}

struct Watching {
    watcher: Watcher,
    filter: Filter,
    prefix: String,
    presenter: Presenter,
    initial: std::vec::IntoIter<Arc<Record>>,
    /// Sent after the initial objects when the client asked for them as events.
    end_of_initial: Option<u64>,
    /// Events up to this revision are part of what the client has.
    from: u64,
    bookmarks: bool,
    /// The revision the last frame told the client.
    told: u64,
    next_bookmark: Instant,
    deadline: Instant,
    over: bool,
}

/// The frames of a watch.
///
/// # Errors
/// A failure before the stream begins; later ones are frames of type ERROR.
pub(crate) fn watch(
    call: &Call,
    options: &ListOptions,
    presenter: Presenter,
) -> Answer<impl Stream<Item = Bytes> + Send + 'static> {
    let filter = Filter::new(&call.definition, options)?;
    let store = &call.server.inner.store;
    let snapshot = store.snapshot();
    let version = options.resource_version.unwrap_or(0);
    let streaming_list = options.initial_events == Some(true);
    let with_state = streaming_list || (version == 0 && options.initial_events.is_none());
    let mut failure = None;
    if streaming_list && version > snapshot.revision() {
        let status = Status::too_large_resource_version(version, snapshot.revision());
        failure = Some(status);
    }
    let from = if with_state || version == 0 {
        snapshot.revision()
    } else {
        version
    };
    let bucket = Arc::clone(&call.definition.bucket);
    let watcher = match store.watch(Arc::clone(&bucket), from) {
        Ok(watcher) => watcher,
        Err(flybridge_store::Error::Compacted { requested, oldest }) => {
            failure = Some(Status::too_old(requested, oldest));
            store
                .watch(Arc::clone(&bucket), snapshot.revision())
                .map_err(|error| store_failure(&error))?
        }
        Err(error) => return Err(store_failure(&error)),
    };
    let prefix = list::prefix(call);
    let initial = if with_state && failure.is_none() {
        matching(&snapshot, &bucket, &prefix, &filter)?
    } else {
        Vec::new()
    };
    let now = Instant::now();
    let state = Watching {
        watcher,
        filter,
        prefix,
        presenter,
        initial: initial.into_iter(),
        end_of_initial: (streaming_list && options.bookmarks).then_some(snapshot.revision()),
        from,
        bookmarks: options.bookmarks,
        told: from,
        next_bookmark: now + BOOKMARK_PERIOD,
        deadline: now + timeout(options, &call.server.inner.ids),
        over: false,
    };
    Ok(futures::stream::unfold(
        (state, failure),
        |(mut state, failure)| async move {
            if let Some(status) = failure {
                state.over = true;
                return Some((error_frame(&status), (state, None)));
            }
            let frame = state.next().await?;
            Some((frame, (state, None)))
        },
    ))
}

fn matching(
    snapshot: &Snapshot,
    bucket: &str,
    prefix: &str,
    filter: &Filter,
) -> Answer<Vec<Arc<Record>>> {
    let mut records = Vec::new();
    for (_, record) in snapshot.range(bucket, prefix, None) {
        if filter.matches(record)? {
            records.push(Arc::clone(record));
        }
    }
    Ok(records)
}

fn timeout(options: &ListOptions, ids: &Ids) -> Duration {
    match options.timeout_seconds {
        Some(seconds) if seconds > 0 => Duration::from_secs(seconds),
        _ => DEFAULT_TIMEOUT.mul_f64(1.0 + ids.fraction()),
    }
}

fn error_frame(status: &Status) -> Bytes {
    let body = serde_json::to_vec(status).unwrap_or_else(|_| b"null".to_vec());
    frame("ERROR", &body)
}

impl Watching {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        for record in self.initial.by_ref() {
            if let Some(frame) = self.presenter.record_frame(Kind::Added, &record) {
                return Some(frame);
            }
        }
        if let Some(revision) = self.end_of_initial.take() {
            return Some(self.presenter.bookmark(revision, true));
        }
        loop {
            let wake = self.next_bookmark.min(self.deadline);
            let event = tokio::select! {
                biased;
                event = self.watcher.next() => event,
                () = tokio::time::sleep_until(wake) => {
                    if let Some(frame) = self.on_time() {
                        return Some(frame);
                    }
                    if self.over {
                        return None;
                    }
                    continue;
                }
            };
            match event {
                Ok(Some(event)) => {
                    if let Some(frame) = self.on_event(&event) {
                        return Some(frame);
                    }
                }
                Ok(None) => return None,
                Err(_lagged) => {
                    self.over = true;
                    let status =
                        Status::expired("the watch fell too far behind and must be started again");
                    return Some(error_frame(&status));
                }
            }
        }
    }

    fn on_time(&mut self) -> Option<Bytes> {
        let now = Instant::now();
        if now >= self.deadline {
            self.over = true;
            return None;
        }
        self.next_bookmark = now + BOOKMARK_PERIOD;
        if now < self.deadline && self.deadline - now < BOOKMARK_PERIOD + FINAL_BOOKMARK {
            let last = self
                .deadline
                .checked_sub(FINAL_BOOKMARK)
                .unwrap_or(self.deadline);
            self.next_bookmark = if last > now { last } else { self.deadline };
        }
        let revision = self.watcher.synced_to().max(self.told);
        if !self.bookmarks || revision == 0 {
            return None;
        }
        self.told = revision;
        Some(self.presenter.bookmark(revision, false))
    }

    fn on_event(&mut self, event: &Event) -> Option<Bytes> {
        if event.revision <= self.from || !event.key.name.starts_with(&self.prefix) {
            return None;
        }
        let kind = self.meaning(event)?;
        let left_view = kind == Kind::Deleted && event.kind == EventKind::Put;
        let frame = match &event.previous {
            // An object that leaves the view is shown as it was in it.
            Some(previous) if left_view => {
                self.presenter
                    .former_frame(kind, previous, event.revision)?
            }
            _ => self.presenter.event_frame(kind, event)?,
        };
        self.told = event.revision;
        Some(frame)
    }

    /// What the event means to a watcher with this filter; `None` if it does not concern it.
    fn meaning(&self, event: &Event) -> Option<Kind> {
        if self.filter.is_everything() {
            return Some(match (event.kind, &event.previous) {
                (EventKind::Delete, _) => Kind::Deleted,
                (EventKind::Put, None) if event.record.version == 1 => Kind::Added,
                (EventKind::Put, _) => Kind::Modified,
            });
        }
        let before = match &event.previous {
            Some(previous) => self.filter.matches(previous).unwrap_or(false),
            None => event.record.version > 1,
        };
        let after =
            event.kind == EventKind::Put && self.filter.matches(&event.record).unwrap_or(false);
        match (before, after) {
            (true, true) => Some(Kind::Modified),
            (false, true) => Some(Kind::Added),
            (true, false) => Some(Kind::Deleted),
            (false, false) => None,
        }
    }
}
