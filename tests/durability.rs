//! `serve` survives `kill -9`: it converges, loses nothing acknowledged and doubles nothing.

use std::collections::BTreeSet;

use flybridge_testkit::kubectl::Kubectl;
use flybridge_testkit::process::HeadlessPlane;

use crate::rig::{PATIENCE, binary, cluster_names, deployment, policy};

const WORKLOADS: usize = 12;

#[test]
fn serve_converges_after_kill_in_mid_propagation() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let data_dir = dir.path().join("plane").display().to_string();
    let args = [
        "serve",
        "--data-dir",
        &data_dir,
        "--listen",
        "127.0.0.1:0",
        "--sim-clusters",
        "2",
    ];
    let plane = HeadlessPlane::start(binary(), &args).expect("serve starts");
    let Some(kubectl) = Kubectl::find(plane.kubeconfig()) else {
        println!("skipped: durability: kubectl is not installed");
        return;
    };
    kubectl.wait(&["get", "clusters", "--no-headers"], PATIENCE, |text| {
        text.lines().filter(|line| line.contains("True")).count() == 2
    });

    let duplicated = "    replicaScheduling: {replicaSchedulingType: Duplicated}";
    let manifest: String = (0..WORKLOADS)
        .map(|index| {
            let name = format!("load-{index}");
            format!(
                "{}---\n{}---\n",
                deployment(&name, 1),
                policy(&name, duplicated)
            )
        })
        .collect();
    kubectl
        .run_with_input(&["apply", "-f", "-"], &manifest)
        .expect("kubectl runs")
        .ok();
    plane.kill().expect("killed");

    let plane = HeadlessPlane::start(binary(), &args).expect("serve starts again");
    let kubectl = Kubectl::find(plane.kubeconfig()).expect("kubectl was there before");
    let acknowledged = kubectl
        .run(&["get", "deploy", "-o", "name"])
        .expect("kubectl runs")
        .ok();
    assert_eq!(acknowledged.lines().count(), WORKLOADS, "{acknowledged}");
    for cluster in cluster_names(&kubectl) {
        let raw = format!(
            "/apis/cluster.karmada.io/v1alpha1/clusters/{cluster}/proxy/apis/apps/v1/namespaces/default/deployments"
        );
        let text = kubectl.wait(&["get", "--raw", &raw], PATIENCE, |text| {
            names(text).len() >= WORKLOADS
        });
        let found = names(&text);
        let unique: BTreeSet<_> = found.iter().collect();
        assert_eq!(found.len(), WORKLOADS, "{found:?}");
        assert_eq!(unique.len(), WORKLOADS, "{found:?}");
        let pods = raw
            .replace("apis/apps/v1", "api/v1")
            .replace("deployments", "pods");
        kubectl.wait(&["get", "--raw", &pods], PATIENCE, |text| {
            names(text).len() == WORKLOADS
        });
    }
    assert!(plane.terminate().expect("serve stops").success());
}

fn names(list: &str) -> Vec<String> {
    let list: serde_json::Value = serde_json::from_str(list).unwrap_or_default();
    let items = list["items"].as_array().cloned().unwrap_or_default();
    items
        .iter()
        .filter_map(|item| item["metadata"]["name"].as_str())
        .map(str::to_owned)
        .collect()
}
