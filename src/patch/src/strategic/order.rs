//! The order of merged lists.
//!
//! Items the patch names keep the patch's order, the others keep the original's; where the two
//! meet, the original's order decides if it knows both.

use flybridge_machinery::topology::Topology;
use serde_json::Value;

use super::directives::{PATCH, SET_ORDER, list_field, strip};
use super::lists::{element_is_map, merge_list, no_merge_key};
use super::{Object, look_up};
use crate::Error;

/// Applies every `$setElementOrder/<field>` of the patch together with the list it orders.
pub(super) fn apply_set_orders(
    original: &mut Object,
    patch: &mut Object,
    topology: Option<&dyn Topology>,
) -> Result<(), Error> {
    let directives: Vec<String> = patch
        .keys()
        .filter(|key| key.starts_with(SET_ORDER))
        .cloned()
        .collect();
    for directive in directives {
        let Some(Value::Array(order)) = patch.remove(&directive) else {
            return Err(Error::Unmergeable(format!("{directive} is not a list")));
        };
        if let Some(field) = list_field(&directive, SET_ORDER)? {
            apply_set_order(original, patch, field, &order, topology)?;
        }
    }
    Ok(())
}

fn apply_set_order(
    original: &mut Object,
    patch: &mut Object,
    name: &str,
    order: &[Value],
    topology: Option<&dyn Topology>,
) -> Result<(), Error> {
    let current = list(original, name)?;
    let change = list(patch, name)?;
    let field = look_up(topology, name)?;
    let merge_key = field.merge_key.filter(|key| !key.is_empty());
    check_order(change.as_deref().unwrap_or_default(), order, merge_key)?;
    let merged = match (&current, &change) {
        (None, None) => return Ok(()),
        (Some(current), None) => current.clone(),
        (None, Some(change)) => change.iter().cloned().filter_map(strip).collect(),
        (Some(current), Some(change)) if field.strategy.merge => {
            merge_list(current.clone(), change.clone(), &field, name)?
        }
        (Some(_), Some(change)) => change.clone(),
    };
    let current = current.unwrap_or_default();
    element_is_map([current.as_slice(), change.as_deref().unwrap_or_default()])?;
    let arranged = arrange(merged, order, &current, merge_key)?;
    original.insert(name.to_owned(), Value::Array(arranged));
    patch.remove(name);
    Ok(())
}

fn list(map: &Object, name: &str) -> Result<Option<Vec<Value>>, Error> {
    match map.get(name) {
        None => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items.clone())),
        Some(_) => Err(Error::Unmergeable(format!("{name} is not a list"))),
    }
}

fn same(left: &Value, right: &Value, merge_key: Option<&str>) -> bool {
    match merge_key {
        Some(key) => left.get(key).is_some() && left.get(key) == right.get(key),
        None => left == right,
    }
}

fn position(items: &[Value], item: &Value, merge_key: Option<&str>) -> Option<usize> {
    items
        .iter()
        .position(|present| same(present, item, merge_key))
}

/// The items a patch sets must stand in the order it demands.
fn check_order(change: &[Value], order: &[Value], merge_key: Option<&str>) -> Result<(), Error> {
    if change.is_empty() || order.is_empty() {
        return Ok(());
    }
    let steers = |item: &Value| merge_key.is_some() && item.get(PATCH).is_some();
    let mut set = change.iter().filter(|item| !steers(item)).peekable();
    for item in order {
        if set.peek().is_some_and(|next| same(next, item, merge_key)) {
            set.next();
        }
    }
    if set.peek().is_none() {
        return Ok(());
    }
    let (change, order) = (Value::from(change), Value::from(order));
    Err(Error::Unmergeable(format!(
        "The order in patch list:\n{change}\n doesn't match {SET_ORDER} list:\n{order}\n"
    )))
}

/// Orders a merged list: `order` for the items it names, `server` for the others.
pub(super) fn arrange(
    merged: Vec<Value>,
    order: &[Value],
    server: &[Value],
    merge_key: Option<&str>,
) -> Result<Vec<Value>, Error> {
    if let Some(key) = merge_key {
        let all = merged.iter().chain(order).chain(server);
        if let Some(item) = all.into_iter().find(|item| item.get(key).is_none()) {
            return Err(no_merge_key(item, key));
        }
    }
    let (mut named, mut others): (Vec<Value>, Vec<Value>) = merged
        .into_iter()
        .partition(|item| position(order, item, merge_key).is_some());
    sort_by(&mut named, order, merge_key);
    sort_by(&mut others, server, merge_key);
    Ok(interleave(others, named, server, merge_key))
}

/// Sorts by the place in `order`. Upstream's comparison calls unknown items smaller than all, which
/// moves each of them in front of what stands before it.
fn sort_by(items: &mut [Value], order: &[Value], merge_key: Option<&str>) {
    let before = |left: &Value, right: &Value| match (
        position(order, left, merge_key),
        position(order, right, merge_key),
    ) {
        (Some(left), Some(right)) => left < right,
        _ => true,
    };
    for unsorted in 1..items.len() {
        let mut at = unsorted;
        while let (Some(left), Some(right)) =
            (at.checked_sub(1).and_then(|i| items.get(i)), items.get(at))
            && before(right, left)
        {
            items.swap(at - 1, at);
            at -= 1;
        }
    }
}

fn interleave(
    others: Vec<Value>,
    named: Vec<Value>,
    server: &[Value],
    merge_key: Option<&str>,
) -> Vec<Value> {
    let mut result = Vec::with_capacity(others.len() + named.len());
    let mut others = others.into_iter().peekable();
    let mut named = named.into_iter().peekable();
    while let (Some(left), Some(right)) = (others.peek(), named.peek()) {
        let left_first = match (
            position(server, left, merge_key),
            position(server, right, merge_key),
        ) {
            (Some(left), Some(right)) => left < right,
            _ => false,
        };
        result.extend(if left_first {
            others.next()
        } else {
            named.next()
        });
    }
    result.extend(others);
    result.extend(named);
    result
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn items(names: &str) -> Vec<Value> {
        names
            .chars()
            .map(|name| json!({"name": name.to_string()}))
            .collect()
    }

    fn arranged(merged: &str, order: &str, server: &str) -> String {
        let result = arrange(items(merged), &items(order), &items(server), Some("name")).unwrap();
        result
            .iter()
            .filter_map(|item| item["name"].as_str())
            .collect()
    }

    #[test]
    fn the_patch_orders_what_it_names_and_the_server_the_rest() {
        assert_eq!(arranged("abc", "cba", "abc"), "cba");
        assert_eq!(arranged("abcd", "d", "abc"), "dabc");
        assert_eq!(arranged("abc", "ca", "abc"), "bca");
        assert_eq!(arranged("abc", "", "abc"), "abc");
    }

    #[test]
    fn items_without_their_key_are_refused() {
        let error = arrange(vec![json!({})], &[], &[], Some("name")).unwrap_err();
        assert_eq!(error.to_status().code, 500);
    }
}
