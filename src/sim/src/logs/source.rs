//! One run of one container as a writer of lines.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{
    Container, ContainerStateTerminated, ContainerStatus, Pod, PodSpec,
};

use super::options::{LogOptions, Refused};
use super::presets::Preset;
use crate::object::{annotation, name, uid};
use crate::seed::Seed;
use crate::time::after;

/// Lines a second: overrides the seeded rate.
const RATE: &str = "flybridge.dev/log-rate";
/// How long a container greets before it works.
const GREETING: Duration = Duration::from_secs(1);
/// Between two lines of the greeting.
const GREETING_STEP: Duration = Duration::from_millis(20);

/// One run of one container.
#[derive(Clone, Debug)]
pub struct Source {
    seed: Seed,
    preset: Preset,
    pod_uid: String,
    container: String,
    restarts: i32,
    started: Timestamp,
    ended: Option<(Timestamp, i32)>,
    /// Mean time between two lines.
    period: Duration,
}

impl Source {
    /// The run a reader asks for.
    ///
    /// # Errors
    /// In the kubelet's words: unknown container, not yet started, no previous run.
    pub fn of(pod: &Pod, options: &LogOptions, seed: Seed) -> Result<Self, Refused> {
        let container = select(pod, options.container.as_deref())?;
        let status = status_of(pod, &container.name);
        let run = run(pod, &container.name, status, options.previous)?;
        let image = container.image.as_deref().unwrap_or_default();
        let seed = seed.of(&["log", uid(&pod.metadata), &container.name]);
        let restarts = run.restarts;
        Ok(Self {
            preset: Preset::of(pod, image),
            pod_uid: uid(&pod.metadata).to_owned(),
            container: container.name.clone(),
            restarts,
            started: run.started,
            ended: run.ended,
            period: period(pod, seed),
            seed: seed.at(u64::try_from(restarts).unwrap_or(0)),
        })
    }

    /// Learns from the present pod whether this run has ended; returns whether it goes on.
    pub(super) fn refresh(&mut self, pod: Option<&Pod>) -> bool {
        let same = pod.filter(|pod| uid(&pod.metadata) == self.pod_uid);
        let status = same.and_then(|pod| status_of(pod, &self.container));
        let current = status.and_then(|status| {
            let run = current(status)?;
            (run.restarts == self.restarts).then_some(run)
        });
        if let Some(run) = current {
            self.ended = run.ended;
        }
        current.is_some_and(|run| run.ended.is_none())
    }

    /// How many lines there are at `now`.
    pub fn count_at(&self, now: Timestamp) -> u64 {
        match self.ended {
            Some((ended, code)) if ended <= now => self.regular_at(ended) + u64::from(code != 0),
            _ => self.regular_at(now),
        }
    }

    /// How many lines were written before `then`.
    pub(super) fn count_before(&self, then: Timestamp) -> u64 {
        self.count_at(after(then, Duration::ZERO).saturating_sub_nanosecond())
    }

    /// Lines of an undisturbed run.
    fn regular_at(&self, now: Timestamp) -> u64 {
        let greeting = self.greeting();
        let ran = crate::time::until(self.started, now);
        if now < self.started {
            return 0;
        }
        if ran < GREETING {
            let steps = ran.as_nanos() / GREETING_STEP.as_nanos() + 1;
            return u64::try_from(steps).unwrap_or(u64::MAX).min(greeting);
        }
        let periods = (ran - GREETING).as_nanos() / self.period.as_nanos();
        let number = greeting + u64::try_from(periods).unwrap_or(u64::MAX);
        // The line of the running period may or may not be written already.
        number + u64::from(self.written_at(number) <= now)
    }

    fn greeting(&self) -> u64 {
        u64::try_from(self.preset.greeting().len()).unwrap_or(0)
    }

    /// When a line was or will be written; later lines never come earlier.
    pub fn written_at(&self, number: u64) -> Timestamp {
        if let Some((ended, _)) = self.ended
            && number >= self.regular_at_end(ended)
        {
            return ended;
        }
        self.regular_written_at(number)
    }

    fn regular_at_end(&self, ended: Timestamp) -> u64 {
        let mut undisturbed = self.clone();
        undisturbed.ended = None;
        undisturbed.regular_at(ended)
    }

    fn regular_written_at(&self, number: u64) -> Timestamp {
        let greeting = self.greeting();
        if number < greeting {
            let step = GREETING_STEP.saturating_mul(u32::try_from(number).unwrap_or(u32::MAX));
            return after(self.started, step);
        }
        let index = number - greeting;
        let jitter = self.seed.of(&["when"]).at(index).fraction() * 0.9;
        let nanos = self.period.as_nanos().saturating_mul(u128::from(index));
        let nanos = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        after(self.started, GREETING + nanos + self.period.mul_f64(jitter))
    }

