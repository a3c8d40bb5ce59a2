//! Nodes, and small cluster kinds around them: runtime classes and leases.

use std::net::IpAddr;

use flybridge_machinery::names;

use super::findings::{At, Findings};
use super::networking::parse_cidr;
use super::{resources, scheduling};

/// A Node.
pub(super) fn node(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    let taints = spec.get("taints").told_as("metadata.taints".to_owned());
    scheduling::taints(&taints, findings);
    let mut seen = Vec::new();
    for taint in taints.items() {
        let pair = (taint.text_of("key"), taint.text_of("effect"));
        if seen.contains(&pair) {
            findings.duplicate(&taint);
        }
        seen.push(pair);
    }
    let list = spec.get("podCIDRs");
    let mut ranges = list.items();
    if ranges.is_empty() && !spec.get("podCIDR").is_blank() {
        ranges.push(spec.get("podCIDR").told_as(format!("{}[0]", list.path)));
    }
    let mut families = Vec::new();
    for range in &ranges {
        match parse_cidr(range.text()) {
            Some((address, _)) => families.push(address.is_ipv4()),
            None => findings.invalid(
                range,
                "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
            ),
        }
    }
    if families.len() > 2 || matches!(families.as_slice(), [one, other] if one == other) {
        findings.invalid(
            &list,
            "may specify no more than one CIDR for each IP family",
        );
    }
}

/// Values of a node that are given once.
pub(super) fn changed(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let (old, new) = (old.get("spec"), new.get("spec"));
    let provider = new.get("providerID");
    if !old.get("providerID").is_blank() && !old.get("providerID").same(&provider) {
        findings.forbidden(
            &provider,
            "node updates may not change providerID except from \"\" to valid",
        );
    }
    if !old.get("podCIDR").is_blank() && !old.get("podCIDR").same(&new.get("podCIDR")) {
        findings.forbidden(
            &new.get("podCIDRs"),
            "node updates may not change podCIDR except from \"\" to valid",
        );
    }
}

/// A `RuntimeClass`.
pub(super) fn runtime_class(object: &At<'_>, findings: &mut Findings) {
    findings.name_or_empty(&object.get("handler"), names::dns1123_label);
    let overhead = object
        .path(&["overhead", "podFixed"])
        .told_as("overhead.limits".to_owned());
    resources::amounts(&overhead, findings);
}

/// A Lease.
pub(super) fn lease(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    let duration = spec.get("leaseDurationSeconds");
    if duration.integer().is_some_and(|seconds| seconds <= 0) {
        findings.invalid(&duration, "must be greater than 0");
    }
    findings.at_least(&spec.get("leaseTransitions"), 0);
}

/// Whether an address lies in a range.
pub(super) fn contains(range: (IpAddr, u8), address: IpAddr) -> bool {
    match (range.0, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let shift = 32_u32.saturating_sub(u32::from(range.1));
            u32::from(network).checked_shr(shift).unwrap_or(0)
                == u32::from(address).checked_shr(shift).unwrap_or(0)
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let shift = 128_u32.saturating_sub(u32::from(range.1));
            u128::from(network).checked_shr(shift).unwrap_or(0)
                == u128::from(address).checked_shr(shift).unwrap_or(0)
        }
        _ => false,
    }
}
