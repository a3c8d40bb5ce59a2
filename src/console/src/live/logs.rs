//! A pod's log as a stream of lines, begun again where it was cut.

use std::future::Future;
use std::time::Duration;

use flybridge_base::{Backoff, Clock};
use flybridge_ui::log::LogLine;
use flybridge_ui::text::clean_line;
use futures::io::{AsyncBufRead, AsyncBufReadExt};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use kube::api::LogParams;
use kube::{Api, Client};

use super::errors::words;
use crate::effect::{LogRequest, Since, TAIL_LINES};
use crate::event::TaskResult;

/// Bytes of a line that are kept; the rest of a longer line is let go.
const LINE: usize = 16 << 10;

/// Streams a log until it ends or nobody listens.
pub(super) async fn stream<S, W>(client: Client, request: LogRequest, clock: Clock, send: S)
where
    S: Fn(TaskResult) -> W,
    W: Future<Output = bool>,
{
    let api: Api<Pod> = Api::namespaced(client, &request.namespace);
    let backoff = Backoff::doubling(Duration::from_millis(500), Duration::from_secs(15));
    let mut last: Option<Timestamp> = None;
    let mut attempt = 0;
    loop {
        let params = params(&request, last);
        let error = match api.log_stream(&request.pod, &params).await {
            Ok(reader) => {
                let mut reader = std::pin::pin!(reader);
                let before = last;
                let ended = forward(&mut reader, &mut last, &send).await;
                if last != before {
                    attempt = 0;
                }
                match ended {
                    // An empty log is a log.
                    Ok(true) => {
                        send(TaskResult::LogEnd(None)).await;
                        return;
                    }
                    Ok(false) => return,
                    Err(error) => error.to_string(),
                }
            }
            Err(error) => {
                let gone = matches!(&error, kube::Error::Api(s) if (400..500).contains(&s.code));
                let error = words(&error);
                if last.is_none() || gone {
                    send(TaskResult::LogEnd(Some(error))).await;
                    return;
                }
                error
            }
        };
        let delay = backoff.delay(attempt);
        attempt += 1;
        let text = format!(
            "{} stream cut ({error}); beginning again in {:.1} s",
            clock.now().strftime("%H:%M:%S"),
            delay.as_secs_f32()
        );
        if !send(TaskResult::LogLines(vec![LogLine::marker(text)])).await {
            return;
        }
        tokio::time::sleep(delay).await;
    }
}

fn params(request: &LogRequest, last: Option<Timestamp>) -> LogParams {
    let mut params = LogParams {
        container: (!request.container.is_empty()).then(|| request.container.clone()),
        follow: !request.previous,
        previous: request.previous,
        timestamps: true,
        ..LogParams::default()
    };
    match (last, request.since) {
        (Some(last), _) => params.since_time = Some(last),
        (None, Since::Tail) => params.tail_lines = Some(TAIL_LINES),
        (None, Since::Seconds(seconds)) => params.since_seconds = Some(seconds),
        (None, Since::All) => {}
    }
    params
}

/// Forwards lines as they come, a chunk at a time. True at the end, false if nobody listens.
async fn forward<S, W>(
    reader: &mut (impl AsyncBufRead + Unpin),
    last: &mut Option<Timestamp>,
    send: &S,
) -> std::io::Result<bool>
where
    S: Fn(TaskResult) -> W,
    W: Future<Output = bool>,
{
    let begun_at = *last;
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let chunk = reader.fill_buf().await?;
        if chunk.is_empty() {
            let rest = std::mem::take(&mut pending);
            let lines: Vec<LogLine> = if rest.is_empty() {
                Vec::new()
            } else {
                vec![line(&rest, last)]
            };
            return Ok(send(TaskResult::LogLines(lines)).await);
        }
        let taken = chunk.len();
        let mut lines = Vec::new();
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE.saturating_sub(pending.len());
            pending.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let raw = std::mem::take(&mut pending);
                let line = line(&raw, last);
                // sinceTime has whole seconds, so the first lines after a cut come twice.
                if begun_at.is_none_or(|at| last.is_none_or(|now| now > at)) {
                    lines.push(line);
                }
            }
        }
        reader.consume_unpin(taken);
        if !lines.is_empty() && !send(TaskResult::LogLines(lines)).await {
            return Ok(false);
        }
    }
}

/// A line with its time cut off the front.
fn line(raw: &[u8], last: &mut Option<Timestamp>) -> LogLine {
    let text = String::from_utf8_lossy(raw);
    let text = text.trim_end_matches(['\n', '\r']);
    if let Some((stamp, rest)) = text.split_once(' ')
        && let Ok(at) = stamp.parse::<Timestamp>()
    {
        *last = Some(at);
        let time = at.strftime("%H:%M:%S%.3f").to_string();
        return LogLine::new(time, clean_line(rest, 8));
    }
    LogLine::new(String::new(), clean_line(text, 8))
}

#[cfg(test)]
mod tests {
    use flybridge_ui::Role;
    use futures::io::Cursor;
    use parking_lot::Mutex;

    use super::*;

    async fn forwarded(bytes: &[u8], last: &mut Option<Timestamp>) -> Vec<LogLine> {
        let sent = Mutex::new(Vec::new());
        let send = |result| {
            if let TaskResult::LogLines(lines) = result {
                sent.lock().extend(lines);
            }
            async { true }
        };
        assert!(forward(&mut Cursor::new(bytes), last, &send).await.unwrap());
        sent.into_inner()
    }

    #[tokio::test]
    async fn lines_lose_their_time_and_their_escapes() {
        let mut last = None;
        let log = b"2026-01-01T10:00:00.123456789Z ERROR \x1b[31mbad\x1b[0m\nno time\ncut";
        let lines = forwarded(log, &mut last).await;
        assert_eq!(lines[0].time, "10:00:00.123");
        assert_eq!(lines[0].text, "ERROR \u{241b}[31mbad\u{241b}[0m");
        assert_eq!(lines[0].role, Role::LogError);
        assert_eq!(lines[1].text, "no time");
        assert_eq!(lines[2].text, "cut");
        assert_eq!(last.unwrap().to_string(), "2026-01-01T10:00:00.123456789Z");
    }

    #[tokio::test]
    async fn lines_seen_before_the_cut_do_not_come_twice() {
        let mut last = Some("2026-01-01T10:00:00.5Z".parse().unwrap());
        let log =
            b"2026-01-01T10:00:00.4Z old\n2026-01-01T10:00:00.5Z old\n2026-01-01T10:00:00.6Z new\n";
        let lines = forwarded(log, &mut last).await;
        assert_eq!(
            lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(),
            ["new"]
        );
    }

    #[tokio::test]
    async fn endless_lines_are_bounded() {
        let mut log = vec![b'x'; LINE * 3];
        log.push(b'\n');
        let lines = forwarded(&log, &mut None).await;
        assert_eq!((lines.len(), lines[0].text.len()), (1, LINE));
    }
}
