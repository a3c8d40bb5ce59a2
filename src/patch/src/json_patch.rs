//! JSON Patch, RFC 6902, as the API server applies it.
//!
//! Source: the server's patch library, version 4: `replace` and `copy` do not ask whether a map key
//! exists, negative array indexes count from the end, an absent value reads as null.

use flybridge_machinery::object::path_str;
use serde_json::{Map, Value};

use crate::Error;

/// How many operations a server takes in one patch.
pub const MAX_OPERATIONS: usize = 10_000;

/// Applies the operations in order; on an error `document` is left as it was.
///
/// # Errors
/// Fails with [`Error::BadPatch`] when `operations` is no list of operations,
/// [`Error::TooManyOperations`] beyond [`MAX_OPERATIONS`], and [`Error::DoesNotApply`] when an
/// operation does not fit the document.
pub fn json_patch(document: &mut Value, operations: &Value) -> Result<(), Error> {
    let Some(operations) = operations.as_array() else {
        return Err(Error::BadPatch(
            "error decoding patch: not a list of operations".to_owned(),
        ));
    };
    if operations.len() > MAX_OPERATIONS {
        return Err(Error::TooManyOperations {
            max: MAX_OPERATIONS,
            got: operations.len(),
        });
    }
    if let Some(wrong) = operations.iter().find(|operation| !operation.is_object()) {
        return Err(Error::BadPatch(format!(
            "error decoding patch: not an operation: {wrong}"
        )));
    }
    let mut result = document.clone();
    for operation in operations {
        apply(&mut result, operation)?;
    }
    *document = result;
    Ok(())
}

fn refuse(operation: &str, why: &str, path: &str) -> Error {
    Error::DoesNotApply(format!(
        "jsonpatch {operation} operation does not apply: {why}: {path}"
    ))
}

fn apply(document: &mut Value, operation: &Value) -> Result<(), Error> {
    let name = path_str(operation, &["op"]).unwrap_or_default();
    let Some(path) = path_str(operation, &["path"]) else {
        return Err(refuse(name, "missing path", ""));
    };
    let value = || operation.get("value").cloned().unwrap_or(Value::Null);
    let from = || path_str(operation, &["from"]).ok_or_else(|| refuse(name, "missing from", path));
    match name {
        "add" => add(document, path, value()),
        "remove" => remove(document, path).map(drop),
        "replace" => replace(document, path, value()),
        "move" => {
            let value = remove(document, from()?)?;
            add(document, path, value)
        }
        "copy" => {
            let from = from()?;
            let value = read(document, from)
                .ok_or_else(|| refuse(name, "doc is missing from path", from))?
                .cloned()
                .unwrap_or(Value::Null);
            add(document, path, value)
        }
        "test" => {
            let found = read(document, path).flatten().unwrap_or(&Value::Null);
            if *found == value() {
                Ok(())
            } else {
                Err(Error::DoesNotApply(format!("testing value {path} failed")))
            }
        }
        other => Err(Error::DoesNotApply(format!("Unexpected kind: {other}"))),
    }
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Splits a pointer into the tokens that lead to the container and the last token.
fn split(path: &str) -> Option<(Vec<String>, String)> {
    let mut tokens: Vec<String> = path.strip_prefix('/')?.split('/').map(unescape).collect();
    let last = tokens.pop()?;
    Some((tokens, last))
}

/// An index into a list of `length` items; negative counts from the end.
fn index(token: &str, length: usize) -> Option<usize> {
    let number: i64 = token.parse().ok()?;
    let length = i64::try_from(length).ok()?;
    let number = if number < 0 { number + length } else { number };
    usize::try_from(number).ok().filter(|_| number < length)
}

fn step<'a>(value: &'a Value, token: &str) -> Option<&'a Value> {
    match value {
        Value::Object(map) => map.get(token),
        Value::Array(items) => items.get(index(token, items.len())?),
        _ => None,
    }
}

fn step_mut<'a>(value: &'a mut Value, token: &str) -> Option<&'a mut Value> {
    match value {
        Value::Object(map) => map.get_mut(token),
        Value::Array(items) => {
            let at = index(token, items.len())?;
            items.get_mut(at)
        }
        _ => None,
    }
}

