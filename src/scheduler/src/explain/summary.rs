//! The answer in one sentence: where, how many, and what keeps the other clusters out.

use flybridge_apis::TargetCluster;

use super::count;
use crate::failure::Failure;
use crate::pipeline::Outcome;
use crate::strategy::Strategy;
use crate::trace::{ClusterTrace, Trace};

/// Targets named; more are counted.
const NAMED_TARGETS: usize = 6;

pub(super) fn summary(outcome: &Outcome, trace: &Trace) -> String {
    match outcome {
        Ok(targets) if targets.is_empty() => "placed nowhere: there are no replicas".to_owned(),
        Ok(targets) => placed(targets, trace),
        Err(Failure::NoClusterFit { .. }) => format!(
            "not placed: none of {} fits{}{}",
            count(trace.clusters.len(), "cluster"),
            objections(trace),
            closest(trace).map_or_else(String::new, |closest| format!("; {closest}"))
        ),
        Err(failure) => format!("not placed: {failure}{}", objections(trace)),
    }
}

fn placed(targets: &[TargetCluster], trace: &Trace) -> String {
    let total = trace.clusters.len();
    let fit = trace
        .clusters
        .iter()
        .filter(|cluster| cluster.passed())
        .count();
    let chosen = targets.len();
    let among = if chosen == fit {
        format!("{chosen} of {}", count(total, "cluster"))
    } else {
        format!("{chosen} of the {fit} clusters that fit, out of {total}")
    };
    let (where_to, with_replicas) = if !trace.run.workload {
        (format!("propagated to {among}"), false)
    } else if trace.run.replicas == 0 {
        (format!("placed in {among}"), false)
    } else if trace.run.strategy == Strategy::Duplicated {
        let each = count(trace.run.replicas, "replica");
        (format!("duplicated to {among}, {each} each"), false)
    } else {
        let replicas = count(trace.run.replicas, "replica");
        (format!("{replicas} divided over {among}"), true)
    };
    let mut named: Vec<String> = targets
        .iter()
        .take(NAMED_TARGETS)
        .map(|target| {
            if with_replicas {
                format!("{} {}", target.name, target.replicas)
            } else {
                target.name.clone()
            }
        })
        .collect();
    if chosen > NAMED_TARGETS {
        named.push(format!("{} more", chosen - NAMED_TARGETS));
    }
    format!("{where_to}: {}{}", named.join(", "), objections(trace))
}

/// How many clusters each filter keeps out; one that several object to counts with each.
fn objections(trace: &Trace) -> String {
    let mut filters: Vec<(&str, usize)> = Vec::new();
    let staying = trace.clusters.iter().filter(|cluster| !cluster.deleting);
    for filter in staying.flat_map(rejections) {
        match filters.iter_mut().find(|(plugin, _)| *plugin == filter) {
            Some((_, clusters)) => *clusters += 1,
            None => filters.push((filter, 1)),
        }
    }
    filters.sort_by(|(_, a), (_, b)| b.cmp(a));
    let mut parts: Vec<String> = filters
        .iter()
        .zip([" keeps out"].into_iter().chain(std::iter::repeat("")))
        .map(|((plugin, clusters), verb)| format!("{plugin}{verb} {clusters}"))
        .collect();
    let leaving = trace.clusters.iter().filter(|c| c.deleting).count();
    if leaving > 0 {
        parts.push(format!("{leaving} leaving the fleet"));
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!("; {}", parts.join(", "))
    }
}

/// The cluster that the fewest filters keep out.
fn closest(trace: &Trace) -> Option<String> {
    let staying = trace.clusters.iter().filter(|cluster| !cluster.deleting);
    let cluster = staying.min_by_key(|cluster| rejections(cluster).count())?;
    let failing: Vec<&str> = rejections(cluster).collect();
    Some(format!(
        "closest is {}, kept out by {}",
        cluster.name,
        failing.join(" and ")
    ))
}

/// The filters that do not let a cluster pass.
fn rejections(cluster: &ClusterTrace) -> impl Iterator<Item = &'static str> {
    cluster
        .filters
        .iter()
        .filter(|filter| !filter.passed)
        .map(|filter| filter.plugin)
}
