//! The member's one work queue and its one set of timers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tokio::time::Instant;

use crate::object::Key;

/// Keys in the order in which they were added, each once; and keys that wait for their time.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    order: VecDeque<Key>,
    present: BTreeSet<Key>,
    timers: BTreeMap<Instant, BTreeSet<Key>>,
    due: BTreeMap<Key, Instant>,
}

impl Queue {
    /// Adds a key unless it is there already.
    pub(crate) fn add(&mut self, key: Key) {
        if self.present.insert(key.clone()) {
            self.order.push_back(key);
        }
    }

    /// Adds a key once `at` is reached, or at the earlier instant asked for before.
    pub(crate) fn add_at(&mut self, key: Key, at: Instant) {
        if let Some(before) = self.due.get(&key).copied() {
            if before <= at {
                return;
            }
            self.cancel(&key);
        }
        self.due.insert(key.clone(), at);
        self.timers.entry(at).or_default().insert(key);
    }

    /// Takes the next key; its timer, if any, is void.
    pub(crate) fn pop(&mut self) -> Option<Key> {
        let key = self.order.pop_front()?;
        self.present.remove(&key);
        self.cancel(&key);
        Some(key)
    }

    /// Moves the keys whose time has come into the queue.
    pub(crate) fn expire(&mut self, now: Instant) {
        while let Some(entry) = self.timers.first_entry()
            && *entry.key() <= now
        {
            for key in entry.remove() {
                self.due.remove(&key);
                self.add(key);
            }
        }
    }

    /// When the next timer is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.timers.keys().next().copied()
    }

    fn cancel(&mut self, key: &Key) {
        let Some(at) = self.due.remove(key) else {
            return;
        };
        if let Some(keys) = self.timers.get_mut(&at) {
            keys.remove(key);
            if keys.is_empty() {
                self.timers.remove(&at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::object::{Kind, Name};

    fn key(name: &str) -> Key {
        Key::new(Kind::Pod, Name::new("default", name))
    }

    #[tokio::test(start_paused = true)]
    async fn keeps_order_and_holds_each_key_once() {
        let mut queue = Queue::default();
        for name in ["b", "a", "b"] {
            queue.add(key(name));
        }
        assert_eq!(queue.pop(), Some(key("b")));
        assert_eq!(queue.pop(), Some(key("a")));
        assert_eq!(queue.pop(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_earlier_of_two_timers_counts_and_work_voids_it() {
        let mut queue = Queue::default();
        let now = Instant::now();
        let second = Duration::from_secs(1);
        queue.add_at(key("a"), now + second * 5);
        queue.add_at(key("a"), now + second);
        queue.add_at(key("a"), now + second * 9);
        assert_eq!(queue.next(), Some(now + second));
        queue.expire(now + second);
        assert_eq!((queue.pop(), queue.next()), (Some(key("a")), None));
        queue.add_at(key("b"), now + second);
        queue.add(key("b"));
        queue.pop();
        assert_eq!(queue.next(), None);
    }
}