/// What lies at a path: `None` without a container, `Some(None)` when the container lacks the key.
fn read<'a>(document: &'a Value, path: &str) -> Option<Option<&'a Value>> {
    if path.is_empty() {
        return Some(Some(document));
    }
    let (tokens, last) = split(path)?;
    let container = tokens
        .iter()
        .try_fold(document, |value, token| step(value, token))?;
    match container {
        Value::Object(map) => Some(map.get(&last)),
        Value::Array(items) => Some(Some(items.get(index(&last, items.len())?)?)),
        _ => None,
    }
}

enum Container<'a> {
    Map(&'a mut Map<String, Value>),
    List(&'a mut Vec<Value>),
}

fn container<'a>(
    document: &'a mut Value,
    path: &str,
    operation: &str,
) -> Result<(Container<'a>, String), Error> {
    let missing = || refuse(operation, "doc is missing path", path);
    let (tokens, last) = split(path).ok_or_else(missing)?;
    let found = tokens
        .iter()
        .try_fold(document, |value, token| step_mut(value, token));
    match found {
        Some(Value::Object(map)) => Ok((Container::Map(map), last)),
        Some(Value::Array(items)) => Ok((Container::List(items), last)),
        _ => Err(missing()),
    }
}

fn add(document: &mut Value, path: &str, value: Value) -> Result<(), Error> {
    if path.is_empty() {
        *document = value;
        return Ok(());
    }
    match container(document, path, "add")? {
        (Container::Map(map), key) => {
            map.insert(key, value);
        }
        (Container::List(items), key) => {
            let at = if key == "-" {
                Some(items.len())
            } else {
                index(&key, items.len() + 1)
            };
            let at = at.ok_or_else(|| refuse("add", "invalid index", path))?;
            items.insert(at, value);
        }
    }
    Ok(())
}

fn replace(document: &mut Value, path: &str, value: Value) -> Result<(), Error> {
    if path.is_empty() {
        if !(value.is_object() || value.is_array()) {
            return Err(refuse("replace", "value must be object or array", path));
        }
        *document = value;
        return Ok(());
    }
    match container(document, path, "replace")? {
        (Container::Map(map), key) => {
            map.insert(key, value);
        }
        (Container::List(items), key) => {
            let at = index(&key, items.len());
            let slot = at.and_then(|at| items.get_mut(at));
            *slot.ok_or_else(|| refuse("replace", "doc is missing key", path))? = value;
        }
    }
    Ok(())
}

