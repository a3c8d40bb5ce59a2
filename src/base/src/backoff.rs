//! Exponential back-off arithmetic; it computes delays and never waits.

use std::time::Duration;

/// Delays that grow by a factor from `base` up to `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The first delay.
    pub base: Duration,
    /// No delay is longer.
    pub max: Duration,
    /// What each delay is multiplied by to get the next; 1.0 keeps it constant.
    pub factor: f64,
}

impl Backoff {
    /// Doubling delays from `base` to `max`.
    pub const fn doubling(base: Duration, max: Duration) -> Self {
        Self {
            base,
            max,
            factor: 2.0,
        }
    }

    /// The delay before retry number `attempt`, counted from 0.
    pub fn delay(&self, attempt: u32) -> Duration {
        let exponent = i32::try_from(attempt).unwrap_or(i32::MAX);
        let secs = self.base.as_secs_f64() * self.factor.powi(exponent);
        if secs.is_finite() && secs < self.max.as_secs_f64() {
            Duration::from_secs_f64(secs)
        } else {
            self.max
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_and_saturates() {
        let b = Backoff::doubling(Duration::from_millis(5), Duration::from_secs(1000));
        assert_eq!(b.delay(0), Duration::from_millis(5));
        assert_eq!(b.delay(3), Duration::from_millis(40));
        assert_eq!(b.delay(u32::MAX), Duration::from_secs(1000));
    }
}
