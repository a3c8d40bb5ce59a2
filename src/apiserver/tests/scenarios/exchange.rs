//! One recorded request, sent to ours.

use std::collections::BTreeMap;

use bytes::Bytes;
use flybridge_apiserver::{ApiBody, ApiServer, User};
use http::{Request, Response};
use http_body_util::BodyExt;
use serde_json::{Value, json};

/// Variables of a scenario, by name.
pub(crate) type Variables = BTreeMap<String, String>;

/// A finished answer.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Bytes,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// Replaces `${NAME}` in every text of a value, keys included.
pub(crate) fn substitute(value: &Value, variables: &Variables) -> Value {
    match value {
        Value::String(text) => Value::String(substitute_text(text, variables)),
        Value::Array(items) => items
            .iter()
            .map(|item| substitute(item, variables))
            .collect(),
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(key, value)| {
                    (
                        substitute_text(key, variables),
                        substitute(value, variables),
                    )
                })
                .collect(),
        ),
        other => other.clone(),
    }
}

fn substitute_text(text: &str, variables: &Variables) -> String {
    let mut text = text.to_owned();
    for (name, value) in variables {
        text = text.replace(&format!("${{{name}}}"), value);
    }
    text
}

fn user(wanted: &Value) -> Result<User, String> {
    match wanted.as_str() {
        None if wanted.is_null() => Ok(User {
            name: "admin".to_owned(),
            groups: vec![
                "system:masters".to_owned(),
                "system:authenticated".to_owned(),
            ],
        }),
        Some("alice") => Ok(User {
            name: "alice".to_owned(),
            groups: vec!["dev".to_owned(), "system:authenticated".to_owned()],
        }),
        Some("anonymous") => Ok(User::anonymous()),
        _ => Err(format!("requests as {wanted} are not replayed")),
    }
}

fn body_of(request: &Value) -> Result<Vec<u8>, String> {
    if let Some(text) = request["bodyText"].as_str() {
        return Ok(text.as_bytes().to_vec());
    }
    if let Some(text) = request["bodyGenerator"].as_str() {
        return generated(text);
    }
    Ok(if request["body"].is_null() {
        Vec::new()
    } else {
        request["body"].to_string().into_bytes()
    })
}

/// `ConfigMap NAME with data.d = N times "x"` and `ConfigMap NAME, data {..}, annotation a = N times "x"`.
fn generated(text: &str) -> Result<Vec<u8>, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let name = words
        .get(1)
        .map(|word| word.trim_end_matches(','))
        .unwrap_or_default();
    let count = words.iter().find_map(|word| word.parse::<usize>().ok());
    let filler = "x".repeat(count.ok_or_else(|| format!("no count in {text:?}"))?);
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    if text.contains("annotation") {
        object["metadata"]["annotations"] = json!({"a": filler});
        object["data"] = json!({"k1": "v1"});
    } else {
        object["data"] = json!({"d": filler});
    }
    Ok(object.to_string().into_bytes())
}

/// Sends a request and returns the answer with its body still to come.
pub(crate) async fn open(server: &ApiServer, request: &Value) -> Result<Response<ApiBody>, String> {
    if request["headers"].as_object().is_some_and(|headers| {
        headers
            .keys()
            .any(|name| name.starts_with("Impersonate") || name == "Authorization")
    }) {
        return Err("requests with credentials are not replayed".to_owned());
    }
    let user = user(&request["as"])?;
    let path = request["path"].as_str().unwrap_or_default();
    let mut builder = Request::builder()
        .method(request["method"].as_str().unwrap_or_default())
        .uri(path)
        .header("User-Agent", "vectest/1.0 (oracle)");
    for (name, value) in request["headers"].as_object().into_iter().flatten() {
        builder = builder.header(name, value.as_str().unwrap_or_default());
    }
    if request["bodyGenerator"].is_string() {
        builder = builder.header("Content-Type", "application/json");
    }
    let body = ApiBody::full(body_of(request)?);
    let request = builder
        .body(body)
        .map_err(|error| format!("{path}: {error}"))?;
    Ok(server.answer(user, request).await)
}

/// Sends a request and reads the whole answer.
pub(crate) async fn send(server: &ApiServer, request: &Value) -> Result<Answered, String> {
    let response = open(server, request).await?;
    let (parts, body) = response.into_parts();
    let body = body
        .collect()
        .await
        .map_err(|error| error.to_string())?
        .to_bytes();
    Ok(Answered {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body,
    })
}

/// The events of a watch body.
pub(crate) fn events(body: &[u8]) -> Vec<Value> {
    let lines = body
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).unwrap_or(Value::Null))
        .collect()
}
