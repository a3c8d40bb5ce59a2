//! Whole scheduling runs; every case also runs traced, which must decide the same.

use std::collections::BTreeMap;

use anyhow::{Context, bail, ensure};
use flybridge_apis::{
    Cluster, ResourceBinding, ResourceBindingSpec, ResourceBindingStatus, TargetCluster,
};
use flybridge_scheduler::trigger::BindingRef;
use flybridge_scheduler::{
    Answers, Estimate, Failure, Options, Outcome, Peers, Request, Shortage, Snapshot, Trace,
    schedule, schedule_traced,
};
use serde_json::{Value, json};

use super::{Verdict, part};

/// The estimators of a case.
pub(super) fn estimates(input: &Value) -> anyhow::Result<Vec<Estimate>> {
    let answers: Answers = part(input, "estimators")?;
    let fails: bool = part(input, "estimatorError")?;
    Ok(vec![Estimate {
        estimator: "stub".to_owned(),
        answers: if fails {
            Err("stub fails".to_owned())
        } else {
            Ok(answers)
        },
    }])
}

/// The features and flags of a case.
pub(super) fn options(input: &Value) -> anyhow::Result<Options> {
    let gates: BTreeMap<String, bool> = part(input, "featureGates")?;
    let gate = |name: &str, default: bool| gates.get(name).copied().unwrap_or(default);
    Ok(Options {
        general_estimator: part(input, "useGeneralEstimator")?,
        resource_models: gate("CustomizedClusterResourceModeling", true),
        empty_workload_propagation: part(input, "enableEmptyWorkloadPropagation")?,
        multiple_pod_templates: gate("MultiplePodTemplatesScheduling", false),
        workload_affinity: gate("WorkloadAffinity", false),
    })
}

pub(super) fn run(case: &Value) -> anyhow::Result<Verdict> {
    let input = &case["input"];
    let snapshot: Snapshot = part::<Vec<Cluster>>(input, "clusters")?
        .into_iter()
        .collect();
    let binding = ResourceBinding {
        spec: part::<ResourceBindingSpec>(input, "bindingSpec")?,
        status: Some(part::<ResourceBindingStatus>(input, "bindingStatus")?),
        ..ResourceBinding::default()
    };
    let existing: Vec<ResourceBinding> = part(input, "existingBindings")?;
    let assigning: Vec<ResourceBinding> = part(input, "assigningBindings")?;
    let peers = Peers::of(&binding.spec, &existing, &assigning);
    let view = BindingRef::from(&binding);
    let request = Request {
        spec: &binding.spec,
        affinity_name: view.affinity_name(),
        fresh: view.reschedule_requested().is_some(),
        estimates: &estimates(input)?,
        peers: &peers,
        options: options(input)?,
    };
    let outcome = schedule(&request, &snapshot);
    let (traced, trace) = schedule_traced(&request, &snapshot);
    ensure!(
        outcome == traced,
        "tracing changes the outcome: {outcome:?} {traced:?}"
    );
    diagnosis(&trace, &case["output"])?;
    if sums_overflow(&request, case) && outcome == Ok(Vec::new()) {
        return Ok(Verdict::Differs);
    }
    compare(&outcome, case)?;
    Ok(Verdict::Passed)
}

/// The reference adds up the room of clusters in 32 bits. For no replicas every cluster's room is the greatest
/// number of that size, so the sum may come out negative and nothing does not fit.
fn sums_overflow(request: &Request<'_>, case: &Value) -> bool {
    request.spec.replicas == 0
        && request.fresh
        && case["output"]["error"]["class"] == "AssignFreshNotEnough"
}

