//! Security contexts of pods and containers.

use super::findings::{At, Findings};

const MAX_ID: i64 = 2_147_483_647;
const MAX_SYSCTL: usize = 253;

/// The security context of a pod.
pub(super) fn of_pod(context: &At<'_>, findings: &mut Findings) {
    ids(context, findings);
    findings.within(&context.get("fsGroup"), 0, MAX_ID);
    for group in context.list("supplementalGroups") {
        findings.within(&group, 0, MAX_ID);
    }
    findings.one_of(
        &context.get("fsGroupChangePolicy"),
        &["Always", "OnRootMismatch"],
    );
    seccomp(&context.get("seccompProfile"), findings);
    for sysctl in context.list("sysctls") {
        let name = sysctl.get("name");
        if findings.require(&name) && !is_sysctl(name.text()) {
            findings.invalid(
                &name,
                "must have at most 253 characters and be a path of names",
            );
        }
    }
    findings.unique(
        context
            .list("sysctls")
            .into_iter()
            .map(|sysctl| sysctl.get("name")),
    );
}

/// The security context of a container.
pub(super) fn of_container(context: &At<'_>, findings: &mut Findings) {
    ids(context, findings);
    findings.one_of(&context.get("procMount"), &["Default", "Unmasked"]);
    seccomp(&context.get("seccompProfile"), findings);
    let escalation = context.get("allowPrivilegeEscalation");
    if escalation.is_set() && !escalation.is_true() {
        if context.get("privileged").is_true() {
            findings.invalid(
                context,
                "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
            );
        }
        let added = context.path(&["capabilities", "add"]).items();
        if added
            .iter()
            .any(|capability| capability.text() == "CAP_SYS_ADMIN")
        {
            findings.invalid(context, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
        }
    }
}

fn ids(context: &At<'_>, findings: &mut Findings) {
    findings.within(&context.get("runAsUser"), 0, MAX_ID);
    findings.within(&context.get("runAsGroup"), 0, MAX_ID);
}

fn seccomp(profile: &At<'_>, findings: &mut Findings) {
    if !profile.is_set() {
        return;
    }
    let localhost = profile.get("localhostProfile");
    if profile.text_of("type") == "Localhost" {
        if !localhost.is_set() {
            findings.required(&localhost, "must be set when seccomp type is Localhost");
        }
    } else if localhost.is_set() {
        findings.invalid(&localhost, "can only be set when seccomp type is Localhost");
    }
}

fn is_sysctl(name: &str) -> bool {
    let segment = |part: &str| {
        let edge = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let bytes = part.as_bytes();
        edge(bytes.first())
            && edge(bytes.last())
            && bytes.iter().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(byte)
            })
    };
    name.len() <= MAX_SYSCTL && name.split(['.', '/']).all(segment)
}
