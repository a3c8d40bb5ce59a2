//! JSON pointers with two additions: `[a.b=v]` finds a list item, `#` is a length.

use serde_json::{Value, json};

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Splits at slashes outside brackets, so that a value in `[...]` may hold one.
fn tokens(pointer: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut depth = 0;
    for c in pointer.chars() {
        match c {
            '/' if depth == 0 => {
                found.push(String::new());
                continue;
            }
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if let Some(last) = found.last_mut() {
            last.push(c);
        }
    }
    found
}

/// The value at a pointer; null if there is none.
pub(crate) fn at(value: &Value, pointer: &str) -> Value {
    let mut value = value.clone();
    for token in tokens(pointer) {
        value = step(&value, &token);
    }
    value
}

fn step(value: &Value, token: &str) -> Value {
    if token == "#" {
        let fields = || value.as_object().map(serde_json::Map::len);
        return value
            .as_array()
            .map(Vec::len)
            .or_else(fields)
            .map_or(Value::Null, |length| json!(length));
    }
    if let Some(test) = token
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        let Some((path, wanted)) = test.split_once('=') else {
            return Value::Null;
        };
        let matches = |item: &&Value| {
            let found = path.split('.').fold(*item, |value, name| &value[name]);
            found.as_str() == Some(wanted)
        };
        return value
            .as_array()
            .into_iter()
            .flatten()
            .find(matches)
            .cloned()
            .unwrap_or_default();
    }
    match value {
        Value::Array(items) => token
            .parse::<usize>()
            .ok()
            .and_then(|index| items.get(index))
            .cloned()
            .unwrap_or_default(),
        other => other.get(unescape(token)).cloned().unwrap_or_default(),
    }
}

/// Removes what is at a plain pointer.
pub(crate) fn remove(value: &mut Value, pointer: &str) {
    let mut path = tokens(pointer);
    let Some(last) = path.pop() else { return };
    let mut place = value;
    for token in path {
        let next = match place {
            Value::Array(items) => token
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get_mut(index)),
            other => other.get_mut(unescape(&token)),
        };
        let Some(next) = next else { return };
        place = next;
    }
    if let Some(fields) = place.as_object_mut() {
        fields.remove(&unescape(&last));
    }
}
