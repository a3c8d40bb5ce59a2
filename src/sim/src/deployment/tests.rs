//! Rollouts against ReplicaSets that obey at once, or as slowly as a test wants.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentCondition, ReplicaSet, ReplicaSetStatus};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::Value;

use super::plan;
use crate::object::{Kind, Object, annotation, label, name};
use crate::plan::Action;
use crate::testing::{at, decode, deployment};

struct World {
    deployment: Deployment,
    sets: Vec<ReplicaSet>,
    events: Vec<String>,
    now: Timestamp,
}

impl World {
    fn new(deployment: Deployment) -> Self {
        Self {
            deployment,
            sets: Vec::new(),
            events: Vec::new(),
            now: at(0),
        }
    }

    /// One step of the controller; returns how many writes it made.
    fn step(&mut self) -> usize {
        let sets: Vec<Arc<ReplicaSet>> = self.sets.iter().cloned().map(Arc::new).collect();
        let plan = plan(&self.deployment, &sets, self.now);
        let count = plan.actions.len();
        for action in plan.actions {
            self.apply(action);
        }
        count
    }

    fn apply(&mut self, action: Action) {
        match action {
            Action::Create(Object::ReplicaSet(mut set)) => {
                set.metadata.uid = Some(format!("uid-{}", name(&set.metadata)));
                set.metadata.generation = Some(1);
                set.metadata.creation_timestamp =
                    Some(crate::time::time(at(self.sets.len() as u64)));
                self.sets.push(*set);
            }
            Action::Patch { key, patch } if key.kind == Kind::ReplicaSet => {
                let set = self.set_mut(&key.name.name);
                *set = merged(set, &patch);
            }
            Action::Patch { patch, .. } => self.deployment = merged(&self.deployment, &patch),
            Action::Status(Object::Deployment(written)) => self.deployment.status = written.status,
            Action::Delete { key, .. } => {
                self.sets.retain(|set| name(&set.metadata) != key.name.name);
            }
            Action::Event(note) => self.events.push(note.message),
            other => panic!("unexpected {other:?}"),
        }
    }

    fn set_mut(&mut self, wanted: &str) -> &mut ReplicaSet {
        self.sets
            .iter_mut()
            .find(|set| name(&set.metadata) == wanted)
            .unwrap()
    }

    /// Every set reports the pods it was asked for; `ready` of the last set's are available.
    fn obey(&mut self, ready: bool) {
        for set in &mut self.sets {
            let size = super::size(set);
            let before = super::observed(set).available;
            let available = if ready { size } else { before.min(size) };
            set.status = Some(ReplicaSetStatus {
                replicas: size,
                ready_replicas: Some(available),
                available_replicas: Some(available),
                observed_generation: set.metadata.generation,
                ..ReplicaSetStatus::default()
            });
        }
    }

    /// Steps until nothing is written, with sets that obey at once.
    fn settle(&mut self) {
        for _ in 0..100 {
            if self.step() == 0 {
                return;
            }
            self.obey(true);
        }
        panic!("never settles");
    }

    fn sizes(&self) -> Vec<i32> {
        self.sets.iter().map(super::size).collect()
    }

    fn set_image(&mut self, image: &str) {
        self.deployment
            .spec
            .template
            .spec
            .as_mut()
            .unwrap()
            .containers[0]
            .image = Some(image.to_owned());
    }

    fn set_replicas(&mut self, replicas: i32) {
        self.deployment.spec.replicas = Some(replicas);
    }

    fn condition(&self, type_: &str) -> DeploymentCondition {
        let status = self.deployment.status.as_ref().unwrap();
        let conditions = status.conditions.as_ref().unwrap();
        conditions
            .iter()
            .find(|c| c.type_.as_deref() == Some(type_))
            .unwrap()
            .clone()
    }
}

fn merged<T: serde::Serialize + serde::de::DeserializeOwned>(object: &T, patch: &Value) -> T {
    fn merge(target: &mut Value, patch: &Value) {
        if let (Value::Object(target), Value::Object(patch)) = (&mut *target, patch) {
            for (key, value) in patch {
                merge(target.entry(key.clone()).or_insert(Value::Null), value);
            }
        } else {
            *target = patch.clone();
        }
    }
    let mut value = serde_json::to_value(object).unwrap();
    merge(&mut value, patch);
    decode(value)
}

#[test]
fn a_new_deployment_gets_a_hashed_replica_set_and_becomes_available() {
    let mut world = World::new(deployment("web", 3));
    world.settle();
    let set = &world.sets[0];
    let hash = label(&set.metadata, "pod-template-hash").unwrap();
    assert_eq!(name(&set.metadata), format!("web-{hash}"));
    assert_eq!(
        annotation(&set.metadata, super::revision::REVISION),
        Some("1")
    );
    assert_eq!(
        annotation(&set.metadata, super::revision::DESIRED),
        Some("3")
    );
    assert_eq!(
        annotation(&set.metadata, super::revision::MAXIMUM),
        Some("4")
    );
    assert_eq!(
        annotation(&world.deployment.metadata, super::revision::REVISION),
        Some("1")
    );
    assert_eq!(
        world.events,
        [format!("Scaled up replica set web-{hash} from 0 to 3")]
    );
    let available = world.condition("Available");
    assert_eq!(
        (
            available.status.as_deref().unwrap(),
            available.reason.as_deref()
        ),
        ("True", Some("MinimumReplicasAvailable"))
    );
    assert_eq!(
        world.condition("Progressing").reason.as_deref(),
        Some("NewReplicaSetAvailable")
    );
    let status = world.deployment.status.as_ref().unwrap();
    assert_eq!(status.observed_generation, Some(1));
    assert_eq!(
        (status.ready_replicas, status.updated_replicas),
        (Some(3), Some(3))
    );
}

