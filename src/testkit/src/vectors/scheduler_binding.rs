//! One reconcile of a binding: trigger, affinity terms, and what is written.

use flybridge_apis::{Cluster, ResourceBinding, ResourceBindingStatus};
use flybridge_scheduler::binding::{Context, Retry, plan};
use flybridge_scheduler::trigger::BindingRef;
use flybridge_scheduler::{Peers, Snapshot};
use serde_json::{Value, json};

use super::scheduler::{describe, estimates, options};
use super::{Verdict, part, same};

pub(super) fn run(case: &Value) -> anyhow::Result<Verdict> {
    let input = &case["input"];
    let snapshot: Snapshot = part::<Vec<Cluster>>(input, "clusters")?
        .into_iter()
        .collect();
    let binding: ResourceBinding = part(input, "binding")?;
    let view = BindingRef::from(&binding);
    let plan = plan(
        &view,
        &Context {
            snapshot: &snapshot,
            estimates: &estimates(input)?,
            peers: &Peers::default(),
            options: options(input)?,
            traced: false,
        },
    );
    let before = binding.status.clone().unwrap_or_default();
    let mut clusters = plan
        .clusters
        .clone()
        .unwrap_or_else(|| binding.spec.clusters.clone());
    clusters.sort_by(|a, b| a.name.cmp(&b.name));
    let applied = binding
        .metadata
        .annotations
        .as_ref()
        .and_then(|annotations| annotations.get(flybridge_apis::annotations::APPLIED_PLACEMENT));
    let same_placement = applied.is_some_and(|text| {
        serde_json::from_str::<Value>(text).ok()
            == serde_json::to_value(&binding.spec.placement).ok()
    });
    let mut got = json!({
        "retry": plan.retry != Retry::OnEvent,
        "clusters": describe(&clusters),
        "specChanged": plan
            .clusters
            .as_ref()
            .is_some_and(|clusters| *clusters != binding.spec.clusters),
        "appliedPlacementMatchesSpec": plan.clusters.is_some() || same_placement,
        "schedulerObservingAffinityName":
            plan.affinity_name.as_ref().unwrap_or(&before.scheduler_observed_affinity_name),
        "schedulerObservedGeneration": if plan.observes_generation {
            binding.metadata.generation.unwrap_or(0)
        } else {
            before.scheduler_observed_generation
        },
        "lastScheduledTimeAdvanced":
            plan.condition.as_ref().is_some_and(|condition| condition.status),
    });
    let (status, reason) = condition(&plan, &before);
    if let Some(status) = status {
        got["scheduledConditionStatus"] = json!(status);
        got["scheduledConditionReason"] = json!(reason);
    }
    same(&got, &case["output"])
}

fn condition(
    plan: &flybridge_scheduler::binding::Plan,
    before: &ResourceBindingStatus,
) -> (Option<String>, String) {
    if let Some(written) = &plan.condition {
        let status = if written.status { "True" } else { "False" };
        return (Some(status.to_owned()), written.reason.to_owned());
    }
    let stored = before
        .conditions
        .iter()
        .find(|condition| condition.type_ == "Scheduled");
    (
        stored.map(|condition| condition.status.clone()),
        stored
            .map(|condition| condition.reason.clone())
            .unwrap_or_default(),
    )
}
