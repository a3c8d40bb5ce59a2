//! Numbered pods that become ready when the test says so.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ControllerRevision, StatefulSet};
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

use super::plan;
use crate::object::{Kind, Object, label, name};
use crate::plan::Action;
use crate::testing::{at, decode, pod};

struct World {
    set: StatefulSet,
    pods: Vec<Pod>,
    revisions: Vec<ControllerRevision>,
    claims: Vec<String>,
}

impl World {
    fn new(replicas: i32) -> Self {
        let set = decode(json!({
            "metadata": {"name": "db", "namespace": "default", "uid": "uid-db", "generation": 1},
            "spec": {
                "replicas": replicas,
                "serviceName": "db",
                "selector": {"matchLabels": {"app": "db"}},
                "template": {
                    "metadata": {"labels": {"app": "db"}},
                    "spec": {"containers": [{"name": "db", "image": "postgres:17"}]},
                },
                "volumeClaimTemplates": [{
                    "metadata": {"name": "data"},
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
                }],
            },
        }));
        Self {
            set,
            pods: Vec::new(),
            revisions: Vec::new(),
            claims: Vec::new(),
        }
    }

    fn step(&mut self) -> usize {
        let pods: Vec<Arc<Pod>> = self.pods.iter().cloned().map(Arc::new).collect();
        let revisions: Vec<_> = self.revisions.iter().cloned().map(Arc::new).collect();
        let plan = plan(&self.set, &pods, &revisions, at(100));
        let count = plan.actions.len();
        for action in plan.actions {
            match action {
                Action::Create(Object::Pod(pod)) => self.pods.push(*pod),
                Action::Create(Object::ControllerRevision(new)) => self.revisions.push(*new),
                Action::Create(Object::PersistentVolumeClaim(claim)) => {
                    self.claims.push(name(&claim.metadata).to_owned());
                }
                Action::Status(Object::StatefulSet(set)) => self.set.status = set.status,
                Action::Delete { key, .. } if key.kind == Kind::Pod => {
                    self.pods.retain(|pod| name(&pod.metadata) != key.name.name);
                }
                _ => {}
            }
        }
        count
    }

    fn make_ready(&mut self) {
        for made in &mut self.pods {
            made.status = pod("x").ready().build().status;
        }
    }

    fn settle(&mut self) {
        for _ in 0..50 {
            self.make_ready();
            if self.step() == 0 {
                return;
            }
        }
        panic!("never settles");
    }

    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.pods.iter().map(|pod| name(&pod.metadata)).collect();
        names.sort_unstable();
        names
    }
}

#[test]
fn pods_come_in_order_and_each_waits_for_the_one_before() {
    let mut world = World::new(3);
    world.step();
    assert_eq!(world.names(), ["db-0"]);
    world.step();
    assert_eq!(world.names(), ["db-0"], "the first is not ready");
    world.settle();
    assert_eq!(world.names(), ["db-0", "db-1", "db-2"]);
    assert_eq!(world.claims, ["data-db-0", "data-db-1", "data-db-2"]);
    let last = &world.pods[2];
    assert_eq!(
        label(&last.metadata, "apps.kubernetes.io/pod-index"),
        Some("2")
    );
    let spec = last.spec.as_ref().unwrap();
    assert_eq!(spec.hostname.as_deref(), Some("db-2"));
    let status = world.set.status.as_ref().unwrap();
    assert_eq!((status.replicas, status.ready_replicas), (3, Some(3)));
    assert_eq!(status.current_revision, status.update_revision);
}

#[test]
fn parallel_sets_do_not_wait() {
    let mut world = World::new(3);
    world.set.spec.pod_management_policy = Some("Parallel".to_owned());
    world.step();
    assert_eq!(world.names().len(), 3);
}

#[test]
fn scaling_down_takes_the_highest_number_first() {
    let mut world = World::new(3);
    world.settle();
    world.set.spec.replicas = Some(1);
    world.step();
    assert_eq!(world.names(), ["db-0", "db-1"]);
    world.settle();
    assert_eq!(world.names(), ["db-0"]);
}

#[test]
fn an_update_replaces_pods_from_the_top_down_to_the_partition() {
    let mut world = World::new(3);
    world.settle();
    world.set.spec.template.spec.as_mut().unwrap().containers[0].image =
        Some("postgres:18".to_owned());
    world.set.spec.update_strategy = Some(decode(json!({"rollingUpdate": {"partition": 1}})));
    world.settle();
    let image = |world: &World, wanted: &str| {
        let pod = world
            .pods
            .iter()
            .find(|pod| name(&pod.metadata) == wanted)
            .unwrap();
        pod.spec.as_ref().unwrap().containers[0]
            .image
            .clone()
            .unwrap()
    };
    assert_eq!(image(&world, "db-0"), "postgres:17");
    assert_eq!(image(&world, "db-1"), "postgres:18");
    assert_eq!(image(&world, "db-2"), "postgres:18");
    world.pods.retain(|pod| name(&pod.metadata) != "db-0");
    world.settle();
    assert_eq!(
        image(&world, "db-0"),
        "postgres:17",
        "the partition keeps the old template"
    );
    world.set.spec.update_strategy = None;
    world.settle();
    assert_eq!(image(&world, "db-0"), "postgres:18");
    let status = world.set.status.as_ref().unwrap();
    assert_eq!(status.current_revision, status.update_revision);
    assert_eq!(
        world.revisions.iter().filter_map(|r| r.revision).max(),
        Some(2)
    );
}
