//! A token bucket on tokio time; it computes delays and never waits.

use std::time::Duration;

use tokio::time::Instant;

/// Grants `rate` permits a second on average and up to `burst` at once.
///
/// A permit may be taken before it exists: the caller is told how long to wait for it.
#[derive(Clone, Debug)]
pub struct TokenBucket {
    rate: f64,
    burst: f64,
    tokens: f64,
    last: Instant,
}

impl TokenBucket {
    /// A full bucket. `rate` is permits a second and must be above 0.
    pub fn new(rate: f64, burst: u32) -> Self {
        let burst = f64::from(burst.max(1));
        Self {
            rate: rate.max(f64::MIN_POSITIVE),
            burst,
            tokens: burst,
            last: Instant::now(),
        }
    }

    /// Takes one permit and returns how long from now it becomes valid; zero means at once.
    pub fn reserve(&mut self) -> Duration {
        let now = Instant::now();
        let earned = now.duration_since(self.last).as_secs_f64() * self.rate;
        self.tokens = (self.tokens + earned).min(self.burst) - 1.0;
        self.last = now;
        if self.tokens >= 0.0 {
            Duration::ZERO
        } else {
            Duration::try_from_secs_f64(-self.tokens / self.rate).unwrap_or(Duration::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn spends_the_burst_then_queues() {
        let mut bucket = TokenBucket::new(10.0, 2);
        assert_eq!(bucket.reserve(), Duration::ZERO);
        assert_eq!(bucket.reserve(), Duration::ZERO);
        assert_eq!(bucket.reserve(), Duration::from_millis(100));
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(bucket.reserve(), Duration::ZERO);
    }
}
