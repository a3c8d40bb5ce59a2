//! The status a pod has at one instant.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{
    Container, ContainerState, ContainerStateRunning, ContainerStateTerminated,
    ContainerStateWaiting, ContainerStatus, HostIP, Pod, PodCondition, PodIP, PodStatus,
};

use super::Host;
use super::script::{Ended, Run, Script, State};
use super::timeline::{Timeline, image_is_missing, pull_failure};
use crate::object::{name, uid};
use crate::pods::set_condition;
use crate::seed::Seed;
use crate::time::{earliest, time};

/// The status at `now`, and when it changes next.
pub(super) fn at(
    pod: &Pod,
    timeline: &Timeline,
    host: &Host<'_>,
    now: Timestamp,
) -> (PodStatus, Option<Timestamp>) {
    let mut builder = Builder {
        pod,
        timeline,
        host,
        now,
        next: None,
    };
    let status = builder.status();
    (status, builder.next)
}

struct Builder<'a> {
    pod: &'a Pod,
    timeline: &'a Timeline,
    host: &'a Host<'a>,
    now: Timestamp,
    next: Option<Timestamp>,
}

impl Builder<'_> {
    fn status(&mut self) -> PodStatus {
        let spec = self.pod.spec.clone().unwrap_or_default();
        let mut status = self.pod.status.clone().unwrap_or_default();
        let init: Vec<ContainerStatus> = spec
            .init_containers
            .iter()
            .flatten()
            .enumerate()
            .map(|(index, container)| self.init_container(index, container))
            .collect();
        let main: Vec<ContainerStatus> = spec
            .containers
            .iter()
            .map(|container| self.container(container))
            .collect();
        let initialized = self.timeline.init.iter().all(|(_, end)| *end <= self.now);
        status.phase = Some(phase(&main, self.now >= self.timeline.started).to_owned());
        self.addresses(&mut status, spec.host_network == Some(true));
        status.start_time = Some(time(self.timeline.start));
        let mut conditions = status.conditions.take().unwrap_or_default();
        self.conditions(&mut conditions, initialized, &main);
        status.conditions = Some(conditions);
        status.init_container_statuses = (!init.is_empty()).then_some(init);
        status.container_statuses = Some(main);
        status
    }

    fn addresses(&self, status: &mut PodStatus, host_network: bool) {
        status.host_ip = Some(self.host.ip.to_owned());
        status.host_ips = Some(vec![HostIP {
            ip: self.host.ip.to_owned(),
        }]);
        if status.pod_ip.is_none() && (host_network || self.now >= self.timeline.pulled) {
            let ip = if host_network {
                self.host.ip
            } else {
                self.host.free_pod_ip
            };
            status.pod_ip = Some(ip.to_owned());
            status.pod_ips = Some(vec![PodIP { ip: ip.to_owned() }]);
        }
    }

    fn conditions(
        &self,
        conditions: &mut Vec<PodCondition>,
        initialized: bool,
        main: &[ContainerStatus],
    ) {
        let now = self.now;
        let mut set = |type_: &str, status, reason: Option<&str>, message: Option<&str>| {
            set_condition(conditions, type_, status, reason, message, now);
        };
        set("PodScheduled", true, None, None);
        let sandbox = now >= self.timeline.pulled;
        set("PodReadyToStartContainers", sandbox, None, None);
        let unready: Vec<&str> = main
            .iter()
            .filter(|status| !status.ready)
            .map(|status| status.name.as_str())
            .collect();
        let succeeded = phase(main, true) == "Succeeded";
        if initialized {
            let reason = succeeded.then_some("PodCompleted");
            set("Initialized", true, reason, None);
        } else {
            let incomplete = self.incomplete_init();
            let message = format!("containers with incomplete status: [{incomplete}]");
            set(
                "Initialized",
                false,
                Some("ContainersNotInitialized"),
                Some(&message),
            );
        }
        for type_ in ["ContainersReady", "Ready"] {
            if unready.is_empty() {
                set(type_, true, None, None);
            } else if succeeded {
                set(type_, false, Some("PodCompleted"), None);
            } else {
                let message = format!("containers with unready status: [{}]", unready.join(" "));
                set(type_, false, Some("ContainersNotReady"), Some(&message));
            }
        }
    }

    fn incomplete_init(&self) -> String {
        let containers = self
            .pod
            .spec
            .as_ref()
            .and_then(|s| s.init_containers.as_ref());
        let names: Vec<&str> = containers
            .into_iter()
            .flatten()
            .zip(&self.timeline.init)
            .filter(|(_, (_, end))| *end > self.now)
            .map(|(container, _)| container.name.as_str())
            .collect();
        names.join(" ")
    }

    fn init_container(&mut self, index: usize, container: &Container) -> ContainerStatus {
        let (begin, end) = self.timeline.init[index];
        let state = if self.now >= end {
            let ended = Ended {
                started: begin,
                finished: end,
                exit_code: 0,
            };
            terminated(ended, &self.container_id(container, 0))
        } else if self.now >= begin {
            self.wake(Some(end));
            running(begin)
        } else {
            self.wake(Some(begin));
            waiting("PodInitializing", None)
        };
        let done = self.now >= end;
        self.assemble(container, state, done, self.now >= begin)
    }

    fn container(&mut self, container: &Container) -> ContainerStatus {
        let image = container.image.as_deref().unwrap_or_default();
        if image_is_missing(image) {
            return self.without_image(container, image);
        }
        if self.now < self.timeline.started {
            // Init containers wake by themselves; the pull matters for the pod's address.
            let next = if self.now < self.timeline.pulled {
                self.timeline.pulled
            } else {
                self.timeline.started
            };
            self.wake(Some(next));
            let reason = if self.timeline.init.is_empty() {
                "ContainerCreating"
            } else {
                "PodInitializing"
            };
            return self.assemble(container, waiting(reason, None), false, false);
        }
        let script = Script::of(self.pod, self.host);
        let run = script.run_at(self.timeline.started, self.now);
        self.wake(run.next);
        self.in_run(container, run)
    }

    fn in_run(&mut self, container: &Container, run: Run) -> ContainerStatus {
        let id = self.container_id(container, run.restarts);
        let mut ready = false;
        let state = match run.state {
            State::Running(since) => {
                let at = Timeline::ready(container, since);
                ready = at <= self.now;
                if !ready {
                    self.wake(Some(at));
                }
                running(since)
            }
            State::BackingOff(delay) => waiting(
                "CrashLoopBackOff",
                Some(format!(
                    "back-off {} restarting failed container={} pod={}_{}({})",
                    go_duration(delay),
                    container.name,
                    name(&self.pod.metadata),
                    self.pod.metadata.namespace.as_deref().unwrap_or_default(),
                    uid(&self.pod.metadata)
                )),
            ),
            State::Ended(ended) => terminated(ended, &id),
        };
        let is_running = matches!(run.state, State::Running(_));
        let mut status = self.assemble(container, state, ready, true);
        status.started = Some(is_running);
        status.restart_count = run.restarts;
        status.container_id = Some(id);
        status.last_state = Some(run.last.map_or_else(ContainerState::default, |ended| {
            terminated(ended, &self.container_id(container, run.restarts - 1))
        }));
        status
    }

    fn without_image(&mut self, container: &Container, image: &str) -> ContainerStatus {
        let state = if self.now < self.timeline.pulled {
            self.wake(Some(self.timeline.pulled));
            waiting("ContainerCreating", None)
        } else if self.now < self.timeline.backed_off {
            self.wake(Some(self.timeline.backed_off));
            waiting("ErrImagePull", Some(pull_failure(image)))
        } else {
            let text = format!("Back-off pulling image \"{image}\"");
            waiting("ImagePullBackOff", Some(text))
        };
        self.assemble(container, state, false, false)
    }

    fn assemble(
        &self,
        container: &Container,
        state: ContainerState,
        ready: bool,
        created: bool,
    ) -> ContainerStatus {
        let image = container.image.clone().unwrap_or_default();
        let digest = Seed::new(0).of(&["image", &image]).hex(64);
        let repository = repository(&image);
        ContainerStatus {
            name: container.name.clone(),
            image_id: if created {
                format!("{repository}@sha256:{digest}")
            } else {
                String::new()
            },
            image,
            ready,
            started: Some(created && state.running.is_some()),
            restart_count: 0,
            container_id: created.then(|| self.container_id(container, 0)),
            last_state: Some(ContainerState::default()),
            state: Some(state),
            ..ContainerStatus::default()
        }
    }

    fn container_id(&self, container: &Container, restarts: i32) -> String {
        let words = ["container", uid(&self.pod.metadata), &container.name];
        let seed = Seed::new(0).of(&words);
        let id = seed.at(u64::try_from(restarts).unwrap_or(0)).hex(64);
        format!("containerd://{id}")
    }

    fn wake(&mut self, at: Option<Timestamp>) {
        self.next = earliest(self.next, at);
    }
}

