//! Environment variables of containers.

use flybridge_machinery::names;

use super::findings::{At, Findings};

const FIELDS: [&str; 10] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
    "spec.hostname",
];
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const SOURCES: [&str; 5] = [
    "fieldRef",
    "resourceFieldRef",
    "configMapKeyRef",
    "secretKeyRef",
    "fileKeyRef",
];

/// `env` and `envFrom` of a container.
pub(super) fn check(container: &At<'_>, findings: &mut Findings) {
    for variable in container.list("env") {
        findings.required_name(&variable.get("name"), names::env_name);
        value_from(&variable, findings);
    }
    for source in container.list("envFrom") {
        findings.name(&source.get("prefix"), names::env_name);
        env_from(&source, &container.get("envFrom"), findings);
    }
}

fn env_from(source: &At<'_>, list: &At<'_>, findings: &mut Findings) {
    let chosen = source.chosen(&["configMapRef", "secretRef"]);
    match chosen.as_slice() {
        [] => findings.invalid(list, "must specify one of: `configMapRef` or `secretRef`"),
        [_] => {}
        _ => findings.invalid(list, "may not have more than one field specified at a time"),
    }
    for reference in chosen {
        findings.required_name(&reference.get("name"), names::dns1123_subdomain);
    }
}

fn value_from(variable: &At<'_>, findings: &mut Findings) {
    let from = variable.get("valueFrom");
    if !from.is_set() {
        return;
    }
    let chosen = from.chosen(&SOURCES);
    if chosen.is_empty() {
        findings.invalid(&from, "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`");
    } else if !variable.get("value").is_blank() {
        findings.invalid(&from, "may not be specified when `value` is not empty");
    } else if chosen.len() > 1 {
        findings.invalid(
            &from,
            "may not have more than one field specified at a time",
        );
    }
    if from.get("fieldRef").is_set() {
        field_ref(&from.get("fieldRef"), &FIELDS, findings);
    }
    let resource = from.path(&["resourceFieldRef", "resource"]);
    if from.get("resourceFieldRef").is_set()
        && findings.require(&resource)
        && !resource.text().contains("hugepages-")
    {
        findings.one_of(&resource, &RESOURCES);
    }
    for reference in from.chosen(&["configMapKeyRef", "secretKeyRef"]) {
        findings.required_name(&reference.get("name"), names::dns1123_subdomain);
        findings.required_name(&reference.get("key"), names::config_map_key);
    }
}

/// A field of the pod, from a list or a single label or annotation.
pub(super) fn field_ref(reference: &At<'_>, fields: &[&str], findings: &mut Findings) {
    let path = reference.get("fieldPath");
    if !findings.require(&path) {
        return;
    }
    let text = path.text();
    let subscripted = ["metadata.labels", "metadata.annotations"]
        .iter()
        .any(|name| {
            text.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        });
    if !subscripted
        && !text.starts_with("spec.")
        && !text.starts_with("status.")
        && !text.starts_with("metadata.")
    {
        findings.invalid(
            &path,
            "error converting fieldPath: field label not supported",
        );
    } else if !subscripted && !fields.contains(&text) {
        findings.invalid(
            &path,
            &format!("error converting fieldPath: field label not supported: {text}"),
        );
    }
}
