//! Bounds of numbers, and whether they fit the width their format promises.

use flybridge_machinery::FieldError;
use serde_json::Value;

use super::{NO_FIELD, invalid};
use crate::Node;
use crate::graph::{Rules, Type};
use crate::path::Path;

/// Whether a number fits its format; upstream says so without a field.
pub(super) fn check_range(
    node: Node<'_>,
    value: &Value,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    if node.kind() != Type::Integer || !value.is_number() {
        return;
    }
    let whole = value.as_i64().or_else(|| whole(value.as_f64()?));
    let fits = match node.format() {
        Some("int32") => whole.is_some_and(|number| i32::try_from(number).is_ok()),
        Some("uint32") => whole.is_some_and(|number| u32::try_from(number).is_ok()),
        Some("uint64") => value.is_u64() || whole.is_some_and(|number| number >= 0),
        _ => whole.is_some(),
    };
    if !fits {
        let format = node.format().map_or_else(
            || "(default format)".to_owned(),
            |format| format!("with format {format}"),
        );
        let detail = format!("Checked value must be of type integer {format} in {path}");
        errors.push(FieldError::invalid(NO_FIELD, "", &detail));
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the bound keeps the value inside 53 bits"
)]
fn whole(float: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (float.fract() == 0.0 && float.abs() < EXACT).then_some(float as i64)
}

/// Checks bounds and divisors.
pub(super) fn check_rules(
    rules: &Rules,
    value: &Value,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let number = value.as_f64().unwrap_or(f64::NAN);
    let mut complain = |detail: String| errors.push(invalid(path, value.clone(), &detail));
    if let Some(factor) = rules.multiple_of.filter(|factor| *factor != 0.0)
        && (number / factor).fract() != 0.0
    {
        complain(format!("should be a multiple of {factor}"));
    }
    if let Some(most) = rules.maximum {
        if rules.exclusive_maximum && number >= most {
            complain(format!("should be less than {most}"));
        } else if number > most {
            complain(format!("should be less than or equal to {most}"));
        }
    }
    if let Some(least) = rules.minimum {
        if rules.exclusive_minimum && number <= least {
            complain(format!("should be greater than {least}"));
        } else if number < least {
            complain(format!("should be greater than or equal to {least}"));
        }
    }
}
