//! The small renderings that cells of many resources share.

use flybridge_machinery::object::{self, get_path, path_list, path_str};
use flybridge_machinery::{Selector, time};
use jiff::Timestamp;
use serde_json::Value;

/// A string at a path, empty when absent.
pub(super) fn string(object: &Value, path: &[&str]) -> Value {
    path_str(object, path).unwrap_or_default().into()
}

/// A string at a path, or a placeholder when absent or empty.
pub(super) fn string_or(object: &Value, path: &[&str], placeholder: &str) -> Value {
    path_str(object, path)
        .filter(|text| !text.is_empty())
        .unwrap_or(placeholder)
        .into()
}

/// An integer at a path, zero when absent.
pub(super) fn number(object: &Value, path: &[&str]) -> i64 {
    object::path_i64(object, path).unwrap_or_default()
}

/// How many entries a list or map at a path has.
pub(super) fn count(object: &Value, path: &[&str]) -> usize {
    match get_path(object, path) {
        Some(Value::Array(items)) => items.len(),
        Some(Value::Object(map)) => map.len(),
        _ => 0,
    }
}

/// The object's name.
pub(super) fn name(object: &Value) -> Value {
    object::name(object).into()
}

/// The object's age.
pub(super) fn age(object: &Value, now: Timestamp) -> Value {
    object::age(object, now).into()
}

/// The time since a timestamp at a path.
pub(super) fn since(object: &Value, path: &[&str], now: Timestamp) -> Option<String> {
    let at = time::parse(path_str(object, path)?).ok()?;
    Some(time::age(at, now))
}

/// Joins strings found in the items of a list.
pub(super) fn join(items: &[Value], field: &str) -> String {
    let texts: Vec<&str> = items
        .iter()
        .filter_map(|item| item.get(field)?.as_str())
        .collect();
    texts.join(",")
}

/// Names and images of the containers of a pod spec.
pub(super) fn containers(pod_spec: Option<&Value>) -> [Value; 2] {
    let list = pod_spec.map_or(&[][..], |spec| path_list(spec, &["containers"]));
    [join(list, "name").into(), join(list, "image").into()]
}

/// A map of labels as `a=1,b=2`, or `<none>`.
pub(super) fn labels(map: Option<&Value>) -> Value {
    let pairs: Vec<String> = map
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    if pairs.is_empty() {
        "<none>".into()
    } else {
        pairs.join(",").into()
    }
}

/// A `LabelSelector` in text form, or `<none>`.
pub(super) fn selector(selector: Option<&Value>) -> Value {
    match Selector::from_value(selector.unwrap_or(&Value::Null)) {
        Err(_) => "<error>".into(),
        Ok(selector) if selector.requirements().is_empty() => "<none>".into(),
        Ok(selector) => selector.to_string().into(),
    }
}

/// `list`, shortened to `max` entries with a count of the others.
pub(super) fn shortened(list: &[String], max: usize, separator: &str, empty: &str) -> Value {
    match list.split_at_checked(max) {
        _ if list.is_empty() => empty.into(),
        Some((shown, rest)) if !rest.is_empty() => {
            format!("{} + {} more...", shown.join(separator), rest.len()).into()
        }
        _ => list.join(separator).into(),
    }
}

/// Addresses of a load balancer status, ordered.
pub(super) fn load_balancer(object: &Value) -> Vec<String> {
    let mut addresses: Vec<String> = path_list(object, &["status", "loadBalancer", "ingress"])
        .iter()
        .filter_map(|ingress| {
            let ip = path_str(ingress, &["ip"]).filter(|ip| !ip.is_empty());
            ip.or_else(|| path_str(ingress, &["hostname"]))
                .map(str::to_owned)
        })
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}
