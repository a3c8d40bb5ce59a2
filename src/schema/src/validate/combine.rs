//! `allOf`, `anyOf`, `oneOf` and `not`.

use flybridge_machinery::FieldError;
use serde_json::Value;

use super::NO_FIELD;
use crate::Node;
use crate::graph::{NodeId, Rules};
use crate::path::Path;

/// Checks the combinations of a node.
pub(super) fn check(
    node: Node<'_>,
    rules: &Rules,
    value: &Value,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let complaints = |id: NodeId| {
        let mut found = Vec::new();
        super::check(node.resolve().at(id), value, path, &mut found);
        found
    };
    let complain = |errors: &mut Vec<FieldError>, detail: &str| {
        errors.push(FieldError::invalid(
            NO_FIELD,
            "",
            &format!("\"{path}\" {detail}"),
        ));
    };
    if !rules.any_of.is_empty() {
        let (valid, nearest) = judge(rules.any_of.iter().map(|id| complaints(*id)));
        if valid == 0 {
            complain(errors, "must validate at least one schema (anyOf)");
            errors.extend(nearest);
        }
    }
    if !rules.one_of.is_empty() {
        let (valid, nearest) = judge(rules.one_of.iter().map(|id| complaints(*id)));
        let rule = "must validate one and only one schema (oneOf).";
        if valid == 0 {
            complain(errors, &format!("{rule} Found none valid"));
            errors.extend(nearest);
        } else if valid > 1 {
            complain(errors, &format!("{rule} Found {valid} valid alternatives"));
        }
    }
    let mut broken = 0;
    for id in &rules.all_of {
        let found = complaints(*id);
        broken += usize::from(!found.is_empty());
        errors.extend(found);
    }
    if broken > 0 {
        let none = if broken == rules.all_of.len() {
            ". None validated"
        } else {
            ""
        };
        complain(
            errors,
            &format!("must validate all the schemas (allOf){none}"),
        );
    }
    if rules.not.is_some_and(|id| complaints(id).is_empty()) {
        complain(errors, "must not validate the schema (not)");
    }
}

/// How many alternatives are valid, and the complaints of the first that is not.
fn judge(alternatives: impl Iterator<Item = Vec<FieldError>>) -> (usize, Vec<FieldError>) {
    let mut valid = 0;
    let mut nearest = None;
    for complaints in alternatives {
        if complaints.is_empty() {
            valid += 1;
        } else if nearest.is_none() {
            nearest = Some(complaints);
        }
    }
    (valid, nearest.unwrap_or_default())
}
