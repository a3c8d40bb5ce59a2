//! Whether a member counts as ready: what was observed, held back until it lasts.

use std::time::Duration;

use tokio::time::Instant;

use crate::Options;

/// What one look at a member found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Whether it is ready.
    ready: bool,
    /// The reason of the Ready condition.
    pub reason: &'static str,
    /// Its message.
    pub message: String,
}

impl Observation {
    /// It says it is ready.
    pub fn ready() -> Self {
        Self {
            ready: true,
            reason: "ClusterReady",
            message: "cluster is healthy and ready to accept workloads".to_owned(),
        }
    }

    /// It answers, but does not say it is ready.
    pub fn not_ready() -> Self {
        Self {
            ready: false,
            reason: "ClusterNotReady",
            message: "cluster is reachable but health endpoint responded without ok".to_owned(),
        }
    }

    /// It does not answer.
    pub fn unreachable() -> Self {
        Self {
            ready: false,
            reason: "ClusterNotReachable",
            message: "cluster is not reachable".to_owned(),
        }
    }

    /// There is no way to ask it.
    pub fn no_client(message: String) -> Self {
        Self {
            ready: false,
            reason: "StatusCollectionFailed",
            message,
        }
    }

    /// Whether it is ready.
    pub const fn is_ready(&self) -> bool {
        self.ready
    }
}

/// Remembers since when a member has been observed as it is.
#[derive(Debug, Default)]
pub struct Readiness {
    since: Option<(bool, Instant)>,
}

impl Readiness {
    /// Whether the member counts as ready now; `current` is the status of its Ready condition.
    ///
    /// The first observation counts at once; later a change counts once it has lasted as long as
    /// the threshold of its direction.
    pub fn judge(
        &mut self,
        observation: &Observation,
        current: Option<&str>,
        options: &Options,
    ) -> bool {
        let now = Instant::now();
        let observed = observation.is_ready();
        let first = self.since.is_none();
        let since = match self.since {
            Some((state, since)) if state == observed => since,
            _ => now,
        };
        self.since = Some((observed, since));
        let Some(current) = current.filter(|_| !first) else {
            return observed;
        };
        let current = current == "True";
        if current == observed {
            return observed;
        }
        let threshold: Duration = if observed {
            options.success_threshold
        } else {
            options.failure_threshold
        };
        if now.duration_since(since) >= threshold {
            observed
        } else {
            current
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_failure_counts_after_it_lasted_and_a_flap_starts_over() {
        let options = Options::default();
        let mut readiness = Readiness::default();
        let (up, down) = (Observation::ready(), Observation::unreachable());
        assert!(readiness.judge(&up, None, &options));
        assert!(readiness.judge(&down, Some("True"), &options));
        tokio::time::advance(Duration::from_secs(20)).await;
        assert!(readiness.judge(&up, Some("True"), &options));
        assert!(readiness.judge(&down, Some("True"), &options));
        tokio::time::advance(Duration::from_secs(29)).await;
        assert!(readiness.judge(&down, Some("True"), &options));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!readiness.judge(&down, Some("True"), &options));
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_observation_counts_at_once() {
        let options = Options::default();
        let down = Observation::unreachable();
        assert!(!Readiness::default().judge(&down, Some("True"), &options));
        assert!(Readiness::default().judge(&Observation::ready(), Some("False"), &options));
    }
}
