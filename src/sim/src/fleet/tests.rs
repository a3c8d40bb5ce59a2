//! Fleets and their registration.

use std::time::Duration;

use flybridge_apis::Cluster;
use flybridge_apiserver::{ApiServer, User};
use flybridge_base::{Clock, Tasks};
use flybridge_client::{MemberClients, in_process};
use flybridge_store::Store;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{ListParams, PostParams};
use kube::{Api, Client};
use serde_json::Value;

use super::{Fleet, FleetConfig};
use crate::pods;
use crate::testing::at;

async fn control_plane(clock: Clock) -> Client {
    let server = ApiServer::builder(Store::memory()).clock(clock).build();
    server.bootstrap().await.unwrap();
    let client = in_process(server.service(User::admin()));
    let manifest = flybridge_apis::cluster_definition().manifest();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let request = http::Request::post(path)
        .header("content-type", "application/json")
        .body(serde_json::to_vec(&manifest).unwrap())
        .unwrap();
    client.request::<Value>(request).await.unwrap();
    client
}

#[tokio::test(start_paused = true)]
async fn a_registered_fleet_can_be_reached_by_name() {
    let clock = Clock::starting_at(at(0));
    let tasks = Tasks::new();
    let plane = control_plane(clock).await;
    let clients = MemberClients::new();
    let config = FleetConfig::demo(6, 1);
    let fleet = Fleet::start(config, |_name| Store::memory(), clock, &tasks)
        .await
        .unwrap();
    fleet.register(&plane, &clients).await.unwrap();
    fleet.register(&plane, &clients).await.unwrap();
    let api: Api<Cluster> = Api::all(plane);
    let clusters = api.list(&ListParams::default()).await.unwrap().items;
    assert_eq!(clusters.len(), 6);
    for cluster in &clusters {
        let name = cluster.name();
        assert_eq!(
            cluster.spec.id,
            fleet.member(name).unwrap().id().await.unwrap()
        );
        assert_eq!(
            cluster.spec.api_endpoint,
            format!("https://{name}.sim.flybridge.local:6443")
        );
        assert!(cluster.label("environment").is_some());
        let nodes: Api<Node> = Api::all(clients.registered(name).unwrap());
        assert_eq!(
            nodes
                .list(&ListParams::default())
                .await
                .unwrap()
                .items
                .len(),
            3
        );
    }
    let tainted: Vec<&str> = clusters
        .iter()
        .filter(|cluster| !cluster.spec.taints.is_empty())
        .map(Cluster::name)
        .collect();
    assert_eq!(tainted, ["newyork"]);
    assert!(fleet.member("atlantis").is_err());
    assert!(fleet.stop().await);
}

#[tokio::test(start_paused = true)]
async fn fifty_members_run_side_by_side() {
    let clock = Clock::starting_at(at(0));
    let tasks = Tasks::new();
    let config = FleetConfig::demo(50, 1);
    let fleet = Fleet::start(config, |_name| Store::memory(), clock, &tasks)
        .await
        .unwrap();
    for member in fleet.members() {
        let pod: Pod = crate::testing::pod("probe").build();
        let pod = Pod {
            metadata: kube::api::ObjectMeta {
                name: pod.metadata.name,
                ..kube::api::ObjectMeta::default()
            },
            status: None,
            ..pod
        };
        let api: Api<Pod> = Api::default_namespaced(member.client());
        api.create(&PostParams::default(), &pod).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
    for member in fleet.members() {
        let api: Api<Pod> = Api::default_namespaced(member.client());
        let pod = api.get("probe").await.unwrap();
        assert!(pods::is_ready(&pod), "{}", member.name());
    }
    assert!(fleet.stop().await);
}
