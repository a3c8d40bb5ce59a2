//! How good the fitting nodes are.

use k8s_openapi::api::core::v1::{Pod, PreferredSchedulingTerm};

use super::Candidate;
use super::filters::{matches_term, tolerates};
use crate::resources::Resources;

/// What a container that asks for nothing counts as.
const DEFAULT_CPU_MILLI: i64 = 100;
const DEFAULT_MEMORY: i64 = 200 * 1024 * 1024;

/// The best candidate; the first of equals.
pub(super) fn best<'a, 'b>(
    pod: &Pod,
    requested: &Resources,
    candidates: &[&'b Candidate<'a>],
) -> Option<&'b Candidate<'a>> {
    let crowd = candidates.iter().map(|c| c.peers).max().unwrap_or(0);
    let preferred = shares(candidates, |c| preference(pod, c));
    let disliked = shares(candidates, |c| untolerated_preferences(pod, c));
    let mut best: Option<(f64, &'b Candidate<'a>)> = None;
    for (index, candidate) in candidates.iter().enumerate() {
        let spread = 100.0 * (1.0 - fraction(i64::from(candidate.peers), i64::from(crowd)));
        let score = resources(requested, candidate)
            + 2.0 * spread
            + 2.0 * 100.0 * preferred[index]
            + 3.0 * 100.0 * (1.0 - disliked[index]);
        if best.is_none_or(|(top, _)| score > top + 1e-9) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Least allocated plus balanced allocation, 0 to 200.
fn resources(requested: &Resources, candidate: &Candidate<'_>) -> f64 {
    let allocatable = Resources::allocatable(candidate.node);
    let after = |name: &str, default: i64| {
        let asked = match requested.get(name) {
            0 => default,
            asked => asked,
        };
        fraction(candidate.used.get(name) + asked, allocatable.get(name)).min(1.0)
    };
    let cpu = after("cpu", DEFAULT_CPU_MILLI);
    let memory = after("memory", DEFAULT_MEMORY);
    let free = 100.0 * (1.0 - f64::midpoint(cpu, memory));
    let balance = 100.0 * (1.0 - (cpu - memory).abs() / 2.0);
    free + balance
}

fn preference(pod: &Pod, candidate: &Candidate<'_>) -> i64 {
    let terms: Option<&Vec<PreferredSchedulingTerm>> = pod
        .spec
        .as_ref()
        .and_then(|spec| spec.affinity.as_ref())
        .and_then(|affinity| affinity.node_affinity.as_ref())
        .and_then(|affinity| {
            affinity
                .preferred_during_scheduling_ignored_during_execution
                .as_ref()
        });
    terms
        .into_iter()
        .flatten()
        .filter(|term| matches_term(&term.preference, candidate.node))
        .map(|term| i64::from(term.weight))
        .sum()
}

fn untolerated_preferences(pod: &Pod, candidate: &Candidate<'_>) -> i64 {
    let spec = pod.spec.as_ref();
    let tolerations = spec
        .and_then(|s| s.tolerations.as_deref())
        .unwrap_or_default();
    let taints = candidate
        .node
        .spec
        .as_ref()
        .and_then(|s| s.taints.as_deref());
    let count = taints
        .unwrap_or_default()
        .iter()
        .filter(|taint| taint.effect == "PreferNoSchedule")
        .filter(|taint| !tolerations.iter().any(|t| tolerates(t, taint)))
        .count();
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Each candidate's measure as a share of the largest.
fn shares<'b>(
    candidates: &[&'b Candidate<'_>],
    measure: impl Fn(&'b Candidate<'_>) -> i64,
) -> Vec<f64> {
    let values: Vec<i64> = candidates.iter().map(|c| measure(c)).collect();
    let top = values.iter().copied().max().unwrap_or(0);
    values
        .into_iter()
        .map(|value| fraction(value, top))
        .collect()
}

/// `part / whole`; 0 of nothing is 0 and anything else of nothing is all of it.
#[expect(
    clippy::cast_precision_loss,
    reason = "a score does not need the last bits of a byte count"
)]
fn fraction(part: i64, whole: i64) -> f64 {
    match (part, whole) {
        (0, _) => 0.0,
        (_, whole) if whole <= 0 => 1.0,
        (part, whole) => part as f64 / whole as f64,
    }
}
