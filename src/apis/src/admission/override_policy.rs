//! Validation of OverridePolicy and ClusterOverridePolicy.

use flybridge_machinery::{FieldError, names};

use super::affinity;
use crate::override_policy::{
    FieldOverrider, FieldPatchOperation, ImageOverrider, LabelAnnotationOverrider, OverrideSpec,
    OverriderOperator, Overriders,
};

/// Complaints about overrides; `namespace` is that of a namespaced policy.
pub(super) fn validate(spec: &OverrideSpec, namespace: Option<&str>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(namespace) = namespace {
        for (index, selector) in spec.resource_selectors.iter().enumerate() {
            if selector.namespace != namespace {
                errors.push(FieldError::invalid(
                    format!("spec.resourceSelectors[{index}].namespace"),
                    selector.namespace.as_str(),
                    "must be the namespace of the policy",
                ));
            }
        }
    }
    if spec.override_rules.is_empty() {
        return errors;
    }
    errors.extend(deprecated(spec));
    for (index, rule) in spec.override_rules.iter().enumerate() {
        let path = format!("spec.overrideRules[{index}]");
        errors.extend(overriders(&rule.overriders, &format!("{path}.overriders")));
        errors.extend(affinity::affinity(
            rule.target_cluster.as_ref(),
            &format!("{path}.targetCluster"),
        ));
    }
    errors
}

/// Source: the reference's emptiness check does not look at `fieldOverrider`.
fn deprecated(spec: &OverrideSpec) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if spec.target_cluster.is_some() {
        errors.push(FieldError::invalid(
            "spec.targetCluster",
            "targetCluster",
            "overrideRules and targetCluster cannot be set together",
        ));
    }
    let old = &spec.overriders;
    let empty = old.plaintext.is_empty()
        && old.image_overrider.is_empty()
        && old.command_overrider.is_empty()
        && old.args_overrider.is_empty()
        && old.labels_overrider.is_empty()
        && old.annotations_overrider.is_empty();
    if !empty {
        errors.push(FieldError::invalid(
            "spec.overriders",
            "overriders",
            "overrideRules and overriders cannot be set together",
        ));
    }
    errors
}

fn overriders(overriders: &Overriders, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, overrider) in overriders.annotations_overrider.iter().enumerate() {
        errors.extend(keys(
            overrider,
            &format!("{path}.annotationsOverrider[{index}].value"),
        ));
    }
    for (index, overrider) in overriders.image_overrider.iter().enumerate() {
        errors.extend(image(overrider, &format!("{path}.imageOverrider[{index}]")));
    }
    for (index, overrider) in overriders.labels_overrider.iter().enumerate() {
        let at = format!("{path}.labelsOverrider[{index}].value");
        errors.extend(keys(overrider, &at));
        for value in overrider.value.values() {
            for complaint in names::label_value(value) {
                errors.push(FieldError::invalid(at.as_str(), value.as_str(), &complaint));
            }
        }
    }
    for (index, overrider) in overriders.field_overrider.iter().enumerate() {
        errors.extend(field(overrider, &format!("{path}.fieldOverrider[{index}]")));
    }
    errors
}

fn keys(overrider: &LabelAnnotationOverrider, path: &str) -> Vec<FieldError> {
    overrider
        .value
        .keys()
        .flat_map(|key| {
            names::qualified_name(key)
                .into_iter()
                .map(|complaint| FieldError::invalid(path, key.as_str(), &complaint))
        })
        .collect()
}

fn image(overrider: &ImageOverrider, path: &str) -> Vec<FieldError> {
    match &overrider.predicate {
        Some(predicate) if !is_pointer(&predicate.path) => vec![FieldError::invalid(
            format!("{path}.predicate.path"),
            predicate.path.as_str(),
            "must be a JSON pointer",
        )],
        _ => Vec::new(),
    }
}

fn is_pointer(path: &str) -> bool {
    path.is_empty() || path.starts_with('/')
}

fn field(overrider: &FieldOverrider, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if !is_pointer(&overrider.field_path) {
        errors.push(FieldError::invalid(
            format!("{path}.fieldPath"),
            overrider.field_path.as_str(),
            "must be a JSON pointer",
        ));
    }
    match (overrider.json.is_empty(), overrider.yaml.is_empty()) {
        (true, true) => errors.push(FieldError::required(path, "one of json and yaml is needed")),
        (false, false) => errors.push(FieldError::invalid(
            path,
            overrider.field_path.as_str(),
            "json and yaml cannot be set together",
        )),
        (false, true) | (true, false) => {}
    }
    errors.extend(operations(&overrider.json, &format!("{path}.json")));
    errors.extend(operations(&overrider.yaml, &format!("{path}.yaml")));
    errors
}

fn operations(operations: &[FieldPatchOperation], path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        let at = format!("{path}[{index}]");
        if !is_pointer(&operation.sub_path) {
            errors.push(FieldError::invalid(
                format!("{at}.subPath"),
                operation.sub_path.as_str(),
                "must be a JSON pointer",
            ));
        }
        let removes = operation.operator == OverriderOperator::Remove;
        if removes && operation.value.is_some() {
            errors.push(FieldError::forbidden(
                format!("{at}.value"),
                "not allowed to remove",
            ));
        }
        if !removes && operation.value.is_none() {
            errors.push(FieldError::required(
                format!("{at}.value"),
                "needed to add or replace",
            ));
        }
    }
    errors
}