/// The image's name without its tag or digest.
fn repository(image: &str) -> &str {
    let name = image.split('@').next().unwrap_or_default();
    match name.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => repository,
        _ => name,
    }
}

fn phase(main: &[ContainerStatus], started: bool) -> &'static str {
    let ended = |status: &ContainerStatus| {
        let state = status.state.as_ref();
        state
            .and_then(|s| s.terminated.as_ref())
            .map(|t| t.exit_code)
    };
    let codes: Vec<i32> = main.iter().filter_map(ended).collect();
    if !main.is_empty() && codes.len() == main.len() {
        return if codes.iter().all(|code| *code == 0) {
            "Succeeded"
        } else {
            "Failed"
        };
    }
    let pulling = main.iter().any(|status| {
        let waiting = status.state.as_ref().and_then(|s| s.waiting.as_ref());
        waiting.is_some_and(|w| w.reason.as_deref() != Some("CrashLoopBackOff"))
    });
    if started && !pulling {
        "Running"
    } else {
        "Pending"
    }
}

fn waiting(reason: &str, message: Option<String>) -> ContainerState {
    ContainerState {
        waiting: Some(ContainerStateWaiting {
            reason: Some(reason.to_owned()),
            message,
        }),
        ..ContainerState::default()
    }
}

fn running(since: Timestamp) -> ContainerState {
    ContainerState {
        running: Some(ContainerStateRunning {
            started_at: Some(time(since)),
        }),
        ..ContainerState::default()
    }
}

fn terminated(ended: Ended, id: &str) -> ContainerState {
    ContainerState {
        terminated: Some(ContainerStateTerminated {
            exit_code: ended.exit_code,
            reason: Some(if ended.exit_code == 0 {
                "Completed".to_owned()
            } else {
                "Error".to_owned()
            }),
            started_at: Some(time(ended.started)),
            finished_at: Some(time(ended.finished)),
            container_id: Some(id.to_owned()),
            ..ContainerStateTerminated::default()
        }),
        ..ContainerState::default()
    }
}

/// A delay as Go prints it: `40s`, `2m40s`, `5m0s`.
fn go_duration(delay: std::time::Duration) -> String {
    let seconds = delay.as_secs();
    if seconds < 60 {
        format!("{seconds}s")
    } else {
        format!("{}m{}s", seconds / 60, seconds % 60)
    }
}
