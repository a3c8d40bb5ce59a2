//! The hook for rules that the embedding program adds: Karmada's own, quotas, policies.

use flybridge_machinery::{FieldError, Gvk};
use serde_json::Value;

use crate::request::User;

/// What is being done to an object.
#[derive(Clone, Debug)]
pub struct Attributes<'a> {
    /// The kind.
    pub gvk: &'a Gvk,
    /// The namespace; empty beside namespaces.
    pub namespace: &'a str,
    /// Who does it.
    pub user: &'a User,
    /// Nothing will be stored.
    pub dry_run: bool,
}

/// Rules beside the built-in ones. Pure: the same input gives the same answer.
pub trait Admission: Send + Sync {
    /// Changes an object that is to be written and returns warnings; `old` is the stored one.
    fn mutate(
        &self,
        attributes: &Attributes<'_>,
        old: Option<&Value>,
        new: &mut Value,
    ) -> Vec<String>;

    /// Violations of an object that is to be written, after defaulting.
    fn validate(
        &self,
        attributes: &Attributes<'_>,
        old: Option<&Value>,
        new: &Value,
    ) -> Vec<FieldError>;

    /// Why an object may not be deleted, if so.
    fn refuse_deletion(&self, attributes: &Attributes<'_>, object: &Value) -> Option<String>;
}

/// No further rules.
#[derive(Clone, Copy, Debug)]
pub struct NoAdmission;

impl Admission for NoAdmission {
    fn mutate(&self, _: &Attributes<'_>, _: Option<&Value>, _: &mut Value) -> Vec<String> {
        Vec::new()
    }

    fn validate(&self, _: &Attributes<'_>, _: Option<&Value>, _: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    fn refuse_deletion(&self, _: &Attributes<'_>, _: &Value) -> Option<String> {
        None
    }
}
