//! Node objects: what a node says about itself, and how the member marks one that is lost.

use std::collections::BTreeMap;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{
    DaemonEndpoint, Node, NodeAddress, NodeCondition, NodeDaemonEndpoints, NodeSpec, NodeStatus,
    NodeSystemInfo, Taint,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use flybridge_machinery::Quantity as Amount;

use crate::config::{MemberConfig, NodeConfig};
use crate::object::name;
use crate::plan::{Action, Note, Plan, reference};
use crate::seed::Seed;
use crate::time::time;

/// Who reports the loss of nodes.
const COMPONENT: &str = "node-controller";
/// The taint of a node nobody hears from.
pub(crate) const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
/// The conditions besides Ready, each with the reason and message of a healthy node.
const PRESSURES: [(&str, &str, &str); 3] = [
    (
        "MemoryPressure",
        "KubeletHasSufficientMemory",
        "kubelet has sufficient memory available",
    ),
    (
        "DiskPressure",
        "KubeletHasNoDiskPressure",
        "kubelet has no disk pressure",
    ),
    (
        "PIDPressure",
        "KubeletHasSufficientPID",
        "kubelet has sufficient PID available",
    ),
];

/// The number of a node in its member, which its addresses follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeNumber {
    /// A number for the member, 0 to 255, which its networks follow from.
    pub member: u8,
    /// The node's place among the member's nodes.
    pub node: u8,
}

impl NodeNumber {
    /// The number of the `index`-th node of a member.
    pub fn of(config: &MemberConfig, index: usize) -> Self {
        let member = Seed::new(config.seed)
            .of(&["network", &config.name])
            .below(256);
        Self {
            member: u8::try_from(member).unwrap_or(0),
            node: u8::try_from(index % 250).unwrap_or(0),
        }
    }

    /// The node's address.
    pub fn ip(self) -> String {
        format!("172.18.{}.{}", self.member, u16::from(self.node) + 2)
    }

    /// The range its pods' addresses come from.
    pub fn pod_cidr(self) -> String {
        format!("10.{}.{}.0/24", self.member, self.node)
    }
}

