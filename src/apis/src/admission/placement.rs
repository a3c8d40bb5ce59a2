//! Validation of placements.

use std::collections::BTreeSet;

use flybridge_machinery::{FieldError, names};

use super::affinity;
use crate::placement::{Placement, SpreadConstraint, SpreadField, WorkloadAffinity};

/// Complaints about a placement at `path`.
pub(super) fn validate(placement: &Placement, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if placement.cluster_affinity.is_some() && !placement.cluster_affinities.is_empty() {
        errors.push(FieldError::invalid(
            path,
            "clusterAffinity",
            "clusterAffinity and clusterAffinities cannot be set together",
        ));
    }
    errors.extend(affinity::affinity(
        placement.cluster_affinity.as_ref(),
        &format!("{path}.clusterAffinity"),
    ));
    errors.extend(affinity::terms(
        placement,
        &format!("{path}.clusterAffinities"),
    ));
    errors.extend(spread_constraints(
        &placement.spread_constraints,
        &format!("{path}.spreadConstraints"),
    ));
    errors.extend(tolerations(
        placement,
        &format!("{path}.clusterTolerations"),
    ));
    errors.extend(workload_affinity(
        placement.workload_affinity.as_ref(),
        &format!("{path}.workloadAffinity"),
    ));
    errors
}

fn spread_constraints(constraints: &[SpreadConstraint], path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut fields = BTreeSet::new();
    for (index, constraint) in constraints.iter().enumerate() {
        let at = format!("{path}[{index}]");
        if let Some(field) = constraint.spread_by_field {
            if !constraint.spread_by_label.is_empty() {
                errors.push(FieldError::invalid(
                    at.as_str(),
                    constraint.spread_by_label.as_str(),
                    "spreadByLabel and spreadByField cannot be set together",
                ));
            }
            if !fields.insert(field) {
                errors.push(FieldError::invalid(
                    path,
                    field.as_str(),
                    "a field can be used by one constraint only",
                ));
            }
        }
        errors.extend(group_bounds(constraint, &at));
    }
    if !fields.is_empty() && !fields.contains(&SpreadField::Cluster) {
        errors.push(FieldError::invalid(
            path,
            fields
                .iter()
                .map(|field| field.as_str())
                .collect::<Vec<_>>()
                .join(","),
            "constraints by field need one by cluster beside them",
        ));
    }
    errors
}

fn group_bounds(constraint: &SpreadConstraint, path: &str) -> Vec<FieldError> {
    let (min, max) = (constraint.min_groups, constraint.max_groups);
    let mut errors = Vec::new();
    if max < 0 {
        errors.push(FieldError::invalid(
            path,
            max,
            "maxGroups must not be negative",
        ));
    }
    if min < 0 {
        errors.push(FieldError::invalid(
            path,
            min,
            "minGroups must not be negative",
        ));
    }
    if max > 0 && max < min {
        errors.push(FieldError::invalid(
            path,
            max,
            "maxGroups must not be less than minGroups",
        ));
    }
    errors
}

fn tolerations(placement: &Placement, path: &str) -> Vec<FieldError> {
    placement
        .cluster_tolerations
        .iter()
        .enumerate()
        .filter_map(|(index, toleration)| {
            let operator = toleration.operator.as_deref()?;
            matches!(operator, "Lt" | "Gt").then(|| {
                FieldError::not_supported(
                    format!("{path}[{index}].operator"),
                    operator,
                    &["Equal", "Exists"],
                )
            })
        })
        .collect()
}

fn workload_affinity(affinity: Option<&WorkloadAffinity>, path: &str) -> Vec<FieldError> {
    let Some(affinity) = affinity else {
        return Vec::new();
    };
    let together = affinity
        .affinity
        .as_ref()
        .map(|term| term.group_by_label_key.as_str());
    let apart = affinity
        .anti_affinity
        .as_ref()
        .map(|term| term.group_by_label_key.as_str());
    let mut errors = Vec::new();
    for (key, member) in [(together, "affinity"), (apart, "antiAffinity")] {
        let Some(key) = key else { continue };
        for complaint in names::qualified_name(key) {
            errors.push(FieldError::invalid(
                format!("{path}.{member}.groupByLabelKey"),
                key,
                &complaint,
            ));
        }
    }
    if let (Some(together), Some(apart)) = (together, apart)
        && together == apart
    {
        errors.push(FieldError::invalid(
            format!("{path}.antiAffinity.groupByLabelKey"),
            apart,
            "must differ from the key of affinity",
        ));
    }
    errors
}
