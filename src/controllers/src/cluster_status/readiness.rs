//! Whether a member counts as ready: what was observed, held back until it lasts.

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

    /// The status of the Ready condition it stands for.
    pub const fn status(&self) -> &'static str {
        if self.ready { "True" } else { "False" }
    }
}

/// Remembers since when a member has been observed as it is.
#[derive(Debug, Default)]
pub struct Readiness {
    since: Option<(String, Instant)>,
}

impl Readiness {
    /// The status to show, given the one observed and the one shown so far.
    ///
    /// The first observation is shown at once. Later a change between true and anything else is
    /// shown once it has lasted as long as the threshold of its direction.
    pub fn judge<'a>(
        &mut self,
        observed: &'a str,
        shown: Option<&'a str>,
        options: &Options,
    ) -> &'a str {
        let now = Instant::now();
        let Some((state, since)) = &mut self.since else {
            self.since = Some((observed.to_owned(), now));
            return observed;
        };
        let Some(shown) = shown else {
            return observed;
        };
        if state != observed {
            observed.clone_into(state);
            *since = now;
        }
        let threshold = if observed == "True" {
            options.success_threshold
        } else {
            options.failure_threshold
        };
        let flips = (observed == "True") != (shown == "True");
        if flips && now.duration_since(*since) < threshold {
            shown
        } else {
            observed
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_failure_counts_after_it_lasted_and_a_flap_starts_over() {
        let options = Options::default();
        let mut readiness = Readiness::default();
        let mut look = |observed, shown| readiness.judge(observed, shown, &options).to_owned();
        assert_eq!(look("True", None), "True");
        assert_eq!(look("False", Some("True")), "True");
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(look("True", Some("True")), "True");
        assert_eq!(look("False", Some("True")), "True");
        tokio::time::advance(Duration::from_secs(29)).await;
        assert_eq!(look("False", Some("True")), "True");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(look("False", Some("True")), "False");
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_observation_counts_at_once() {
        let options = Options::default();
        assert_eq!(
            Readiness::default().judge("False", Some("True"), &options),
            "False"
        );
        assert_eq!(
            Readiness::default().judge("True", Some("False"), &options),
            "True"
        );
    }
}
