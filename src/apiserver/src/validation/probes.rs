//! Probes and lifecycle hooks of containers.

use super::findings::{At, Findings};

const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
const NUMBERS: [&str; 5] = [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
];

/// Probes and hooks of a container that keeps running.
pub(super) fn check(container: &At<'_>, grace: Option<i64>, findings: &mut Findings) {
    for name in PROBES {
        let probe = container.get(name);
        if !probe.is_set() {
            continue;
        }
        handler(&probe, &["exec", "httpGet", "tcpSocket", "grpc"], findings);
        for number in NUMBERS {
            findings.at_least(&probe.get(number), 0);
        }
        let threshold = probe.get("successThreshold");
        if name != "readinessProbe" && threshold.integer().is_some_and(|number| number > 1) {
            findings.invalid(&threshold, "must be 1");
        }
    }
    for name in ["postStart", "preStop"] {
        let hook = container.path(&["lifecycle", name]);
        if hook.is_set() {
            handler(&hook, &["exec", "httpGet", "tcpSocket", "sleep"], findings);
            sleep(&hook, grace, findings);
        }
    }
}

/// Init containers that end have neither probes nor hooks.
pub(super) fn refuse(container: &At<'_>, findings: &mut Findings) {
    let own = [
        "lifecycle",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
    ];
    for given in container.chosen(&own) {
        findings.forbidden(
            &given,
            "may not be set for init containers without restartPolicy=Always",
        );
    }
}

fn handler(at: &At<'_>, kinds: &[&str], findings: &mut Findings) {
    let chosen = at.chosen(kinds);
    if chosen.is_empty() {
        return findings.required(at, "must specify a handler type");
    }
    for surplus in chosen.iter().skip(1) {
        findings.forbidden(surplus, "may not specify more than 1 handler type");
    }
    let exec = at.get("exec");
    if exec.is_set() {
        findings.require(&exec.get("command"));
    }
    let http = at.get("httpGet");
    if http.is_set() {
        findings.require(&http.get("path"));
        findings.required_port(&http.get("port"));
        findings.one_of(&http.get("scheme"), &["HTTP", "HTTPS"]);
        for header in http.list("httpHeaders") {
            header_name(
                &header.get("name").told_as(http.get("httpHeaders").path),
                findings,
            );
        }
    }
    if at.get("tcpSocket").is_set() {
        findings.required_port(&at.path(&["tcpSocket", "port"]));
    }
    findings.port(&at.path(&["grpc", "port"]));
}

fn header_name(at: &At<'_>, findings: &mut Findings) {
    let fits = !at.text().is_empty()
        && at
            .text()
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if !fits {
        findings.invalid(
            at,
            "a valid HTTP header must consist of alphanumeric characters or '-'",
        );
    }
}

fn sleep(hook: &At<'_>, grace: Option<i64>, findings: &mut Findings) {
    let sleep = hook.get("sleep");
    let Some(seconds) = sleep.get("seconds").integer() else {
        return;
    };
    if seconds < 0 || grace.is_some_and(|grace| seconds > grace) {
        let told = sleep.get("seconds").told_as(sleep.path);
        findings.invalid(
            &told,
            "must be non-negative and less than terminationGracePeriodSeconds",
        );
    }
}
