//! Roles and their bindings.

use flybridge_machinery::names;

use super::findings::{At, Findings};
use super::selectors;

const GROUP: &str = "rbac.authorization.k8s.io";

/// An object of the group.
pub(super) fn check(kind: &str, object: &At<'_>, findings: &mut Findings) {
    let namespaced = !kind.starts_with("Cluster");
    match kind {
        "Role" | "ClusterRole" => role(object, namespaced, findings),
        "RoleBinding" | "ClusterRoleBinding" => binding(object, namespaced, findings),
        _ => {}
    }
}

fn role(object: &At<'_>, namespaced: bool, findings: &mut Findings) {
    for rule in object.list("rules") {
        self::rule(&rule, namespaced, findings);
    }
    for selector in object
        .path(&["aggregationRule", "clusterRoleSelectors"])
        .items()
    {
        selectors::label_selector(&selector, findings);
    }
}

fn rule(rule: &At<'_>, namespaced: bool, findings: &mut Findings) {
    let verbs = rule.get("verbs");
    if verbs.is_blank() {
        findings.required(&verbs, "verbs must contain at least one value");
    }
    let urls = rule.get("nonResourceURLs");
    if !urls.is_blank() {
        if namespaced {
            findings.invalid(&urls, "namespaced rules cannot apply to non-resource URLs");
        }
        if ["apiGroups", "resources", "resourceNames"]
            .iter()
            .any(|field| !rule.get(field).is_blank())
        {
            findings.invalid(
                &urls,
                "rules cannot apply to both regular resources and non-resource URLs",
            );
        }
        return;
    }
    for (field, detail) in [
        (
            "apiGroups",
            "resource rules must supply at least one api group",
        ),
        (
            "resources",
            "resource rules must supply at least one resource",
        ),
    ] {
        if rule.get(field).is_blank() {
            findings.required(&rule.get(field), detail);
        }
    }
}

fn binding(object: &At<'_>, namespaced: bool, findings: &mut Findings) {
    let role = object.get("roleRef");
    if !role.get("apiGroup").is_blank() {
        findings.one_of(&role.get("apiGroup"), &[GROUP]);
    }
    let kinds: &[&str] = if namespaced {
        &["Role", "ClusterRole"]
    } else {
        &["ClusterRole"]
    };
    if !kinds.contains(&role.text_of("kind")) {
        findings.not_supported(&role.get("kind"), kinds);
    }
    findings.required_name(&role.get("name"), names::path_segment);
    for subject in object.list("subjects") {
        self::subject(&subject, namespaced, findings);
    }
}

fn subject(subject: &At<'_>, namespaced: bool, findings: &mut Findings) {
    let (name, group) = (subject.get("name"), subject.get("apiGroup"));
    match subject.text_of("kind") {
        "ServiceAccount" => {
            findings.required_name(&name, names::dns1123_subdomain);
            findings.one_of(&group, &[""]);
            if !namespaced {
                findings.require(&subject.get("namespace"));
            }
        }
        "User" | "Group" => {
            findings.require(&name);
            if !group.is_blank() {
                findings.one_of(&group, &[GROUP]);
            }
        }
        _ => findings.not_supported(&subject.get("kind"), &["Group", "ServiceAccount", "User"]),
    }
}

/// A binding keeps its role.
pub(super) fn changed(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let (old, new) = (old.get("roleRef"), new.get("roleRef"));
    if !old.same(&new) {
        findings.invalid(&new, "cannot change roleRef: field is immutable");
    }
}
