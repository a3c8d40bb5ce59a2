//! The table of endpoints and the extensions of types, against a real server's.

use std::collections::BTreeMap;

use flybridge_schema::{Catalog, ListType, MapType, Node, ResourceInfo};
use serde_json::{Value, json};

use crate::records;

fn group_of(item: &Value) -> &str {
    item["metadata"]["name"].as_str().unwrap_or("")
}

fn sorted(value: &Value) -> Vec<String> {
    let mut words: Vec<String> = value
        .as_array()
        .into_iter()
        .flatten()
        .map(|word| word.as_str().unwrap().to_owned())
        .collect();
    words.sort();
    words
}

/// A resource of aggregated discovery in the terms of the table.
fn expected(resource: &Value) -> Value {
    let subresources: BTreeMap<String, Value> = resource["subresources"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|sub| {
            let name = sub["subresource"].as_str().unwrap().to_owned();
            let kind = sub.get("responseKind").cloned().unwrap_or_default();
            (name, json!({"kind": kind, "verbs": sorted(&sub["verbs"])}))
        })
        .collect();
    json!({
        "kind": resource["responseKind"]["kind"],
        "singular": resource["singularResource"],
        "namespaced": resource["scope"] == "Namespaced",
        "verbs": sorted(&resource["verbs"]),
        "short": sorted(&resource["shortNames"]),
        "categories": sorted(&resource["categories"]),
        "subresources": subresources,
    })
}

fn ours(info: &ResourceInfo) -> Value {
    let subresources: BTreeMap<String, Value> = info
        .subresources
        .iter()
        .map(|sub| {
            let kind = json!({"group": sub.group, "version": sub.version, "kind": sub.kind});
            (sub.name.clone(), json!({"kind": kind, "verbs": sub.verbs}))
        })
        .collect();
    json!({
        "kind": info.kind,
        "singular": info.singular,
        "namespaced": info.namespaced,
        "verbs": info.verbs,
        "short": sorted(&json!(info.short_names)),
        "categories": info.categories,
        "subresources": subresources,
    })
}

#[test]
fn the_table_is_what_discovery_tells() {
    let recorded: Value = serde_json::from_str(&records::text("discovery.json")).unwrap();
    let mut theirs = BTreeMap::new();
    for root in ["/api", "/apis"] {
        for group in recorded["aggregated"][root]["items"].as_array().unwrap() {
            for version in group["versions"].as_array().unwrap() {
                for resource in version["resources"].as_array().unwrap() {
                    let key = format!(
                        "{}/{}/{}",
                        group_of(group),
                        version["version"].as_str().unwrap(),
                        resource["resource"].as_str().unwrap()
                    );
                    theirs.insert(key, expected(resource));
                }
            }
        }
    }
    let mut failures = Vec::new();
    let mut found = 0;
    for info in Catalog::builtin().resources() {
        let key = format!("{}/{}/{}", info.group, info.version, info.resource);
        let own = ours(info);
        match theirs.remove(&key) {
            Some(expected) if expected == own => found += 1,
            Some(expected) => failures.push(format!("{key}\n  {own}\n  {expected}")),
            None => failures.push(format!("{key} is not served upstream")),
        }
    }
    failures.extend(theirs.keys().map(|key| format!("{key} is missing")));
    records::report(found, 60, &failures);
}

#[test]
fn every_endpoint_has_a_type() {
    let catalog = Catalog::builtin();
    for info in catalog.resources() {
        let gvk = flybridge_machinery::Gvk::new(
            info.group.as_str(),
            info.version.as_str(),
            info.kind.as_str(),
        );
        let schema = catalog.schema_for(&gvk).unwrap();
        assert!(schema.node().property("metadata").is_some(), "{gvk}");
        assert_eq!(catalog.resource_of_kind(&gvk).unwrap().kind, info.kind);
    }
}

