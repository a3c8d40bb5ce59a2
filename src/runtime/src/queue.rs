//! A work queue of keys: each key at most once in line, never with two workers at a time.
//!
//! A key added while it is being worked on comes back when that work is done. Keys may be added
//! for later, and with a priority; failed keys wait longer each time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use flybridge_base::{Backoff, TokenBucket};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The priority of work found in a first listing or a sweep: behind whatever users just did.
pub const LOW_PRIORITY: i32 = -100;

/// How failed keys wait.
const RETRY: Backoff = Backoff::doubling(Duration::from_millis(5), Duration::from_secs(1000));

/// What a key must be able to do.
pub trait Key: Clone + Ord + std::hash::Hash + Send + Sync + std::fmt::Debug + 'static {}
impl<K: Clone + Ord + std::hash::Hash + Send + Sync + std::fmt::Debug + 'static> Key for K {}

/// A queue; clones share it.
pub struct WorkQueue<K> {
    shared: Arc<Shared<K>>,
}

impl<K> Clone for WorkQueue<K> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

struct Shared<K> {
    state: Mutex<State<K>>,
    wake: Notify,
}

struct State<K> {
    /// Keys in line, by descending priority and then by arrival.
    line: BTreeMap<(std::cmp::Reverse<i32>, u64), K>,
    /// The place of each key in line.
    places: HashMap<K, (std::cmp::Reverse<i32>, u64)>,
    /// Keys being worked on; with a priority if they must come back.
    working: HashMap<K, Option<i32>>,
    /// Keys for later, by time.
    later: BTreeSet<(Instant, u64, K)>,
    /// The time, tie breaker and priority of each key for later.
    due: HashMap<K, (Instant, u64, i32)>,
    failures: HashMap<K, u32>,
    bucket: Option<TokenBucket>,
    arrivals: u64,
    closed: bool,
}

impl<K: Key> Default for WorkQueue<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Key> WorkQueue<K> {
    /// An empty queue.
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(State::new(None)),
                wake: Notify::new(),
            }),
        }
    }

    /// An empty queue whose retries also wait for permits of `bucket`.
    pub fn with_bucket(bucket: TokenBucket) -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(State::new(Some(bucket))),
                wake: Notify::new(),
            }),
        }
    }

    /// Puts a key in line.
    pub fn add(&self, key: K) {
        self.add_with(key, 0);
    }

    /// Puts a key in line with a priority; a key in line already keeps the higher one.
    pub fn add_with(&self, key: K, priority: i32) {
        let added = self.shared.state.lock().add(key, priority);
        if added {
            self.shared.wake.notify_one();
        }
    }

    /// Puts a key in line after `delay`; the earliest of several such times counts.
    pub fn add_after(&self, key: K, delay: Duration) {
        if delay.is_zero() {
            self.add(key);
            return;
        }
        self.shared.state.lock().add_later(key, delay, 0);
        self.shared.wake.notify_one();
    }

    /// Puts a key in line after a wait that doubles with each call until it is forgotten.
    pub fn add_rate_limited(&self, key: K) {
        let delay = {
            let mut state = self.shared.state.lock();
            let count = state.failures.entry(key.clone()).or_insert(0);
            let wait = RETRY.delay(*count);
            *count = count.saturating_add(1);
            let permit = state.bucket.as_mut().map(TokenBucket::reserve);
            wait.max(permit.unwrap_or_default())
        };
        self.add_after(key, delay);
    }

    /// Forgets how often a key failed.
    pub fn forget(&self, key: &K) {
        self.shared.state.lock().failures.remove(key);
    }

    /// How often a key failed since it was last forgotten.
    pub fn failures(&self, key: &K) -> u32 {
        let state = self.shared.state.lock();
        state.failures.get(key).copied().unwrap_or_default()
    }

    /// Takes the next key, waiting for one; nothing once the queue is closed and empty.
    ///
    /// Each key taken must be given back with [`done`](Self::done).
    pub async fn take(&self) -> Option<K> {
        loop {
            let wake = self.shared.wake.notified();
            let next_due = {
                let mut state = self.shared.state.lock();
                state.admit_due();
                if let Some(key) = state.take() {
                    if !state.line.is_empty() {
                        self.shared.wake.notify_one();
                    }
                    return Some(key);
                }
                if state.closed {
                    self.shared.wake.notify_one();
                    return None;
                }
                state.later.first().map(|(at, _, _)| *at)
            };
            match next_due {
                Some(at) => tokio::select! {
                    biased;
                    () = wake => {}
                    () = tokio::time::sleep_until(at) => {}
                },
                None => wake.await,
            }
        }
    }

    /// Gives a key back; it goes in line again if it was added meanwhile.
    pub fn done(&self, key: &K) {
        let again = self.shared.state.lock().done(key);
        if again {
            self.shared.wake.notify_one();
        }
    }

    /// How many keys are in line.
    pub fn len(&self) -> usize {
        self.shared.state.lock().line.len()
    }

    /// Whether no key is in line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether nothing is in line and nothing is being worked on; keys for later do not count.
    pub fn is_idle(&self) -> bool {
        let state = self.shared.state.lock();
        state.line.is_empty() && state.working.is_empty()
    }

    /// Takes no more keys; those in line are still handed out.
    pub fn close(&self) {
        self.shared.state.lock().closed = true;
        self.shared.wake.notify_waiters();
        self.shared.wake.notify_one();
    }
}

