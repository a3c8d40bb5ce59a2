//! What a member has: its version, kinds, nodes, and the resources that pods take.

use std::collections::BTreeMap;
use std::time::Duration;

use flybridge_base::{Ids, Tasks};
use flybridge_client::discovery::Served;
use flybridge_machinery::Quantity;
use flybridge_machinery::conditions;
use flybridge_runtime::{Informer, ObjectKey, Scope, Stored};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Client;
use kube::core::{ApiResource, GroupVersionKind};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::members::Member;

/// How long a first listing of nodes and pods is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Amounts by resource name.
type Amounts = BTreeMap<String, Quantity>;

/// The parts of a Node that count.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Node {
    metadata: ObjectMeta,
    #[serde(default)]
    status: NodeStatus,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct NodeStatus {
    #[serde(default)]
    allocatable: BTreeMap<String, String>,
    #[serde(default)]
    conditions: Vec<NodeCondition>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct NodeCondition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
}

/// The parts of a Pod that count.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Pod {
    metadata: ObjectMeta,
    #[serde(default)]
    spec: PodSpec,
    #[serde(default)]
    status: PodStatus,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodSpec {
    node_name: Option<String>,
    containers: Vec<Container>,
    init_containers: Vec<Container>,
    overhead: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Container {
    resources: Resources,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Resources {
    requests: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct PodStatus {
    phase: String,
}

macro_rules! stored {
    ($name:ident) => {
        impl Stored for $name {
            fn key(&self) -> ObjectKey {
                let metadata = &self.metadata;
                ObjectKey::new(
                    metadata.namespace.clone().unwrap_or_default(),
                    metadata.name.clone().unwrap_or_default(),
                )
            }

            fn version(&self) -> &str {
                self.metadata
                    .resource_version
                    .as_deref()
                    .unwrap_or_default()
            }

            fn identity(&self) -> &str {
                self.metadata.uid.as_deref().unwrap_or_default()
            }
        }
    };
}

stored!(Node);
stored!(Pod);

/// Follows nodes and pods of one member.
pub struct Inventory {
    nodes: Informer<Node>,
    pods: Informer<Pod>,
}

impl Inventory {
    /// Starts to follow.
    pub fn start(tasks: &Tasks, ids: &Ids, client: &Client) -> Self {
        let core = |kind: &str, plural: &str| {
            ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", kind), plural)
        };
        let scope = Scope::default();
        Self {
            nodes: Informer::start(tasks, ids, client, &core("Node", "nodes"), &scope),
            pods: Informer::start(tasks, ids, client, &core("Pod", "pods"), &scope),
        }
    }

    /// Whether nodes and pods are known, or become so soon.
    async fn is_filled(&self) -> bool {
        let filled = async { self.nodes.wait_synced().await && self.pods.wait_synced().await };
        tokio::time::timeout(PATIENCE, filled)
            .await
            .unwrap_or(false)
    }

    /// Stops following.
    pub fn stop(&self) {
        self.nodes.stop();
        self.pods.stop();
    }

    /// The fields of Cluster status that tell what the member has; what cannot be read is left out.
    pub async fn collect(&self, member: &Member) -> Value {
        let mut status = json!({});
        if let Ok(version) = member.client.apiserver_version().await {
            status["kubernetesVersion"] = json!(version.git_version);
        }
        let complete = match member.mapper.refresh().await {
            Ok(served) => {
                status["apiEnablements"] = api_enablements(&served);
                completeness(&served)
            }
            Err(_unknown) => condition(
                "False",
                "Empty",
                "collected empty APIEnablements from the cluster",
            ),
        };
        status["conditions"] = json!([complete]);
        if self.is_filled().await {
            let nodes = self.nodes.store().list();
            let pods = self.pods.store().list();
            let nodes = nodes.iter().map(AsRef::as_ref);
            status["nodeSummary"] = node_summary(nodes.clone());
            status["resourceSummary"] = resource_summary(nodes, pods.iter().map(AsRef::as_ref));
        }
        status
    }
}

fn condition(status: &str, reason: &str, message: &str) -> Value {
    let kind = flybridge_apis::cluster::COMPLETE_API_ENABLEMENTS;
    conditions::new(kind, status, reason, message)
}

fn completeness(served: &Served) -> Value {
    if served.failed.is_empty() {
        let message = "collected complete APIEnablements from the cluster";
        condition("True", "Complete", message)
    } else {
        let message = "might collect partial APIEnablements from the cluster";
        condition("False", "Partial", message)
    }
}

/// Served kinds by group version, both in order.
fn api_enablements(served: &Served) -> Value {
    let mut groups: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for mapping in &served.mappings {
        let resource = &mapping.resource;
        let list = groups.entry(&resource.api_version).or_default();
        list.push((&resource.plural, &resource.kind));
    }
    let listed = groups.into_iter().map(|(group_version, mut resources)| {
        resources.sort_unstable();
        let resources: Vec<Value> = resources
            .into_iter()
            .map(|(name, kind)| json!({"name": name, "kind": kind}))
            .collect();
        json!({"groupVersion": group_version, "resources": resources})
    });
    Value::Array(listed.collect())
}

fn node_summary<'a, I: Iterator<Item = &'a Node>>(nodes: I) -> Value {
    let (mut total, mut ready) = (0, 0);
    for node in nodes {
        total += 1;
        let mut conditions = node.status.conditions.iter();
        if conditions.any(|c| c.kind == "Ready" && c.status == "True") {
            ready += 1;
        }
    }
    let mut summary = json!({});
    if total > 0 {
        summary["totalNum"] = json!(total);
    }
    if ready > 0 {
        summary["readyNum"] = json!(ready);
    }
    summary
}

fn resource_summary<'a>(
    nodes: impl Iterator<Item = &'a Node>,
    pods: impl Iterator<Item = &'a Pod>,
) -> Value {
    let (mut allocatable, mut allocating, mut allocated) =
        (Amounts::new(), Amounts::new(), Amounts::new());
    for node in nodes {
        add_texts(&mut allocatable, &node.status.allocatable);
    }
    let (mut waiting, mut running) = (0, 0);
    for pod in pods {
        let assigned = pod
            .spec
            .node_name
            .as_deref()
            .is_some_and(|node| !node.is_empty());
        if !assigned {
            add(&mut allocating, pod_request(&pod.spec));
            waiting += 1;
        } else if !matches!(pod.status.phase.as_str(), "Succeeded" | "Failed") {
            add(&mut allocated, pod_request(&pod.spec));
            running += 1;
        }
    }
    for (amounts, count) in [(&mut allocating, waiting), (&mut allocated, running)] {
        if count > 0 {
            amounts.insert("pods".to_owned(), Quantity::units(count));
        }
    }
    let mut summary = json!({});
    for (field, amounts) in [
        ("allocatable", allocatable),
        ("allocating", allocating),
        ("allocated", allocated),
    ] {
        if !amounts.is_empty() {
            summary[field] = json!(amounts);
        }
    }
    summary
}

fn add_texts(total: &mut Amounts, more: &BTreeMap<String, String>) {
    add(total, parsed(more));
}

fn parsed(texts: &BTreeMap<String, String>) -> Amounts {
    let parsed = texts.iter().filter_map(|(name, text)| {
        let quantity = text.parse::<Quantity>().ok()?;
        Some((name.clone(), quantity))
    });
    parsed.collect()
}

fn add(total: &mut Amounts, more: Amounts) {
    for (name, quantity) in more {
        *total.entry(name).or_default() += &quantity;
    }
}

/// Containers together, at least what each init container takes alone, and the overhead.
fn pod_request(spec: &PodSpec) -> Amounts {
    let mut total = Amounts::new();
    for container in &spec.containers {
        add_texts(&mut total, &container.resources.requests);
    }
    for container in &spec.init_containers {
        for (name, quantity) in parsed(&container.resources.requests) {
            let have = total.entry(name).or_default();
            if *have < quantity {
                *have = quantity;
            }
        }
    }
    add_texts(&mut total, &spec.overhead);
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_and_waiting_pods_are_counted_apart() {
        let nodes: Vec<Node> = serde_json::from_value(json!([
            {"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "110"},
                "conditions": [{"type": "Ready", "status": "True"}]}},
            {"metadata": {"name": "n2"}, "status": {"allocatable": {"cpu": "500m"}}},
        ]))
        .unwrap();
        let container = json!({"resources": {"requests": {"cpu": "100m"}}});
        let pod = |node: &str, phase: &str| {
            json!({"metadata": {"name": node}, "spec": {"nodeName": node,
                "containers": [container, container]}, "status": {"phase": phase}})
        };
        let pods: Vec<Pod> = serde_json::from_value(json!([
            pod("n1", "Running"),
            pod("n1", "Succeeded"),
            pod("", "Pending")
        ]))
        .unwrap();
        let summary = resource_summary(nodes.iter(), pods.iter());
        assert_eq!(
            summary,
            json!({
                "allocatable": {"cpu": "4500m", "pods": "110"},
                "allocating": {"cpu": "200m", "pods": "1"},
                "allocated": {"cpu": "200m", "pods": "1"},
            })
        );
        assert_eq!(
            node_summary(nodes.iter()),
            json!({"totalNum": 2, "readyNum": 1})
        );
    }

    #[test]
    fn an_init_container_may_need_more_than_all_containers() {
        let spec: PodSpec = serde_json::from_value(json!({
            "containers": [{"resources": {"requests": {"cpu": "1"}}}],
            "initContainers": [{"resources": {"requests": {"cpu": "1500m", "memory": "1Gi"}}}],
            "overhead": {"cpu": "100m"},
        }))
        .unwrap();
        assert_eq!(
            json!(pod_request(&spec)),
            json!({"cpu": "1600m", "memory": "1Gi"})
        );
    }
}
