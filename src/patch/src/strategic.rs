//! Strategic merge patch: merges lists by key where the type says so.
//!
//! Source: behaviour of upstream `strategicpatch`, with parallel lists merged and unmatched nulls
//! ignored, as the API server calls it.

mod directives;
mod lists;
mod order;

use flybridge_machinery::topology::{FieldTopology, Topology};
use serde_json::{Map, Value};

use crate::Error;
use directives::{DELETE_FROM_LIST, PATCH, SET_ORDER};

type Object = Map<String, Value>;

/// Merges `patch` into `original` by the type's topology.
///
/// # Errors
/// Fails with [`Error::BadPatch`] on malformed directives and [`Error::Unmergeable`] where the
/// patch contradicts itself or the type.
pub fn strategic_merge(
    original: &Value,
    patch: &Value,
    topology: &dyn Topology,
) -> Result<Value, Error> {
    let Value::Object(patch) = patch else {
        return Err(Error::BadPatch(
            "invalid JSON document: a patch is an object".to_owned(),
        ));
    };
    let original = original.as_object().cloned().unwrap_or_default();
    merge_map(original, patch.clone(), Some(topology)).map(Value::Object)
}

fn merge_map(
    mut original: Object,
    mut patch: Object,
    topology: Option<&dyn Topology>,
) -> Result<Object, Error> {
    if patch.contains_key(PATCH) {
        return directives::whole_map(patch);
    }
    directives::retain_keys(&mut original, &mut patch)?;
    order::apply_set_orders(&mut original, &mut patch, topology)?;
    for (key, change) in patch {
        if let Some(field) = directives::list_field(&key, DELETE_FROM_LIST)? {
            delete_from_list(&mut original, field, &change, topology)?;
        } else if change.is_null() {
            original.remove(&key);
        } else {
            merge_field(&mut original, key, change, topology)?;
        }
    }
    Ok(original)
}

fn merge_field(
    original: &mut Object,
    key: String,
    change: Value,
    topology: Option<&dyn Topology>,
) -> Result<(), Error> {
    match (original.remove(&key), change) {
        (Some(Value::Object(current)), Value::Object(change)) => {
            let field = look_up(topology, &key)?;
            let merged = if field.strategy.replace {
                change
            } else {
                merge_map(current, change, field.node.as_deref())?
            };
            original.insert(key, Value::Object(merged));
        }
        (Some(Value::Array(current)), Value::Array(change)) => {
            let field = look_up(topology, &key)?;
            let merged = if field.strategy.merge {
                lists::merge_list(current, change, &field, &key)?
            } else {
                change
            };
            original.insert(key, Value::Array(merged));
        }
        (_, change) => {
            if let Some(value) = directives::strip(directives::without_nulls(change)) {
                original.insert(key, value);
            }
        }
    }
    Ok(())
}

fn delete_from_list(
    original: &mut Object,
    key: &str,
    change: &Value,
    topology: Option<&dyn Topology>,
) -> Result<(), Error> {
    let (Some(Value::Array(current)), Some(removed)) = (original.get_mut(key), change.as_array())
    else {
        if change.is_null() {
            original.remove(key);
        }
        return Ok(());
    };
    look_up(topology, key)?;
    if current.is_empty() && removed.is_empty() {
        return Ok(());
    }
    lists::element_is_map([current.as_slice(), removed.as_slice()])?;
    current.retain(|item| !removed.contains(item));
    Ok(())
}

/// What the type knows of a field that is being merged.
fn look_up<'a>(topology: Option<&'a dyn Topology>, key: &str) -> Result<FieldTopology<'a>, Error> {
    topology
        .and_then(|topology| topology.field(key))
        .ok_or_else(|| {
            Error::Unmergeable(format!(
                "unable to find api field for the json field {key:?}"
            ))
        })
}

/// Whether a key steers the merge of a list instead of naming a field.
fn steers_list(key: &str) -> bool {
    key.starts_with(DELETE_FROM_LIST) || key.starts_with(SET_ORDER)
}

