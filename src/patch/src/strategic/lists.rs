//! Merging lists by key, and lists of scalars as sets.

use flybridge_machinery::topology::FieldTopology;
use serde_json::Value;

use super::directives::{PATCH, unknown_patch_type};
use super::{merge_map, order};
use crate::Error;

pub(super) fn no_merge_key(item: &Value, merge_key: &str) -> Error {
    Error::Unmergeable(format!(
        "map: {item} does not contain declared merge key: {merge_key}"
    ))
}

/// Whether the items of the lists are maps; they must all be of one type.
pub(super) fn element_is_map(lists: [&[Value]; 2]) -> Result<bool, Error> {
    let mut items = lists.into_iter().flatten();
    let Some(first) = items.next() else {
        return Err(Error::Unmergeable(
            "no elements in any of the given slices".to_owned(),
        ));
    };
    if first.is_array() {
        return Err(Error::Unmergeable(
            "lists of lists are not supported".to_owned(),
        ));
    }
    let kind = std::mem::discriminant(first);
    if items.any(|item| std::mem::discriminant(item) != kind) {
        return Err(Error::Unmergeable(
            "list element types are not identical".to_owned(),
        ));
    }
    Ok(first.is_object())
}

/// Finds the item whose merge key has a value.
pub(super) fn find(items: &[Value], merge_key: &str, value: &Value) -> Option<usize> {
    items
        .iter()
        .position(|item| item.get(merge_key) == Some(value))
}

/// Merges two lists of a field with the `merge` strategy.
pub(super) fn merge_list(
    original: Vec<Value>,
    patch: Vec<Value>,
    field: &FieldTopology<'_>,
    name: &str,
) -> Result<Vec<Value>, Error> {
    if original.is_empty() && patch.is_empty() {
        return Ok(original);
    }
    if !element_is_map([original.as_slice(), patch.as_slice()])? {
        let mut merged = original.clone();
        for item in &patch {
            if !merged.contains(item) {
                merged.push(item.clone());
            }
        }
        let merged = deduplicated(merged);
        return order::arrange(merged, &patch, &original, None);
    }
    let Some(merge_key) = field.merge_key.filter(|key| !key.is_empty()) else {
        return Err(Error::Unmergeable(format!(
            "cannot merge lists without merge key for {name}"
        )));
    };
    let (original, patch) = apply_item_directives(original, patch, merge_key)?;
    let mut merged = original.clone();
    for change in &patch {
        merge_item(&mut merged, change, merge_key, field)?;
    }
    order::arrange(merged, &patch, &original, Some(merge_key))
}

fn deduplicated(items: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::with_capacity(items.len());
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

fn merge_item(
    merged: &mut Vec<Value>,
    change: &Value,
    merge_key: &str,
    field: &FieldTopology<'_>,
) -> Result<(), Error> {
    let value = change
        .get(merge_key)
        .ok_or_else(|| no_merge_key(change, merge_key))?;
    let found = find(merged, merge_key, value).and_then(|at| merged.get_mut(at));
    match (found, change) {
        (Some(slot), Value::Object(change)) => {
            let current = slot.as_object().cloned().unwrap_or_default();
            *slot = Value::Object(merge_map(current, change.clone(), field.node.as_deref())?);
        }
        _ => merged.push(change.clone()),
    }
    Ok(())
}

/// Applies `$patch` in items: `delete` removes its match, `replace` drops the whole original.
fn apply_item_directives(
    mut original: Vec<Value>,
    patch: Vec<Value>,
    merge_key: &str,
) -> Result<(Vec<Value>, Vec<Value>), Error> {
    let mut plain = Vec::with_capacity(patch.len());
    let mut replace = false;
    for item in patch {
        let Some(directive) = item.get(PATCH) else {
            plain.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let value = item
                    .get(merge_key)
                    .ok_or_else(|| no_merge_key(&item, merge_key))?;
                original.retain(|present| present.get(merge_key) != Some(value));
            }
            Some("replace") => replace = true,
            Some("merge") => {
                let message = "merging lists cannot yet be specified in the patch";
                return Err(Error::Unmergeable(message.to_owned()));
            }
            _ => {
                let map = item.as_object().cloned().unwrap_or_default();
                return Err(unknown_patch_type(directive, &map));
            }
        }
    }
    // A replaced list is the plain items alone, in their order.
    Ok(if replace {
        (plain, Vec::new())
    } else {
        (original, plain)
    })
}
