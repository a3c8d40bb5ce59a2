//! One complaint about one field, in upstream's wording.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a field was rejected; serialized as the `reason` of a status cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CauseType {
    /// The value names something that does not exist.
    #[serde(rename = "FieldValueNotFound")]
    NotFound,
    /// The value is missing.
    #[serde(rename = "FieldValueRequired")]
    Required,
    /// The value repeats another that must be unique.
    #[serde(rename = "FieldValueDuplicate")]
    Duplicate,
    /// The value breaks a rule.
    #[serde(rename = "FieldValueInvalid")]
    Invalid,
    /// The value is not one of a fixed set.
    #[serde(rename = "FieldValueNotSupported")]
    NotSupported,
    /// The value may not be set here or now.
    #[serde(rename = "FieldValueForbidden")]
    Forbidden,
    /// The value has too many bytes.
    #[serde(rename = "FieldValueTooLong")]
    TooLong,
    /// The list has too many items.
    #[serde(rename = "FieldValueTooMany")]
    TooMany,
    /// The server failed while validating.
    #[serde(rename = "InternalError")]
    Internal,
    /// The value has the wrong type.
    #[serde(rename = "FieldValueTypeInvalid")]
    TypeInvalid,
}

impl CauseType {
    /// The `reason` of a status cause.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "FieldValueNotFound",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
            Self::TypeInvalid => "FieldValueTypeInvalid",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
        }
    }
}

/// A rejected field: where, why, and the text that goes into the cause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldError {
    /// Path such as `spec.template.spec.containers[0].image`.
    pub field: String,
    /// Why it was rejected.
    pub kind: CauseType,
    /// The text without the path, such as `Required value: name is needed`.
    pub message: String,
}

impl FieldError {
    fn new(kind: CauseType, field: impl Into<String>, value: Option<&Value>, detail: &str) -> Self {
        let mut message = kind.words().to_owned();
        if let Some(value) = value {
            message.push_str(": ");
            message.push_str(&value.to_string());
        }
        if !detail.is_empty() {
            message.push_str(": ");
            message.push_str(detail);
        }
        Self {
            field: field.into(),
            kind,
            message,
        }
    }

    /// A missing value.
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        Self::new(CauseType::Required, field, None, detail)
    }

    /// A value that breaks a rule.
    pub fn invalid(field: impl Into<String>, value: impl Into<Value>, detail: &str) -> Self {
        Self::new(CauseType::Invalid, field, Some(&value.into()), detail)
    }

    /// A value of the wrong type.
    pub fn type_invalid(field: impl Into<String>, value: impl Into<Value>, detail: &str) -> Self {
        Self::new(CauseType::TypeInvalid, field, Some(&value.into()), detail)
    }

    /// A value that may not be set here or now.
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self::new(CauseType::Forbidden, field, None, detail)
    }

    /// A value outside a fixed set.
    pub fn not_supported(
        field: impl Into<String>,
        value: impl Into<Value>,
        supported: &[&str],
    ) -> Self {
        let quoted: Vec<String> = supported.iter().map(|value| format!("{value:?}")).collect();
        let detail = if quoted.is_empty() {
            String::new()
        } else {
            format!("supported values: {}", quoted.join(", "))
        };
        Self::new(CauseType::NotSupported, field, Some(&value.into()), &detail)
    }

    /// A value that repeats another.
    pub fn duplicate(field: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::new(CauseType::Duplicate, field, Some(&value.into()), "")
    }

    /// A value that names nothing.
    pub fn not_found(field: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::new(CauseType::NotFound, field, Some(&value.into()), "")
    }

    /// A value of more than `max` bytes.
    pub fn too_long(field: impl Into<String>, max: usize) -> Self {
        let detail = format!("may not be more than {max} bytes");
        Self::new(CauseType::TooLong, field, None, &detail)
    }

    /// A list of `actual` items where `max` are allowed.
    pub fn too_many(field: impl Into<String>, actual: usize, max: usize) -> Self {
        let detail = format!("must have at most {max} items");
        Self::new(CauseType::TooMany, field, Some(&actual.into()), &detail)
    }

    /// A failure of the server while validating.
    pub fn internal(field: impl Into<String>, detail: &str) -> Self {
        Self::new(CauseType::Internal, field, None, detail)
    }

    /// A change of a field that cannot change.
    pub fn immutable(field: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::invalid(field, value, "field is immutable")
    }

    /// Moves the complaint below a parent path.
    #[must_use]
    pub fn below(mut self, parent: &str) -> Self {
        let glue = if parent.is_empty() || self.field.is_empty() || self.field.starts_with('[') {
            ""
        } else {
            "."
        };
        self.field = format!("{parent}{glue}{}", self.field);
        self
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for FieldError {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_follow_upstream() {
        for (error, text) in [
            (FieldError::required("a.b", ""), "a.b: Required value"),
            (
                FieldError::invalid("a", -1, "must be positive"),
                "a: Invalid value: -1: must be positive",
            ),
            (
                FieldError::immutable("spec", "x"),
                "spec: Invalid value: \"x\": field is immutable",
            ),
            (
                FieldError::not_supported("t", "C", &["A", "B"]),
                "t: Unsupported value: \"C\": supported values: \"A\", \"B\"",
            ),
            (
                FieldError::too_long("n", 63),
                "n: Too long: may not be more than 63 bytes",
            ),
            (
                FieldError::too_many("n", 3, 2),
                "n: Too many: 3: must have at most 2 items",
            ),
            (
                FieldError::forbidden("n", "no").below("m[0]"),
                "m[0].n: Forbidden: no",
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
        assert_eq!(
            serde_json::to_value(CauseType::TooLong).unwrap(),
            json!("FieldValueTooLong")
        );
    }
}
