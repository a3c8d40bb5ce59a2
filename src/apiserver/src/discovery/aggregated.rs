//! Discovery in one document.

use flybridge_machinery::Gvk;
use serde_json::{Value, json};

use crate::registry::{Definition, Origin, Registry};

/// `/api` or `/apis` as an APIGroupDiscoveryList of the given version.
pub(super) fn groups(registry: &Registry, core: bool, version: &str) -> Value {
    let items: Vec<Value> = registry
        .groups()
        .iter()
        .filter(|(name, _)| name.is_empty() == core)
        .map(|(name, versions)| group(registry, name, versions))
        .collect();
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": format!("apidiscovery.k8s.io/{version}"),
        "metadata": {},
        "items": items,
    })
}

fn group(registry: &Registry, name: &str, versions: &[String]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|version| {
            let resources: Vec<Value> = registry
                .of_version(name, version)
                .map(|definition| resource(definition))
                .collect();
            json!({"version": version, "resources": resources, "freshness": "Current"})
        })
        .collect();
    let metadata = if name.is_empty() {
        json!({})
    } else {
        json!({"name": name})
    };
    json!({"metadata": metadata, "versions": versions})
}

/// An empty group and version mean those of the document's place; custom resources say them.
fn response_kind(definition: &Definition, gvk: &Gvk) -> Value {
    let own = gvk.group == definition.group && gvk.version == definition.version;
    if own && definition.origin == Origin::BuiltIn {
        return json!({"group": "", "version": "", "kind": gvk.kind});
    }
    json!({"group": gvk.group, "version": gvk.version, "kind": gvk.kind})
}

fn resource(definition: &Definition) -> Value {
    let mut entry = json!({
        "resource": definition.plural,
        "responseKind": response_kind(definition, &definition.gvk()),
        "scope": if definition.is_namespaced() { "Namespaced" } else { "Cluster" },
        "singularResource": definition.singular,
        "verbs": definition.verbs,
    });
    if !definition.short_names.is_empty() {
        entry["shortNames"] = json!(definition.short_names);
    }
    if !definition.categories.is_empty() {
        entry["categories"] = json!(definition.categories);
    }
    if !definition.subresources.is_empty() {
        let subresources: Vec<Value> = definition
            .subresources
            .iter()
            .map(|subresource| {
                json!({
                    "subresource": subresource.name,
                    "responseKind": response_kind(definition, &subresource.gvk),
                    "verbs": subresource.verbs,
                })
            })
            .collect();
        entry["subresources"] = json!(subresources);
    }
    entry
}
