//! JSON bodies.

use std::cell::RefCell;

use serde::de::DeserializeSeed;

use super::Decoded;
use super::tree::Tree;
use crate::DecodeError;
use crate::path::Path;

/// Reads one JSON value.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let duplicates = RefCell::new(Vec::new());
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Tree::new(&Path::Root, &duplicates)
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| malformed(&error))?;
    Ok(Decoded {
        value,
        unknown: Vec::new(),
        duplicates: duplicates.into_inner(),
    })
}

fn malformed(error: &serde_json::Error) -> DecodeError {
    let text = error.to_string();
    let message = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(message, _)| message);
    DecodeError::Json {
        message: message.to_owned(),
        line: error.line(),
        column: error.column(),
    }
}
