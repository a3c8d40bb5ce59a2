//! What a simulated member is made of.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::Taint;

/// A member cluster to start.
#[derive(Clone, Debug)]
pub struct MemberConfig {
    /// The cluster's name.
    pub name: String,
    /// Its region.
    pub region: String,
    /// Its zones; nodes are spread over them in turn.
    pub zones: Vec<String>,
    /// Who runs it.
    pub provider: String,
    /// Labels of the Cluster object that registers it.
    pub labels: BTreeMap<String, String>,
    /// Taints of the Cluster object that registers it.
    pub taints: Vec<Taint>,
    /// What its kubelets and its server call themselves: `v1.36.2`.
    pub kubernetes_version: String,
    /// Its nodes.
    pub nodes: Vec<NodeConfig>,
    /// Where all its randomness comes from.
    pub seed: u64,
    /// How long things take.
    pub delays: Delays,
}

/// A node of a member.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// The node's name.
    pub name: String,
    /// CPU capacity as a quantity.
    pub cpu: String,
    /// Memory capacity as a quantity.
    pub memory: String,
    /// How many pods fit.
    pub pods: u32,
    /// Labels beside the well-known ones.
    pub labels: BTreeMap<String, String>,
    /// Taints it starts with.
    pub taints: Vec<Taint>,
}

impl NodeConfig {
    /// A node without extra labels and taints that takes 110 pods.
    pub fn new(name: &str, cpu: &str, memory: &str) -> Self {
        Self {
            name: name.to_owned(),
            cpu: cpu.to_owned(),
            memory: memory.to_owned(),
            pods: 110,
            labels: BTreeMap::new(),
            taints: Vec::new(),
        }
    }
}

/// How long the kubelets of a member take, each as shortest and longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delays {
    /// Pulling an image.
    pub pull: (Duration, Duration),
    /// Starting the containers.
    pub start: (Duration, Duration),
    /// Stopping them.
    pub stop: (Duration, Duration),
    /// How long a pod runs that is meant to end.
    pub run: (Duration, Duration),
}

impl Delays {
    /// As on a cluster of moderate speed.
    pub const fn realistic() -> Self {
        Self {
            pull: (Duration::from_millis(800), Duration::from_secs(6)),
            start: (Duration::from_millis(500), Duration::from_secs(2)),
            stop: (Duration::from_millis(300), Duration::from_secs(3)),
            run: (Duration::from_secs(8), Duration::from_secs(25)),
        }
    }

    /// As short as can be told apart.
    pub const fn fast() -> Self {
        let instant = Duration::from_millis(1);
        Self {
            pull: (instant, Duration::from_millis(20)),
            start: (instant, Duration::from_millis(20)),
            stop: (instant, Duration::from_millis(20)),
            run: (Duration::from_millis(500), Duration::from_secs(1)),
        }
    }
}

impl Default for Delays {
    fn default() -> Self {
        Self::realistic()
    }
}
