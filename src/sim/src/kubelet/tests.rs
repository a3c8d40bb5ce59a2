//! Lives of single pods.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, PodStatus};
use serde_json::json;

use super::{Host, plan};
use crate::config::Delays;
use crate::object::Object;
use crate::plan::{Action, Plan};
use crate::pods;
use crate::seed::Seed;
use crate::testing::{at, pod};

const DELAYS: Delays = Delays::realistic();

fn host() -> Host<'static> {
    Host {
        name: "n1",
        ip: "172.18.0.2",
        free_pod_ip: "10.244.0.7",
        delays: &DELAYS,
        seed: Seed::new(1),
    }
}

/// A pod driven along its own wake-ups.
struct Life {
    pod: Pod,
    now: Timestamp,
    history: Vec<(String, bool)>,
    events: Vec<String>,
}

impl Life {
    fn of(pod: Pod) -> Self {
        Self {
            pod,
            now: at(0),
            history: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Plans at the present and moves to the next wake-up; `false` at rest.
    fn step(&mut self) -> bool {
        let plan = plan(&self.pod, &host(), false, self.now);
        self.take(&plan);
        let Some(next) = plan.again else { return false };
        assert!(next > self.now, "a wake-up in the past");
        self.now = next;
        true
    }

    fn take(&mut self, plan: &Plan) {
        for action in &plan.actions {
            match action {
                Action::Status(Object::Pod(written)) => {
                    self.pod.status.clone_from(&written.status);
                    let phase = pods::phase(&self.pod).to_owned();
                    self.history.push((phase, pods::is_ready(&self.pod)));
                }
                Action::Event(note) => self.events.push(note.reason.to_owned()),
                other => panic!("{other:?}"),
            }
        }
    }

    fn live(mut self) -> Self {
        while self.step() {}
        self
    }

    fn until(mut self, end: Timestamp) -> Self {
        while self.now <= end && self.step() {}
        self
    }

    fn status(&self) -> &PodStatus {
        self.pod.status.as_ref().unwrap()
    }
}

#[test]
fn a_pod_is_created_then_runs_and_is_ready() {
    let life = Life::of(pod("a").on("n1").build()).live();
    assert_eq!(life.history.first(), Some(&("Pending".to_owned(), false)));
    assert_eq!(life.history.last(), Some(&("Running".to_owned(), true)));
    assert_eq!(life.events, ["Pulling", "Pulled", "Created", "Started"]);
    let status = life.status();
    assert_eq!(status.pod_ip.as_deref(), Some("10.244.0.7"));
    assert_eq!(status.host_ip.as_deref(), Some("172.18.0.2"));
    for type_ in [
        "PodScheduled",
        "PodReadyToStartContainers",
        "Initialized",
        "ContainersReady",
        "Ready",
    ] {
        assert_eq!(
            pods::condition(&life.pod, type_).unwrap().status,
            "True",
            "{type_}"
        );
    }
    let container = &status.container_statuses.as_ref().unwrap()[0];
    assert!(container.ready && container.started == Some(true));
    assert!(container.image_id.starts_with("nginx@sha256:"));
}

#[test]
fn the_same_pod_lives_the_same_life_and_another_one_does_not() {
    let life = |name: &str| Life::of(pod(name).on("n1").build()).live();
    let (a, b) = (life("a"), life("a"));
    assert_eq!((a.now, a.pod), (b.now, b.pod));
    assert_ne!(life("b").now, a.now);
}

#[test]
fn a_readiness_probe_delays_readiness() {
    let mut slow = pod("a").on("n1").build();
    slow.spec.as_mut().unwrap().containers[0].readiness_probe =
        Some(crate::testing::decode(json!({"initialDelaySeconds": 20})));
    let life = Life::of(slow).live();
    assert!(life.history.contains(&("Running".to_owned(), false)));
    let started = life.history.iter().position(|h| h.0 == "Running");
    assert!(started.is_some());
    assert!(pods::ready_since(&life.pod).unwrap() >= at(20));
}

#[test]
fn init_containers_run_one_after_the_other() {
    let init = json!([{"name": "one", "image": "busybox"}, {"name": "two", "image": "busybox"}]);
    let mut life = Life::of(pod("a").on("n1").spec("initContainers", init).build());
    let mut seen = Vec::new();
    loop {
        let more = life.step();
        let statuses = life.status().init_container_statuses.as_ref().unwrap();
        seen.push(statuses.iter().filter(|s| s.ready).count());
        if !more {
            break;
        }
    }
    seen.dedup();
    assert_eq!(seen, [0, 1, 2]);
    assert!(pods::is_ready(&life.pod));
}

#[test]
fn a_job_pod_succeeds_after_its_run() {
    let life = Life::of(
        pod("a")
            .on("n1")
            .spec("restartPolicy", json!("Never"))
            .build(),
    )
    .live();
    assert_eq!(pods::phase(&life.pod), "Succeeded");
    let ready = pods::condition(&life.pod, "Ready").unwrap();
    assert_eq!(
        (ready.status.as_str(), ready.reason.as_deref()),
        ("False", Some("PodCompleted"))
    );
}

#[test]
fn a_job_pod_told_to_crash_fails() {
    let doomed = pod("a")
        .on("n1")
        .spec("restartPolicy", json!("Never"))
        .annotate("flybridge.dev/crash-after", "5s")
        .build();
    let life = Life::of(doomed).live();
    assert_eq!(pods::phase(&life.pod), "Failed");
}

#[test]
fn a_crashing_pod_backs_off_ever_longer() {
    let crashing = pod("a")
        .on("n1")
        .annotate("flybridge.dev/crash-after", "3s")
        .build();
    let life = Life::of(crashing).until(at(200));
    let container = &life.status().container_statuses.as_ref().unwrap()[0];
    assert!(
        (4..8).contains(&container.restart_count),
        "{}",
        container.restart_count
    );
    let last = container
        .last_state
        .as_ref()
        .unwrap()
        .terminated
        .as_ref()
        .unwrap();
    assert_eq!((last.exit_code, last.reason.as_deref()), (1, Some("Error")));
    assert!(life.events.iter().filter(|e| *e == "BackOff").count() >= 3);
    assert_eq!(pods::phase(&life.pod), "Running");
}

#[test]
fn an_image_that_does_not_exist_keeps_the_pod_pending() {
    let mut lost = pod("a").on("n1").build();
    lost.spec.as_mut().unwrap().containers[0].image = Some("registry.invalid/web:1".to_owned());
    let life = Life::of(lost).live();
    assert_eq!(pods::phase(&life.pod), "Pending");
    let container = &life.status().container_statuses.as_ref().unwrap()[0];
    let waiting = container.state.as_ref().unwrap().waiting.as_ref().unwrap();
    assert_eq!(waiting.reason.as_deref(), Some("ImagePullBackOff"));
    assert!(life.events.iter().any(|event| event == "Failed"));
}

#[test]
fn a_deleted_pod_goes_within_its_grace_period() {
    let leaving = pod("a").on("n1").ready().deleting(at(30)).build();
    let first = plan(&leaving, &host(), true, at(0));
    let stopped = first.again.unwrap();
    assert!(stopped > at(0) && stopped <= at(30));
    let last = plan(&leaving, &host(), false, stopped);
    assert!(matches!(
        last.actions.as_slice(),
        [Action::Delete { uid, grace: Some(0), .. }] if uid == "uid-a"
    ));
}

#[test]
fn a_restarted_kubelet_goes_on_where_it_was() {
    let running = Life::of(pod("a").on("n1").build()).live().pod;
    let plan = plan(&running, &host(), false, at(10_000));
    assert_eq!(plan, Plan::idle());
}
