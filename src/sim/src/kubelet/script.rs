//! What a container does once it runs: run on, end, or crash again and again.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;

use super::Host;
use crate::object::{annotation, uid};
use crate::time::{after, parse_duration};

/// Fails a pod's containers after a while.
const CRASH_AFTER: &str = "flybridge.dev/crash-after";
/// Ends a pod's containers well after a while.
const RUN_FOR: &str = "flybridge.dev/run-for";
/// The code with which they end.
const EXIT_CODE: &str = "flybridge.dev/exit-code";
/// The longest wait between two restarts.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(300);
/// The first wait between two restarts; the very first restart does not wait.
const FIRST_BACK_OFF: Duration = Duration::from_secs(10);

/// What the containers of a pod do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// They run until they are stopped.
    Forever,
    /// They end with a code after a while.
    Ends {
        /// How long they run.
        after: Duration,
        /// The code.
        exit_code: i32,
        /// Whether the kubelet starts them again.
        restarts: bool,
    },
}

impl Script {
    /// The script of a pod.
    pub(super) fn of(pod: &Pod, host: &Host<'_>) -> Self {
        let policy = pod
            .spec
            .as_ref()
            .and_then(|spec| spec.restart_policy.as_deref())
            .unwrap_or("Always");
        let duration = |key| annotation(&pod.metadata, key).and_then(parse_duration);
        let code = annotation(&pod.metadata, EXIT_CODE).and_then(|code| code.parse().ok());
        let (after, exit_code) = if let Some(after) = duration(CRASH_AFTER) {
            (after, code.unwrap_or(1))
        } else if let Some(after) = duration(RUN_FOR) {
            (after, code.unwrap_or(0))
        } else if policy == "Always" {
            return Self::Forever;
        } else {
            let (low, high) = host.delays.run;
            let seed = host.seed.of(&["run", uid(&pod.metadata)]);
            (seed.between(low, high), code.unwrap_or(0))
        };
        Self::Ends {
            // A container that ends at once would make time stand still.
            after: after.max(Duration::from_millis(1)),
            exit_code,
            restarts: policy == "Always" || (policy == "OnFailure" && exit_code != 0),
        }
    }

    /// The run a container is in at `now` if its first one began at `started`.
    pub(super) fn run_at(self, started: Timestamp, now: Timestamp) -> Run {
        let Self::Ends {
            after: length,
            exit_code,
            restarts,
        } = self
        else {
            return Run::running(started, 0, None);
        };
        let (mut since, mut count, mut last) = (started, 0, None);
        loop {
            let end = after(since, length);
            if end > now {
                let mut run = Run::running(since, count, last);
                run.next = Some(end);
                return run;
            }
            let ended = Ended {
                started: since,
                finished: end,
                exit_code,
            };
            let resumes = after(end, back_off(count));
            if !restarts || resumes > now {
                return Run {
                    restarts: count,
                    state: if restarts {
                        State::BackingOff(back_off(count))
                    } else {
                        State::Ended(ended)
                    },
                    last: if restarts { Some(ended) } else { last },
                    next: restarts.then_some(resumes),
                };
            }
            (since, last) = (resumes, Some(ended));
            count += 1;
        }
    }
}

/// The wait before restart number `count + 1`.
fn back_off(count: i32) -> Duration {
    let doublings = u32::try_from(count).unwrap_or(0);
    if doublings == 0 {
        return Duration::ZERO;
    }
    FIRST_BACK_OFF
        .saturating_mul(2_u32.saturating_pow(doublings - 1))
        .min(LONGEST_BACK_OFF)
}

/// One container at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// How often it was started again.
    pub restarts: i32,
    /// What it does.
    pub state: State,
    /// The run before this one.
    pub last: Option<Ended>,
    /// When this changes.
    pub next: Option<Timestamp>,
}

impl Run {
    const fn running(since: Timestamp, restarts: i32, last: Option<Ended>) -> Self {
        Self {
            restarts,
            state: State::Running(since),
            last,
            next: None,
        }
    }
}

/// What a container does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It runs since then.
    Running(Timestamp),
    /// It waits to be started again.
    BackingOff(Duration),
    /// It has ended for good.
    Ended(Ended),
}

/// A run that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// With which code.
    pub exit_code: i32,
}
