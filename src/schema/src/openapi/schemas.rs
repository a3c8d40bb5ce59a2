//! Types as OpenAPI writes them: built-in ones by reference, custom ones in place.
//!
//! Version 2 has no words for alternatives, null and defaults of custom kinds; what it cannot say
//! is left out so that it never says something wrong.

mod keywords;

use std::collections::BTreeMap;

use flybridge_machinery::Gvk;
use serde_json::{Map, Value, json};

use crate::graph::{Scalar, Type};
use crate::{Catalog, Node, Schema};

const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

/// The version of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Swagger 2.0.
    V2,
    /// OpenAPI 3.0.
    V3,
}

impl Style {
    fn prefix(self) -> &'static str {
        match self {
            Self::V2 => "#/definitions/",
            Self::V3 => "#/components/schemas/",
        }
    }
}

/// The types of a document; those that are referred to are added until none is missing.
pub(super) struct Schemas {
    style: Style,
    done: BTreeMap<String, Value>,
    wanted: Vec<String>,
}

impl Schemas {
    /// No types yet.
    pub(super) fn new(style: Style) -> Self {
        Self {
            style,
            done: BTreeMap::new(),
            wanted: Vec::new(),
        }
    }

    /// The version of the document.
    pub(super) fn style(&self) -> Style {
        self.style
    }

    /// Adds the type of a kind and returns the reference to it.
    pub(super) fn object(&mut self, gvk: &Gvk, schema: &Schema) -> String {
        if let Some(name) = schema.node().definition() {
            return self.want(name);
        }
        let name = name_of(gvk);
        let mut value = self.render(schema.node(), None);
        value["x-kubernetes-group-version-kind"] = json!([kind_of(gvk)]);
        self.done.insert(name.clone(), value);
        self.reference_to(&name)
    }

    /// Adds the type of the list of a kind and returns the reference to it.
    pub(super) fn list(&mut self, gvk: &Gvk, object: &str) -> String {
        let list = Gvk::new(
            gvk.group.as_str(),
            gvk.version.as_str(),
            format!("{}List", gvk.kind),
        );
        if let Some(schema) = Catalog::builtin().schema_for(&list)
            && let Some(name) = schema.node().definition()
        {
            return self.want(name);
        }
        let meta = self.want(LIST_META);
        let value = json!({
            "description": format!("{} is a list of {}", list.kind, gvk.kind),
            "type": "object",
            "required": ["items"],
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "metadata": {"$ref": meta},
                "items": {"type": "array", "items": {"$ref": object}},
            },
            "x-kubernetes-group-version-kind": [kind_of(&list)],
        });
        let name = name_of(&list);
        self.done.insert(name.clone(), value);
        self.reference_to(&name)
    }

    /// Every type that is needed.
    pub(super) fn finish(mut self) -> BTreeMap<String, Value> {
        while let Some(name) = self.wanted.pop() {
            if self.done.contains_key(&name) {
                continue;
            }
            if let Some(schema) = Catalog::builtin().definition(&name) {
                let value = self.definition(&name, schema.node());
                self.done.insert(name, value);
            }
        }
        self.done
    }

    fn want(&mut self, name: &str) -> String {
        if !self.done.contains_key(name) {
            self.wanted.push(name.to_owned());
        }
        self.reference_to(name)
    }

    fn reference_to(&self, name: &str) -> String {
        format!("{}{name}", self.style.prefix())
    }

    fn definition(&mut self, name: &str, node: Node<'_>) -> Value {
        let mut value = match (self.style, node.scalar()) {
            (Style::V3, Scalar::Quantity) => {
                json!({"oneOf": [{"type": "string"}, {"type": "number"}]})
            }
            (Style::V3, Scalar::IntOrString) => {
                json!({"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]})
            }
            _ => self.render(node, Some(name)),
        };
        if let Some(text) = Catalog::builtin().description(name, "") {
            value["description"] = json!(text);
        }
        if !node.gvks().is_empty() {
            value["x-kubernetes-group-version-kind"] = node.gvks().iter().map(kind_of).collect();
        }
        value
    }

    /// One position; `definition` names the built-in type whose fields have texts.
    fn render(&mut self, node: Node<'_>, definition: Option<&str>) -> Value {
        if node.is_reference() {
            return self.reference(node);
        }
        let own = node.own();
        let mut value = Map::new();
        if let Some(text) = &own.description {
            value.insert("description".to_owned(), json!(text));
        }
        let old = self.style == Style::V2;
        if old && own.preserve_unknown {
            value.insert(keywords::PRESERVE.to_owned(), json!(true));
            return Value::Object(value);
        }
        keywords::write(node, old, &mut value);
        if old && own.nullable {
            return Value::Object(value);
        }
        self.render_structure(node, definition, &mut value);
        if !old {
            self.render_alternatives(node, &mut value);
        }
        Value::Object(value)
    }

    fn render_structure(
        &mut self,
        node: Node<'_>,
        definition: Option<&str>,
        value: &mut Map<String, Value>,
    ) {
        let mut properties = Map::new();
        for (name, property) in node.properties() {
            let mut rendered = self.render(property, None);
            let text = definition.and_then(|of| Catalog::builtin().description(of, name));
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
    }

    fn render_alternatives(&mut self, node: Node<'_>, value: &mut Map<String, Value>) {
        if node.scalar() == Scalar::IntOrString && node.kind() == Type::Any {
            let either = json!([{"type": "integer"}, {"type": "string"}]);
            value.insert("anyOf".to_owned(), either);
        }
        let Some(rules) = &node.own().rules else {
            return;
        };
        for (keyword, ids) in [
            ("allOf", &rules.all_of),
            ("anyOf", &rules.any_of),
            ("oneOf", &rules.one_of),
        ] {
            if !ids.is_empty() {
                let nested = ids.iter().map(|id| self.render(node.at(*id), None));
                let nested = nested.collect();
                value.insert(keyword.to_owned(), nested);
            }
        }
        if let Some(id) = rules.not {
            let nested = self.render(node.at(id), None);
            value.insert("not".to_owned(), nested);
        }
    }

    /// A reference with what its field adds. Version 3 allows no neighbours beside a reference.
    fn reference(&mut self, node: Node<'_>) -> Value {
        let Some(name) = node.definition() else {
            return json!({"type": "object"});
        };
        let reference = json!({"$ref": self.want(name)});
        let mut value = match self.style {
            Style::V2 => reference,
            Style::V3 => json!({"allOf": [reference]}),
        };
        if let Value::Object(value) = &mut value {
            keywords::write_extensions(node.own(), value);
        }
        value
    }
}

fn kind_of(gvk: &Gvk) -> Value {
    json!({"group": gvk.group, "version": gvk.version, "kind": gvk.kind})
}

/// `io.karmada.policy.v1alpha1.PropagationPolicy` for a kind of `policy.karmada.io`.
fn name_of(gvk: &Gvk) -> String {
    let mut parts: Vec<&str> = gvk.group.split('.').collect();
    parts.reverse();
    format!("{}.{}.{}", parts.join("."), gvk.version, gvk.kind)
}
