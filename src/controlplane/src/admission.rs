//! Karmada's own admission rules behind the API server's hook.

use flybridge_apis::admission as rules;
use flybridge_apiserver::{Admission, Attributes};
use flybridge_base::{Clock, Ids};
use flybridge_machinery::FieldError;
use serde_json::Value;

/// Defaulting, validation and deletion protection of the Karmada kinds.
#[derive(Debug)]
pub struct KarmadaAdmission {
    clock: Clock,
    ids: Ids,
}

impl KarmadaAdmission {
    /// Rules that stamp with `clock` and label with `ids`.
    pub fn new(clock: Clock, ids: Ids) -> Self {
        Self { clock, ids }
    }
}

impl Admission for KarmadaAdmission {
    fn mutate(
        &self,
        attributes: &Attributes<'_>,
        old: Option<&Value>,
        new: &mut Value,
    ) -> Vec<String> {
        rules::mutate(attributes.gvk, old, new, &self.ids, self.clock.now())
    }

    fn validate(
        &self,
        attributes: &Attributes<'_>,
        old: Option<&Value>,
        new: &Value,
    ) -> Vec<FieldError> {
        rules::validate(attributes.gvk, old, new)
    }

    fn refuse_deletion(&self, _: &Attributes<'_>, object: &Value) -> Option<String> {
        rules::deletion_denied(object)
    }
}
