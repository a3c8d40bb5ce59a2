//! Jobs whose pods end as the test says.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::batch::v1::{Job, JobStatus};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use super::plan;
use crate::object::{Kind, Object, annotation, label, name};
use crate::plan::Action;
use crate::seed::Seed;
use crate::testing::{at, decode};

struct World {
    job: Job,
    pods: Vec<Pod>,
    events: Vec<String>,
    now: Timestamp,
}

impl World {
    fn new(spec: Value) -> Self {
        let mut value = json!({
            "metadata": {"name": "sum", "namespace": "default", "uid": "uid-sum"},
            "spec": {"template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "sum", "image": "busybox"}],
            }}},
        });
        for (key, field) in spec.as_object().unwrap() {
            value["spec"][key] = field.clone();
        }
        Self {
            job: decode(value),
            pods: Vec::new(),
            events: Vec::new(),
            now: at(0),
        }
    }

    fn step(&mut self) -> usize {
        let pods: Vec<Arc<Pod>> = self.pods.iter().cloned().map(Arc::new).collect();
        let plan = plan(&self.job, &pods, self.now, Seed::new(1));
        let count = plan.actions.len();
        for action in plan.actions {
            match action {
                Action::Create(Object::Pod(mut pod)) => {
                    pod.metadata.uid = Some(format!("uid-{}", name(&pod.metadata)));
                    self.pods.push(*pod);
                }
                Action::Patch { key, .. } if key.kind == Kind::Pod => {
                    let pod = self
                        .pods
                        .iter_mut()
                        .find(|p| name(&p.metadata) == key.name.name);
                    pod.unwrap().metadata.finalizers = None;
                }
                Action::Status(Object::Job(job)) => self.job.status = job.status,
                Action::Delete { key, .. } if key.kind == Kind::Pod => {
                    self.pods.retain(|pod| name(&pod.metadata) != key.name.name);
                }
                Action::Event(note) => self.events.push(note.reason.to_owned()),
                other => panic!("{other:?}"),
            }
        }
        count
    }

    fn settle(&mut self) {
        for _ in 0..50 {
            if self.step() == 0 {
                return;
            }
        }
        panic!("never settles");
    }

    fn end_pods(&mut self, phase: &str) {
        for pod in self.pods.iter_mut().filter(|pod| pod.status.is_none()) {
            pod.status = Some(decode(json!({
                "phase": phase,
                "containerStatuses": [{
                    "name": "sum", "image": "busybox", "imageID": "", "ready": false, "restartCount": 0,
                    "state": {"terminated": {"exitCode": 0, "finishedAt": crate::time::time(self.now)}},
                }],
            })));
        }
    }

    fn status(&self) -> &JobStatus {
        self.job.status.as_ref().unwrap()
    }

    fn conditions(&self) -> Vec<(&str, &str)> {
        let conditions = self.status().conditions.iter().flatten();
        conditions
            .map(|c| (c.type_.as_str(), c.reason.as_deref().unwrap()))
            .collect()
    }
}

#[test]
fn a_job_runs_its_pods_two_at_a_time_until_it_is_complete() {
    let mut world = World::new(json!({"completions": 3, "parallelism": 2}));
    world.settle();
    assert_eq!(world.pods.len(), 2);
    assert_eq!(
        label(&world.pods[0].metadata, "batch.kubernetes.io/job-name"),
        Some("sum")
    );
    world.end_pods("Succeeded");
    world.settle();
    assert_eq!(world.pods.len(), 3);
    assert_eq!(
        (world.status().succeeded, world.status().active),
        (Some(2), Some(1))
    );
    world.end_pods("Succeeded");
    world.settle();
    assert_eq!(world.status().succeeded, Some(3));
    assert_eq!(
        world.conditions(),
        [
            ("SuccessCriteriaMet", "CompletionsReached"),
            ("Complete", "CompletionsReached")
        ]
    );
    assert!(
        world
            .pods
            .iter()
            .all(|pod| pod.metadata.finalizers.is_none())
    );
    assert_eq!(world.events.last().map(String::as_str), Some("Completed"));
}

#[test]
fn a_pod_is_counted_once_even_if_it_is_deleted_while_being_counted() {
    let mut world = World::new(json!({"completions": 2, "parallelism": 1}));
    world.settle();
    world.end_pods("Succeeded");
    world.step();
    let uncounted = world.status().uncounted_terminated_pods.clone().unwrap();
    assert_eq!(uncounted.succeeded.unwrap().len(), 1);
    world.pods.retain(|pod| pod.status.is_none());
    world.settle();
    assert_eq!(world.status().succeeded, Some(1));
}

#[test]
fn failures_back_off_and_end_the_job_at_the_limit() {
    let mut world = World::new(json!({"completions": 1, "backoffLimit": 1}));
    world.settle();
    world.end_pods("Failed");
    world.settle();
    assert_eq!(world.pods.len(), 1, "backs off");
    world.now = at(10);
    world.settle();
    assert_eq!(world.pods.len(), 2);
    world.end_pods("Failed");
    world.settle();
    assert_eq!(
        world.conditions(),
        [
            ("FailureTarget", "BackoffLimitExceeded"),
            ("Failed", "BackoffLimitExceeded")
        ]
    );
    assert_eq!(world.status().failed, Some(2));
}

#[test]
fn the_deadline_ends_a_job_and_its_pods() {
    let mut world = World::new(json!({"completions": 1, "activeDeadlineSeconds": 30}));
    world.settle();
    world.now = at(30);
    world.settle();
    assert_eq!(world.pods.len(), 0);
    assert!(world.conditions().contains(&("Failed", "DeadlineExceeded")));
}

#[test]
fn indexed_pods_carry_their_index_and_completed_ones_are_listed() {
    let mut world =
        World::new(json!({"completions": 4, "parallelism": 4, "completionMode": "Indexed"}));
    world.settle();
    let mut indexes: Vec<&str> = world
        .pods
        .iter()
        .filter_map(|pod| annotation(&pod.metadata, super::INDEX))
        .collect();
    indexes.sort_unstable();
    assert_eq!(indexes, ["0", "1", "2", "3"]);
    world.end_pods("Succeeded");
    world.settle();
    assert_eq!(world.status().completed_indexes.as_deref(), Some("0-3"));
}

#[test]
fn a_suspended_job_starts_nothing_until_it_is_resumed() {
    let mut world = World::new(json!({"completions": 1, "suspend": true}));
    world.settle();
    assert_eq!(world.pods.len(), 0);
    assert_eq!(world.conditions(), [("Suspended", "JobSuspended")]);
    world.job.spec.as_mut().unwrap().suspend = Some(false);
    world.settle();
    assert_eq!(world.pods.len(), 1);
}