impl<K: Key> State<K> {
    fn new(bucket: Option<TokenBucket>) -> Self {
        Self {
            line: BTreeMap::new(),
            places: HashMap::new(),
            working: HashMap::new(),
            later: BTreeSet::new(),
            due: HashMap::new(),
            failures: HashMap::new(),
            bucket,
            arrivals: 0,
            closed: false,
        }
    }

    /// Returns whether the line grew.
    fn add(&mut self, key: K, priority: i32) -> bool {
        if self.closed {
            return false;
        }
        if let Some(again) = self.working.get_mut(&key) {
            *again = Some(again.map_or(priority, |have| have.max(priority)));
            return false;
        }
        if let Some(place) = self.places.get(&key).copied() {
            if place.0.0 >= priority {
                return false;
            }
            self.line.remove(&place);
        }
        self.arrivals += 1;
        let place = (std::cmp::Reverse(priority), self.arrivals);
        self.places.insert(key.clone(), place);
        self.line.insert(place, key);
        true
    }

    fn add_later(&mut self, key: K, delay: Duration, priority: i32) {
        if self.closed {
            return;
        }
        let at = Instant::now() + delay;
        if let Some((known, tie, have)) = self.due.get(&key).copied() {
            if known <= at {
                return;
            }
            self.later.remove(&(known, tie, key.clone()));
            self.due.insert(key.clone(), (at, tie, have.max(priority)));
            self.later.insert((at, tie, key));
            return;
        }
        self.arrivals += 1;
        self.due.insert(key.clone(), (at, self.arrivals, priority));
        self.later.insert((at, self.arrivals, key));
    }

    fn admit_due(&mut self) {
        let now = Instant::now();
        while let Some((at, _, _)) = self.later.first()
            && *at <= now
        {
            if let Some((_, _, key)) = self.later.pop_first() {
                let priority = self.due.remove(&key).map_or(0, |(_, _, priority)| priority);
                self.add(key, priority);
            }
        }
    }

    fn take(&mut self) -> Option<K> {
        let (_, key) = self.line.pop_first()?;
        self.places.remove(&key);
        self.working.insert(key.clone(), None);
        Some(key)
    }

    /// Returns whether the line grew.
    fn done(&mut self, key: &K) -> bool {
        match self.working.remove(key) {
            Some(Some(priority)) => self.add(key.clone(), priority),
            Some(None) | None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_key_is_in_line_once_and_never_worked_on_twice_at_a_time() {
        let queue = WorkQueue::new();
        queue.add("a");
        queue.add("a");
        assert_eq!(queue.take().await, Some("a"));
        queue.add("a");
        assert!(queue.is_empty(), "it is being worked on");
        queue.done(&"a");
        assert_eq!(queue.take().await, Some("a"));
        queue.done(&"a");
        assert!(queue.is_idle());
    }

    #[tokio::test(start_paused = true)]
    async fn priorities_order_the_line_and_may_rise() {
        let queue = WorkQueue::new();
        queue.add_with("sweep", LOW_PRIORITY);
        queue.add_with("late riser", LOW_PRIORITY);
        queue.add("user");
        queue.add("late riser");
        assert_eq!(queue.take().await, Some("user"));
        assert_eq!(queue.take().await, Some("late riser"));
        assert_eq!(queue.take().await, Some("sweep"));
    }

    #[tokio::test(start_paused = true)]
    async fn failures_wait_longer_until_forgotten() {
        let queue = WorkQueue::new();
        let began = Instant::now();
        for expected in [5, 15, 35] {
            queue.add_rate_limited("a");
            let key = queue.take().await.unwrap();
            queue.done(&key);
            assert_eq!(began.elapsed(), Duration::from_millis(expected));
        }
        assert_eq!(queue.failures(&"a"), 3);
        queue.forget(&"a");
        assert_eq!(queue.failures(&"a"), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn the_earliest_of_several_delays_counts() {
        let queue = WorkQueue::new();
        let began = Instant::now();
        queue.add_after("a", Duration::from_secs(9));
        queue.add_after("a", Duration::from_secs(2));
        queue.add_after("a", Duration::from_secs(5));
        assert_eq!(queue.take().await, Some("a"));
        assert_eq!(began.elapsed(), Duration::from_secs(2));
        queue.done(&"a");
        queue.close();
        assert_eq!(queue.take().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn retries_wait_for_permits() {
        let queue = WorkQueue::with_bucket(TokenBucket::new(1.0, 1));
        let began = Instant::now();
        queue.add_rate_limited("a");
        queue.add_rate_limited("b");
        assert_eq!(queue.take().await, Some("a"));
        assert_eq!(queue.take().await, Some("b"));
        assert_eq!(began.elapsed(), Duration::from_secs(1));
    }
}
