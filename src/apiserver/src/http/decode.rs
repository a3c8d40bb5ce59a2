//! Request bodies: size limit, formats, and how strictly unknown fields are taken.

use bytes::Bytes;
use flybridge_machinery::{Reason, Status};
use flybridge_schema::decode::Format;
use flybridge_schema::{DecodeError, Schema};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;

use crate::body::ApiBody;
use crate::options::FieldValidation;
use crate::request::Answer;
use crate::rest::shape;

/// The largest request body, in bytes.
pub(crate) const MAX_BODY: usize = 3 * 1024 * 1024;

/// Reads a body to its end.
pub(crate) async fn read(body: ApiBody) -> Answer<Bytes> {
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            let why = format!("limit is {MAX_BODY}");
            Err(Box::new(Status::request_entity_too_large(&why)))
        }
        Err(error) => Err(Box::new(Status::bad_request(format!(
            "the body broke off: {error}"
        )))),
    }
}

/// Decodes an object and judges its unknown and duplicate fields; returns warnings.
pub(crate) fn object(
    content_type: &str,
    bytes: &[u8],
    schema: Option<&Schema>,
    validation: FieldValidation,
) -> Answer<(Value, Vec<String>)> {
    if bytes.is_empty() {
        return Err(Box::new(Status::bad_request(
            "the body of the request was empty",
        )));
    }
    let bytes = first_document(content_type, bytes);
    let decoded =
        flybridge_schema::decode(content_type, bytes, schema).map_err(|error| failure(&error))?;
    let complaints = decoded.complaints();
    let warnings = judge(complaints, validation).map_err(|text| {
        Box::new(Status::bad_request(format!(
            "strict decoding error: {text}"
        )))
    })?;
    let mut value = decoded.value;
    if let Some(schema) = schema {
        if !decoded.unknown.is_empty() {
            schema.prune(&mut value);
        }
        shape::settle(schema, &mut value).map_err(|text| Box::new(Status::bad_request(text)))?;
    }
    Ok((value, warnings))
}

/// Of several YAML documents upstream reads the first.
fn first_document<'a>(content_type: &str, bytes: &'a [u8]) -> &'a [u8] {
    const MARK: &[u8] = b"\n---";
    if Format::from_content_type(content_type) != Some(Format::Yaml) {
        return bytes;
    }
    let ends = bytes
        .windows(MARK.len())
        .enumerate()
        .filter(|(_, window)| *window == MARK);
    let is_line = |at: usize| {
        matches!(
            bytes.get(at + MARK.len()),
            None | Some(b'\n' | b'\r' | b' ')
        )
    };
    match ends.map(|(at, _)| at).find(|at| {
        is_line(*at)
            && bytes[..*at]
                .iter()
                .any(|byte| !byte.is_ascii_whitespace() && *byte != b'-')
    }) {
        Some(at) => &bytes[..at],
        None => bytes,
    }
}

/// What complaints become: warnings, nothing, or a refusal with all of them.
pub(crate) fn judge(
    complaints: Vec<String>,
    validation: FieldValidation,
) -> Result<Vec<String>, String> {
    match validation {
        FieldValidation::Ignore => Ok(Vec::new()),
        FieldValidation::Warn => Ok(complaints),
        FieldValidation::Strict if complaints.is_empty() => Ok(Vec::new()),
        FieldValidation::Strict => Err(complaints.join(", ")),
    }
}

/// A decoding failure as clients see it.
pub(crate) fn failure(error: &DecodeError) -> Box<Status> {
    match error {
        DecodeError::Media(_) => Box::new(Status::failure(
            Reason::UnsupportedMediaType,
            error.to_string(),
        )),
        _ => Box::new(Status::bad_request(error.to_string())),
    }
}
