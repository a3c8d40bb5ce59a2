//! Wall-clock time derived from tokio's monotonic clock, so that pausing tokio pauses the wall too.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

/// A wall clock that advances with tokio time.
///
/// Cheap to copy. All copies of one clock agree. Under paused tokio time it stands still until
/// the runtime advances.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Timestamp,
    start: Instant,
}

impl Clock {
    /// A clock that shows the machine's time.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the machine's clock"
    )]
    pub fn system() -> Self {
        Self {
            origin: Timestamp::now(),
            start: Instant::now(),
        }
    }

    /// A clock that shows `origin` now and advances with tokio time; for tests and simulations.
    pub fn starting_at(origin: Timestamp) -> Self {
        Self {
            origin,
            start: Instant::now(),
        }
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        let elapsed = self.start.elapsed();
        self.origin.checked_add(elapsed).unwrap_or(self.origin)
    }

    /// How long ago `then` was; zero if it lies in the future.
    pub fn since(&self, then: Timestamp) -> Duration {
        self.now()
            .duration_since(then)
            .try_into()
            .unwrap_or_default()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn advances_with_tokio_time() {
        let origin: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let clock = Clock::starting_at(origin);
        assert_eq!(clock.now(), origin);
        tokio::time::sleep(Duration::from_secs(90)).await;
        assert_eq!(clock.since(origin), Duration::from_secs(90));
        assert_eq!(clock.now().to_string(), "2026-01-01T00:01:30Z");
    }

    #[tokio::test(start_paused = true)]
    async fn future_instants_are_zero_ago() {
        let clock = Clock::starting_at("2026-01-01T00:00:00Z".parse().unwrap());
        let later: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
        assert_eq!(clock.since(later), Duration::ZERO);
    }
}
