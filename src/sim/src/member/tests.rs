//! Whole members on paused time.

use std::collections::BTreeMap;
use std::time::Duration;

use flybridge_base::{Clock, Tasks};
use flybridge_store::Store;
use futures::AsyncReadExt;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Event, Node, Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube::api::{DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Member;
use crate::config::{Delays, MemberConfig, NodeConfig};
use crate::pods;
use crate::testing::{at, decode};

fn config(seed: u64) -> MemberConfig {
    MemberConfig {
        name: "paris".to_owned(),
        region: "eu-west".to_owned(),
        zones: vec!["eu-west-a".to_owned()],
        provider: "alpha-cloud".to_owned(),
        labels: BTreeMap::new(),
        taints: Vec::new(),
        kubernetes_version: "v1.35.4".to_owned(),
        nodes: ["n1", "n2"]
            .map(|name| NodeConfig::new(name, "4", "8Gi"))
            .into(),
        seed,
        delays: Delays::realistic(),
    }
}

struct World {
    member: Member,
    client: Client,
    tasks: Tasks,
    clock: Clock,
}

impl World {
    async fn new(seed: u64) -> Self {
        Self::over(config(seed), Store::memory(), Clock::starting_at(at(0))).await
    }

    async fn over(config: MemberConfig, store: Store, clock: Clock) -> Self {
        let tasks = Tasks::new();
        let member = Member::start(config, store, clock, &tasks).await.unwrap();
        let client = member.client();
        Self {
            member,
            client,
            tasks,
            clock,
        }
    }

    fn api<K>(&self) -> Api<K>
    where
        K: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>,
    {
        Api::namespaced(self.client.clone(), "default")
    }

    async fn list<K>(&self) -> Vec<K>
    where
        K: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>
            + Clone
            + DeserializeOwned
            + std::fmt::Debug,
    {
        let list = self.api::<K>().list(&ListParams::default()).await;
        list.unwrap().items
    }

    async fn create_deployment(&self, replicas: i32, cpu: &str) {
        let deployment: Deployment = decode(json!({
            "metadata": {"name": "web"},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"containers": [{
                        "name": "web",
                        "image": "nginx:1.29",
                        "resources": {"requests": {"cpu": cpu}},
                    }]},
                },
            },
        }));
        let made = self.api().create(&PostParams::default(), &deployment).await;
        made.unwrap();
    }

    async fn patch_deployment(&self, patch: Value) {
        let api: Api<Deployment> = self.api();
        let patch = Patch::Merge(patch);
        api.patch("web", &PatchParams::default(), &patch)
            .await
            .unwrap();
    }

    /// Lets time pass until the deployment shows what is wanted.
    async fn until_deployment(&self, wanted: impl Fn(&Deployment) -> bool) -> Deployment {
        let api: Api<Deployment> = self.api();
        for _ in 0..600 {
            let deployment = api.get("web").await.unwrap();
            if wanted(&deployment) {
                return deployment;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        panic!("never: {:#?}", api.get("web").await.unwrap().status);
    }

    async fn until_ready(&self, replicas: i32) -> Deployment {
        self.until_deployment(|deployment| {
            let status = deployment.status.clone().unwrap_or_default();
            status.observed_generation == deployment.metadata.generation
                && status.available_replicas.unwrap_or(0) == replicas
                && status.updated_replicas.unwrap_or(0) == replicas
                && status.replicas.unwrap_or(0) == replicas
        })
        .await
    }

    async fn until_pods(&self, wanted: impl Fn(&[Pod]) -> bool) -> Vec<Pod> {
        for _ in 0..2000 {
            let pods = self.list::<Pod>().await;
            if wanted(&pods) {
                return pods;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        panic!("never: {:#?}", self.list::<Pod>().await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deployment_of_three_becomes_three_running_pods() {
    let world = World::new(1).await;
    world.create_deployment(3, "100m").await;
    let deployment = world.until_ready(3).await;
    let conditions = deployment.status.unwrap().conditions.unwrap();
    let reasons: Vec<&str> = conditions
        .iter()
        .filter_map(|c| c.reason.as_deref())
        .collect();
    assert_eq!(
        reasons,
        ["MinimumReplicasAvailable", "NewReplicaSetAvailable"]
    );
    let pods = world.list::<Pod>().await;
    assert_eq!(pods.len(), 3);
    for pod in &pods {
        assert_eq!(pods::phase(pod), "Running");
        let status = pod.status.as_ref().unwrap();
        assert!(
            status
                .pod_ip
                .as_deref()
                .is_some_and(|ip| ip.starts_with("10."))
        );
        assert!(
            status
                .host_ip
                .as_deref()
                .is_some_and(|ip| ip.starts_with("172.18."))
        );
    }
    let mut addresses: Vec<_> = pods
        .iter()
        .map(|p| p.status.as_ref().unwrap().pod_ip.clone())
        .collect();
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), 3);
    let nodes: std::collections::BTreeSet<_> = pods.iter().filter_map(pods::node_name).collect();
    assert_eq!(nodes.len(), 2, "replicas are spread");
    let events = world.list::<Event>().await;
    for reason in [
        "ScalingReplicaSet",
        "SuccessfulCreate",
        "Scheduled",
        "Pulling",
        "Pulled",
        "Created",
        "Started",
    ] {
        assert!(
            events.iter().any(|e| e.reason.as_deref() == Some(reason)),
            "{reason}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_gets_an_address_and_follows_its_pods() {
    let world = World::new(1).await;
    let service: Service = decode(json!({
        "metadata": {"name": "web"},
        "spec": {"type": "LoadBalancer", "selector": {"app": "web"}, "ports": [{"port": 80}]},
    }));
    let services: Api<Service> = world.api();
    services
        .create(&PostParams::default(), &service)
        .await
        .unwrap();
    world.create_deployment(2, "100m").await;
    world.until_ready(2).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let ready = |slices: Vec<EndpointSlice>| {
        let endpoints = slices
            .into_iter()
            .flat_map(|slice| slice.endpoints.unwrap_or_default());
        endpoints
            .filter(|e| e.conditions.as_ref().unwrap().ready == Some(true))
            .count()
    };
    assert_eq!(ready(world.list::<EndpointSlice>().await), 2);
    let service = services.get("web").await.unwrap();
    assert!(
        service
            .spec
            .unwrap()
            .cluster_ip
            .unwrap()
            .starts_with("10.96.")
    );
    assert_eq!(
        service
            .status
            .unwrap()
            .load_balancer
            .unwrap()
            .ingress
            .unwrap()
            .len(),
        1
    );
    world
        .patch_deployment(json!({"spec": {"replicas": 1}}))
        .await;
    world.until_pods(|pods| pods.len() == 1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(ready(world.list::<EndpointSlice>().await), 1);
    services
        .delete("web", &DeleteParams::background())
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(world.list::<EndpointSlice>().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn it_scales_and_rolls_to_a_new_image() {
    let world = World::new(1).await;
    world.create_deployment(2, "100m").await;
    world.until_ready(2).await;
    world
        .patch_deployment(json!({"spec": {"replicas": 5}}))
        .await;
    world.until_ready(5).await;
    world
        .patch_deployment(json!({"spec": {"replicas": 1}}))
        .await;
    world.until_ready(1).await;
    let image = json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:1.30"}]}}}});
    world.patch_deployment(image).await;
    world.until_ready(1).await;
    let pods = world.until_pods(|pods| pods.len() == 1).await;
    assert_eq!(
        pods[0].spec.as_ref().unwrap().containers[0]
            .image
            .as_deref(),
        Some("nginx:1.30")
    );
    let sets = world.list::<ReplicaSet>().await;
    let mut sizes: Vec<_> = sets.iter().map(|set| set.spec.replicas.unwrap()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [0, 1]);
}

#[tokio::test(start_paused = true)]
async fn deleting_the_deployment_takes_everything_below_it_along() {
    let world = World::new(1).await;
    world.create_deployment(2, "100m").await;
    world.until_ready(2).await;
    let api: Api<Deployment> = world.api();
    api.delete("web", &DeleteParams::background())
        .await
        .unwrap();
    world.until_pods(<[Pod]>::is_empty).await;
    assert!(world.list::<ReplicaSet>().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn pods_beyond_the_capacity_wait_and_run_when_there_is_room() {
    let world = World::new(1).await;
    world.create_deployment(3, "3").await;
    let refused =
        |pod: &Pod| pods::condition(pod, "PodScheduled").is_some_and(|c| c.status == "False");
    let pods = world.until_pods(|pods| pods.iter().any(refused)).await;
    let waiting = pods.iter().find(|pod| refused(pod)).unwrap();
    let condition = pods::condition(waiting, "PodScheduled").unwrap();
    assert_eq!(condition.reason.as_deref(), Some("Unschedulable"));
    assert_eq!(
        condition.message.as_deref(),
        Some("0/2 nodes are available: 2 Insufficient cpu.")
    );
    let events = world.list::<Event>().await;
    assert!(
        events
            .iter()
            .any(|e| e.reason.as_deref() == Some("FailedScheduling"))
    );
    let running = pods
        .iter()
        .find(|pod| pods::node_name(pod).is_some())
        .unwrap();
    world
        .patch_deployment(json!({"spec": {"replicas": 2}}))
        .await;
    world
        .until_pods(|pods| pods.len() == 2 && pods.iter().all(pods::is_ready))
        .await;
    world
        .patch_deployment(json!({"spec": {"replicas": 3}}))
        .await;
    world.until_pods(|pods| pods.len() == 3).await;
    let name = running.metadata.name.clone().unwrap();
    let api: Api<Pod> = world.api();
    api.delete(&name, &DeleteParams::default()).await.unwrap();
    world
        .until_pods(|pods| pods.iter().filter(|pod| pods::is_ready(pod)).count() == 2)
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_job_completes() {
    let world = World::new(1).await;
    let job: Job = decode(json!({
        "metadata": {"name": "sum"},
        "spec": {"completions": 2, "template": {"spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "sum", "image": "busybox"}],
        }}},
    }));
    let api: Api<Job> = world.api();
    api.create(&PostParams::default(), &job).await.unwrap();
    for _ in 0..600 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let status = api.get("sum").await.unwrap().status.unwrap_or_default();
        let complete = status
            .conditions
            .iter()
            .flatten()
            .any(|c| c.type_ == "Complete");
        if complete {
            assert_eq!(status.succeeded, Some(2));
            return;
        }
    }
    panic!("never: {:#?}", api.get("sum").await.unwrap().status);
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_objects_and_another_one_does_not() {
    async fn dump(seed: u64) -> String {
        let world = World::new(seed).await;
        world.create_deployment(4, "100m").await;
        world.until_ready(4).await;
        world
            .patch_deployment(json!({"spec": {"replicas": 2}}))
            .await;
        world.until_pods(|pods| pods.len() == 2).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
        let mut text = String::new();
        for path in [
            "/api/v1/nodes",
            "/api/v1/pods",
            "/api/v1/events",
            "/apis/apps/v1/replicasets",
            "/apis/apps/v1/deployments",
        ] {
            let request = http::Request::get(path).body(Vec::new()).unwrap();
            let answer: Value = world.client.request(request).await.unwrap();
            text.push_str(&serde_json::to_string_pretty(&answer).unwrap());
        }
        world.tasks.stop(Duration::from_secs(1)).await;
        text
    }
    let (first, second) = (dump(7).await, dump(7).await);
    assert_eq!(first, second);
    assert_ne!(first, dump(8).await);
}

#[tokio::test(start_paused = true)]
async fn logs_are_read_and_followed_through_the_api() {
    let world = World::new(1).await;
    world.create_deployment(1, "100m").await;
    world.until_ready(1).await;
    let name = world.list::<Pod>().await[0].metadata.name.clone().unwrap();
    let api: Api<Pod> = world.api();
    tokio::time::sleep(Duration::from_secs(120)).await;
    let all = api.logs(&name, &LogParams::default()).await.unwrap();
    assert!(all.lines().count() > 20, "{all}");
    assert_eq!(all, api.logs(&name, &LogParams::default()).await.unwrap());
    let tail = LogParams {
        tail_lines: Some(3),
        ..LogParams::default()
    };
    let tail = api.logs(&name, &tail).await.unwrap();
    assert!(tail.lines().count() == 3 && all.ends_with(&tail));
    let follow = LogParams {
        follow: true,
        tail_lines: Some(0),
        ..LogParams::default()
    };
    let before = world.clock.now();
    let mut stream = Box::pin(api.log_stream(&name, &follow).await.unwrap());
    let mut buffer = vec![0; 64];
    assert!(stream.read(&mut buffer).await.unwrap() > 0);
    assert!(world.clock.now() > before, "the line came later");
    let unknown = LogParams {
        container: Some("db".to_owned()),
        ..LogParams::default()
    };
    let error = api.logs(&name, &unknown).await.unwrap_err();
    assert!(matches!(error, kube::Error::Api(status) if status.code == 400));
}

#[tokio::test(start_paused = true)]
async fn a_partition_cuts_the_client_off_and_heals() {
    let world = World::new(1).await;
    let nodes: Api<Node> = Api::all(world.client.clone());
    assert_eq!(
        nodes
            .list(&ListParams::default())
            .await
            .unwrap()
            .items
            .len(),
        2
    );
    let version = world.client.apiserver_version().await.unwrap();
    assert_eq!(version.git_version, "v1.35.4");
    world.member.partition(true);
    assert!(nodes.list(&ListParams::default()).await.is_err());
    world.member.partition(false);
    assert!(nodes.list(&ListParams::default()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn pods_of_a_lost_node_move_after_their_toleration() {
    let world = World::new(1).await;
    world.create_deployment(2, "100m").await;
    world.until_ready(2).await;
    world.member.set_node_ready("n1", false).await.unwrap();
    assert!(world.member.set_node_ready("n9", false).await.is_err());
    let lost = world.clock.now();
    let on_n2 = |pods: &[Pod]| {
        let there = |pod: &&Pod| pods::node_name(pod) == Some("n2") && pods::is_ready(pod);
        pods.iter().filter(there).count() == 2
    };
    let pods = world.until_pods(on_n2).await;
    assert!(world.clock.since(lost) >= Duration::from_secs(299));
    assert_eq!(pods.len(), 3, "the pod on the lost node is stuck");
    let nodes: Api<Node> = Api::all(world.client.clone());
    assert!(!crate::nodes::is_ready(&nodes.get("n1").await.unwrap()));
    world.member.set_node_ready("n1", true).await.unwrap();
    world.until_pods(|pods| pods.len() == 2).await;
    assert!(crate::nodes::is_ready(&nodes.get("n1").await.unwrap()));
}

#[tokio::test(start_paused = true)]
async fn a_restarted_member_goes_on_with_what_its_store_has() {
    let clock = Clock::starting_at(at(0));
    let store = Store::memory();
    let world = World::over(config(1), store.clone(), clock).await;
    world.create_deployment(2, "100m").await;
    world.until_ready(2).await;
    let id = world.member.id().await.unwrap();
    let before = world.list::<Pod>().await;
    assert!(world.member.stop().await);
    let world = World::over(config(1), store, clock).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(world.member.id().await.unwrap(), id);
    assert_eq!(world.list::<Pod>().await, before);
    world
        .patch_deployment(json!({"spec": {"replicas": 3}}))
        .await;
    world.until_ready(3).await;
}
