//! Defaults that schemas declare.

use serde_json::Value;

use crate::{Node, Schema};

impl Schema {
    /// Sets missing fields to the defaults of the schema, outside in. Null where null is not
    /// allowed counts as missing: it takes the default, or goes; in lists it stays.
    pub fn default(&self, value: &mut Value) {
        apply(self.node(), value);
    }
}

fn apply(node: Node<'_>, value: &mut Value) {
    if node.is_builtin() {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, child) in node.properties() {
                if let Some(default) = child.default_value().filter(|_| !child.is_builtin())
                    && is_missing(child, fields.get(name))
                {
                    fields.insert(name.to_owned(), default.clone());
                }
            }
            fields.retain(|key, value| {
                let Some(child) = node.child(key) else {
                    return true;
                };
                apply(child, value);
                !value.is_null() || child.is_nullable() || child.is_builtin()
            });
        }
        Value::Array(items) => {
            let Some(node) = node.items() else { return };
            for item in items {
                if let Some(default) = node.default_value()
                    && is_missing(node, Some(item))
                {
                    *item = default.clone();
                }
                apply(node, item);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_missing(node: Node<'_>, value: Option<&Value>) -> bool {
    match value {
        None => true,
        Some(Value::Null) => !node.is_nullable(),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn defaulted(spec: Value, mut value: Value) -> Value {
        let root = json!({"type": "object", "properties": {"spec": spec}});
        Schema::from_crd(&root).unwrap().default(&mut value);
        value
    }

    #[test]
    fn defaults_apply_inside_defaults() {
        let spec = json!({"type": "object", "default": {}, "properties": {
            "size": {"type": "integer", "default": 3},
        }});
        assert_eq!(defaulted(spec, json!({})), json!({"spec": {"size": 3}}));
    }

    #[test]
    fn null_takes_the_default_or_goes_unless_it_is_allowed() {
        let spec = json!({"type": "object", "properties": {
            "a": {"type": "integer", "default": 3},
            "b": {"type": "integer"},
            "c": {"type": "integer", "nullable": true, "default": 4},
            "d": {"type": "array", "items": {"type": "string"}},
        }});
        let value = json!({"spec": {"a": null, "b": null, "c": null, "d": [null]}});
        assert_eq!(
            defaulted(spec, value),
            json!({"spec": {"a": 3, "c": null, "d": [null]}})
        );
    }
}
