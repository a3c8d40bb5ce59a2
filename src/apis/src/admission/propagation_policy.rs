//! Validation of PropagationPolicy and ClusterPropagationPolicy.

use flybridge_machinery::{FieldError, names};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::placement;
use crate::failover::{
    ApplicationFailoverBehavior, FailoverBehavior, PurgeMode, StatePreservation,
};
use crate::labels;
use crate::propagation_policy::{
    DEFAULT_SCHEDULER, PreemptionBehavior, PropagationSpec, Suspension,
};

/// Complaints about a policy; what may not change is complained about before anything else.
pub(super) fn validate(
    old: Option<&Value>,
    metadata: &ObjectMeta,
    spec: &PropagationSpec,
    namespaced: bool,
) -> Vec<FieldError> {
    let immutable = immutable(old, metadata, spec, namespaced);
    if !immutable.is_empty() {
        return immutable;
    }
    let mut errors = Vec::new();
    errors.extend(selectors(metadata, spec, namespaced));
    errors.extend(placement::validate(&spec.placement, "spec.placement"));
    if let Some(behavior) = &spec.failover {
        errors.extend(failover(behavior, spec.propagate_deps));
    }
    errors.extend(suspension(spec.suspension.as_ref()));
    errors
}

fn immutable(
    old: Option<&Value>,
    metadata: &ObjectMeta,
    spec: &PropagationSpec,
    namespaced: bool,
) -> Vec<FieldError> {
    let label = if namespaced {
        labels::PROPAGATION_POLICY_PERMANENT_ID
    } else {
        labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID
    };
    let id = metadata
        .labels
        .as_ref()
        .and_then(|labels| labels.get(label))
        .map(String::as_str)
        .unwrap_or_default();
    let path = format!("metadata.labels[{label}]");
    let mut errors = Vec::new();
    if id.is_empty() {
        errors.push(FieldError::required(path.as_str(), "the label must exist"));
    }
    let Some(old) = old else { return errors };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let old_id = text(
        old.pointer("/metadata/labels")
            .and_then(|labels| labels.get(label)),
    );
    if !id.is_empty() && old_id != id {
        errors.push(FieldError::invalid(path, id, "the label is immutable"));
    }
    let scheduler = |name: &str| {
        if name.is_empty() {
            DEFAULT_SCHEDULER.to_owned()
        } else {
            name.to_owned()
        }
    };
    let old_scheduler = text(old.pointer("/spec/schedulerName"));
    if scheduler(&old_scheduler) != scheduler(&spec.scheduler_name) {
        errors.push(FieldError::invalid(
            "spec.schedulerName",
            spec.scheduler_name.as_str(),
            "the scheduler name is immutable",
        ));
    }
    errors
}

fn selectors(metadata: &ObjectMeta, spec: &PropagationSpec, namespaced: bool) -> Vec<FieldError> {
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    let mut errors = Vec::new();
    for (index, selector) in spec.resource_selectors.iter().enumerate() {
        let path = format!("spec.resourceSelectors[{index}]");
        if namespaced && selector.namespace != namespace {
            errors.push(FieldError::invalid(
                format!("{path}.namespace"),
                selector.namespace.as_str(),
                "must be the namespace of the policy",
            ));
        }
        if spec.preemption == PreemptionBehavior::Always && selector.name.is_empty() {
            errors.push(FieldError::invalid(
                format!("{path}.name"),
                "",
                "must not be empty when preemption is Always",
            ));
        }
    }
    errors
}

fn failover(behavior: &FailoverBehavior, propagate_deps: bool) -> Vec<FieldError> {
    let Some(application) = &behavior.application else {
        return Vec::new();
    };
    let mut errors = Vec::new();
    if !propagate_deps {
        errors.push(FieldError::invalid(
            "spec.propagateDeps",
            false,
            "application failover needs propagateDeps",
        ));
    }
    errors.extend(application_failover(
        application,
        "spec.failover.application",
    ));
    errors
}

fn application_failover(application: &ApplicationFailoverBehavior, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(seconds) = application.decision_conditions.toleration_seconds
        && seconds < 0
    {
        errors.push(FieldError::invalid(
            format!("{path}.decisionConditions.tolerationSeconds"),
            seconds,
            "must not be negative",
        ));
    }
    let at = format!("{path}.gracePeriodSeconds");
    let gracefully = application.purge_mode == Some(PurgeMode::Gracefully);
    match application.grace_period_seconds {
        Some(seconds) if !gracefully => {
            errors.push(FieldError::invalid(
                at,
                seconds,
                "only allowed with purgeMode Gracefully",
            ));
        }
        Some(seconds) if seconds <= 0 => {
            errors.push(FieldError::invalid(at, seconds, "must be greater than 0"));
        }
        None if gracefully => {
            errors.push(FieldError::invalid(
                at,
                Value::Null,
                "needed with purgeMode Gracefully",
            ));
        }
        _ => {}
    }
    errors.extend(state_preservation(
        application.state_preservation.as_ref(),
        path,
    ));
    errors
}

fn state_preservation(preservation: Option<&StatePreservation>, path: &str) -> Vec<FieldError> {
    let rules = preservation
        .map(|preservation| preservation.rules.as_slice())
        .unwrap_or_default();
    let mut errors = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        for complaint in names::qualified_name(&rule.alias_label_name) {
            errors.push(FieldError::invalid(
                format!("{path}.statePreservation.rules[{index}].aliasLabelName"),
                rule.alias_label_name.as_str(),
                &complaint,
            ));
        }
    }
    errors
}

/// The path repeats the field's name, as the reference's does.
fn suspension(suspension: Option<&Suspension>) -> Vec<FieldError> {
    let Some(suspension) = suspension else {
        return Vec::new();
    };
    let on_clusters = suspension
        .dispatching_on_clusters
        .as_ref()
        .is_some_and(|clusters| !clusters.cluster_names.is_empty());
    if suspension.dispatching == Some(true) && on_clusters {
        return vec![FieldError::invalid(
            "spec.suspension.suspension",
            true,
            "dispatching and dispatchingOnClusters cannot be set together",
        )];
    }
    Vec::new()
}
