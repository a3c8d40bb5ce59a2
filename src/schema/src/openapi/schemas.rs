//! Types as OpenAPI writes them: built-in ones by reference, custom ones in place.

use std::collections::BTreeMap;

use flybridge_machinery::Gvk;
use serde_json::{Map, Value, json};

use crate::graph::{ListType, MapType, Scalar, Target, Type};
use crate::{Catalog, Node, Schema};

const PREFIX: &str = "#/components/schemas/";

/// The types of a document; those that are referred to are added until none is missing.
#[derive(Default)]
pub(super) struct Schemas {
    done: BTreeMap<String, Value>,
    wanted: Vec<String>,
}

impl Schemas {
    /// Adds the type of a kind and returns the reference to it.
    pub(super) fn object(&mut self, gvk: &Gvk, schema: &Schema) -> String {
        if let Some(name) = schema.node().resolve().definition() {
            self.want(name);
            return format!("{PREFIX}{name}");
        }
        let name = name_of(gvk);
        let mut value = self.render(schema.node(), None);
        value["x-kubernetes-group-version-kind"] =
            json!([{"group": gvk.group, "version": gvk.version, "kind": gvk.kind}]);
        self.done.insert(name.clone(), value);
        format!("{PREFIX}{name}")
    }

    /// Every type that is needed.
    pub(super) fn finish(mut self) -> BTreeMap<String, Value> {
        while let Some(name) = self.wanted.pop() {
            if self.done.contains_key(&name) {
                continue;
            }
            self.done.insert(name.clone(), Value::Null);
            if let Some(schema) = Catalog::builtin().definition(&name) {
                let value = self.definition(&name, schema.node());
                self.done.insert(name, value);
            }
        }
        self.done
    }

    fn want(&mut self, name: &str) {
        if !self.done.contains_key(name) {
            self.wanted.push(name.to_owned());
        }
    }

    fn definition(&mut self, name: &str, node: Node<'_>) -> Value {
        let mut value = self.render(node, Some(name));
        if let Some(text) = Catalog::builtin().description(name, "") {
            value["description"] = json!(text);
        }
        if !node.gvks().is_empty() {
            let gvks = node.gvks().iter().map(|gvk| {
                json!({"group": gvk.group, "version": gvk.version, "kind": gvk.kind})
            });
            value["x-kubernetes-group-version-kind"] = gvks.collect();
        }
        value
    }

    /// One position; `definition` names the built-in type whose fields have texts.
    fn render(&mut self, node: Node<'_>, definition: Option<&str>) -> Value {
        let own = node.own();
        if own.target.is_some() {
            return self.reference(node);
        }
        let mut value = Map::new();
        write_type(node, &mut value);
        if let Some(text) = &own.description {
            value.insert("description".to_owned(), json!(text));
        }
        let mut properties = Map::new();
        for (name, property) in node.properties() {
            let mut rendered = self.render(property, None);
            let text = definition.and_then(|definition| Catalog::builtin().description(definition, name));
            if let Some(text) = text {
                rendered["description"] = json!(text);
            }
            properties.insert(name.to_owned(), rendered);
        }
        if !properties.is_empty() {
            value.insert("properties".to_owned(), Value::Object(properties));
        }
        if let Some(additional) = node.additional() {
            let rendered = self.render(additional, None);
            value.insert("additionalProperties".to_owned(), rendered);
        }
        if let Some(items) = node.items() {
            let rendered = self.render(items, None);
            value.insert("items".to_owned(), rendered);
        }
        write_rest(node, &mut value);
        Value::Object(value)
    }

    fn reference(&mut self, node: Node<'_>) -> Value {
        let own = node.own();
        let Some(name) = node.resolve().definition() else { return json!({"type": "object"}) };
        self.want(name);
        let reference = json!({"$ref": format!("{PREFIX}{name}")});
        let plain = own.list_type.is_none() && own.default.is_none() && own.patch_strategy.is_none();
        if plain && matches!(own.target, Some(Target::Local(_))) {
            // A reference may carry no neighbours, so texts need the detour through allOf.
            return json!({"allOf": [reference]});
        }
        json!({"allOf": [reference], "default": {}})
    }
}

/// `io.karmada.policy.v1alpha1.PropagationPolicy` for a kind of `policy.karmada.io`.
fn name_of(gvk: &Gvk) -> String {
    let mut parts: Vec<&str> = gvk.group.split('.').collect();
    parts.reverse();
    format!("{}.{}.{}", parts.join("."), gvk.version, gvk.kind)
}

fn write_type(node: Node<'_>, value: &mut Map<String, Value>) {
    let own = node.own();
    let name = match (own.scalar, own.kind) {
        (Scalar::Quantity, _) => Some("string"),
        (Scalar::Time | Scalar::MicroTime, _) => Some("string"),
        (Scalar::IntOrString, _) => {
            value.insert("x-kubernetes-int-or-string".to_owned(), json!(true));
            None
        }
        (_, Type::Any) => None,
        (_, Type::Object) => Some("object"),
        (_, Type::Array) => Some("array"),
        (_, Type::String) => Some("string"),
        (_, Type::Integer) => Some("integer"),
        (_, Type::Number) => Some("number"),
        (_, Type::Boolean) => Some("boolean"),
    };
    if let Some(name) = name {
        value.insert("type".to_owned(), json!(name));
    }
    if let Some(format) = &own.format {
        value.insert("format".to_owned(), json!(format));
    }
}

fn write_rest(node: Node<'_>, value: &mut Map<String, Value>) {
    let own = node.own();
    let mut put = |name: &str, content: Value| {
        value.insert(name.to_owned(), content);
    };
    if !own.required.is_empty() {
        put("required", json!(own.required));
    }
    if let Some(default) = &own.default {
        put("default", default.clone());
    }
    if own.nullable {
        put("nullable", json!(true));
    }
    if own.preserve_unknown {
        put("x-kubernetes-preserve-unknown-fields", json!(true));
    }
    if own.embedded_resource {
        put("x-kubernetes-embedded-resource", json!(true));
    }
    if let Some(list_type) = own.list_type {
        let name = match list_type {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        };
        put("x-kubernetes-list-type", json!(name));
    }
    if !own.list_map_keys.is_empty() {
        put("x-kubernetes-list-map-keys", json!(own.list_map_keys));
    }
    if let Some(map_type) = own.map_type {
        let name = if map_type == MapType::Atomic { "atomic" } else { "granular" };
        put("x-kubernetes-map-type", json!(name));
    }
    if let Some(strategy) = &own.patch_strategy {
        put("x-kubernetes-patch-strategy", json!(strategy));
    }
    if let Some(key) = &own.patch_merge_key {
        put("x-kubernetes-patch-merge-key", json!(key));
    }
    if let Some(rules) = node.rules() {
        if !rules.allowed.is_empty() {
            put("enum", json!(rules.allowed));
        }
        if let Some(pattern) = &rules.pattern {
            put("pattern", json!(pattern.as_str()));
        }
        for (name, limit) in [("minimum", rules.minimum), ("maximum", rules.maximum)] {
            if let Some(limit) = limit {
                put(name, json!(limit));
            }
        }
    }
}
