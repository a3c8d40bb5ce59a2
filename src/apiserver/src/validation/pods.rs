//! Pod specs, alone and in templates.

use flybridge_machinery::names;

use super::containers;
use super::findings::{At, Findings};
use super::{scheduling, security, selectors, volumes};

const RESTART_POLICIES: [&str; 3] = ["Always", "OnFailure", "Never"];
const DNS_POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const MAX_SECONDS: i64 = 2_147_483_647;

/// What a pod spec belongs to; some rules differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A pod itself.
    Pod,
    /// A workload whose pods run for ever.
    Endless,
    /// A `StatefulSet`, which names its pods itself.
    StatefulSet,
    /// A Job, directly or through a `CronJob`.
    Job,
    /// A bare template.
    Other,
}

/// A `Pod`.
pub(super) fn pod(object: &At<'_>, findings: &mut Findings) {
    spec(&object.get("spec"), Owner::Pod, findings);
}

/// A `PodTemplateSpec`.
pub(super) fn template(at: &At<'_>, owner: Owner, findings: &mut Findings) {
    selectors::labels(&at.path(&["metadata", "labels"]), findings);
    for (key, _) in at.path(&["metadata", "annotations"]).entries() {
        for complaint in names::qualified_name(&key.to_lowercase()) {
            let annotations = at.path(&["metadata", "annotations"]);
            findings.invalid(&annotations, &complaint);
        }
    }
    let spec_at = at.get("spec");
    spec(&spec_at, owner, findings);
    if !spec_at.get("ephemeralContainers").is_blank() {
        findings.forbidden(
            &spec_at.get("ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
    owned(&spec_at, owner, findings);
}

/// What the owner of a template asks of it.
fn owned(spec: &At<'_>, owner: Owner, findings: &mut Findings) {
    let restart = spec.get("restartPolicy");
    match owner {
        Owner::Endless | Owner::StatefulSet => {
            findings.one_of(&restart, &["Always"]);
            let deadline = spec.get("activeDeadlineSeconds");
            if deadline.is_set() {
                findings.forbidden(
                    &deadline,
                    "activeDeadlineSeconds is not supported for this workload",
                );
            }
        }
        Owner::Job if restart.text() == "Always" => {
            findings.required(&restart, "valid values: \"OnFailure\", \"Never\"");
        }
        Owner::Job => findings.one_of(&restart, &["OnFailure", "Never"]),
        Owner::Pod | Owner::Other => {}
    }
}

fn spec(at: &At<'_>, owner: Owner, findings: &mut Findings) {
    volumes::check(at, findings);
    containers::check_all(at, owner == Owner::Pod, findings);
    findings.one_of(&at.get("restartPolicy"), &RESTART_POLICIES);
    findings.one_of(&at.get("dnsPolicy"), &DNS_POLICIES);
    findings.within(&at.get("activeDeadlineSeconds"), 1, MAX_SECONDS);
    for field in [
        "serviceAccountName",
        "nodeName",
        "priorityClassName",
        "runtimeClassName",
    ] {
        findings.name(&at.get(field), names::dns1123_subdomain);
    }
    if owner != Owner::StatefulSet {
        for field in ["hostname", "subdomain"] {
            findings.name(&at.get(field), names::dns1123_label);
        }
    }
    findings.one_of(
        &at.get("preemptionPolicy"),
        &["PreemptLowerPriority", "Never"],
    );
    security::of_pod(&at.get("securityContext"), findings);
    scheduling::check(at, findings);
    dns_config(at, findings);
    host_aliases(at, findings);
    for gate in at.list("readinessGates") {
        findings.name_or_empty(&gate.get("conditionType"), names::qualified_name);
    }
    let os = at.path(&["os", "name"]).told_as(at.get("os").path);
    if at.get("os").is_set() && !["linux", "windows"].contains(&os.text()) {
        findings.not_supported(&os, &["linux", "windows"]);
    }
}

fn dns_config(spec: &At<'_>, findings: &mut Findings) {
    let config = spec.get("dnsConfig");
    let nameservers = config.get("nameservers");
    if spec.text_of("dnsPolicy") == "None" {
        if !config.is_set() {
            return findings.required(&config, "must provide `dnsConfig` when `dnsPolicy` is None");
        }
        if nameservers.is_blank() {
            findings.required(
                &nameservers,
                "must provide at least one DNS nameserver when `dnsPolicy` is None",
            );
        }
    }
    if nameservers.items().len() > 3 {
        findings.invalid(&nameservers, "must not have more than 3 nameservers");
    }
    for server in nameservers.items() {
        address(&server, findings);
    }
}

fn host_aliases(spec: &At<'_>, findings: &mut Findings) {
    for alias in spec.list("hostAliases") {
        address(&alias.get("ip"), findings);
        for hostname in alias.list("hostnames") {
            findings.name_or_empty(&hostname, names::dns1123_subdomain);
        }
    }
}

/// Wants an IP address.
pub(super) fn address(at: &At<'_>, findings: &mut Findings) {
    if at.text().parse::<std::net::IpAddr>().is_err() {
        findings.invalid(
            at,
            "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        );
    }
}
