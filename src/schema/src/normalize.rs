//! One spelling a value: amounts, times.
//!
//! Source: Go decodes these into structs and prints them again, so `0.5` comes back as `500m` and
//! every time in UTC.

use flybridge_machinery::{Quantity, time};
use serde_json::Value;

use crate::graph::Scalar;
use crate::{Node, Schema};

/// Maps of amounts in the core group are rounded up to thousandths.
const CORE: &str = "io.k8s.api.core.v1.";

impl Schema {
    /// Rewrites amounts and times at built-in positions as the server prints them. What does not
    /// parse is left for validation.
    pub fn normalize(&self, value: &mut Value) {
        walk(self.node(), value);
    }
}

fn walk(node: Node<'_>, value: &mut Value) {
    match (node.scalar(), &*value) {
        (Scalar::Opaque, _) | (_, Value::Null) => return,
        (Scalar::Quantity, _) => return quantity(value, false),
        (Scalar::Time, Value::String(text)) => {
            if let Ok(at) = time::parse(text) {
                *value = time::format(at).into();
            }
            return;
        }
        (Scalar::MicroTime, Value::String(text)) => {
            if let Ok(at) = time::parse(text) {
                *value = time::format_micro(at).into();
            }
            return;
        }
        _ => {}
    }
    match value {
        Value::Object(fields) => {
            let core = node.definition().is_some_and(|name| name.starts_with(CORE));
            for (key, value) in fields {
                let Some(child) = node.child(key) else {
                    continue;
                };
                match child.additional().filter(|_| core) {
                    Some(entry) if entry.scalar() == Scalar::Quantity => {
                        let entries = value.as_object_mut().into_iter().flatten();
                        entries.for_each(|(_, value)| quantity(value, true));
                    }
                    _ => walk(child, value),
                }
            }
        }
        Value::Array(items) => {
            if let Some(node) = node.items() {
                items.iter_mut().for_each(|item| walk(node, item));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// `rounded` tells an entry of a resource list of the core group.
fn quantity(value: &mut Value, rounded: bool) {
    if let Ok(quantity) = Quantity::from_json(value) {
        let quantity = if rounded {
            quantity.rounded_to_milli()
        } else {
            quantity
        };
        *value = quantity.to_string().into();
    }
}

#[cfg(test)]
mod tests {
    use flybridge_machinery::Gvk;
    use serde_json::json;

    use super::*;
    use crate::Catalog;

    fn normalized(api_version: &str, kind: &str, mut value: Value) -> Value {
        let gvk = Gvk::from_api_version(api_version, kind).unwrap();
        let schema = Catalog::builtin().schema_for(&gvk).unwrap();
        schema.normalize(&mut value);
        value
    }

    #[test]
    fn amounts_take_their_canonical_form() {
        let pod = json!({"spec": {"containers": [{"resources": {
            "limits": {"cpu": 0.5, "memory": "1024Mi"}, "requests": {"cpu": "0.0001", "x": "odd"},
        }}], "volumes": [{"emptyDir": {"sizeLimit": "1024Mi"}}]}});
        assert_eq!(
            normalized("v1", "Pod", pod)["spec"],
            json!({"containers": [{"resources": {
                "limits": {"cpu": "500m", "memory": "1Gi"}, "requests": {"cpu": "1m", "x": "odd"},
            }}], "volumes": [{"emptyDir": {"sizeLimit": "1Gi"}}]})
        );
    }

    #[test]
    fn times_are_in_utc_with_the_digits_of_their_type() {
        let lease = json!({"metadata": {"creationTimestamp": "2026-01-01T01:00:00.5+01:00"},
            "spec": {"renewTime": "2026-01-01T00:00:00.1234567Z", "acquireTime": "soon"}});
        assert_eq!(
            normalized("coordination.k8s.io/v1", "Lease", lease),
            json!({"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"renewTime": "2026-01-01T00:00:00.123456Z", "acquireTime": "soon"}})
        );
    }

    #[test]
    fn custom_positions_keep_their_spelling() {
        let schema = Schema::from_crd(&json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {"cpu": {"type": "string"}}}}}))
        .unwrap();
        let mut value = json!({"metadata": {"creationTimestamp": "2026-01-01T01:00:00+01:00"},
            "spec": {"cpu": "0.5"}});
        schema.normalize(&mut value);
        assert_eq!(
            value,
            json!({"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"cpu": "0.5"}})
        );
    }
}