    /// The text of a line, without its end.
    pub fn line(&self, number: u64) -> String {
        if let Some((ended, code)) = self.ended
            && code != 0
            && number >= self.regular_at_end(ended)
        {
            return self.preset.last_words(ended);
        }
        let greeting = self.preset.greeting();
        let fixed = usize::try_from(number).ok().and_then(|n| greeting.get(n));
        let written = self.regular_written_at(number);
        fixed.map_or_else(
            || {
                let index = number - self.greeting();
                self.preset.line(self.seed, index, written)
            },
            |text| text.replace("{time}", &self.preset.clock(written)),
        )
    }
}

/// A day's fraction of readers sees busy pods: between one line in four seconds and three a second.
fn period(pod: &Pod, seed: Seed) -> Duration {
    let rate = annotation(&pod.metadata, RATE)
        .and_then(|rate| rate.parse::<f64>().ok())
        .filter(|rate| *rate > 0.0)
        .unwrap_or_else(|| 0.25 + 2.75 * seed.of(&["rate"]).fraction().powi(2));
    Duration::try_from_secs_f64(1.0 / rate)
        .unwrap_or(GREETING)
        .max(Duration::from_micros(10))
}

fn select<'a>(pod: &'a Pod, wanted: Option<&str>) -> Result<&'a Container, Refused> {
    let pod_name = name(&pod.metadata);
    let spec = pod.spec.as_ref();
    let main = spec.map_or(&[][..], |spec| spec.containers.as_slice());
    let init = spec.and_then(|s: &PodSpec| s.init_containers.as_deref());
    match (wanted, main) {
        (Some(wanted), _) => main
            .iter()
            .chain(init.unwrap_or_default())
            .find(|container| container.name == wanted)
            .ok_or_else(|| {
                Refused(format!(
                    "container {wanted} is not valid for pod {pod_name}"
                ))
            }),
        (None, [only]) if init.is_none_or(<[Container]>::is_empty) => Ok(only),
        (None, [only]) => Ok(only),
        (None, many) => {
            let names: Vec<&str> = many.iter().map(|c| c.name.as_str()).collect();
            Err(Refused(format!(
                "a container name must be specified for pod {pod_name}, choose one of: [{}]",
                names.join(" ")
            )))
        }
    }
}

fn status_of<'a>(pod: &'a Pod, container: &str) -> Option<&'a ContainerStatus> {
    let status = pod.status.as_ref()?;
    let main = status.container_statuses.iter().flatten();
    main.chain(status.init_container_statuses.iter().flatten())
        .find(|status| status.name == container)
}

#[derive(Clone, Copy)]
struct Bounds {
    restarts: i32,
    started: Timestamp,
    ended: Option<(Timestamp, i32)>,
}

impl Bounds {
    fn of(terminated: &ContainerStateTerminated, restarts: i32) -> Option<Self> {
        Some(Self {
            restarts,
            started: terminated.started_at.as_ref()?.0,
            ended: Some((terminated.finished_at.as_ref()?.0, terminated.exit_code)),
        })
    }
}

/// The run that is going on, or the last one while the container waits.
fn current(status: &ContainerStatus) -> Option<Bounds> {
    let state = status.state.as_ref()?;
    if let Some(running) = &state.running {
        return Some(Bounds {
            restarts: status.restart_count,
            started: running.started_at.as_ref()?.0,
            ended: None,
        });
    }
    if let Some(terminated) = &state.terminated {
        return Bounds::of(terminated, status.restart_count);
    }
    let last = status.last_state.as_ref()?.terminated.as_ref()?;
    Bounds::of(last, status.restart_count)
}

fn run(
    pod: &Pod,
    container: &str,
    status: Option<&ContainerStatus>,
    previous: bool,
) -> Result<Bounds, Refused> {
    let pod_name = name(&pod.metadata);
    if previous {
        let last = status.and_then(|s| s.last_state.as_ref()?.terminated.as_ref());
        let waits = status.is_some_and(|s| s.state.as_ref().is_some_and(|s| s.waiting.is_some()));
        let restarts = status.map_or(0, |s| s.restart_count - i32::from(!waits));
        return last
            .and_then(|last| Bounds::of(last, restarts))
            .ok_or_else(|| {
                Refused(format!(
                    "previous terminated container \"{container}\" in pod \"{pod_name}\" not found"
                ))
            });
    }
    status.and_then(current).ok_or_else(|| {
        let waiting = status
            .and_then(|status| status.state.as_ref()?.waiting.as_ref()?.reason.as_deref())
            .unwrap_or("ContainerCreating");
        Refused(format!(
            "container \"{container}\" in pod \"{pod_name}\" is waiting to start: {waiting}"
        ))
    })
}

/// One step back in time.
trait Earlier {
    fn saturating_sub_nanosecond(self) -> Self;
}

impl Earlier for Timestamp {
    fn saturating_sub_nanosecond(self) -> Self {
        self.checked_sub(Duration::from_nanos(1)).unwrap_or(self)
    }
}
