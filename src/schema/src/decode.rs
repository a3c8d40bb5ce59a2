//! Request bodies to values: JSON, YAML and Kubernetes protobuf.
//!
//! Text is read with its duplicate keys noted; with a schema the value is also held against the
//! types of the built-in kinds as Go's decoder does, and unknown fields are noted.

mod json;
mod protobuf;
mod tree;
mod yaml;

use serde_json::Value;

use crate::{DecodeError, Schema};

/// A body format this server reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `application/json`, and bodies without a content type.
    Json,
    /// `application/yaml`.
    Yaml,
    /// `application/vnd.kubernetes.protobuf`.
    Protobuf,
}

impl Format {
    /// Reads a `Content-Type`; parameters do not matter. `None` for formats not read here.
    pub fn from_content_type(content_type: &str) -> Option<Self> {
        let media = content_type.split(';').next().unwrap_or("").trim();
        match media.to_ascii_lowercase().as_str() {
            "" | "*/*" | "application/json" => Some(Self::Json),
            "application/yaml" | "application/x-yaml" | "text/yaml" => Some(Self::Yaml),
            "application/vnd.kubernetes.protobuf" => Some(Self::Protobuf),
            _ => None,
        }
    }
}

/// A decoded body and what a strict reader would hold against it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// The value, unknown fields included.
    pub value: Value,
    /// Fields the schema does not have, such as `spec.template.spec.containers[0].imag`.
    pub unknown: Vec<String>,
    /// Fields written more than once; the last one counts.
    pub duplicates: Vec<String>,
}

impl Decoded {
    /// The complaints of strict field validation, in upstream's words.
    pub fn complaints(&self) -> Vec<String> {
        let unknown = self
            .unknown
            .iter()
            .map(|path| format!("unknown field {path:?}"));
        let duplicate = self
            .duplicates
            .iter()
            .map(|path| format!("duplicate field {path:?}"));
        unknown.chain(duplicate).collect()
    }
}

/// Decodes a body. With a schema the types of built-in kinds are checked and unknown fields
/// noted.
///
/// # Errors
/// Fails when the content type is not read here, when the bytes are malformed, and when a
/// value has the wrong JSON kind for a built-in field.
pub fn decode(
    content_type: &str,
    bytes: &[u8],
    schema: Option<&Schema>,
) -> Result<Decoded, DecodeError> {
    let format = Format::from_content_type(content_type)
        .ok_or_else(|| DecodeError::Media(content_type.to_owned()))?;
    decode_as(format, bytes, schema)
}

/// Decodes a body of a known format; otherwise as [`decode`].
///
/// # Errors
/// As [`decode`].
pub fn decode_as(
    format: Format,
    bytes: &[u8],
    schema: Option<&Schema>,
) -> Result<Decoded, DecodeError> {
    let mut decoded = match format {
        Format::Json => json::decode(bytes)?,
        Format::Yaml => yaml::decode(bytes)?,
        Format::Protobuf => Decoded {
            value: protobuf::decode(bytes)?,
            ..Decoded::default()
        },
    };
    if let Some(schema) = schema {
        schema.check_types(&decoded.value)?;
        decoded.unknown = schema.unknown_fields(&decoded.value);
    }
    whole_numbers(&mut decoded.value);
    Ok(decoded)
}

/// Writes floats without a fraction as integers, as Go prints them.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap_or(f64::NAN);
            if let Some(integer) = whole(float) {
                *value = integer.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the bound keeps the value inside 53 bits"
)]
fn whole(float: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (float.fract() == 0.0 && float.abs() < EXACT).then_some(float as i64)
}
