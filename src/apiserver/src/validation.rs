//! Validation of built-in kinds. PLACEHOLDER until the real one lands (same signatures).
use flybridge_machinery::{FieldError, Gvk};
use serde_json::Value;

/// Violations of a new object.
pub fn validate_create(_gvk: &Gvk, _object: &Value) -> Vec<FieldError> {
    Vec::new()
}

/// Violations of a changed object.
pub fn validate_update(_gvk: &Gvk, _old: &Value, _new: &Value) -> Vec<FieldError> {
    Vec::new()
}
