//! Edits inside a field that holds JSON or YAML text.

use flybridge_apis::override_policy::{FieldOverrider, FieldPatchOperation};
use serde_json::Value;

use super::{operation, patched};
use crate::{Error, Result};

/// Parses the text at the field, applies the operations and puts the text back.
pub(super) fn apply(object: &mut Value, overrider: &FieldOverrider) -> Result<()> {
    let path = &overrider.field_path;
    let slot = object.pointer_mut(path);
    let slot = slot.ok_or_else(|| Error::invalid(format!("there is nothing at {path}")))?;
    let Value::String(text) = slot else {
        return Err(Error::invalid(format!("what is at {path} is no text")));
    };
    let edited = if overrider.yaml.is_empty() {
        let mut document: Value =
            serde_json::from_str(text).map_err(|error| Error::invalid(error.to_string()))?;
        edit(&mut document, &overrider.json)?;
        document.to_string()
    } else {
        let mut document: Value =
            serde_saphyr::from_str(text).map_err(|error| Error::invalid(error.to_string()))?;
        edit(&mut document, &overrider.yaml)?;
        serde_saphyr::to_string(&document).map_err(|error| Error::invalid(error.to_string()))?
    };
    *slot = Value::String(edited);
    Ok(())
}

fn edit(document: &mut Value, operations: &[FieldPatchOperation]) -> Result<()> {
    let operations = operations
        .iter()
        .map(|o| operation(o.operator, &o.sub_path, o.value.as_ref()));
    patched(document, operations.collect())
}