/// The extensions of one position, as the recorded topology has them.
fn extensions(node: Node<'_>, keyed: bool) -> Value {
    let mut found = serde_json::Map::new();
    if let Some(list_type) = node.list_type() {
        let name = match list_type {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        };
        found.insert("list-type".to_owned(), json!(name));
    }
    if !node.list_map_keys().is_empty() {
        found.insert("list-map-keys".to_owned(), json!(node.list_map_keys()));
    }
    if keyed {
        let strategy = node.patch_strategy();
        let mut words = Vec::new();
        for (word, set) in [
            ("merge", strategy.merge),
            ("replace", strategy.replace),
            ("retainKeys", strategy.retain_keys),
        ] {
            if set {
                words.push(word);
            }
        }
        if !words.is_empty() {
            found.insert("patch-strategy".to_owned(), json!(words.join(",")));
        }
        if let Some(key) = node.patch_merge_key() {
            found.insert("patch-merge-key".to_owned(), json!(key));
        }
    }
    Value::Object(found)
}

#[test]
fn types_carry_the_extensions_of_the_recorded_documents() {
    let recorded: Value = serde_json::from_str(&records::text("discovery.json")).unwrap();
    let topology = recorded["schemaTopology"].as_object().unwrap();
    let mut failures = Vec::new();
    let mut compared = 0;
    for (name, expected) in topology {
        let Some(schema) = Catalog::builtin().definition(name) else {
            failures.push(format!("{name} is missing"));
            continue;
        };
        let node = schema.node();
        if expected["self"]["map-type"] == "atomic" && node.map_type() != Some(MapType::Atomic) {
            failures.push(format!("{name} is not atomic"));
        }
        for (field, expected) in expected["fields"].as_object().into_iter().flatten() {
            let Some(property) = node.property(field) else {
                failures.push(format!("{name}.{field} is missing"));
                continue;
            };
            let mut expected = expected.clone();
            let fields = expected.as_object_mut().unwrap();
            let key_default = fields.remove("default").filter(|value| value == "TCP");
            fields.remove("map-type");
            if expected != extensions(property, true) {
                failures.push(format!("{name}.{field}: {expected}"));
            }
            if key_default.as_ref() != property.default_value() {
                failures.push(format!("{name}.{field}: default {key_default:?}"));
            }
            compared += 1;
        }
    }
    records::report(compared, 500, &failures);
}

#[test]
fn merge_keys_reach_the_patch_engine() {
    use flybridge_machinery::Topology;
    let gvk = flybridge_machinery::Gvk::new("apps", "v1", "Deployment");
    let schema = Catalog::builtin().schema_for(&gvk).unwrap();
    let spec = schema.field("spec").unwrap().node.unwrap();
    let template = spec.field("template").unwrap().node.unwrap();
    let pod = template.field("spec").unwrap().node.unwrap();
    let containers = pod.field("containers").unwrap();
    assert!(containers.strategy.merge);
    assert_eq!(containers.merge_key, Some("name"));
    let container = containers.node.unwrap();
    assert_eq!(
        container.field("ports").unwrap().merge_key,
        Some("containerPort")
    );
    assert!(container.field("args").unwrap().node.is_none());
    assert!(container.field("nothing").is_none());
    let volumes = pod.field("volumes").unwrap();
    assert!(volumes.strategy.merge && volumes.strategy.retain_keys);
}

#[test]
fn selectable_fields_say_where_they_lie() {
    let catalog = Catalog::builtin();
    let pods = flybridge_machinery::Gvr::new("", "v1", "pods");
    let pods = catalog.resource(&pods).unwrap();
    let node_name = pods
        .field_selectors
        .iter()
        .find(|field| field.name == "spec.nodeName")
        .unwrap();
    assert_eq!(node_name.path, ["spec", "nodeName"]);
    assert!(pods.graceful && pods.has_status() && !pods.has_scale());
}

#[test]
fn fields_have_texts() {
    let catalog = Catalog::builtin();
    let text = catalog
        .description("io.k8s.api.apps.v1.DeploymentSpec", "replicas")
        .unwrap();
    assert!(text.starts_with("Number of desired pods"), "{text}");
    assert!(catalog.description("io.k8s.api.core.v1.Pod", "").is_some());
    assert!(
        catalog
            .description("io.k8s.api.core.v1.Pod", "nothing")
            .is_none()
    );
}
