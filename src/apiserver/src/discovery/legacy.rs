//! Discovery in its first form: one document a version.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::registry::{Definition, Registry};

/// `/api`.
pub(super) fn core_versions() -> Value {
    json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}],
    })
}

/// `/apis`.
pub(super) fn groups(registry: &Registry) -> Value {
    let groups: Vec<Value> = registry
        .groups()
        .iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, versions)| group(name, versions, false))
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// One group; with its kind when it is a document of its own.
pub(super) fn group(name: &str, versions: &[String], document: bool) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|version| json!({"groupVersion": format!("{name}/{version}"), "version": version}))
        .collect();
    let mut group =
        json!({"name": name, "versions": versions, "preferredVersion": versions.first()});
    if document {
        group["kind"] = json!("APIGroup");
        group["apiVersion"] = json!("v1");
    }
    group
}

/// The resources of one version.
pub(super) fn resources(registry: &Registry, group: &str, version: &str) -> Value {
    let mut resources = Vec::new();
    for definition in registry.of_version(group, version) {
        resources.push(resource(definition));
        for subresource in &definition.subresources {
            let own = subresource.gvk.group == definition.group
                && subresource.gvk.version == definition.version;
            let mut entry = json!({
                "name": format!("{}/{}", definition.plural, subresource.name),
                "singularName": "",
                "namespaced": definition.is_namespaced(),
                "kind": subresource.gvk.kind,
                "verbs": subresource.verbs,
            });
            if !own {
                entry["group"] = json!(subresource.gvk.group);
                entry["version"] = json!(subresource.gvk.version);
            }
            resources.push(entry);
        }
    }
    let group_version = if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    };
    json!({
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group_version,
        "resources": resources,
    })
}

fn resource(definition: &Definition) -> Value {
    let mut entry = json!({
        "name": definition.plural,
        "singularName": definition.singular,
        "namespaced": definition.is_namespaced(),
        "kind": definition.kind,
        "verbs": definition.verbs,
    });
    if !definition.short_names.is_empty() {
        entry["shortNames"] = json!(definition.short_names);
    }
    if !definition.categories.is_empty() {
        entry["categories"] = json!(definition.categories);
    }
    if definition.is_stored() && definition.takes("create") {
        entry["storageVersionHash"] = json!(storage_version_hash(definition));
    }
    entry
}

/// Tells versions of storage apart; clients only compare it.
fn storage_version_hash(definition: &Definition) -> String {
    let text = format!(
        "{}/{}/{}",
        definition.group, definition.version, definition.kind
    );
    let digest = Sha256::digest(text.as_bytes());
    STANDARD.encode(&digest[..8])
}
