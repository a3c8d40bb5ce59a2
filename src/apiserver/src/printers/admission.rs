//! Webhooks, admission policies and request priorities.

use flybridge_machinery::conditions;
use flybridge_machinery::object::{get_path, path_str};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, generic, integer, text};

const WEBHOOKS: Printer = Printer::new(&[NAME, integer("Webhooks"), AGE], webhooks);

const VALIDATING_POLICIES: Printer = Printer::new(
    &[NAME, integer("Validations"), text("ParamKind"), AGE],
    validating_policy,
);

const POLICY_BINDINGS: Printer = Printer::new(
    &[NAME, text("PolicyName"), text("ParamRef"), AGE],
    policy_binding,
);

pub(super) const FLOW_SCHEMAS: Printer = Printer::new(
    &[
        NAME,
        text("PriorityLevel"),
        text("MatchingPrecedence"),
        text("DistinguisherMethod"),
        AGE,
        text("MissingPL"),
    ],
    flow_schema,
);

pub(super) const PRIORITY_LEVELS: Printer = Printer::new(
    &[
        NAME,
        text("Type"),
        text("NominalConcurrencyShares"),
        text("Queues"),
        text("HandSize"),
        text("QueueLengthLimit"),
        AGE,
    ],
    priority_level,
);

/// The printers of `admissionregistration.k8s.io`.
pub(super) fn admission_group(resource: &str) -> &'static Printer {
    match resource {
        "validatingwebhookconfigurations" | "mutatingwebhookconfigurations" => &WEBHOOKS,
        "validatingadmissionpolicies" => &VALIDATING_POLICIES,
        "validatingadmissionpolicybindings" => &POLICY_BINDINGS,
        _ => &generic::CREATED_AT,
    }
}

fn webhooks(configuration: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(configuration),
        cell::count(configuration, &["webhooks"]).into(),
        cell::age(configuration, now),
    ]
}

fn validating_policy(policy: &Value, now: Timestamp) -> Vec<Value> {
    let kind = get_path(policy, &["spec", "paramKind"]).filter(|kind| kind.is_object());
    let kind = kind.map_or_else(
        || "<unset>".to_owned(),
        |kind| {
            let part = |field: &str| path_str(kind, &[field]).unwrap_or_default();
            format!("{}/{}", part("apiVersion"), part("kind"))
        },
    );
    vec![
        cell::name(policy),
        cell::count(policy, &["spec", "validations"]).into(),
        kind.into(),
        cell::age(policy, now),
    ]
}

fn policy_binding(binding: &Value, now: Timestamp) -> Vec<Value> {
    let reference = get_path(binding, &["spec", "paramRef"]).filter(|part| part.is_object());
    let reference = reference.map_or_else(
        || "<unset>".to_owned(),
        |reference| {
            let name = path_str(reference, &["name"]).unwrap_or("*");
            match path_str(reference, &["namespace"]).unwrap_or_default() {
                "" => name.to_owned(),
                namespace => format!("{namespace}/{name}"),
            }
        },
    );
    vec![
        cell::name(binding),
        cell::string(binding, &["spec", "policyName"]),
        reference.into(),
        cell::age(binding, now),
    ]
}

fn flow_schema(schema: &Value, now: Timestamp) -> Vec<Value> {
    let missing = conditions::status_of(schema, "Dangling").unwrap_or("?");
    vec![
        cell::name(schema),
        cell::string_or(
            schema,
            &["spec", "priorityLevelConfiguration", "name"],
            "<none>",
        ),
        cell::number(schema, &["spec", "matchingPrecedence"]).into(),
        cell::string_or(schema, &["spec", "distinguisherMethod", "type"], "<none>"),
        cell::age(schema, now),
        missing.into(),
    ]
}

fn priority_level(level: &Value, now: Timestamp) -> Vec<Value> {
    let kind = path_str(level, &["spec", "type"]).unwrap_or_default();
    let branch = if kind == "Exempt" {
        "exempt"
    } else {
        "limited"
    };
    let number = |path: &[&str]| -> Value {
        let found = get_path(level, path).filter(|value| value.is_number());
        found.cloned().unwrap_or_else(|| "<none>".into())
    };
    let queuing = |field: &str| number(&["spec", "limited", "limitResponse", "queuing", field]);
    vec![
        cell::name(level),
        kind.into(),
        number(&["spec", branch, "nominalConcurrencyShares"]),
        queuing("queues"),
        queuing("handSize"),
        queuing("queueLengthLimit"),
        cell::age(level, now),
    ]
}
