//! Conditions: the list of `{type, status, reason, message, lastTransitionTime}` in a status.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{object, time};

/// Finds a condition by type.
pub fn find<'a>(conditions: &'a [Value], kind: &str) -> Option<&'a Value> {
    conditions
        .iter()
        .find(|condition| condition_type(condition) == Some(kind))
}

/// Finds a condition of an object's `status.conditions`.
pub fn of<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    find(object::path_list(object, &["status", "conditions"]), kind)
}

/// The status (`True`, `False`, `Unknown`) of a condition of an object.
pub fn status_of<'a>(object: &'a Value, kind: &str) -> Option<&'a str> {
    of(object, kind)?.get("status")?.as_str()
}

/// Whether a condition of an object is `True`.
pub fn is_true(object: &Value, kind: &str) -> bool {
    status_of(object, kind) == Some("True")
}

/// A condition without times.
pub fn new(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message})
}

/// Sets a condition by type: `lastTransitionTime` moves to `now` only when the status changes.
///
/// Says whether anything changed. A `lastTransitionTime` in `condition` wins over `now`.
pub fn set(conditions: &mut Vec<Value>, mut condition: Value, now: Timestamp) -> bool {
    let kind = condition_type(&condition).map(str::to_owned);
    let existing = conditions
        .iter_mut()
        .find(|present| condition_type(present) == kind.as_deref());
    let given = condition
        .get("lastTransitionTime")
        .is_some_and(|at| !at.is_null());
    if let Some(existing) = existing {
        let same_status = existing.get("status") == condition.get("status");
        if same_status && let Some(at) = existing.get("lastTransitionTime") {
            condition["lastTransitionTime"] = at.clone();
        } else if !given {
            condition["lastTransitionTime"] = time::format(now).into();
        }
        let changed = *existing != condition;
        *existing = condition;
        return changed;
    }
    if !given {
        object::ensure_object(&mut condition)
            .insert("lastTransitionTime".to_owned(), time::format(now).into());
    }
    conditions.push(condition);
    true
}

/// Sets a condition in `status.conditions` of an object; see [`set`].
pub fn set_on(object: &mut Value, condition: Value, now: Timestamp) -> bool {
    let slot = object::ensure_path(object, &["status"])
        .entry("conditions")
        .or_insert(Value::Null);
    if !slot.is_array() {
        *slot = Value::Array(Vec::new());
    }
    let list = slot.as_array_mut().expect("it was made a list above");
    set(list, condition, now)
}

/// Removes a condition by type; says whether it was there.
pub fn remove(conditions: &mut Vec<Value>, kind: &str) -> bool {
    let before = conditions.len();
    conditions.retain(|condition| condition_type(condition) != Some(kind));
    conditions.len() < before
}

fn condition_type(condition: &Value) -> Option<&str> {
    condition.get("type")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transition_time_moves_only_with_the_status() {
        let first: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let later: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
        let mut object = json!({});
        assert!(set_on(&mut object, new("Ready", "True", "Up", ""), first));
        assert!(!set_on(&mut object, new("Ready", "True", "Up", ""), later));
        assert!(set_on(
            &mut object,
            new("Ready", "True", "StillUp", ""),
            later
        ));
        assert_eq!(
            of(&object, "Ready").unwrap()["lastTransitionTime"],
            "2026-01-01T00:00:00Z"
        );
        assert!(set_on(
            &mut object,
            new("Ready", "False", "Down", ""),
            later
        ));
        assert_eq!(
            of(&object, "Ready").unwrap()["lastTransitionTime"],
            "2026-01-02T00:00:00Z"
        );
        assert!(!is_true(&object, "Ready"));
        assert_eq!(status_of(&object, "Missing"), None);
    }

    #[test]
    fn removes_by_type() {
        let mut list = vec![new("A", "True", "", ""), new("B", "True", "", "")];
        assert!(remove(&mut list, "A"));
        assert!(!remove(&mut list, "A"));
        assert!(find(&list, "B").is_some());
    }
}
