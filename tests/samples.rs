//! The workloads that the demo brings: where they go, that they become healthy, and what fits nowhere.

use flybridge_testkit::kubectl::Kubectl;
use flybridge_testkit::process::HeadlessPlane;
use serde_json::Value;

use crate::rig::{PATIENCE, binary};

/// The sample that is meant to fit nowhere.
const NOWHERE: &str = "archive-deployment";

fn bindings(text: &str) -> Vec<Value> {
    let list: Value = serde_json::from_str(text).unwrap_or_default();
    list["items"].as_array().cloned().unwrap_or_default()
}

/// Whether every target of a binding reports health, and the scheduler has seen its generation.
fn is_settled(binding: &Value) -> bool {
    let targets = binding["spec"]["clusters"].as_array().map_or(0, Vec::len);
    let status = &binding["status"];
    let reports = status["aggregatedStatus"].as_array();
    let healthy = reports
        .into_iter()
        .flatten()
        .filter(|report| report["health"] == "Healthy" && report["applied"] == true);
    targets > 0
        && healthy.count() == targets
        && status["schedulerObservedGeneration"] == binding["metadata"]["generation"]
}

#[test]
fn samples_wait_for_the_members_and_become_healthy() {
    let plane = HeadlessPlane::start(binary(), &["demo", "--no-console"]).expect("the demo starts");
    let Some(kubectl) = Kubectl::find(plane.kubeconfig()) else {
        println!("skipped: samples: kubectl is not installed");
        return;
    };
    let is_nowhere = |binding: &Value| binding["metadata"]["name"] == NOWHERE;
    let all = ["get", "rb", "-A", "-o", "json"];
    let text = kubectl.wait(&all, PATIENCE, |text| {
        let bindings = bindings(text);
        let placed: Vec<_> = bindings.iter().filter(|b| !is_nowhere(b)).collect();
        bindings.len() >= 9 && placed.len() < bindings.len() && placed.into_iter().all(is_settled)
    });
    let bindings = bindings(&text);
    let nowhere = bindings
        .iter()
        .find(|b| is_nowhere(b))
        .expect("it is listed");
    let condition = &nowhere["status"]["conditions"][0];
    assert_eq!(condition["reason"], "NoClusterFit");
    let message = condition["message"].as_str().unwrap_or_default();
    assert!(
        message.starts_with("0/6 clusters are available: "),
        "{message}"
    );
    assert!(!message.contains("API"), "{message}");

    // Static weights 3:2:1 hold only if all three members were Ready when it was scheduled.
    let names = ["-n", "shop", "storefront-deployment"];
    let path = "jsonpath={.spec.clusters[*].replicas}";
    let replicas = kubectl.run(&[&["get", "rb", "-o", path], &names[..]].concat());
    let replicas = replicas.expect("kubectl runs").ok();
    let mut replicas: Vec<&str> = replicas.split_whitespace().collect();
    replicas.sort_unstable();
    assert_eq!(replicas, ["1", "2", "3"]);
}
