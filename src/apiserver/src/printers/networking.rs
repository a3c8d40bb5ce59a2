//! Ingresses, their classes and network policies.

use flybridge_machinery::object::{get_path, path_list, path_str};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, generic, text};

const INGRESSES: Printer = Printer::new(
    &[
        NAME,
        text("Class"),
        text("Hosts"),
        text("Address"),
        text("Ports"),
        AGE,
    ],
    ingress,
);

const INGRESS_CLASSES: Printer = Printer::new(
    &[NAME, text("Controller"), text("Parameters"), AGE],
    ingress_class,
);

const NETWORK_POLICIES: Printer = Printer::new(&[NAME, text("Pod-Selector"), AGE], network_policy);

/// The printers of `networking.k8s.io`.
pub(super) fn networking_group(resource: &str) -> &'static Printer {
    match resource {
        "ingresses" => &INGRESSES,
        "ingressclasses" => &INGRESS_CLASSES,
        "networkpolicies" => &NETWORK_POLICIES,
        _ => &generic::CREATED_AT,
    }
}

fn ingress(ingress: &Value, now: Timestamp) -> Vec<Value> {
    let hosts: Vec<String> = path_list(ingress, &["spec", "rules"])
        .iter()
        .filter_map(|rule| path_str(rule, &["host"]).filter(|host| !host.is_empty()))
        .map(str::to_owned)
        .collect();
    let ports = if cell::count(ingress, &["spec", "tls"]) > 0 {
        "80, 443"
    } else {
        "80"
    };
    vec![
        cell::name(ingress),
        cell::string_or(ingress, &["spec", "ingressClassName"], "<none>"),
        cell::shortened(&hosts, 3, ",", "*"),
        cell::load_balancer(ingress).join(",").into(),
        ports.into(),
        cell::age(ingress, now),
    ]
}

fn ingress_class(class: &Value, now: Timestamp) -> Vec<Value> {
    let parameters = get_path(class, &["spec", "parameters"]).filter(|part| part.is_object());
    let parameters = parameters.map_or_else(
        || "<none>".to_owned(),
        |parameters| {
            let part = |field: &str| path_str(parameters, &[field]).unwrap_or_default();
            let kind = flybridge_machinery::gvk::qualified(part("kind"), part("apiGroup"));
            format!("{kind}/{}", part("name"))
        },
    );
    vec![
        cell::name(class),
        cell::string(class, &["spec", "controller"]),
        parameters.into(),
        cell::age(class, now),
    ]
}

fn network_policy(policy: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(policy),
        cell::selector(get_path(policy, &["spec", "podSelector"])),
        cell::age(policy, now),
    ]
}