#[cfg(test)]
mod tests {
    use flybridge_machinery::topology::PatchStrategy;
    use serde_json::json;

    use super::*;

    /// `list` merges by `name`, `set` is a set, `volatile` is replaced, everything else is a map.
    struct Type;

    impl Topology for Type {
        fn field(&self, name: &str) -> Option<FieldTopology<'_>> {
            let (strategy, merge_key) = match name {
                "list" => ("merge,retainKeys", Some("name")),
                "set" => ("merge", None),
                "volatile" => ("replace", None),
                "unknown" => return None,
                _ => ("", None),
            };
            let strategy = PatchStrategy::parse(strategy);
            Some(FieldTopology {
                node: Some(Box::new(Self)),
                strategy,
                merge_key,
            })
        }
    }

    fn merged(original: &Value, patch: &Value) -> Result<Value, Error> {
        strategic_merge(original, patch, &Type)
    }

    #[test]
    fn merges_lists_by_key_and_scalars_as_sets() {
        let original =
            json!({"list": [{"name": "a", "v": 1}, {"name": "b"}], "set": ["x"], "plain": [1]});
        let patch = json!({"list": [{"name": "a", "w": 2}], "set": ["y", "x"], "plain": [2]});
        assert_eq!(
            merged(&original, &patch).unwrap(),
            json!({
                "list": [{"name": "a", "v": 1, "w": 2}, {"name": "b"}],
                "set": ["y", "x"], "plain": [2]
            })
        );
    }

    #[test]
    fn obeys_directives() {
        let original = json!({"list": [{"name": "a"}, {"name": "b"}], "set": ["x", "y"], "map": {"a": 1, "b": 2}});
        for (patch, path, result) in [
            (
                json!({"list": [{"name": "a", "$patch": "delete"}]}),
                "/list",
                json!([{"name": "b"}]),
            ),
            (
                json!({"list": [{"name": "c"}, {"$patch": "replace"}]}),
                "/list",
                json!([{"name": "c"}]),
            ),
            (
                json!({"$deleteFromPrimitiveList/set": ["x"]}),
                "/set",
                json!(["y"]),
            ),
            (
                json!({"map": {"$patch": "replace", "c": 3}}),
                "/map",
                json!({"c": 3}),
            ),
            (json!({"map": {"$patch": "delete"}}), "/map", json!({})),
            (
                json!({"map": {"$retainKeys": ["b", "c"], "c": 3}}),
                "/map",
                json!({"b": 2, "c": 3}),
            ),
            (
                json!({"$setElementOrder/list": [{"name": "b"}, {"name": "a"}]}),
                "/list",
                json!([{"name": "b"}, {"name": "a"}]),
            ),
            (
                json!({"new": {"a": null, "b": {"$patch": "delete"}, "c": 1}}),
                "/new",
                json!({"c": 1}),
            ),
        ] {
            assert_eq!(
                merged(&original, &patch).unwrap().pointer(path),
                Some(&result),
                "{patch}"
            );
        }
    }

    #[test]
    fn refuses_patches_that_contradict_themselves() {
        let original = json!({"list": [{"name": "a"}], "map": {}, "unknown": {}});
        for (patch, code) in [
            (json!({"list": [{"name": "a", "$patch": "merge"}]}), 500),
            (json!({"list": [{"name": "a", "$patch": "bogus"}]}), 500),
            (json!({"list": [{"v": 1}]}), 500),
            (json!({"list": ["scalar"]}), 500),
            (
                json!({"list": [{"name": "b"}], "$setElementOrder/list": [{"name": "a"}]}),
                500,
            ),
            (json!({"map": {"$retainKeys": ["a"], "b": 1}}), 400),
            (json!({"$setElementOrder/list/deep": []}), 400),
            (json!({"unknown": {"a": 1}}), 500),
            (json!([]), 400),
        ] {
            let error = merged(&original, &patch).unwrap_err();
            assert_eq!(error.to_status().code, code, "{patch}: {error}");
        }
    }
}
