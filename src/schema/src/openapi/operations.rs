//! The paths and operations of endpoints.

use flybridge_machinery::Gvk;
use serde_json::{Map, Value, json};

use super::Endpoint;
use super::schemas::Style;

const JSON: &str = "application/json";
const WRITE: [&str; 4] = ["dryRun", "fieldManager", "fieldValidation", "pretty"];
const PATCH: [&str; 5] = [
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
    "pretty",
];
const LIST: [&str; 11] = [
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "pretty",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
];
const DELETE: [&str; 5] = [
    "dryRun",
    "gracePeriodSeconds",
    "orphanDependents",
    "pretty",
    "propagationPolicy",
];

/// References to the types an endpoint's operations take and give.
pub(super) struct Types {
    /// The object.
    pub(super) object: Option<String>,
    /// The list of objects.
    pub(super) list: Option<String>,
    /// The body of each subresource.
    pub(super) subresources: Vec<Option<String>>,
    /// The body of deletions.
    pub(super) options: Option<String>,
}

/// Adds every path of an endpoint.
pub(super) fn add(
    paths: &mut Map<String, Value>,
    style: Style,
    (group, version): (&str, &str),
    endpoint: &Endpoint<'_>,
    types: &Types,
) {
    let root = if group.is_empty() {
        format!("/api/{version}")
    } else {
        format!("/apis/{group}/{version}")
    };
    let plural = endpoint.plural;
    let scope = if endpoint.namespaced {
        "/namespaces/{namespace}"
    } else {
        ""
    };
    let collection = format!("{root}{scope}/{plural}");
    let one = format!("{collection}/{{name}}");
    let operations = Operations {
        style,
        strategic: endpoint.strategic,
        gvk: &endpoint.gvk,
        object: types.object.as_deref(),
        list: types.list.as_deref(),
        options: types.options.as_deref(),
    };
    let everything = [
        ("get", "list"),
        ("post", "create"),
        ("delete", "deletecollection"),
    ];
    paths.insert(collection, operations.item(&everything, endpoint.verbs));
    let single = [
        ("get", "get"),
        ("put", "update"),
        ("patch", "patch"),
        ("delete", "delete"),
    ];
    paths.insert(one.clone(), operations.item(&single, endpoint.verbs));
    if endpoint.namespaced {
        let all = operations.item(&[("get", "list")], endpoint.verbs);
        paths.insert(format!("{root}/{plural}"), all);
    }
    for ((name, gvk, served), object) in endpoint.subresources.iter().zip(&types.subresources) {
        let operations = Operations {
            gvk,
            object: object.as_deref(),
            ..operations
        };
        let verbs = [
            ("get", "get"),
            ("post", "create"),
            ("put", "update"),
            ("patch", "patch"),
            ("delete", "delete"),
        ];
        paths.insert(format!("{one}/{name}"), operations.item(&verbs, served));
    }
}

#[derive(Clone, Copy)]
struct Operations<'a> {
    style: Style,
    strategic: bool,
    gvk: &'a Gvk,
    object: Option<&'a str>,
    list: Option<&'a str>,
    options: Option<&'a str>,
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
        let names: &[&str] = match verb {
            "list" => &LIST,
            "patch" => &PATCH,
            "create" | "update" => &WRITE,
            "delete" | "deletecollection" => &DELETE,
            _ => &["pretty"],
        };
        let mut parameters: Vec<Value> = names.iter().map(|name| self.parameter(name)).collect();
        let mut operation = json!({
            "x-kubernetes-action": action(method, verb),
            "x-kubernetes-group-version-kind": {
                "group": self.gvk.group, "version": self.gvk.version, "kind": self.gvk.kind,
            },
        });
        let answer = if verb == "list" {
            self.list
        } else {
            self.object
        };
        let answer = reference(answer);
        let body = match verb {
            "create" | "update" => Some((reference(self.object), vec!["*/*"])),
            "patch" => Some((json!({"type": "object"}), self.patches())),
            "delete" | "deletecollection" => Some((reference(self.options), vec!["*/*"])),
            _ => None,
        };
        match self.style {
            Style::V3 => {
                let content = json!({JSON: {"schema": answer}});
                operation["responses"] = json!({"200": {"description": "OK", "content": content}});
                if let Some((schema, kinds)) = body {
                    let content: Map<String, Value> = kinds
                        .into_iter()
                        .map(|kind| (kind.to_owned(), json!({"schema": schema})))
                        .collect();
                    let required = !verb.starts_with("delete");
                    operation["requestBody"] = json!({"content": content, "required": required});
                }
            }
            Style::V2 => {
                operation["responses"] = json!({"200": {"description": "OK", "schema": answer}});
                operation["produces"] = json!([JSON, "application/yaml"]);
                if let Some((schema, kinds)) = body {
                    let required = !verb.starts_with("delete");
                    operation["consumes"] = json!(kinds);
                    parameters.push(json!({"name": "body", "in": "body", "required": required, "schema": schema}));
                }
            }
        }
        operation["parameters"] = Value::Array(parameters);
        operation
    }

    fn patches(&self) -> Vec<&'static str> {
        let mut kinds = vec![
            "application/apply-patch+yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
        ];
        if self.strategic {
            kinds.push("application/strategic-merge-patch+json");
        }
        kinds
    }

    fn parameter(&self, name: &str) -> Value {
        let kind = match name {
            "limit" | "timeoutSeconds" | "gracePeriodSeconds" => "integer",
            "allowWatchBookmarks"
            | "watch"
            | "force"
            | "orphanDependents"
            | "sendInitialEvents" => "boolean",
            _ => "string",
        };
        match self.style {
            Style::V3 => {
                json!({"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": true}})
            }
            Style::V2 => json!({"name": name, "in": "query", "type": kind, "uniqueItems": true}),
        }
    }
}

fn reference(name: Option<&str>) -> Value {
    match name {
        Some(name) => json!({"$ref": name}),
        None => json!({"type": "object"}),
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
