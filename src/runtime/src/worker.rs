//! Workers that take keys from a queue and reconcile them, each behind a panic boundary.

use std::fmt::Display;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use flybridge_base::Tasks;
use futures::FutureExt;

use crate::WorkQueue;
use crate::queue::Key;

/// What to do with a key that was reconciled without a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing until it changes again.
    Done,
    /// Look again after this time.
    After(Duration),
    /// Look again after a wait that grows each time, though nothing failed.
    Backoff,
}

/// Starts `count` workers named `name` on `queue`.
///
/// A failure or panic puts the key back with back-off; a success forgets its failures. Workers
/// end at shutdown, at the next await point of the reconcile.
pub fn run_workers<K, F, R, E>(
    tasks: &Tasks,
    name: &'static str,
    queue: &WorkQueue<K>,
    count: usize,
    reconcile: F,
) where
    K: Key,
    F: Fn(K) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Action, E>> + Send + 'static,
    E: Display + Send + 'static,
{
    let reconcile = Arc::new(reconcile);
    for _ in 0..count {
        let queue = queue.clone();
        let reconcile = Arc::clone(&reconcile);
        tasks.spawn_until_shutdown(name, async move {
            while let Some(key) = queue.take().await {
                let work = Box::pin(AssertUnwindSafe(reconcile(key.clone())).catch_unwind());
                settle(name, &queue, &key, work.await);
                queue.done(&key);
            }
        });
    }
}

type Outcome<E> = Result<Result<Action, E>, Box<dyn std::any::Any + Send>>;

fn settle<K: Key, E: Display>(name: &str, queue: &WorkQueue<K>, key: &K, outcome: Outcome<E>) {
    match outcome {
        Ok(Ok(Action::Done)) => queue.forget(key),
        Ok(Ok(Action::After(delay))) => {
            queue.forget(key);
            queue.add_after(key.clone(), delay);
        }
        Ok(Ok(Action::Backoff)) => queue.add_rate_limited(key.clone()),
        Ok(Err(error)) => {
            let failures = queue.failures(key);
            tracing::debug!(controller = name, ?key, failures, %error, "reconcile failed");
            queue.add_rate_limited(key.clone());
        }
        Err(_panic) => {
            tracing::error!(controller = name, ?key, "reconcile panicked");
            queue.add_rate_limited(key.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn failures_and_panics_are_retried_and_a_success_ends_it() {
        let tasks = Tasks::new();
        let queue = WorkQueue::new();
        let tries = Arc::new(AtomicU32::new(0));
        let (done, mut reached) = tokio::sync::mpsc::channel(1);
        let counter = Arc::clone(&tries);
        run_workers(&tasks, "test", &queue, 2, move |key: &'static str| {
            let (counter, done) = (Arc::clone(&counter), done.clone());
            async move {
                match counter.fetch_add(1, Ordering::SeqCst) {
                    0 => Err("not yet"),
                    1 => panic!("on purpose"),
                    _ => {
                        done.send(key).await.unwrap();
                        Ok(Action::Done)
                    }
                }
            }
        });
        queue.add("a");
        assert_eq!(reached.recv().await, Some("a"));
        assert_eq!(tries.load(Ordering::SeqCst), 3);
        assert!(tasks.stop(Duration::from_secs(1)).await);
        assert_eq!(queue.failures(&"a"), 0);
    }
}
