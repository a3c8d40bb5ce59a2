//! What speaks against a node.

use k8s_openapi::api::core::v1::{
    Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, PodSpec, Taint, Toleration,
};

use super::Candidate;
use crate::object::name;
use crate::resources::Resources;

/// Whether `pod` may run on `node`, however full it is.
pub fn is_eligible(pod: &Pod, node: &Node) -> bool {
    against(pod, node).is_none()
}

/// Why `pod` cannot go to the node; empty if it can. Only the first filter that objects speaks.
pub(super) fn reasons(pod: &Pod, requested: &Resources, candidate: &Candidate<'_>) -> Vec<String> {
    against(pod, candidate.node)
        .map_or_else(|| insufficient(requested, candidate), |reason| vec![reason])
}

fn against(pod: &Pod, node: &Node) -> Option<String> {
    let spec = pod.spec.clone().unwrap_or_default();
    let tolerations = spec.tolerations.as_deref().unwrap_or_default();
    if is_unschedulable(node) && !tolerates_unschedulable(tolerations) {
        return Some("node(s) were unschedulable".to_owned());
    }
    if let Some(taint) = untolerated(node, tolerations) {
        let value = taint.value.as_deref().unwrap_or_default();
        let key = &taint.key;
        return Some(format!("node(s) had untolerated taint {{{key}: {value}}}"));
    }
    if !matches_selector(&spec, node) {
        return Some("node(s) didn't match Pod's node affinity/selector".to_owned());
    }
    None
}

fn is_unschedulable(node: &Node) -> bool {
    node.spec
        .as_ref()
        .and_then(|spec| spec.unschedulable)
        .unwrap_or(false)
}

fn tolerates_unschedulable(tolerations: &[Toleration]) -> bool {
    let cordon = Taint {
        key: "node.kubernetes.io/unschedulable".to_owned(),
        effect: "NoSchedule".to_owned(),
        ..Taint::default()
    };
    tolerations.iter().any(|t| tolerates(t, &cordon))
}

fn untolerated<'a>(node: &'a Node, tolerations: &[Toleration]) -> Option<&'a Taint> {
    node.spec
        .as_ref()?
        .taints
        .as_ref()?
        .iter()
        .filter(|taint| matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute"))
        .find(|taint| !tolerations.iter().any(|t| tolerates(t, taint)))
}

/// Whether a toleration covers a taint.
pub fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let effect = text(&toleration.effect);
    if !effect.is_empty() && effect != taint.effect {
        return false;
    }
    let key = text(&toleration.key);
    if !key.is_empty() && key != taint.key {
        return false;
    }
    if toleration.operator.as_deref() == Some("Exists") {
        return true;
    }
    !key.is_empty() && text(&toleration.value) == text(&taint.value)
}

/// Whether the node fits the pod's `nodeSelector` and required node affinity.
pub(super) fn matches_selector(spec: &PodSpec, node: &Node) -> bool {
    let by_labels = spec
        .node_selector
        .iter()
        .flatten()
        .all(|(key, value)| node_label(node, key) == Some(value));
    let required = spec
        .affinity
        .as_ref()
        .and_then(|affinity| affinity.node_affinity.as_ref())
        .and_then(|affinity| {
            affinity
                .required_during_scheduling_ignored_during_execution
                .as_ref()
        });
    let by_affinity = required.is_none_or(|selector| {
        selector
            .node_selector_terms
            .iter()
            .any(|term| matches_term(term, node))
    });
    by_labels && by_affinity
}

/// Whether a node fits one term; an empty term fits none.
pub(super) fn matches_term(term: &NodeSelectorTerm, node: &Node) -> bool {
    let expressions = term.match_expressions.as_deref().unwrap_or_default();
    let fields = term.match_fields.as_deref().unwrap_or_default();
    if expressions.is_empty() && fields.is_empty() {
        return false;
    }
    let labels_fit = expressions
        .iter()
        .all(|requirement| fits(requirement, node_label(node, &requirement.key)));
    let fields_fit = fields.iter().all(|requirement| {
        let value = (requirement.key == "metadata.name").then(|| name(&node.metadata));
        fits(requirement, value)
    });
    labels_fit && fields_fit
}

fn node_label<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    crate::object::label(&node.metadata, key)
}

fn fits(requirement: &NodeSelectorRequirement, value: Option<&str>) -> bool {
    let values = requirement.values.as_deref().unwrap_or_default();
    let among = value.is_some_and(|value| values.iter().any(|v| v == value));
    let number = |text: &str| text.parse::<i64>().ok();
    let bound = values.first().and_then(|v| number(v));
    match requirement.operator.as_str() {
        "In" => among,
        "NotIn" => !among,
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => value
            .and_then(number)
            .zip(bound)
            .is_some_and(|(v, b)| v > b),
        "Lt" => value
            .and_then(number)
            .zip(bound)
            .is_some_and(|(v, b)| v < b),
        _ => false,
    }
}

fn insufficient(requested: &Resources, candidate: &Candidate<'_>) -> Vec<String> {
    let allocatable = Resources::allocatable(candidate.node);
    requested
        .iter()
        .filter(|(name, amount)| {
            *amount > 0 && candidate.used.get(name) + amount > allocatable.get(name)
        })
        .map(|(name, _)| match name {
            "pods" => "Too many pods".to_owned(),
            name => format!("Insufficient {name}"),
        })
        .collect()
}
