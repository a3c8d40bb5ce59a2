//! When the taints of a cluster drive a workload out.

use std::time::Duration;

use flybridge_scheduler::taints::tolerates;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Taint, Toleration};

/// When a workload has to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// At once.
    Now,
    /// After this time.
    After(Duration),
    /// As long as nothing changes, never.
    Never,
}

/// Whether a taint drives workloads out.
pub fn drives_out(taint: &Taint) -> bool {
    taint.effect == "NoExecute"
}

/// Decides for a workload with these tolerations.
///
/// Each taint uses the first toleration that covers it; the shortest time among those counts,
/// from when the taint was added.
pub fn decide(taints: &[Taint], tolerations: &[Toleration], now: Timestamp) -> Decision {
    let mut soonest: Option<SignedDuration> = None;
    for taint in taints.iter().filter(|taint| drives_out(taint)) {
        let covering = tolerations
            .iter()
            .find(|toleration| tolerates(toleration, taint));
        let Some(covering) = covering else {
            return Decision::Now;
        };
        let (Some(seconds), Some(added)) = (covering.toleration_seconds, &taint.time_added) else {
            continue;
        };
        let left = added.0.duration_since(now) + SignedDuration::from_secs(seconds);
        soonest = Some(soonest.map_or(left, |have| have.min(left)));
    }
    match soonest.map(Duration::try_from) {
        None => Decision::Never,
        Some(Ok(left)) if left > Duration::ZERO => Decision::After(left),
        Some(_) => Decision::Now,
    }
}
