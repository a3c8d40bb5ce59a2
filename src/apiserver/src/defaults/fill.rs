//! Filling absent fields, by path.

use serde_json::{Map, Value};

/// The value an absent field gets.
#[derive(Clone, Copy)]
pub(super) enum Fill {
    /// A text; an empty text counts as absent.
    Text(&'static str),
    /// The empty text, where Go writes it.
    EmptyText,
    /// A number.
    Int(i64),
    /// A number; zero counts as absent.
    NonZero(i64),
    /// A boolean.
    Bool(bool),
    /// An empty map.
    Map,
    /// Null, where Go writes a missing list or time.
    Null,
    /// A list of texts.
    Texts(&'static [&'static str]),
}

impl Fill {
    fn is_absent(self, value: Option<&Value>) -> bool {
        match (self, value) {
            (_, None) => true,
            (Self::Null, Some(_)) => false,
            (_, Some(Value::Null)) => true,
            (Self::Text(_), Some(Value::String(text))) => text.is_empty(),
            (Self::NonZero(_), Some(value)) => value.as_i64() == Some(0),
            (Self::Texts(_), Some(Value::Array(items))) => items.is_empty(),
            _ => false,
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Text(text) => text.into(),
            Self::EmptyText => "".into(),
            Self::Int(number) | Self::NonZero(number) => number.into(),
            Self::Bool(bool) => bool.into(),
            Self::Map => Value::Object(Map::new()),
            Self::Null => Value::Null,
            Self::Texts(texts) => texts.iter().copied().collect(),
        }
    }
}

/// Visits every value a path leads to: keys joined by dots, `[]` after a key for each item.
pub(super) fn visit(value: &mut Value, path: &str, action: &mut dyn FnMut(&mut Value)) {
    let Some((step, rest)) = path
        .split_once('.')
        .or(Some((path, "")))
        .filter(|_| !path.is_empty())
    else {
        return action(value);
    };
    let (key, each) = step
        .strip_suffix("[]")
        .map_or((step, false), |key| (key, true));
    let Some(next) = value.get_mut(key) else {
        return;
    };
    match next {
        Value::Array(items) if each => {
            for item in items {
                visit(item, rest, action);
            }
        }
        next if !each => visit(next, rest, action),
        _ => {}
    }
}

/// Fills one field of each map a path leads to; missing maps on the way stay missing.
pub(super) fn fill(value: &mut Value, path: &str, fill: Fill) {
    let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
    visit(value, parent, &mut |map| {
        if let Some(map) = map.as_object_mut()
            && fill.is_absent(map.get(key))
        {
            map.insert(key.to_owned(), fill.value());
        }
    });
}

/// Fills several fields.
pub(super) fn fill_all(value: &mut Value, rules: &[(&str, Fill)]) {
    for (path, rule) in rules {
        fill(value, path, *rule);
    }
}

/// Removes a field of each map a path leads to, where its value is empty.
pub(super) fn omit_empty(value: &mut Value, path: &str) {
    let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
    visit(value, parent, &mut |map| {
        if map.get(key).is_some_and(is_empty)
            && let Some(map) = map.as_object_mut()
        {
            map.remove(key);
        }
    });
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Bool(true) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fills_only_what_is_absent() {
        let mut value = json!({"l": [{"a": 0, "t": ""}, {}], "m": {}});
        fill_all(
            &mut value,
            &[
                ("l[].a", Fill::Int(1)),
                ("l[].t", Fill::Text("x")),
                ("m.deep", Fill::Map),
                ("none.b", Fill::Int(1)),
            ],
        );
        assert_eq!(
            value,
            json!({"l": [{"a": 0, "t": "x"}, {"a": 1, "t": "x"}], "m": {"deep": {}}})
        );
        fill(&mut value, "l[].a", Fill::NonZero(7));
        assert_eq!(value["l"][0]["a"], 7);
        omit_empty(&mut value, "m.deep");
        assert_eq!(value["m"], json!({}));
    }
}