fn remove(document: &mut Value, path: &str) -> Result<Value, Error> {
    match container(document, path, "remove")? {
        (Container::Map(map), key) => map
            .remove(&key)
            .ok_or_else(|| refuse("remove", "nonexistent key", path)),
        (Container::List(items), key) => index(&key, items.len())
            .map(|at| items.remove(at))
            .ok_or_else(|| refuse("remove", "invalid index", path)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn patched(mut document: Value, operations: &Value) -> Result<Value, Error> {
        json_patch(&mut document, operations).map(|()| document)
    }

    #[test]
    fn applies_each_operation() {
        let document = || json!({"a": {"x/y": 1, "t~u": 2}, "l": [1, 2, 3]});
        for (operations, result) in [
            (
                json!([{"op": "add", "path": "/l/-", "value": 4}]),
                json!([1, 2, 3, 4]),
            ),
            (
                json!([{"op": "add", "path": "/l/0", "value": 0}]),
                json!([0, 1, 2, 3]),
            ),
            (
                json!([{"op": "add", "path": "/l/3", "value": 4}]),
                json!([1, 2, 3, 4]),
            ),
            (
                json!([{"op": "replace", "path": "/l/-1", "value": 9}]),
                json!([1, 2, 9]),
            ),
            (json!([{"op": "remove", "path": "/l/1"}]), json!([1, 3])),
            (
                json!([{"op": "move", "from": "/l/0", "path": "/l/-"}]),
                json!([2, 3, 1]),
            ),
            (
                json!([{"op": "copy", "from": "/a/x~1y", "path": "/l/0"}]),
                json!([1, 1, 2, 3]),
            ),
            (
                json!([{"op": "copy", "from": "/a/t~0u", "path": "/l/0"}]),
                json!([2, 1, 2, 3]),
            ),
        ] {
            assert_eq!(
                patched(document(), &operations).unwrap()["l"],
                result,
                "{operations}"
            );
        }
    }

    #[test]
    fn keeps_the_quirks_of_the_server() {
        let document = || json!({"data": {"k": "v"}});
        for operations in [
            json!([{"op": "replace", "path": "/data/missing", "value": "v"}]),
            json!([{"op": "test", "path": "/data/none", "value": null}]),
            json!([{"op": "add", "path": "/data/x"}]),
            json!([{"op": "replace", "path": "", "value": {}}]),
        ] {
            assert!(patched(document(), &operations).is_ok(), "{operations}");
        }
        for operations in [
            json!([{"op": "test", "path": "/data/none", "value": "no"}]),
            json!([{"op": "remove", "path": "/data/none"}]),
            json!([{"op": "add", "path": "/nope/x", "value": 1}]),
            json!([{"op": "add", "path": "data/x", "value": 1}]),
            json!([{"op": "bogus", "path": "/data/x"}]),
            json!([{"path": "/data/x"}]),
            json!([{"op": "remove"}]),
            json!([{"op": "move", "path": "/data/x"}]),
            json!([{"op": "add", "path": "/data/k/deep", "value": 1}]),
        ] {
            let error = patched(document(), &operations).unwrap_err();
            assert_eq!(error.to_status().code, 422, "{operations}");
        }
    }

    #[test]
    fn refuses_as_a_whole() {
        let mut document = json!({"a": 1});
        let operations = json!([
            {"op": "add", "path": "/b", "value": 2},
            {"op": "test", "path": "/a", "value": 5}
        ]);
        assert!(json_patch(&mut document, &operations).is_err());
        assert_eq!(document, json!({"a": 1}));
        assert_eq!(
            json_patch(&mut document, &json!({}))
                .unwrap_err()
                .to_status()
                .code,
            400
        );
        let many = Value::Array(vec![
            json!({"op": "test", "path": "/a", "value": 1});
            10_001
        ]);
        assert_eq!(
            json_patch(&mut document, &many)
                .unwrap_err()
                .to_status()
                .code,
            413
        );
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-c~/]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c~/]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn pointer(key: &str) -> String {
        format!("/{}", key.replace('~', "~0").replace('/', "~1"))
    }

    proptest! {
        #[test]
        fn removing_what_was_added_restores_the_document(
            map in prop::collection::btree_map("[a-c~/]{0,3}", json_value(), 0..4),
            value in json_value(),
        ) {
            let document = Value::Object(map.into_iter().collect());
            let path = pointer("new");
            let operations = json!([
                {"op": "add", "path": path, "value": value},
                {"op": "test", "path": path, "value": value},
                {"op": "remove", "path": path},
            ]);
            prop_assert_eq!(patched(document.clone(), &operations).unwrap(), document);
        }

        #[test]
        fn a_list_insert_is_undone_by_a_remove_at_the_same_place(
            items in prop::collection::vec(json_value(), 0..5),
            at in 0_usize..5,
            value in json_value(),
        ) {
            let at = at.min(items.len());
            let document = json!({"l": items});
            let path = format!("/l/{at}");
            let operations = json!([
                {"op": "add", "path": path, "value": value},
                {"op": "remove", "path": path},
            ]);
            prop_assert_eq!(patched(document.clone(), &operations).unwrap(), document);
        }

        #[test]
        fn a_merge_patch_applied_twice_changes_nothing_more(
            document in json_value(),
            patch in json_value(),
        ) {
            let mut once = document;
            crate::merge_patch(&mut once, &patch);
            let mut twice = once.clone();
            crate::merge_patch(&mut twice, &patch);
            prop_assert_eq!(once, twice);
        }

        #[test]
        fn an_empty_merge_patch_keeps_maps(map in prop::collection::btree_map("[a-c]{0,3}", json_value(), 0..4)) {
            let document = Value::Object(map.into_iter().collect());
            let mut merged = document.clone();
            crate::merge_patch(&mut merged, &json!({}));
            prop_assert_eq!(merged, document);
        }
    }
}
