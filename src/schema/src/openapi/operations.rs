//! The paths and operations of endpoints.

use flybridge_machinery::Gvk;
use serde_json::{Map, Value, json};

use super::Endpoint;

const JSON: &str = "application/json";
const WRITE: [&str; 4] = ["dryRun", "fieldManager", "fieldValidation", "pretty"];
const PATCH: [&str; 5] = ["dryRun", "fieldManager", "fieldValidation", "force", "pretty"];
const LIST: [&str; 10] = [
    "allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit", "pretty",
    "resourceVersion", "resourceVersionMatch", "timeoutSeconds", "watch",
];
const DELETE: [&str; 5] =
    ["dryRun", "gracePeriodSeconds", "orphanDependents", "pretty", "propagationPolicy"];

/// Adds every path of an endpoint.
pub(super) fn add(
    paths: &mut Map<String, Value>,
    group: &str,
    version: &str,
    endpoint: &Endpoint<'_>,
    reference: Option<&str>,
) {
    let root = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
    let plural = endpoint.plural;
    let scope = if endpoint.namespaced { "/namespaces/{namespace}" } else { "" };
    let collection = format!("{root}{scope}/{plural}");
    let one = format!("{collection}/{{name}}");
    let operations = Operations { endpoint, gvk: &endpoint.gvk, reference };
    paths.insert(collection, operations.item(&[("get", "list"), ("post", "create"), ("delete", "deletecollection")], endpoint.verbs));
    let verbs = [("get", "get"), ("put", "update"), ("patch", "patch"), ("delete", "delete")];
    paths.insert(one.clone(), operations.item(&verbs, endpoint.verbs));
    if endpoint.namespaced {
        paths.insert(format!("{root}/{plural}"), operations.item(&[("get", "list")], endpoint.verbs));
    }
    for (name, gvk, served) in &endpoint.subresources {
        let own = *gvk == endpoint.gvk;
        let reference = if own { reference } else { None };
        let operations = Operations { endpoint, gvk, reference };
        let verbs = [("get", "get"), ("post", "create"), ("put", "update"), ("patch", "patch")];
        paths.insert(format!("{one}/{name}"), operations.item(&verbs, served));
    }
}

struct Operations<'a> {
    endpoint: &'a Endpoint<'a>,
    gvk: &'a Gvk,
    reference: Option<&'a str>,
}

impl Operations<'_> {
    /// A path item with those methods whose verb is served.
    fn item(&self, methods: &[(&str, &str)], served: &[String]) -> Value {
        let mut item = Map::new();
        for (method, verb) in methods {
            if served.iter().any(|known| known == verb) {
                item.insert((*method).to_owned(), self.operation(method, verb));
            }
        }
        Value::Object(item)
    }

    fn operation(&self, method: &str, verb: &str) -> Value {
        let parameters: &[&str] = match verb {
            "list" => &LIST,
            "patch" => &PATCH,
            "create" | "update" => &WRITE,
            "delete" | "deletecollection" => &DELETE,
            _ => &["pretty"],
        };
        let parameters: Vec<Value> = parameters.iter().map(|name| parameter(name)).collect();
        let mut operation = json!({
            "x-kubernetes-action": action(method, verb),
            "x-kubernetes-group-version-kind": {
                "group": self.gvk.group, "version": self.gvk.version, "kind": self.gvk.kind,
            },
            "parameters": parameters,
            "responses": {"200": {"description": "OK", "content": {JSON: {"schema": self.schema()}}}},
        });
        match verb {
            "create" | "update" => {
                let content = json!({"*/*": {"schema": self.schema()}});
                operation["requestBody"] = json!({"content": content, "required": true});
            }
            "patch" => operation["requestBody"] = self.patch_body(),
            _ => {}
        }
        operation
    }

    fn schema(&self) -> Value {
        match self.reference {
            Some(reference) => json!({"$ref": reference}),
            None => json!({"type": "object"}),
        }
    }

    fn patch_body(&self) -> Value {
        let mut kinds = vec!["application/json-patch+json", "application/merge-patch+json"];
        if self.endpoint.strategic {
            kinds.push("application/strategic-merge-patch+json");
        }
        let patch = json!({"schema": {"type": "object"}});
        let content: Map<String, Value> =
            kinds.into_iter().map(|kind| (kind.to_owned(), patch.clone())).collect();
        json!({"content": content, "required": true})
    }
}

fn action(method: &str, verb: &str) -> &'static str {
    match (method, verb) {
        ("post", _) => "post",
        ("put", _) => "put",
        ("patch", _) => "patch",
        (_, "list") => "list",
        (_, "delete") => "delete",
        (_, "deletecollection") => "deletecollection",
        _ => "get",
    }
}

fn parameter(name: &str) -> Value {
    let kind = match name {
        "limit" | "timeoutSeconds" | "gracePeriodSeconds" => "integer",
        "allowWatchBookmarks" | "watch" | "force" | "orphanDependents" => "boolean",
        _ => "string",
    };
    json!({"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": true}})
}
