//! The estimate from resource models: nodes counted by grade, each taken to have its grade's least capacity.

use std::collections::BTreeMap;

use flybridge_apis::Cluster;
use flybridge_apis::cluster::ResourceSummary;
use flybridge_apis::resource_binding::Component;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use super::general::{amount, parse};

/// Pods a node is taken to have room for, whatever runs on it.
const PODS_PER_NODE: i64 = 110;

/// The resource pods themselves are counted by.
const PODS: &str = "pods";

/// Nodes of one grade.
struct Grade<'a> {
    capacity: BTreeMap<&'a str, i64>,
    count: i64,
}

/// The grades of a cluster in ascending order; none when its models cannot be used.
fn grades<'a>(cluster: &'a Cluster, summary: &ResourceSummary) -> Option<Vec<Grade<'a>>> {
    let models = &cluster.spec.resource_models;
    if models.is_empty() {
        return None;
    }
    let mut models: Vec<_> = models.iter().collect();
    models.sort_by_key(|model| model.grade);
    models
        .into_iter()
        .map(|model| {
            let count = summary
                .allocatable_modelings
                .iter()
                .find(|modeling| modeling.grade == model.grade)
                .map_or(0, |modeling| modeling.count);
            let modelled = model
                .ranges
                .iter()
                .map(|range| (range.name.as_str(), amount(&range.name, &parse(&range.min))));
            let capacity = modelled.chain([(PODS, PODS_PER_NODE)]).collect();
            (count >= 0).then_some(Grade { capacity, count })
        })
        .collect()
}

/// What one pod needs, without resources it needs nothing of.
fn needs(request: &BTreeMap<String, Quantity>) -> Vec<(&str, i64)> {
    request
        .iter()
        .map(|(resource, wanted)| (resource.as_str(), amount(resource, &parse(wanted))))
        .filter(|(_, wanted)| *wanted > 0)
        .collect()
}

/// How many pods fit on a node with this much free.
fn fits(free: &BTreeMap<&str, i64>, pods: i64, needs: &[(&str, i64)]) -> i64 {
    needs
        .iter()
        .map(|(resource, wanted)| free.get(resource).copied().unwrap_or(0) / wanted)
        .fold(pods, i64::min)
        .max(0)
}

/// How many replicas fit; none when the models cannot be used.
pub fn replicas(
    cluster: &Cluster,
    summary: &ResourceSummary,
    request: &BTreeMap<String, Quantity>,
) -> Option<i64> {
    let needs = needs(request);
    let grades = grades(cluster, summary)?;
    Some(
        grades
            .iter()
            .map(|grade| {
                grade
                    .count
                    .saturating_mul(fits(&grade.capacity, PODS_PER_NODE, &needs))
            })
            .fold(0, i64::saturating_add),
    )
}

/// A node being filled.
struct Node<'a> {
    free: BTreeMap<&'a str, i64>,
    pods: i64,
}

/// How many complete sets fit, `bound` at most; none when the models cannot be used.
///
/// Sets are placed one after the other, each component on the first nodes that have room. What an
/// incomplete set took is not given back, which ends the count anyway.
pub fn component_sets(
    cluster: &Cluster,
    summary: &ResourceSummary,
    components: &[Component],
    bound: i64,
) -> Option<i64> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    for grade in grades(cluster, summary)? {
        for _ in 0..grade.count {
            nodes.push(Node {
                free: grade.capacity.clone(),
                pods: PODS_PER_NODE,
            });
        }
    }
    let wanted: Vec<(Vec<(&str, i64)>, i64)> = components
        .iter()
        .map(|component| {
            let request = component
                .replica_requirements
                .as_ref()
                .map(|requirements| needs(&requirements.resource_request))
                .unwrap_or_default();
            (request, i64::from(component.replicas))
        })
        .collect();
    let mut sets = 0;
    while sets < bound
        && wanted
            .iter()
            .all(|(needs, count)| place(&mut nodes, needs, *count))
    {
        sets += 1;
    }
    Some(sets)
}

/// Places replicas of one component on the first nodes with room; false when some are left over.
fn place(nodes: &mut [Node<'_>], needs: &[(&str, i64)], mut left: i64) -> bool {
    for node in nodes {
        if left <= 0 {
            break;
        }
        let here = fits(&node.free, node.pods, needs).min(left);
        if here <= 0 {
            continue;
        }
        for (resource, wanted) in needs {
            if let Some(free) = node.free.get_mut(*resource) {
                *free -= wanted * here;
            }
        }
        node.pods -= here;
        left -= here;
    }
    left <= 0
}
