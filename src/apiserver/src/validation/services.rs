//! Services: ports, addresses, traffic.

use flybridge_machinery::names;

use super::findings::{At, Findings};
use super::{pods, selectors};

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

/// A `Service`; wrong addresses hide all else.
pub(super) fn service(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    let mut wrong = Findings::default();
    addresses(&spec, &mut wrong);
    let wrong = wrong.into_errors();
    if !wrong.is_empty() {
        return findings.extend(wrong);
    }
    let kind = spec.get("type");
    findings.one_of(&kind, &TYPES);
    selectors::labels(&spec.get("selector"), findings);
    if kind.text() == "ExternalName" {
        let name = spec.get("externalName");
        findings.required_name(&name.told_as(name.path.clone()), |text| {
            names::dns1123_subdomain(text.strip_suffix('.').unwrap_or(text))
        });
    } else if spec.get("ports").is_blank() && !is_headless(&spec) {
        findings.required(&spec.get("ports"), "");
    }
    ports(&spec, findings);
    for address in spec.list("externalIPs") {
        pods::address(&address, findings);
        if address
            .text()
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
        {
            findings.invalid(
                &address,
                "may not be in the loopback range (127.0.0.0/8, ::1/128)",
            );
        }
    }
    findings.one_of(&spec.get("internalTrafficPolicy"), &["Cluster", "Local"]);
    findings.one_of(&spec.get("externalTrafficPolicy"), &["Cluster", "Local"]);
    findings.one_of(&spec.get("sessionAffinity"), &["ClientIP", "None"]);
    findings.one_of(
        &spec.get("trafficDistribution"),
        &["PreferClose", "PreferSameZone", "PreferSameNode"],
    );
}

fn is_headless(spec: &At<'_>) -> bool {
    spec.text_of("clusterIP") == "None"
}

fn addresses(spec: &At<'_>, findings: &mut Findings) {
    let (single, list) = (spec.get("clusterIP"), spec.get("clusterIPs"));
    let given = list.items();
    let first = single.told_as(format!("{}[0]", list.path));
    let all = if given.is_empty() { vec![first] } else { given };
    for address in all {
        if !matches!(address.text(), "" | "None") {
            pods::address(&address, findings);
        }
    }
    let families = spec.list("ipFamilies");
    for family in &families {
        findings.one_of(family, &["IPv4", "IPv6"]);
    }
    findings.unique(families);
}

fn ports(spec: &At<'_>, findings: &mut Findings) {
    let list = spec.list("ports");
    let mut seen = Vec::new();
    for port in &list {
        let name = port.get("name");
        if list.len() > 1 && name.is_blank() {
            findings.required(&name, "");
        }
        findings.name(&name, names::dns1123_label);
        findings.port(&port.get("port"));
        findings.one_of(&port.get("protocol"), &["SCTP", "TCP", "UDP"]);
        if !is_headless(spec) {
            findings.port_or_name(&port.get("targetPort"), names::port_name);
        }
        let pair = (port.get("port").integer(), port.text_of("protocol"));
        if seen.contains(&pair) {
            findings.duplicate(port);
        }
        seen.push(pair);
    }
    findings.unique(list.iter().map(|port| port.get("name")));
}

/// What a new service of its type may not ask for.
///
/// An update may carry such values over from its former type, and they are then without effect.
pub(super) fn created(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    first_matches(&spec, findings);
    if spec.text_of("type") != "ClusterIP" {
        return;
    }
    for port in spec.list("ports") {
        if port
            .get("nodePort")
            .integer()
            .is_some_and(|number| number != 0)
        {
            findings.forbidden(
                &port.get("nodePort"),
                "may not be used when `type` is 'ClusterIP'",
            );
        }
    }
    let policy = spec.get("externalTrafficPolicy");
    if !policy.is_blank() && spec.get("externalIPs").is_blank() {
        findings.invalid(
            &policy,
            "may only be set for externally-accessible services",
        );
    }
}

fn first_matches(spec: &At<'_>, findings: &mut Findings) {
    let list = spec.get("clusterIPs");
    if list
        .items()
        .first()
        .is_some_and(|first| first.text() != spec.text_of("clusterIP"))
    {
        findings.invalid(&list, "first value must match `clusterIP`");
    }
}

/// The address of a service stays while it has one; a client may send only the single form of it.
pub(super) fn changed(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let (old, new) = (old.get("spec"), new.get("spec"));
    let external = |spec: &At<'_>| spec.text_of("type") == "ExternalName";
    if external(&old) || external(&new) {
        return;
    }
    let list = new.get("clusterIPs");
    if !old.get("clusterIPs").same(&list) {
        first_matches(&new, findings);
    }
    let (before, after) = (old.text_of("clusterIP"), new.text_of("clusterIP"));
    if !before.is_empty() && before != after {
        let told = new.get("clusterIP").told_as(format!("{}[0]", list.path));
        findings.invalid(&told, "may not change once set: field is immutable");
    }
}
