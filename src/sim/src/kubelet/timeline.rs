//! When the stages of a pod's start are reached.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Container, Pod, Probe};

use super::Host;
use crate::object::uid;
use crate::time::{after, time, until};

/// How long an image pull is tried before the kubelet backs off.
const PULL_ATTEMPT: Duration = Duration::from_secs(10);

/// The stages of one pod's start.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    /// The kubelet took the pod on.
    pub start: Timestamp,
    /// When each init container starts and ends.
    pub init: Vec<(Timestamp, Timestamp)>,
    /// The images are there, or are given up.
    pub pulled: Timestamp,
    /// The main containers run.
    pub started: Timestamp,
    /// When the kubelet backs off from an image that does not exist.
    pub backed_off: Timestamp,
}

impl Timeline {
    /// The timeline of a pod that the kubelet sees at `now`.
    pub(super) fn of(pod: &Pod, host: &Host<'_>, now: Timestamp) -> Self {
        let start = pod
            .status
            .as_ref()
            .and_then(|status| status.start_time.as_ref())
            .map_or_else(|| time(now).0, |start| start.0);
        let seed = host.seed.of(&["pod", uid(&pod.metadata)]);
        let (pull, run) = (host.delays.pull, host.delays.start);
        // Most pulls are short and a few are long.
        let skew = seed.of(&["pull"]).fraction().powi(3);
        let pull = pull.0 + pull.1.saturating_sub(pull.0).mul_f64(skew);
        let pulled = after(start, pull);
        let containers = pod.spec.as_ref().and_then(|s| s.init_containers.as_ref());
        let mut at = pulled;
        let mut init = Vec::new();
        for container in containers.into_iter().flatten() {
            let delay = seed.of(&["init", &container.name]).between(run.0, run.1);
            init.push((at, after(at, delay)));
            at = after(at, delay);
        }
        Self {
            start,
            init,
            pulled,
            started: after(at, seed.of(&["start"]).between(run.0, run.1)),
            backed_off: after(pulled, PULL_ATTEMPT),
        }
    }

    /// When a container that began to run at `since` becomes ready.
    pub(super) fn ready(container: &Container, since: Timestamp) -> Timestamp {
        let delay = |probe: &Option<Probe>| {
            let seconds = probe.as_ref().and_then(|p| p.initial_delay_seconds);
            u64::try_from(seconds.unwrap_or(0)).unwrap_or(0)
        };
        let startup = delay(&container.startup_probe);
        let readiness = delay(&container.readiness_probe);
        let probed = container.startup_probe.is_some() || container.readiness_probe.is_some();
        after(
            since,
            Duration::from_secs(startup.max(readiness) + u64::from(probed)),
        )
    }

    /// What the kubelet says about a pull that worked.
    pub(super) fn pulled_message(&self, image: &str) -> String {
        let took = until(self.start, self.pulled).as_millis();
        let took = format!("{}.{:03}s", took / 1000, took % 1000);
        // An image has the same size wherever it is pulled.
        let size = 4_000_000
            + crate::seed::Seed::new(0)
                .of(&["image", image])
                .below(180_000_000);
        format!(
            "Successfully pulled image \"{image}\" in {took} ({took} including waiting). \
             Image size: {size} bytes."
        )
    }
}

/// Whether an image's registry is one that cannot exist.
pub(super) fn image_is_missing(image: &str) -> bool {
    let host = image.split('/').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    image.contains('/') && host.ends_with(".invalid")
}

/// What the runtime says about a pull that failed.
pub(super) fn pull_failure(image: &str) -> String {
    let host = image.split('/').next().unwrap_or_default();
    format!(
        "Failed to pull image \"{image}\": failed to resolve reference: \
         dial tcp: lookup {host}: no such host"
    )
}
