//! What every object goes through before it is stored: defaults, admission, validation.

use flybridge_machinery::{FieldError, Status, object};
use flybridge_schema::Schema;
use serde_json::Value;

use super::{Call, metadata, strategy};
use crate::registry::{Origin, custom};
use crate::request::Answer;

/// Which part of an object a write is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All but the status, where the status has its own subresource.
    Main,
    /// The status only.
    Status,
    /// Both, for writes of the server's own.
    Both,
}

/// Completes and checks an object; returns warnings. Nothing is stored.
pub(crate) fn run(
    call: &Call,
    old: Option<&Value>,
    new: &mut Value,
    part: Part,
    dry_run: bool,
) -> Answer<Vec<String>> {
    complete(call, old, new);
    strategy::admit_workload(call, old, new)?;
    let own = strategy::warnings(call, new);
    let gvk = call.definition.gvk();
    let attributes = call.attributes(&gvk, dry_run);
    let mut warnings = Vec::new();
    if part != Part::Status {
        warnings = call.server.inner.admission.mutate(&attributes, old, new);
        // Admission may have added fields that have defaults of their own.
        if let Some(schema) = &call.definition.schema {
            schema.default(new);
        }
    }
    let mut errors = metadata::validate(call, new, old);
    if let Some(schema) = &call.definition.schema
        && call.definition.origin != Origin::BuiltIn
    {
        errors.extend(custom_violations(schema, old, new));
    }
    errors.extend(custom::violations(call, old, new));
    if part != Part::Status {
        if call.definition.origin == Origin::BuiltIn {
            errors.extend(strategy::validate(call, old, new));
        }
        errors.extend(call.server.inner.admission.validate(&attributes, old, new));
    }
    refuse(call, new, &errors)?;
    warnings.extend(own);
    Ok(warnings)
}

/// What a custom resource violates, but for what it violated before in the same way.
fn custom_violations(schema: &Schema, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let mut errors = schema.validate(new);
    if errors.is_empty() {
        return errors;
    }
    if let Some(old) = old {
        let former = schema.validate(old);
        errors.retain(|error| {
            let known = former
                .iter()
                .any(|known| known.field == error.field && known.message == error.message);
            // Lists change as a whole, so what is in one is compared with all of it.
            let place = error.field.split('[').next().unwrap_or_default();
            !known || value_at(old, place) != value_at(new, place)
        });
    }
    errors
}

/// The value at a path such as `spec.mode`.
fn value_at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.')
        .try_fold(object, |value, step| value.get(step))
}

fn complete(call: &Call, old: Option<&Value>, new: &mut Value) {
    if let Some(schema) = &call.definition.schema {
        if call.definition.origin != Origin::BuiltIn {
            schema.prune(new);
        }
        schema.default(new);
    }
    if call.definition.origin == Origin::BuiltIn {
        strategy::complete(call, old, new);
    }
}

/// 422 if there are errors.
pub(crate) fn refuse(call: &Call, new: &Value, errors: &[FieldError]) -> Answer<()> {
    if errors.is_empty() {
        return Ok(());
    }
    let definition = &call.definition;
    let name = match object::name(new) {
        "" => object::generate_name(new).unwrap_or_default(),
        name => name,
    };
    Err(Box::new(Status::invalid(
        &definition.group,
        &definition.kind,
        name,
        errors,
    )))
}
