//! What every end-to-end test needs: the binary, a headless demo, kubectl.

use std::path::Path;
use std::time::Duration;

use flybridge_testkit::kubectl::Kubectl;
use flybridge_testkit::process::HeadlessPlane;

/// Long enough for a busy two-core machine; a passing wait ends much sooner.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_flybridge"))
}

/// A headless demo without samples, and kubectl bound to it; `None` (with a line) without kubectl.
pub(crate) fn demo(test: &str, extra: &[&str]) -> Option<(HeadlessPlane, Kubectl)> {
    let mut args = vec!["demo", "--no-console", "--no-samples"];
    args.extend(extra);
    let plane = HeadlessPlane::start(binary(), &args).expect("the demo starts");
    let kubectl = Kubectl::find(plane.kubeconfig());
    if kubectl.is_none() {
        println!("skipped: {test}: kubectl is not installed");
    }
    kubectl.map(|kubectl| (plane, kubectl))
}

/// A Deployment manifest.
pub(crate) fn deployment(name: &str, replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: default
  labels: {{app: {name}}}
spec:
  replicas: {replicas}
  selector:
    matchLabels: {{app: {name}}}
  template:
    metadata:
      labels: {{app: {name}}}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        resources:
          requests: {{cpu: 10m, memory: 16Mi}}
"
    )
}

/// A PropagationPolicy for one Deployment with the given placement (YAML, indented by four).
pub(crate) fn policy(name: &str, placement: &str) -> String {
    format!(
        "apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: {name}
  namespace: default
spec:
  resourceSelectors:
  - apiVersion: apps/v1
    kind: Deployment
    name: {name}
  placement:
{placement}
"
    )
}

/// Static weights 7:3 over two clusters.
pub(crate) fn seven_to_three(first: &str, second: &str) -> String {
    format!(
        "    clusterAffinity:
      clusterNames: [{first}, {second}]
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
        - targetCluster: {{clusterNames: [{first}]}}
          weight: 7
        - targetCluster: {{clusterNames: [{second}]}}
          weight: 3"
    )
}

/// The names of the clusters, in order.
pub(crate) fn cluster_names(kubectl: &Kubectl) -> Vec<String> {
    let text = kubectl
        .run(&["get", "clusters", "-o", "name"])
        .expect("kubectl runs")
        .ok();
    text.lines()
        .filter_map(|line| line.split('/').nth(1))
        .map(str::to_owned)
        .collect()
}

/// `name:replicas` of a binding's clusters, sorted by name, joined by a space.
pub(crate) fn placement(kubectl: &Kubectl, binding: &str, wanted: &str) -> String {
    let path = "jsonpath={range .spec.clusters[*]}{.name}:{.replicas}{\"\\n\"}{end}";
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::trim).collect();
        lines.sort_unstable();
        lines.join(" ")
    };
    let text = kubectl.wait(&["get", "rb", binding, "-o", path], PATIENCE, |text| {
        sorted(text) == wanted
    });
    sorted(&text)
}
