//! Container logs, generated on demand: nothing is stored.
//!
//! A line is a function of the seed, the pod's uid, the container, its run and the line's number; so
//! is the instant it was written. Any window can be read without generating what lies before it.

mod options;
mod presets;
mod source;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use flybridge_base::Clock;
use futures::stream::{self, Stream, StreamExt};
use k8s_openapi::api::core::v1::Pod;

use crate::time::{seconds_after, until};

pub use options::{LogOptions, Refused};
pub use source::Source;

/// Lines kept of one run, as a rotating log file would keep them.
const KEPT_LINES: u64 = 20_000;
/// How often a silent follower looks whether its pod still runs.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Tells a follower about its pod: the present object, if it still exists.
pub type Lookup = Arc<dyn Fn() -> Option<Arc<Pod>> + Send + Sync>;

/// The log of one container as a stream of chunks.
///
/// The stream ends after what is there, or with `follow` when the container ends or the pod goes.
pub fn stream(
    source: Source,
    options: &LogOptions,
    clock: Clock,
    lookup: Lookup,
) -> impl Stream<Item = Bytes> + Send + 'static {
    let (first, end) = window(&source, options, clock);
    let mut writer = Writer {
        timestamps: options.timestamps,
        left: options.limit_bytes,
    };
    let head = writer.lines(&source, first..end);
    let follow = options.follow && writer.left != Some(0);
    let tail = Follower {
        source,
        writer,
        clock,
        lookup,
        next: end,
    };
    let head = stream::iter(head.into_iter().filter(|chunk| !chunk.is_empty()));
    let tail = stream::unfold(follow.then_some(tail), Follower::step);
    head.chain(tail)
}

/// The lines that are there now and were asked for.
fn window(source: &Source, options: &LogOptions, clock: Clock) -> (u64, u64) {
    let now = clock.now();
    let end = source.count_at(now);
    let mut first = end.saturating_sub(KEPT_LINES);
    let since = options.since_time.or_else(|| {
        let seconds = i64::try_from(options.since_seconds?).ok()?;
        Some(seconds_after(now, -seconds))
    });
    if let Some(since) = since {
        first = first.max(source.count_before(since));
    }
    if let Some(tail) = options.tail_lines {
        first = first.max(end.saturating_sub(tail));
    }
    (first.min(end), end)
}

/// Puts lines into bytes and stops at the limit.
struct Writer {
    timestamps: bool,
    left: Option<u64>,
}

impl Writer {
    /// The lines of a range in chunks of moderate size.
    fn lines(&mut self, source: &Source, range: std::ops::Range<u64>) -> Vec<Bytes> {
        const CHUNK: usize = 16 * 1024;
        let mut chunks = Vec::new();
        let mut chunk = String::new();
        for number in range {
            if self.timestamps {
                chunk.push_str(&format!("{:.9} ", source.written_at(number)));
            }
            chunk.push_str(&source.line(number));
            chunk.push('\n');
            if chunk.len() >= CHUNK {
                chunks.push(self.take(&mut chunk));
            }
            if self.left == Some(0) {
                return chunks;
            }
        }
        chunks.push(self.take(&mut chunk));
        chunks
    }

    fn take(&mut self, text: &mut String) -> Bytes {
        let mut bytes = std::mem::take(text).into_bytes();
        if let Some(left) = &mut self.left {
            bytes.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
            *left -= u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        }
        Bytes::from(bytes)
    }
}

/// A reader that waits for more.
struct Follower {
    source: Source,
    writer: Writer,
    clock: Clock,
    lookup: Lookup,
    next: u64,
}

impl Follower {
    async fn step(this: Option<Self>) -> Option<(Bytes, Option<Self>)> {
        let mut this = this?;
        loop {
            let pod = (this.lookup)();
            let goes_on = this.source.refresh(pod.as_deref());
            let end = this.source.count_at(this.clock.now());
            if end > this.next {
                let chunks = this.writer.lines(&this.source, this.next..end);
                this.next = end;
                let done = !goes_on || this.writer.left == Some(0);
                return Some((Bytes::from(chunks.concat()), (!done).then_some(this)));
            }
            if !goes_on {
                return None;
            }
            let due = until(this.clock.now(), this.source.written_at(this.next));
            // Tokio's timer counts milliseconds: rounding up keeps it from waking too early.
            let wait = due.min(LOOK_AGAIN) + Duration::from_millis(1);
            tokio::time::sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests;
