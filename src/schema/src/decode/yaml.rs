//! YAML bodies, read as Kubernetes reads them: YAML 1.1 scalars, then JSON.

use std::cell::RefCell;

use serde::de::DeserializeSeed;
use serde_saphyr::{DuplicateKeyPolicy, Error};

use super::Decoded;
use super::tree::Tree;
use crate::DecodeError;
use crate::path::Path;

/// Reads one YAML document.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let duplicates = RefCell::new(Vec::new());
    let options = serde_saphyr::options! {
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        legacy_octal_numbers: true,
        strict_booleans: false,
        with_snippet: false,
    };
    let value =
        serde_saphyr::with_deserializer_from_slice_with_options(bytes, options, |deserializer| {
            Tree::new(&Path::Root, &duplicates).deserialize(deserializer)
        })
        .map_err(|error| malformed(&error))?;
    Ok(Decoded {
        value,
        unknown: Vec::new(),
        duplicates: duplicates.into_inner(),
    })
}

fn malformed(error: &Error) -> DecodeError {
    let at = error.location();
    DecodeError::Yaml {
        message: error.to_string(),
        line: at.map_or(0, |at| usize::try_from(at.line()).unwrap_or(0)),
        column: at.map_or(0, |at| usize::try_from(at.column()).unwrap_or(0)),
    }
}
