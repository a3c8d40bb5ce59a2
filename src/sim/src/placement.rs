//! The member's own scheduler: which node a pod goes to, or why it goes nowhere.
//!
//! Source: filters, messages and score weights of the default scheduler; volumes, pod affinity and
//! preemption are left out.

mod filters;
mod scores;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Node, Pod};

use crate::resources::Resources;

pub use filters::{is_eligible, tolerates};

/// A node as placement sees it.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// The node.
    pub node: &'a Node,
    /// What its pods ask for together.
    pub used: &'a Resources,
    /// How many of its pods have the same controller as the pod to place.
    pub peers: u32,
}

/// Where a pod goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// To the node of this name.
    Node(String),
    /// Nowhere; the text is the scheduler's message.
    Unschedulable(String),
}

/// Places `pod` on the best of `candidates`; of equals the first wins.
pub fn place(pod: &Pod, candidates: &[Candidate<'_>]) -> Placement {
    let requested = Resources::requested_by(pod);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut fitting: Vec<&Candidate<'_>> = Vec::new();
    for candidate in candidates {
        let against = filters::reasons(pod, &requested, candidate);
        if against.is_empty() {
            fitting.push(candidate);
        }
        for reason in against {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    scores::best(pod, &requested, &fitting).map_or_else(
        || Placement::Unschedulable(message(candidates.len(), &reasons)),
        |candidate| Placement::Node(candidate.node.metadata.name.clone().unwrap_or_default()),
    )
}

/// `0/3 nodes are available: 1 Insufficient memory, 2 Insufficient cpu.`
fn message(total: usize, reasons: &BTreeMap<String, usize>) -> String {
    if total == 0 {
        return "no nodes available to schedule pods".to_owned();
    }
    let mut parts: Vec<String> = reasons
        .iter()
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    parts.sort();
    format!("0/{total} nodes are available: {}.", parts.join(", "))
}

#[cfg(test)]
mod tests;