#[test]
fn a_rolling_update_never_leaves_its_room() {
    let mut world = World::new(deployment("web", 4));
    world.settle();
    world.set_image("nginx:1.28");
    for _ in 0..40 {
        world.step();
        let total: i32 = world.sizes().iter().sum();
        assert!(total <= 5, "{:?}", world.sizes());
        world.obey(true);
        let available: i32 = world
            .sets
            .iter()
            .map(|s| super::observed(s).available)
            .sum();
        assert!(available >= 3, "{:?}", world.sizes());
    }
    assert_eq!(world.sizes(), [0, 4]);
    assert_eq!(
        annotation(&world.sets[1].metadata, super::revision::REVISION),
        Some("2")
    );
    assert_eq!(
        annotation(&world.deployment.metadata, super::revision::REVISION),
        Some("2")
    );
}

#[test]
fn a_rollout_whose_pods_never_become_ready_stops_and_times_out() {
    let mut world = World::new(deployment("web", 4));
    world.settle();
    world.set_image("nginx:broken");
    for _ in 0..20 {
        world.step();
        world.obey(false);
    }
    assert_eq!(world.sizes(), [3, 2]);
    assert_eq!(
        world.condition("Progressing").reason.as_deref(),
        Some("ReplicaSetUpdated")
    );
    world.now = at(700);
    world.step();
    let progressing = world.condition("Progressing");
    assert_eq!(
        (
            progressing.status.as_deref().unwrap(),
            progressing.reason.as_deref()
        ),
        ("False", Some("ProgressDeadlineExceeded"))
    );
    assert_eq!(world.condition("Available").status.as_deref(), Some("True"));
}

#[test]
fn recreate_waits_until_the_old_pods_are_gone() {
    let mut deployment = deployment("web", 2);
    let strategy = deployment.spec.strategy.as_mut().unwrap();
    strategy.type_ = Some("Recreate".to_owned());
    strategy.rolling_update = None;
    let mut world = World::new(deployment);
    world.settle();
    world.set_image("nginx:1.28");
    world.step();
    assert_eq!(world.sizes(), [0]);
    world.step();
    assert_eq!(world.sizes(), [0], "old pods still exist");
    world.obey(true);
    world.settle();
    assert_eq!(world.sizes(), [0, 2]);
}

#[test]
fn scaling_in_the_middle_of_a_rollout_is_proportional() {
    let mut world = World::new(deployment("web", 10));
    let strategy = world.deployment.spec.strategy.as_mut().unwrap();
    let rolling = strategy.rolling_update.as_mut().unwrap();
    rolling.max_surge = Some(IntOrString::Int(3));
    rolling.max_unavailable = Some(IntOrString::Int(2));
    world.settle();
    world.set_image("nginx:broken");
    for _ in 0..20 {
        world.step();
        world.obey(false);
    }
    assert_eq!(world.sizes(), [8, 5]);
    world.set_replicas(15);
    world.step();
    assert_eq!(world.sizes(), [11, 7]);
}

#[test]
fn scaling_a_settled_deployment_resizes_its_set() {
    let mut world = World::new(deployment("web", 3));
    world.settle();
    world.set_replicas(5);
    world.settle();
    assert_eq!(world.sizes(), [5]);
    assert_eq!(
        annotation(&world.sets[0].metadata, super::revision::DESIRED),
        Some("5")
    );
    world.set_replicas(0);
    world.settle();
    assert_eq!(world.sizes(), [0]);
}

#[test]
fn a_paused_deployment_scales_but_does_not_roll() {
    let mut world = World::new(deployment("web", 2));
    world.settle();
    world.deployment.spec.paused = Some(true);
    world.set_image("nginx:1.28");
    world.set_replicas(3);
    world.settle();
    assert_eq!(world.sizes(), [3]);
    assert_eq!(
        world.condition("Progressing").reason.as_deref(),
        Some("DeploymentPaused")
    );
    world.deployment.spec.paused = Some(false);
    world.settle();
    assert_eq!(world.sizes(), [0, 3]);
    assert_eq!(
        world.condition("Progressing").reason.as_deref(),
        Some("NewReplicaSetAvailable")
    );
}

#[test]
fn rolling_back_reuses_the_old_set_under_a_new_number() {
    let mut world = World::new(deployment("web", 2));
    world.settle();
    world.set_image("nginx:1.28");
    world.settle();
    world.set_image("nginx:1.27");
    world.settle();
    assert_eq!(world.sizes(), [2, 0]);
    assert_eq!(
        annotation(&world.sets[0].metadata, super::revision::REVISION),
        Some("3")
    );
    assert_eq!(
        annotation(&world.deployment.metadata, super::revision::REVISION),
        Some("3")
    );
}

#[test]
fn old_sets_beyond_the_history_limit_go() {
    let mut world = World::new(deployment("web", 1));
    world.deployment.spec.revision_history_limit = Some(1);
    for version in 0..4 {
        world.set_image(&format!("nginx:{version}"));
        world.settle();
    }
    assert_eq!(world.sizes(), [0, 1]);
    assert_eq!(
        annotation(&world.sets[0].metadata, super::revision::REVISION),
        Some("3")
    );
}
