//! Endpoints of services, and events.

use std::net::IpAddr;

use flybridge_machinery::names;

use super::findings::{At, Findings};
use super::pods;

/// An `EndpointSlice`.
pub(super) fn slice(object: &At<'_>, findings: &mut Findings) {
    let kind = object.get("addressType");
    if findings.require(&kind) {
        findings.one_of(&kind, &["FQDN", "IPv4", "IPv6"]);
    }
    for endpoint in object.list("endpoints") {
        for address in endpoint.list("addresses") {
            match kind.text() {
                "FQDN" => findings.name_or_empty(&address, names::dns1123_subdomain),
                "IPv4" | "IPv6" => {
                    self::address(&address, &endpoint.get("addresses"), kind.text(), findings)
                }
                _ => {}
            }
        }
    }
    for port in object.list("ports") {
        findings.name(&port.get("name"), names::dns1123_label);
        findings.one_of(&port.get("protocol"), &["SCTP", "TCP", "UDP"]);
    }
}

fn address(address: &At<'_>, list: &At<'_>, family: &str, findings: &mut Findings) {
    let Ok(parsed) = address.text().parse::<IpAddr>() else {
        return pods::address(address, findings);
    };
    if parsed.is_ipv4() != (family == "IPv4") {
        findings.invalid(
            &address.told_as(list.path.clone()),
            &format!("must be an {family} address"),
        );
    }
    if parsed.is_loopback() {
        findings.invalid(
            address,
            "may not be in the loopback range (127.0.0.0/8, ::1/128)",
        );
    }
}

/// The old kind of endpoints.
pub(super) fn endpoints(object: &At<'_>, findings: &mut Findings) {
    for subset in object.list("subsets") {
        for address in subset
            .list("addresses")
            .into_iter()
            .chain(subset.list("notReadyAddresses"))
        {
            pods::address(&address.get("ip"), findings);
        }
        for port in subset.list("ports") {
            findings.port(&port.get("port"));
        }
    }
}

/// An Event: in the namespace of what it is about; cluster scoped objects have theirs in `default`.
pub(super) fn event(object: &At<'_>, findings: &mut Findings) {
    let about = object.path(&["involvedObject", "namespace"]);
    let own = object.get("metadata").text_of("namespace");
    let fits = if about.is_blank() {
        matches!(own, "" | "default")
    } else {
        about.text() == own
    };
    if !fits {
        findings.invalid(&about, "does not match event.namespace");
    }
    if object.get("eventTime").is_blank() {
        return;
    }
    let component = object.get("reportingComponent");
    findings.require(&component);
    findings.name_or_empty(&component, names::qualified_name);
    for field in ["reportingInstance", "action", "reason"] {
        findings.require(&object.get(field));
    }
}
