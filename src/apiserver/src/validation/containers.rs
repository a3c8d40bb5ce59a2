//! Containers of a pod spec.

use std::collections::HashSet;

use flybridge_machinery::names;

use super::findings::{At, Findings};
use super::{env, probes, resources, security, volumes};

/// All containers of a pod spec; an image of a pod may not be padded with blanks.
pub(super) fn check_all(spec: &At<'_>, is_pod: bool, findings: &mut Findings) {
    let containers = spec.get("containers");
    if containers.is_blank() {
        findings.required(&containers, "");
    }
    let grace = spec.get("terminationGracePeriodSeconds").integer();
    let known = volumes::names_in(spec);
    let context = Context {
        is_pod,
        grace,
        volumes: known,
    };
    for container in containers.items() {
        context.check(&container, true, findings);
    }
    for container in spec.list("initContainers") {
        findings.one_of(
            &container.get("restartPolicy"),
            &["Always", "Never", "OnFailure"],
        );
        context.check(
            &container,
            container.text_of("restartPolicy") == "Always",
            findings,
        );
    }
    let all = containers
        .items()
        .into_iter()
        .chain(spec.list("initContainers"));
    findings.unique(all.map(|container| container.get("name")));
}

struct Context<'a> {
    is_pod: bool,
    grace: Option<i64>,
    volumes: HashSet<&'a str>,
}

impl Context<'_> {
    fn check(&self, container: &At<'_>, runs_on: bool, findings: &mut Findings) {
        findings.required_name(&container.get("name"), names::dns1123_label);
        self.image(&container.get("image"), findings);
        findings.one_of(
            &container.get("imagePullPolicy"),
            &["Always", "IfNotPresent", "Never"],
        );
        findings.one_of(
            &container.get("terminationMessagePolicy"),
            &["File", "FallbackToLogsOnError"],
        );
        ports(container, findings);
        env::check(container, findings);
        resources::requirements(&container.get("resources"), findings);
        security::of_container(&container.get("securityContext"), findings);
        volumes::mounts(container, &self.volumes, findings);
        if runs_on {
            probes::check(container, self.grace, findings);
        } else {
            probes::refuse(container, findings);
        }
    }

    fn image(&self, image: &At<'_>, findings: &mut Findings) {
        if findings.require(image) && self.is_pod && image.text() != image.text().trim() {
            findings.invalid(image, "must not have leading or trailing whitespace");
        }
    }
}

fn ports(container: &At<'_>, findings: &mut Findings) {
    for port in container.list("ports") {
        findings.name(&port.get("name"), names::port_name);
        let number = port.get("containerPort");
        if number.integer().unwrap_or_default() == 0 {
            findings.required(&number, "");
        } else {
            findings.port(&number);
        }
        if port.get("hostPort").integer() != Some(0) {
            findings.port(&port.get("hostPort"));
        }
        findings.one_of(&port.get("protocol"), &["SCTP", "TCP", "UDP"]);
    }
    findings.unique(
        container
            .list("ports")
            .into_iter()
            .map(|port| port.get("name")),
    );
}
