//! Answers: bytes with their headers, failures as Status objects.

use bytes::Bytes;
use flybridge_machinery::Status;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WARNING};
use http::{HeaderValue, Response, StatusCode};
use serde_json::Value;

use crate::body::ApiBody;
use crate::http::negotiate::Encoding;

const JSON: &str = "application/json";
const YAML: &str = "application/yaml";

/// An answer with a body of one piece.
pub(crate) fn bytes(
    code: StatusCode,
    content_type: &str,
    bytes: impl Into<Bytes>,
) -> Response<ApiBody> {
    let mut response = Response::new(ApiBody::full(bytes));
    *response.status_mut() = code;
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(content_type) {
        headers.insert(CONTENT_TYPE, value);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    response
}

/// An answer that is JSON already, re-encoded if the client wants YAML.
pub(crate) fn json(code: StatusCode, json: Bytes, encoding: Encoding) -> Response<ApiBody> {
    if encoding == Encoding::Json {
        return bytes(code, JSON, json);
    }
    let yaml = serde_json::from_slice::<Value>(&json)
        .ok()
        .and_then(|value| serde_saphyr::to_string(&value).ok());
    match yaml {
        Some(text) => bytes(code, YAML, text),
        None => bytes(code, JSON, json),
    }
}

/// A failure.
pub(crate) fn failure(status: &Status) -> Response<ApiBody> {
    let code = StatusCode::from_u16(status.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = serde_json::to_vec(status).unwrap_or_default();
    let mut response = bytes(code, JSON, body);
    let retry = status
        .details
        .as_ref()
        .map_or(0, |details| details.retry_after_seconds);
    if retry > 0 {
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(retry));
    }
    response
}

/// Plain text.
pub(crate) fn text(code: StatusCode, text: impl Into<Bytes>) -> Response<ApiBody> {
    bytes(code, "text/plain; charset=utf-8", text)
}

/// Adds a Warning header for each text.
pub(crate) fn warn(response: &mut Response<ApiBody>, warnings: &[String]) {
    for warning in warnings {
        let clean: String = warning
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let quoted = clean.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_bytes(format!("299 - \"{quoted}\"").as_bytes()) {
            response.headers_mut().append(WARNING, value);
        }
    }
}
