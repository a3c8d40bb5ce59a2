//! One writer thread with group commit: everything queued is written with one sync, then published,
//! then answered. After a failed write the writer refuses all later ones.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use futures::future::{BoxFuture, FutureExt};
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};

use crate::disk::Disk;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::ops::{Committed, Op};
use crate::record::Event;
use crate::shared::Shared;

/// Commits waiting for the writer; callers beyond that wait for a place.
const QUEUE: usize = 1024;
/// Commits written with one sync.
const GROUP: usize = 512;

type Answer = oneshot::Sender<Result<Committed>>;

#[derive(Debug)]
struct Request {
    ops: Vec<Op>,
    answer: Answer,
}

#[derive(Debug)]
pub(crate) struct Durable {
    path: PathBuf,
    queue: Mutex<Option<mpsc::Sender<Request>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Becomes true once the file is closed; its sender goes away if the writer panics.
    ended: watch::Receiver<bool>,
}

impl Durable {
    pub(crate) fn start(
        path: PathBuf,
        shared: Arc<Shared>,
        disk: Disk,
    ) -> Result<Self, std::io::Error> {
        let (queue, requests) = mpsc::channel(QUEUE);
        let (end, ended) = watch::channel(false);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || {
                Writer {
                    shared,
                    disk,
                    poisoned: None,
                }
                .run(requests);
                end.send_replace(true);
            })?;
        let (queue, thread) = (Mutex::new(Some(queue)), Mutex::new(Some(thread)));
        Ok(Self {
            path,
            queue,
            thread,
            ended,
        })
    }

    async fn submit(&self, ops: Vec<Op>) -> Result<Committed> {
        let queue = self.queue.lock().clone().ok_or_else(closed)?;
        let (answer, answered) = oneshot::channel();
        queue
            .send(Request { ops, answer })
            .await
            .map_err(|_refused| closed())?;
        drop(queue);
        answered.await.unwrap_or_else(|_dropped| Err(closed()))
    }

    fn stop_taking(&self) {
        drop(self.queue.lock().take());
    }

    fn join(&self) {
        let thread = self.thread.lock().take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the store's writer panicked");
        }
    }
}

impl Engine for Durable {
    fn commit(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Committed>> {
        self.submit(ops).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.stop_taking();
        async move {
            let mut ended = self.ended.clone();
            // An error means that the writer panicked, which joining reports.
            let _panicked = ended.wait_for(|ended| *ended).await.is_err();
            self.join();
        }
        .boxed()
    }

    fn file_bytes(&self) -> u64 {
        Disk::file_bytes(&self.path)
    }
}

impl Drop for Durable {
    /// Waits for the writer, so that whoever drops the last handle can open the file again.
    fn drop(&mut self) {
        self.stop_taking();
        self.join();
    }
}

fn closed() -> Error {
    Error::Unavailable {
        reason: "the store is closed".to_owned(),
    }
}

struct Writer {
    shared: Arc<Shared>,
    disk: Disk,
    poisoned: Option<String>,
}

impl Writer {
    fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut group = Vec::with_capacity(GROUP);
        while requests.blocking_recv_many(&mut group, GROUP) > 0 {
            self.write(group.drain(..));
        }
        if let Err(error) = self.disk.close() {
            tracing::warn!(error = %flybridge_base::report(&error), "the store closed badly");
        }
    }

    fn write(&mut self, group: impl Iterator<Item = Request>) {
        let mut roots = self.shared.snapshot();
        let mut events: Vec<Arc<Event>> = Vec::new();
        let mut answers: Vec<(Answer, Result<Committed>)> = Vec::new();
        for request in group {
            let outcome = match &self.poisoned {
                Some(reason) => Err(Error::Unavailable {
                    reason: reason.clone(),
                }),
                None => roots.apply(request.ops).map(|changed| {
                    events.extend(changed.iter().map(Arc::clone));
                    Committed {
                        revision: roots.revision(),
                        events: changed,
                    }
                }),
            };
            answers.push((request.answer, outcome));
        }
        if !events.is_empty() {
            let compacted = self.shared.compacted();
            match self.disk.write(&events, roots.revision(), compacted) {
                Ok(()) => self.shared.publish(roots, &events),
                Err(error) => self.poison(&error, &mut answers),
            }
        }
        for (answer, outcome) in answers {
            if answer.send(outcome).is_err() {
                tracing::trace!("a caller went away before its commit was answered");
            }
        }
    }

    /// Refuses this group and everything after it: a sync that failed once may have lost pages
    /// silently, so trying again would prove nothing. Conflicts are refused too, as they may have
    /// been found against writes of the same group.
    fn poison(&mut self, error: &Error, answers: &mut [(Answer, Result<Committed>)]) {
        let reason = flybridge_base::report(error);
        tracing::error!(%reason, "the store failed to write and refuses further writes");
        for (_, outcome) in answers {
            *outcome = Err(Error::Unavailable {
                reason: reason.clone(),
            });
        }
        self.poisoned = Some(reason);
    }
}

#[cfg(test)]
mod tests;
