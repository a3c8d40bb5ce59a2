//! The keys of a patch that start with a dollar sign.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Object, steers_list};
use crate::Error;

/// `$patch: replace | delete | merge`.
pub(super) const PATCH: &str = "$patch";
/// `$retainKeys: [a, b]`: other keys of the map go.
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
/// `$deleteFromPrimitiveList/<field>`.
pub(super) const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList";
/// `$setElementOrder/<field>`.
pub(super) const SET_ORDER: &str = "$setElementOrder";

pub(super) fn unknown_patch_type(directive: &Value, map: &Object) -> Error {
    let directive = directive
        .as_str()
        .map_or_else(|| directive.to_string(), str::to_owned);
    let map = Value::Object(map.clone());
    Error::Unmergeable(format!("unknown patch type: {directive} in map: {map}"))
}

/// A map that carries `$patch` itself stands for the whole result.
pub(super) fn whole_map(mut patch: Object) -> Result<Object, Error> {
    let directive = patch.get(PATCH).cloned().unwrap_or_default();
    match directive.as_str() {
        Some("replace") => {
            patch.remove(PATCH);
            Ok(patch)
        }
        Some("delete") => Ok(Object::new()),
        _ => Err(unknown_patch_type(&directive, &patch)),
    }
}

/// Applies `$retainKeys` to the map it stands in.
pub(super) fn retain_keys(original: &mut Object, patch: &mut Object) -> Result<(), Error> {
    let Some(directive) = patch.remove(RETAIN_KEYS) else {
        return Ok(());
    };
    let malformed = || Error::BadPatch("invalid patch format of retainKeys".to_owned());
    let kept: BTreeSet<&str> = directive
        .as_array()
        .ok_or_else(malformed)?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let stray = |(key, value): (&String, &Value)| {
        !value.is_null() && !steers_list(key) && !kept.contains(key.as_str())
    };
    if patch.iter().any(stray) {
        return Err(malformed());
    }
    original.retain(|key, _| kept.contains(key.as_str()));
    Ok(())
}

/// The field that a `<directive>/<field>` key is about; `None` for other keys.
pub(super) fn list_field<'a>(key: &'a str, directive: &str) -> Result<Option<&'a str>, Error> {
    let Some(rest) = key.strip_prefix(directive) else {
        return Ok(None);
    };
    match rest.strip_prefix('/') {
        Some(field) if !field.contains('/') => Ok(Some(field)),
        _ => {
            let list = if directive == SET_ORDER {
                "setElementOrder list"
            } else {
                "primitive list"
            };
            Err(Error::BadPatch(format!("invalid patch format of {list}")))
        }
    }
}

/// Drops nulls everywhere below: there is nothing in the original they could remove.
pub(super) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// Drops every map that carries `$patch` from a value that is new as a whole.
///
/// Source: upstream drops them whatever the directive says, `replace` included.
pub(super) fn strip(value: Value) -> Option<Value> {
    match value {
        Value::Object(map) if map.contains_key(PATCH) => None,
        Value::Object(map) => {
            let kept = map
                .into_iter()
                .filter_map(|(key, value)| Some((key, strip(value)?)));
            Some(kept.collect())
        }
        Value::Array(items) => Some(items.into_iter().filter_map(strip).collect()),
        other => Some(other),
    }
}