fn compare(outcome: &Outcome, case: &Value) -> anyhow::Result<()> {
    let output = &case["output"];
    match (outcome, output.get("error")) {
        (Ok(targets), None) => {
            let got = describe(targets);
            let stable = output.get("stableSortAlternative");
            let wanted = [
                Some(&output["clusters"]),
                stable.map(|other| &other["clusters"]),
            ];
            ensure!(
                wanted.into_iter().flatten().any(|wanted| *wanted == got),
                "got {got}\n    want {}",
                output["clusters"]
            );
            Ok(())
        }
        (Err(failure), Some(error)) => {
            let got = json!({
                "kind": kind(failure),
                "class": class(failure),
                "conditionReason": failure.condition_reason(),
            });
            ensure!(got == *error, "got {got}\n    want {error}");
            Ok(())
        }
        (Ok(targets), Some(error)) => bail!("got {}\n    want {error}", describe(targets)),
        (Err(failure), None) => bail!("got {failure}\n    want {}", output["clusters"]),
    }
}

/// Targets with zero replicas written out, as recorded.
pub(super) fn describe(targets: &[TargetCluster]) -> Value {
    targets
        .iter()
        .map(|target| {
            let mut value = json!({ "name": target.name, "replicas": target.replicas });
            if !target.components.is_empty() {
                value["components"] = target
                    .components
                    .iter()
                    .map(|component| json!({ "name": component.name, "replicas": component.replicas }))
                    .collect();
            }
            value
        })
        .collect()
}

fn kind(failure: &Failure) -> &'static str {
    if failure.is_fit() {
        "FitError"
    } else if failure.is_unschedulable() {
        "Unschedulable"
    } else {
        "Generic"
    }
}

fn class(failure: &Failure) -> &'static str {
    match failure {
        Failure::NoClusterFit { total: 0, .. } => "NoClusters",
        Failure::NoClusterFit { reasons, .. } if reasons.is_empty() => "AllClustersDeleting",
        Failure::NoClusterFit { .. } => "AllClustersFiltered",
        Failure::BelowMinClusters { .. } => "SelectClusterMinGroups",
        Failure::NotEnoughResource { .. } => "SelectNotEnoughResource",
        Failure::BelowMinRegions { .. } => "SelectRegionMinGroups",
        Failure::NoRegionCombination { .. } => "SelectRegionNoCombination",
        Failure::UnsupportedSpread => "SelectUnsupportedSpread",
        Failure::NoCandidates => "AssignNoClusters",
        Failure::UnsupportedStrategy => "AssignUnsupportedStrategy",
        Failure::InsufficientCapacity { shortage, .. } => match shortage {
            Shortage::ScaleUp => "AssignScaleUpNotEnough",
            Shortage::ScaleDown => "AssignScaleDownNotEnough",
            Shortage::Fresh => "AssignFreshNotEnough",
            Shortage::Overflow => "AssignOverflowNotEnough",
        },
    }
}

/// Every plugin that rejects a cluster, in the recorded notation.
fn diagnosis(trace: &Trace, output: &Value) -> anyhow::Result<()> {
    let mut got = json!({});
    for cluster in trace.clusters.iter().filter(|cluster| !cluster.deleting) {
        let mut rejected: Vec<String> = cluster
            .filters
            .iter()
            .filter(|filter| !filter.passed)
            .map(|filter| notation(filter.plugin, &filter.reason))
            .collect::<anyhow::Result<_>>()?;
        rejected.sort();
        if !rejected.is_empty() {
            got[&cluster.name] = json!(rejected);
        }
    }
    let none = json!({});
    let wanted = output.get("diagnosis").unwrap_or(&none);
    ensure!(got == *wanted, "diagnosis: got {got}\n    want {wanted}");
    Ok(())
}

fn notation(plugin: &str, reason: &str) -> anyhow::Result<String> {
    Ok(match plugin {
        "TaintToleration" => {
            let (_, taint) = reason
                .split_once('{')
                .context("the reason names the taint")?;
            format!("{plugin}{{{taint}")
        }
        "SpreadConstraint" => {
            let property = ["provider", "region", "zones"]
                .into_iter()
                .find(|property| reason.contains(property))
                .context("the reason names the property")?;
            format!("{plugin}{{{property}}}")
        }
        _ => plugin.to_owned(),
    })
}
