//! The estimate from a cluster's own status: its resource summary and, where it has them, resource models.
//!
//! Source: amounts other than processor time are whole units, rounded up.

use std::collections::BTreeMap;

use flybridge_apis::Cluster;
use flybridge_apis::cluster::ResourceSummary;
use flybridge_apis::resource_binding::{Component, ReplicaRequirements};
use flybridge_machinery::Quantity;
use flybridge_machinery::quantity::Format;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity as WireQuantity;

use super::models;

const CPU: &str = "cpu";
const PODS: &str = "pods";
const MOST: i64 = i32::MAX as i64;

type Resources = BTreeMap<String, WireQuantity>;

pub(super) fn parse(quantity: &WireQuantity) -> Quantity {
    Quantity::parse(&quantity.0).unwrap_or_else(|_| Quantity::units(0))
}

/// The amount as it is counted: thousandths for processor time, whole units otherwise.
pub(super) fn amount(resource: &str, quantity: &Quantity) -> i64 {
    if resource == CPU {
        quantity.milli_value()
    } else {
        quantity.value()
    }
}

/// What is left of a resource; nothing when the cluster does not offer it.
fn free(summary: &ResourceSummary, resource: &str) -> Option<Quantity> {
    let allocatable = parse(summary.allocatable.get(resource)?);
    let taken = |resources: &Resources| {
        resources
            .get(resource)
            .map_or_else(|| Quantity::units(0), parse)
    };
    Some(&(&allocatable - &taken(&summary.allocated)) - &taken(&summary.allocating))
}

fn free_pods(summary: &ResourceSummary) -> i64 {
    let count = |resources: &Resources| resources.get(PODS).map_or(0, |pods| parse(pods).value());
    count(&summary.allocatable)
        .saturating_sub(count(&summary.allocated))
        .saturating_sub(count(&summary.allocating))
}

fn summary(cluster: &Cluster) -> Option<&ResourceSummary> {
    cluster.status.as_ref()?.resource_summary.as_ref()
}

/// How many replicas the cluster has room for.
pub fn replicas(
    cluster: &Cluster,
    requirements: Option<&ReplicaRequirements>,
    use_models: bool,
) -> i64 {
    let Some(summary) = summary(cluster) else {
        return 0;
    };
    let pods = free_pods(summary);
    if pods <= 0 {
        return 0;
    }
    let Some(requirements) = requirements else {
        return pods.min(MOST);
    };
    let request = &requirements.resource_request;
    if use_models
        && !summary.allocatable_modelings.is_empty()
        && let Some(modelled) = models::replicas(cluster, summary, request)
    {
        return pods.min(modelled).min(MOST);
    }
    request
        .iter()
        .filter_map(|(resource, wanted)| {
            let wanted = parse(wanted);
            (wanted.value() > 0).then(|| room(summary, resource, &wanted))
        })
        .fold(pods, i64::min)
        .min(MOST)
}

fn room(summary: &ResourceSummary, resource: &str, wanted: &Quantity) -> i64 {
    let Some(free) = free(summary, resource) else {
        return 0;
    };
    let free = amount(resource, &free);
    if free <= 0 {
        return 0;
    }
    free / amount(resource, wanted)
}

/// How many complete sets of components the cluster has room for.
pub fn component_sets(cluster: &Cluster, components: &[Component], use_models: bool) -> i64 {
    let Some(summary) = summary(cluster) else {
        return 0;
    };
    let pods = free_pods(summary);
    if pods <= 0 {
        return 0;
    }
    let pods_per_set: i64 = components
        .iter()
        .map(|component| i64::from(component.replicas))
        .sum();
    if pods_per_set <= 0 {
        return pods.min(MOST);
    }
    let mut bound = pods / pods_per_set;
    for (resource, wanted) in per_set(components) {
        if wanted <= 0 {
            continue;
        }
        let free = free(summary, resource).map_or(0, |quantity| mixed_amount(&quantity));
        if free <= 0 {
            return 0;
        }
        bound = bound.min(free / wanted);
    }
    if use_models
        && !summary.allocatable_modelings.is_empty()
        && let Some(modelled) = models::component_sets(cluster, summary, components, bound)
    {
        bound = bound.min(modelled);
    }
    bound.min(MOST)
}

fn per_set(components: &[Component]) -> BTreeMap<&str, i64> {
    let mut needs = BTreeMap::new();
    for component in components {
        let requests = component
            .replica_requirements
            .iter()
            .flat_map(|requirements| &requirements.resource_request);
        for (resource, wanted) in requests {
            let wanted = mixed_amount(&parse(wanted)).saturating_mul(component.replicas.into());
            *needs.entry(resource.as_str()).or_insert(0) += wanted;
        }
    }
    needs
}

/// Source: the reference counts thousandths of quantities in decimal notation and whole units of others,
/// whatever the resource.
fn mixed_amount(quantity: &Quantity) -> i64 {
    match quantity.format() {
        Format::BinarySi => quantity.value(),
        _ => quantity.milli_value(),
    }
}