/// A node of a member as it registers itself.
pub fn new_node(config: &MemberConfig, index: usize, now: Timestamp) -> Node {
    let Some(node) = config.nodes.get(index) else {
        return Node::default();
    };
    let number = NodeNumber::of(config, index);
    let zone = zone(config, index);
    let mut labels: BTreeMap<String, String> = [
        ("beta.kubernetes.io/arch", "amd64"),
        ("beta.kubernetes.io/os", "linux"),
        ("kubernetes.io/arch", "amd64"),
        ("kubernetes.io/os", "linux"),
        ("kubernetes.io/hostname", &node.name),
        ("topology.kubernetes.io/region", &config.region),
        ("topology.kubernetes.io/zone", zone),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .collect();
    labels.extend(node.labels.clone());
    Node {
        metadata: ObjectMeta {
            name: Some(node.name.clone()),
            labels: Some(labels),
            ..ObjectMeta::default()
        },
        spec: Some(NodeSpec {
            pod_cidr: Some(number.pod_cidr()),
            pod_cidrs: Some(vec![number.pod_cidr()]),
            provider_id: Some(format!("{}://{zone}/{}", config.provider, node.name)),
            taints: (!node.taints.is_empty()).then(|| node.taints.clone()),
            ..NodeSpec::default()
        }),
        status: Some(status(config, node, number, now)),
    }
}

fn zone(config: &MemberConfig, index: usize) -> &str {
    match config.zones.len() {
        0 => "",
        count => &config.zones[index % count],
    }
}

fn status(
    config: &MemberConfig,
    node: &NodeConfig,
    number: NodeNumber,
    now: Timestamp,
) -> NodeStatus {
    let address = |type_: &str, address: String| NodeAddress {
        type_: type_.to_owned(),
        address,
    };
    let capacity = amounts(node, Amount::ZERO, Amount::ZERO);
    // What the system keeps for itself.
    let allocatable = amounts(node, Amount::milli(100), Amount::bytes(256 << 20));
    NodeStatus {
        addresses: Some(vec![
            address("InternalIP", number.ip()),
            address("Hostname", node.name.clone()),
        ]),
        capacity: Some(capacity),
        allocatable: Some(allocatable),
        conditions: Some(healthy(now)),
        daemon_endpoints: Some(NodeDaemonEndpoints {
            kubelet_endpoint: Some(DaemonEndpoint { port: 10250 }),
        }),
        node_info: Some(system_info(config, node)),
        ..NodeStatus::default()
    }
}

fn amounts(node: &NodeConfig, cpu: Amount, memory: Amount) -> BTreeMap<String, Quantity> {
    let without = |text: &str, reserved: Amount| {
        let whole = Amount::parse(text).unwrap_or(Amount::ZERO);
        let rest = whole.clone() - reserved;
        if rest.is_negative() { whole } else { rest }
    };
    BTreeMap::from([
        (
            "cpu".to_owned(),
            Quantity(without(&node.cpu, cpu).to_string()),
        ),
        (
            "memory".to_owned(),
            Quantity(without(&node.memory, memory).to_string()),
        ),
        ("ephemeral-storage".to_owned(), Quantity("100Gi".to_owned())),
        ("pods".to_owned(), Quantity(node.pods.to_string())),
    ])
}

fn system_info(config: &MemberConfig, node: &NodeConfig) -> NodeSystemInfo {
    let seed = Seed::new(config.seed).of(&["system", &config.name, &node.name]);
    NodeSystemInfo {
        architecture: "amd64".to_owned(),
        boot_id: seed.of(&["boot"]).uuid(),
        container_runtime_version: "containerd://2.1.4".to_owned(),
        kernel_version: "6.12.41".to_owned(),
        kube_proxy_version: String::new(),
        kubelet_version: config.kubernetes_version.clone(),
        machine_id: seed.of(&["machine"]).hex(32),
        operating_system: "linux".to_owned(),
        os_image: "Debian GNU/Linux 13 (trixie)".to_owned(),
        system_uuid: seed.of(&["uuid"]).uuid(),
        ..NodeSystemInfo::default()
    }
}

fn healthy(now: Timestamp) -> Vec<NodeCondition> {
    let mut conditions: Vec<NodeCondition> = PRESSURES
        .into_iter()
        .map(|(type_, reason, message)| condition(type_, "False", (reason, message), now))
        .collect();
    let ready = ("KubeletReady", "kubelet is posting ready status");
    conditions.push(condition("Ready", "True", ready, now));
    conditions
}

fn condition(
    type_: &str,
    status: &str,
    (reason, message): (&str, &str),
    now: Timestamp,
) -> NodeCondition {
    NodeCondition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        last_heartbeat_time: Some(time(now)),
        last_transition_time: Some(time(now)),
    }
}

