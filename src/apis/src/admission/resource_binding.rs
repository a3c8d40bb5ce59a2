//! Validation of ResourceBinding.

use flybridge_machinery::FieldError;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use crate::annotations::DEPENDENCIES;

/// Complaints about a binding's metadata.
pub(super) fn validate(metadata: &ObjectMeta) -> Vec<FieldError> {
    let Some(text) = metadata
        .annotations
        .as_ref()
        .and_then(|annotations| annotations.get(DEPENDENCIES))
    else {
        return Vec::new();
    };
    match serde_json::from_str::<Vec<serde_json::Map<String, Value>>>(text) {
        Ok(_) => Vec::new(),
        Err(error) => vec![FieldError::invalid(
            format!("metadata.annotations[{DEPENDENCIES}]"),
            text.as_str(),
            &format!("must be a list of references: {error}"),
        )],
    }
}
