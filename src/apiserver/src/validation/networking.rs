//! Ingresses and network policies.

use std::net::IpAddr;

use flybridge_machinery::names;

use super::findings::{At, Findings};
use super::nodes::contains;
use super::selectors;

/// Reads `10.0.0.0/8`.
pub(super) fn parse_cidr(text: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = text.split_once('/')?;
    let (address, length): (IpAddr, u8) = (address.parse().ok()?, length.parse().ok()?);
    (length <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, length))
}

/// An Ingress.
pub(super) fn ingress(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    let default = spec.get("defaultBackend");
    if spec.get("rules").is_blank() && !default.is_set() {
        findings.invalid(
            &spec,
            "either `defaultBackend` or `rules` must be specified",
        );
    }
    if default.is_set() {
        backend(&default, findings);
    }
    findings.name(&spec.get("ingressClassName"), names::dns1123_subdomain);
    for tls in spec.list("tls") {
        findings.name(&tls.get("secretName"), names::dns1123_subdomain);
        for host in tls.list("hosts") {
            self::host(&host, findings);
        }
    }
    for rule in spec.list("rules") {
        host(&rule.get("host"), findings);
        for path in rule.path(&["http", "paths"]).items() {
            self::path(&path, findings);
        }
    }
}

fn host(host: &At<'_>, findings: &mut Findings) {
    findings.name(host, |text| {
        names::dns1123_subdomain(text.strip_prefix("*.").unwrap_or(text))
    });
}

fn path(item: &At<'_>, findings: &mut Findings) {
    let (kind, path) = (item.get("pathType"), item.get("path"));
    match kind.text() {
        "Exact" | "Prefix" => {
            if !path.text().starts_with('/') {
                findings.invalid(&path, "must be an absolute path");
            }
            let lower = path.text().to_ascii_lowercase();
            for bad in ["//", "/./", "/../", "%2f"] {
                if lower.contains(bad) {
                    findings.invalid(&path, &format!("must not contain '{bad}'"));
                }
            }
        }
        "ImplementationSpecific" => {
            if !path.is_blank() && !path.text().starts_with('/') {
                findings.invalid(&path, "must be an absolute path");
            }
        }
        "" if !kind.is_set() => findings.required(&kind, "pathType must be specified"),
        _ => findings.not_supported(&kind, &["Exact", "ImplementationSpecific", "Prefix"]),
    }
    backend(&item.get("backend"), findings);
}

fn backend(backend: &At<'_>, findings: &mut Findings) {
    let (service, resource) = (backend.get("service"), backend.get("resource"));
    match (service.is_set(), resource.is_set()) {
        (false, false) => findings.invalid(backend, "resource or service backend is required"),
        (true, true) => findings.invalid(backend, "cannot set both resource and service backends"),
        (false, true) => {}
        (true, false) => {
            findings.required_name(&service.get("name"), names::dns1035_label);
            let port = service.get("port");
            let number = port.get("number");
            if !port.get("name").is_blank() {
                findings.name(&port.get("name"), names::port_name);
            } else if number.integer().unwrap_or_default() == 0 {
                findings.required(&port, "port name or number is required");
            } else {
                findings.port(&number);
            }
        }
    }
}

/// An `IngressClass`.
pub(super) fn ingress_class(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    let controller = spec.get("controller");
    if findings.require(&controller) {
        let domain = controller.text().split('/').next().unwrap_or_default();
        if !controller.text().contains('/') || !names::dns1123_subdomain(domain).is_empty() {
            findings.invalid(
                &controller,
                "must be a domain-prefixed path (such as \"acme.io/foo\")",
            );
        }
    }
    let parameters = spec.get("parameters");
    if parameters.is_set() {
        findings.require(&parameters.get("kind"));
        findings.require(&parameters.get("name"));
        let (scope, namespace) = (parameters.get("scope"), parameters.get("namespace"));
        findings.one_of(&scope, &["Cluster", "Namespace"]);
        if scope.text() == "Namespace" {
            findings.require(&namespace);
        } else if matches!(scope.text(), "" | "Cluster") && !namespace.is_blank() {
            findings.forbidden(&namespace, "`parameters.scope` is set to 'Cluster'");
        }
    }
}

/// A `NetworkPolicy`.
pub(super) fn network_policy(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    selectors::label_selector(&spec.get("podSelector"), findings);
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        for rule in spec.list(rules) {
            for port in rule.list("ports") {
                policy_port(&port, findings);
            }
            for peer in rule.list(peers) {
                self::peer(&peer, findings);
            }
        }
    }
    for kind in spec.list("policyTypes") {
        findings.one_of(&kind, &["Egress", "Ingress"]);
    }
}

fn policy_port(item: &At<'_>, findings: &mut Findings) {
    findings.one_of(&item.get("protocol"), &["TCP", "UDP", "SCTP"]);
    let (port, end) = (item.get("port"), item.get("endPort"));
    if port.is_set() {
        findings.port_or_name(&port, names::port_name);
    }
    if !end.is_set() {
        return;
    }
    if !port.is_set() {
        findings.invalid(&end, "may not be specified when `port` is not specified");
    } else if port.integer().is_none() {
        findings.invalid(&end, "may not be specified when `port` is non-numeric");
    } else if end.integer() < port.integer() {
        findings.invalid(&end, "must be greater than or equal to `port`");
    }
}

fn peer(peer: &At<'_>, findings: &mut Findings) {
    let selecting = peer.chosen(&["podSelector", "namespaceSelector"]);
    for selector in &selecting {
        selectors::label_selector(selector, findings);
    }
    let block = peer.get("ipBlock");
    if block.is_set() {
        ip_block(&block, findings);
        if !selecting.is_empty() {
            findings.forbidden(peer, "may not specify both ipBlock and another peer");
        }
    } else if selecting.is_empty() {
        findings.required(peer, "must specify a peer");
    }
}

fn ip_block(block: &At<'_>, findings: &mut Findings) {
    let cidr = block.get("cidr");
    if !findings.require(&cidr) {
        return;
    }
    let Some(range) = parse_cidr(cidr.text()) else {
        return findings.invalid(
            &cidr,
            "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
        );
    };
    for except in block.list("except") {
        match parse_cidr(except.text()) {
            None => findings.invalid(
                &except,
                "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
            ),
            Some((address, length)) if !contains(range, address) || length <= range.1 => {
                findings.invalid(&except, "must be a strict subset of `cidr`");
            }
            Some(_) => {}
        }
    }
}
