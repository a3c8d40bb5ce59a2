//! The only door to the scheduler: named tasks that are joined at shutdown.
//!
//! A task gets the [`Shutdown`] it must obey. A panic in a task is logged and does not take the
//! process with it.

use std::cell::Cell;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::TaskTracker;

/// A signal that work must stop; clones share it and children stop with their parent.
#[derive(Clone, Debug, Default)]
pub struct Shutdown(CancellationToken);

impl Shutdown {
    /// A signal that has not been given.
    pub fn new() -> Self {
        Self::default()
    }

    /// A signal that is given with this one or on its own.
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }

    /// Gives the signal. Idempotent.
    pub fn trigger(&self) {
        self.0.cancel();
    }

    /// Whether the signal has been given.
    pub fn is_triggered(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Resolves once the signal is given. Cancel safe.
    pub fn wait(&self) -> WaitForCancellationFutureOwned {
        self.0.clone().cancelled_owned()
    }

    /// Runs `future` until it ends or the signal is given; `None` if the signal came first.
    pub async fn race<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.0.cancelled() => None,
            value = future => Some(value),
        }
    }
}

/// A group of named tasks with one shutdown signal.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    tracker: TaskTracker,
    shutdown: Shutdown,
}

impl Tasks {
    /// An empty group with its own signal.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty group whose signal is a child of `shutdown`.
    pub fn under(shutdown: &Shutdown) -> Self {
        Self {
            tracker: TaskTracker::new(),
            shutdown: shutdown.child(),
        }
    }

    /// The signal of this group.
    pub fn shutdown(&self) -> &Shutdown {
        &self.shutdown
    }

    /// Starts a task. It ends by itself or when it sees the shutdown signal; a panic is logged.
    pub fn spawn<F>(&self, name: &'static str, future: F) -> JoinHandle<Option<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.tracker.spawn(async move {
            let outcome = Guarded(Box::pin(future)).await;
            if outcome.is_none() {
                tracing::error!(task = name, "task panicked");
            }
            outcome
        })
    }

    /// Starts a task that is dropped at its next await point when the signal is given.
    pub fn spawn_until_shutdown<F>(&self, name: &'static str, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let shutdown = self.shutdown.clone();
        self.spawn(name, async move {
            shutdown.race(future).await;
        });
    }

    /// Gives the signal and waits for every task to end, at most `limit`.
    ///
    /// Returns whether all ended in time.
    pub async fn stop(&self, limit: Duration) -> bool {
        self.shutdown.trigger();
        self.tracker.close();
        tokio::time::timeout(limit, self.tracker.wait())
            .await
            .is_ok()
    }
}

thread_local! {
    /// Whether what runs on this thread is a task of a group.
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread now would end one task and not the process.
///
/// Panic hooks ask: only what ends the process may give the terminal back.
pub fn panic_is_contained() -> bool {
    CONTAINED.get()
}

/// Turns a panic of the inner future into `None`.
struct Guarded<T>(Pin<Box<dyn Future<Output = T> + Send>>);

impl<T> Future for Guarded<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outer = CONTAINED.replace(true);
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(cx)));
        CONTAINED.set(outer);
        match polled {
            Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(_panic) => Poll::Ready(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stop_joins_tasks_and_survives_a_panic() {
        let tasks = Tasks::new();
        let shutdown = tasks.shutdown().clone();
        let obedient = tasks.spawn("obedient", async move { shutdown.wait().await });
        let bad = tasks.spawn("bad", async { panic!("on purpose") });
        assert!(tasks.stop(Duration::from_secs(5)).await);
        assert_eq!(obedient.await.unwrap(), Some(()));
        let outcome: Option<()> = bad.await.unwrap();
        assert_eq!(outcome, None);
    }

    #[tokio::test]
    async fn panics_of_tasks_are_contained() {
        let tasks = Tasks::new();
        let inside = tasks.spawn("asks", async { panic_is_contained() });
        assert_eq!(inside.await.unwrap(), Some(true));
        assert!(!panic_is_contained());
    }

    #[tokio::test(start_paused = true)]
    async fn stop_gives_up_after_the_limit() {
        let tasks = Tasks::new();
        tasks.spawn("deaf", std::future::pending::<()>());
        assert!(!tasks.stop(Duration::from_secs(1)).await);
    }

    #[tokio::test]
    async fn children_stop_with_their_parent_only() {
        let parent = Shutdown::new();
        let child = parent.child();
        child.trigger();
        assert!(child.is_triggered() && !parent.is_triggered());
        let other = parent.child();
        parent.trigger();
        assert!(other.is_triggered());
    }
}
