//! One writer thread with group commit: everything queued is written with one sync, then published,
//! then answered. After a failed write the writer refuses all later ones.

use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::ops::{Committed, Op};
use crate::record::Event;
use crate::shared::Shared;

/// Commits waiting for the writer; callers beyond that wait for a place.
const QUEUE: usize = 1024;
/// Commits written with one sync.
const GROUP: usize = 512;

type Answer = oneshot::Sender<Result<Committed>>;

struct Request {
    ops: Vec<Op>,
    answer: Answer,
}

#[derive(Debug)]
pub(crate) struct Durable {
    queue: Mutex<Option<mpsc::SyncSender<Request>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Durable {
    pub(crate) fn start(shared: Arc<Shared>, disk: Disk) -> std::io::Result<Self> {
        let (queue, requests) = mpsc::sync_channel(QUEUE);
        let writer = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || Writer { shared, disk, poisoned: None }.run(&requests))?;
        Ok(Self { queue: Mutex::new(Some(queue)), writer: Mutex::new(Some(writer)) })
    }

    pub(crate) async fn commit(&self, ops: Vec<Op>) -> Result<Committed> {
        let (answer, answered) = oneshot::channel();
        let queue = self.queue.lock().clone();
        let Some(queue) = queue else { return Err(closed()) };
        let mut request = Request { ops, answer };
        loop {
            match queue.try_send(request) {
                Ok(()) => break,
                Err(mpsc::TrySendError::Full(back)) => {
                    request = back;
                    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                }
                Err(mpsc::TrySendError::Disconnected(_)) => return Err(closed()),
            }
        }
        drop(queue);
        answered.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Stops taking commits and waits until those taken are written.
    pub(crate) async fn close(&self) {
        drop(self.queue.lock().take());
        let writer = self.writer.lock().take();
        if let Some(writer) = writer {
            let joined = tokio::task::spawn_blocking(move || writer.join().is_ok()).await;
            if !matches!(joined, Ok(true)) {
                tracing::error!("the store's writer panicked");
            }
        }
    }
}

fn closed() -> Error {
    Error::Unavailable { reason: "the store is closed".to_owned() }
}

struct Writer {
    shared: Arc<Shared>,
    disk: Disk,
    poisoned: Option<String>,
}

impl Writer {
    fn run(mut self, requests: &mpsc::Receiver<Request>) {
        while let Ok(first) = requests.recv() {
            let mut group = vec![first];
            while group.len() < GROUP {
                match requests.try_recv() {
                    Ok(request) => group.push(request),
                    Err(_) => break,
                }
            }
            self.write(group);
        }
    }

    fn write(&mut self, group: Vec<Request>) {
        let mut roots = self.shared.snapshot();
        let mut all: Vec<Arc<Event>> = Vec::new();
        let mut answers: Vec<(Answer, Result<Committed>)> = Vec::with_capacity(group.len());
        for request in group {
            let outcome = match &self.poisoned {
                Some(reason) => Err(Error::Unavailable { reason: reason.clone() }),
                None => roots.apply(request.ops).map(|events| {
                    all.extend(events.iter().map(Arc::clone));
                    Committed { revision: roots.revision(), events }
                }),
            };
            answers.push((request.answer, outcome));
        }
        if !all.is_empty() {
            match self.disk.write(&all, roots.revision()) {
                Ok(()) => self.shared.publish(roots, &all),
                Err(error) => {
                    // A sync that failed once may have lost pages silently: never try again.
                    let reason = flybridge_base::report(&error);
                    tracing::error!(%reason, "the store failed to write and refuses further writes");
                    for (_, outcome) in &mut answers {
                        if outcome.is_ok() {
                            *outcome = Err(Error::Unavailable { reason: reason.clone() });
                        }
                    }
                    self.poisoned = Some(reason);
                }
            }
        }
        for (answer, outcome) in answers {
            if answer.send(outcome).is_err() {
                tracing::trace!("a caller went away before its commit was answered");
            }
        }
    }
}
