//! Validation of cluster affinities.

use flybridge_machinery::{FieldError, names};

use crate::affinity::{ClusterAffinity, ClusterAffinityTerm, FieldSelector};
use crate::placement::{Placement, ReplicaDivisionPreference, ReplicaSchedulingType};

/// Complaints about a field selector at `path`.
pub(super) fn field_selector(selector: Option<&FieldSelector>, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for requirement in selector
        .iter()
        .flat_map(|selector| &selector.match_expressions)
    {
        if !matches!(requirement.key.as_str(), "provider" | "region" | "zone") {
            errors.push(FieldError::invalid(
                path,
                requirement.key.as_str(),
                "the field must be provider, region or zone",
            ));
        }
        if !matches!(requirement.operator.as_str(), "In" | "NotIn") {
            errors.push(FieldError::invalid(
                path,
                requirement.operator.as_str(),
                "the operator must be In or NotIn",
            ));
        }
    }
    errors
}

/// Complaints about an optional affinity at `path`.
pub(super) fn affinity(affinity: Option<&ClusterAffinity>, path: &str) -> Vec<FieldError> {
    affinity.map_or_else(Vec::new, |affinity| {
        field_selector(
            affinity.field_selector.as_ref(),
            &format!("{path}.fieldSelector"),
        )
    })
}

/// Complaints about the terms of a placement.
pub(super) fn terms(placement: &Placement, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (index, term) in placement.cluster_affinities.iter().enumerate() {
        let at = format!("{path}[{index}]");
        errors.extend(name(&term.affinity_name, &at));
        if seen.contains(&term.affinity_name.as_str()) {
            errors.push(FieldError::invalid(
                path,
                term.affinity_name.as_str(),
                "each affinity term in a policy must have a unique name",
            ));
        }
        seen.push(&term.affinity_name);
        errors.extend(affinity(Some(&term.affinity), &at));
        errors.extend(overflow(term, placement, &at));
    }
    errors
}

fn name(name: &str, path: &str) -> Vec<FieldError> {
    names::qualified_name(name)
        .into_iter()
        .map(|complaint| FieldError::invalid(path, name, &complaint))
        .collect()
}

fn overflow(term: &ClusterAffinityTerm, placement: &Placement, path: &str) -> Vec<FieldError> {
    if term.overflow_affinities.is_empty() {
        return Vec::new();
    }
    let list = format!("{path}.overflowAffinities");
    let mut errors = Vec::new();
    if !divides_by_capacity(placement) {
        errors.push(FieldError::invalid(
            list.as_str(),
            term.overflow_affinities.len(),
            "overflow needs Divided scheduling that is Aggregated or has a dynamic weight",
        ));
    }
    if term.affinity.is_empty() {
        errors.push(FieldError::invalid(
            list.as_str(),
            term.affinity_name.as_str(),
            "overflow needs a primary affinity that is not empty",
        ));
    }
    let mut seen = vec![term.affinity_name.as_str()];
    for (index, entry) in term.overflow_affinities.iter().enumerate() {
        let at = format!("{list}[{index}]");
        let at_name = format!("{at}.affinityName");
        errors.extend(name(&entry.affinity_name, &at_name));
        if seen.contains(&entry.affinity_name.as_str()) {
            errors.push(FieldError::invalid(
                at_name,
                entry.affinity_name.as_str(),
                "the name is already used in this term",
            ));
        }
        seen.push(&entry.affinity_name);
        errors.extend(affinity(Some(&entry.affinity), &at));
    }
    errors
}

fn divides_by_capacity(placement: &Placement) -> bool {
    placement
        .replica_scheduling
        .as_ref()
        .is_some_and(|strategy| {
            strategy.replica_scheduling_type == Some(ReplicaSchedulingType::Divided)
                && match strategy.replica_division_preference {
                    Some(ReplicaDivisionPreference::Aggregated) => true,
                    Some(ReplicaDivisionPreference::Weighted) => strategy
                        .weight_preference
                        .as_ref()
                        .is_some_and(|weights| weights.dynamic_weight.is_some()),
                    None => false,
                }
        })
}
