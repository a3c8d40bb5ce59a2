//! Stand-in until the schema crate reads CRD schemas. TO BE REMOVED.
use flybridge_machinery::FieldError;
use flybridge_schema::Schema;
use serde_json::Value;

pub(crate) trait Pending: Sized {
    fn from_crd_pending(schema: &Value) -> Result<Option<Self>, Vec<FieldError>>;
    fn validate_pending(&self, object: &Value) -> Vec<FieldError>;
}

impl Pending for Schema {
    fn from_crd_pending(_schema: &Value) -> Result<Option<Self>, Vec<FieldError>> {
        Ok(None)
    }
    fn validate_pending(&self, _object: &Value) -> Vec<FieldError> {
        Vec::new()
    }
}