/// Whether a node's Ready condition holds.
pub(crate) fn is_ready(node: &Node) -> bool {
    node.status
        .iter()
        .flat_map(|status| status.conditions.iter().flatten())
        .any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// The node's own address.
pub(crate) fn internal_ip(node: &Node) -> &str {
    node.status
        .iter()
        .flat_map(|status| status.addresses.iter().flatten())
        .find(|address| address.type_ == "InternalIP")
        .map_or("", |address| address.address.as_str())
}

/// Plans what the member makes of a node that is `alive` or not: conditions and taints.
///
/// Source: upstream's node lifecycle controller once the grace period is over.
pub fn plan(node: &Node, alive: bool, now: Timestamp) -> Plan {
    let mut plan = Plan::idle();
    let tainted = taints(node).any(|taint| taint.key == UNREACHABLE);
    if alive != is_ready(node) {
        plan.push(Action::Status(with_health(node, alive, now).into()));
        let (reason, text) = if alive {
            ("NodeReady", "NodeReady")
        } else {
            ("NodeNotReady", "NodeNotReady")
        };
        let node_name = name(&node.metadata);
        plan.note(Note::normal(
            COMPONENT,
            reference("v1", "Node", &node.metadata),
            reason,
            format!("Node {node_name} status is now: {text}"),
        ));
    }
    if alive == tainted {
        plan.push(taint_patch(node, alive, now));
    }
    plan
}

/// The taints of a node.
pub(crate) fn taints(node: &Node) -> impl Iterator<Item = &Taint> {
    let taints = node.spec.as_ref().and_then(|spec| spec.taints.as_ref());
    taints.into_iter().flatten()
}

fn with_health(node: &Node, alive: bool, now: Timestamp) -> Node {
    let mut node = node.clone();
    let conditions = if alive {
        healthy(now)
    } else {
        let lost = ("NodeStatusUnknown", "Kubelet stopped posting node status.");
        let names = PRESSURES.into_iter().map(|(type_, ..)| type_);
        names
            .chain(["Ready"])
            .map(|type_| condition(type_, "Unknown", lost, now))
            .collect()
    };
    node.status.get_or_insert_default().conditions = Some(conditions);
    node
}

fn taint_patch(node: &Node, alive: bool, now: Timestamp) -> Action {
    let mut kept: Vec<Taint> = taints(node)
        .filter(|taint| taint.key != UNREACHABLE)
        .cloned()
        .collect();
    if !alive {
        kept.extend(["NoSchedule", "NoExecute"].map(|effect| Taint {
            key: UNREACHABLE.to_owned(),
            effect: effect.to_owned(),
            time_added: Some(time(now)),
            value: None,
        }));
    }
    Action::Patch {
        key: crate::plan::key(crate::object::Kind::Node, &node.metadata),
        patch: serde_json::json!({
            "metadata": {"uid": node.metadata.uid},
            "spec": {"taints": if kept.is_empty() { None } else { Some(kept) }},
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Delays;
    use crate::object::Object;
    use crate::resources::Resources;
    use crate::testing::{at, node as small_node};

    fn member() -> MemberConfig {
        MemberConfig {
            name: "paris".to_owned(),
            region: "eu-west".to_owned(),
            zones: vec!["eu-west-a".to_owned(), "eu-west-b".to_owned()],
            provider: "alpha-cloud".to_owned(),
            labels: BTreeMap::new(),
            taints: Vec::new(),
            kubernetes_version: "v1.36.2".to_owned(),
            nodes: ["n1", "n2", "n3"]
                .map(|name| NodeConfig::new(name, "4", "16Gi"))
                .into(),
            seed: 1,
            delays: Delays::fast(),
        }
    }

    #[test]
    fn a_new_node_is_ready_has_an_address_and_keeps_some_capacity_for_itself() {
        let node = new_node(&member(), 1, at(0));
        assert!(is_ready(&node));
        assert!(internal_ip(&node).starts_with("172.18."));
        assert_eq!(Resources::allocatable(&node).get("cpu"), 3900);
        let labels = node.metadata.labels.unwrap();
        assert_eq!(labels["topology.kubernetes.io/zone"], "eu-west-b");
        assert_eq!(node.status.unwrap().capacity.unwrap()["memory"].0, "16Gi");
    }

    #[test]
    fn a_lost_node_becomes_unknown_and_tainted_and_recovers() {
        let mut node = small_node("n1", "4", "8Gi");
        assert_eq!(plan(&node, true, at(0)), Plan::idle());
        let lost = plan(&node, false, at(1));
        let [
            Action::Status(Object::Node(unknown)),
            Action::Event(_),
            Action::Patch { patch, .. },
        ] = lost.actions.as_slice()
        else {
            panic!("{:?}", lost.actions);
        };
        assert_eq!(patch["spec"]["taints"][1]["effect"], "NoExecute");
        node.status.clone_from(&unknown.status);
        node.spec = Some(serde_json::from_value(patch["spec"].clone()).unwrap());
        assert!(!is_ready(&node));
        assert_eq!(plan(&node, false, at(2)), Plan::idle());
        let back = plan(&node, true, at(3));
        assert!(matches!(
            back.actions.as_slice(),
            [Action::Status(_), Action::Event(_), Action::Patch { patch, .. }] if patch["spec"]["taints"].is_null()
        ));
    }
}
