//! Label selectors, in kubectl's text form and as the `LabelSelector` object.

mod parse;

use std::fmt;

use serde_json::Value;

use crate::error::Error;
use crate::field_error::FieldError;
use crate::{names, object};

/// How a label must compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `=`.
    Equals,
    /// `==`.
    DoubleEquals,
    /// `!=`.
    NotEquals,
    /// `in (…)`.
    In,
    /// `notin (…)`.
    NotIn,
    /// The key alone.
    Exists,
    /// `!` and the key.
    DoesNotExist,
    /// `>`, on integers.
    GreaterThan,
    /// `<`, on integers.
    LessThan,
}

/// One term of a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    key: String,
    operator: Operator,
    /// Ordered, without repetition.
    values: Vec<String>,
}

impl Requirement {
    /// Makes a term and holds it to the rules of label names.
    ///
    /// # Errors
    /// Fails with [`Error::LabelRequirement`] when the key or a value is no label key or value, or
    /// the number of values does not go with the operator.
    pub fn new(
        key: impl Into<String>,
        operator: Operator,
        values: impl IntoIterator<Item = String>,
    ) -> Result<Self, Error> {
        let key = key.into();
        let mut values: Vec<String> = values.into_iter().collect();
        values.sort_unstable();
        values.dedup();
        check_key(&key)?;
        check_count(operator, &values)?;
        for (index, value) in values.iter().enumerate() {
            let complaints = names::label_value(value);
            if !complaints.is_empty() {
                let field = format!("values[{index}][{key}]");
                return Err(requirement(&FieldError::invalid(
                    field,
                    value.as_str(),
                    &complaints.join("; "),
                )));
            }
        }
        Ok(Self {
            key,
            operator,
            values,
        })
    }

    /// The label key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// How the label must compare.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// The values, ordered.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Whether a label value (or its absence) satisfies the term.
    pub fn matches(&self, value: Option<&str>) -> bool {
        let contains = |value: &str| self.values.iter().any(|allowed| allowed == value);
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => value.is_some_and(contains),
            Operator::NotIn | Operator::NotEquals => !value.is_some_and(contains),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan => self.compare(value, |label, bound| label > bound),
            Operator::LessThan => self.compare(value, |label, bound| label < bound),
        }
    }

    fn compare(&self, value: Option<&str>, holds: fn(i64, i64) -> bool) -> bool {
        let label = value.and_then(|value| value.parse().ok());
        let bound = self.values.first().and_then(|bound| bound.parse().ok());
        matches!((label, bound), (Some(label), Some(bound)) if holds(label, bound))
    }
}

fn requirement(error: &FieldError) -> Error {
    Error::LabelRequirement(error.to_string())
}

fn check_key(key: &str) -> Result<(), Error> {
    let complaints = names::label_key(key);
    if complaints.is_empty() {
        return Ok(());
    }
    Err(requirement(&FieldError::invalid(
        "<nil>",
        key,
        &complaints.join("; "),
    )))
}

fn check_count(operator: Operator, values: &[String]) -> Result<(), Error> {
    let complain = |detail: &str| {
        let list: Value = values.into();
        Err(requirement(&FieldError::invalid("values", list, detail)))
    };
    match operator {
        Operator::In | Operator::NotIn if values.is_empty() => {
            complain("for 'in', 'notin' operators, values set can't be empty")
        }
        Operator::Equals | Operator::DoubleEquals | Operator::NotEquals if values.len() != 1 => {
            complain("exact-match compatibility requires one single value")
        }
        Operator::Exists | Operator::DoesNotExist if !values.is_empty() => {
            complain("values set must be empty for exists and does not exist")
        }
        Operator::GreaterThan | Operator::LessThan => match values {
            [bound] if bound.parse::<i64>().is_ok() => Ok(()),
            [bound] => Err(requirement(&FieldError::invalid(
                "values[0]",
                bound.as_str(),
                "for 'Gt', 'Lt' operators, the value must be an integer",
            ))),
            _ => complain("for 'Gt', 'Lt' operators, exactly one value is required"),
        },
        _ => Ok(()),
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = || self.values.join(",");
        match self.operator {
            Operator::Exists => f.write_str(&self.key),
            Operator::DoesNotExist => write!(f, "!{}", self.key),
            Operator::Equals => write!(f, "{}={}", self.key, list()),
            Operator::DoubleEquals => write!(f, "{}=={}", self.key, list()),
            Operator::NotEquals => write!(f, "{}!={}", self.key, list()),
            Operator::In => write!(f, "{} in ({})", self.key, list()),
            Operator::NotIn => write!(f, "{} notin ({})", self.key, list()),
            Operator::GreaterThan => write!(f, "{}>{}", self.key, list()),
            Operator::LessThan => write!(f, "{}<{}", self.key, list()),
        }
    }
}

/// A conjunction of label requirements, or nothing at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// `None` selects nothing.
    requirements: Option<Vec<Requirement>>,
}

impl Default for Selector {
    fn default() -> Self {
        Self::everything()
    }
}

impl Selector {
    /// Selects every object.
    pub fn everything() -> Self {
        Self {
            requirements: Some(Vec::new()),
        }
    }

    /// Selects no object.
    pub fn nothing() -> Self {
        Self { requirements: None }
    }

    /// Selects what meets all requirements, ordered by key.
    pub fn all_of(mut requirements: Vec<Requirement>) -> Self {
        requirements.sort_by(|left, right| left.key.cmp(&right.key));
        Self {
            requirements: Some(requirements),
        }
    }

    /// Selects what carries all these labels, without holding them to the rules of label names.
    pub fn from_labels<'a>(labels: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let requirements = labels.into_iter().map(|(key, value)| Requirement {
            key: key.to_owned(),
            operator: Operator::Equals,
            values: vec![value.to_owned()],
        });
        Self::all_of(requirements.collect())
    }

    /// Reads kubectl's text form: `app=web,tier in (a, b),!canary,rank>3`.
    ///
    /// # Errors
    /// Fails with [`Error::LabelRequirement`] or [`Error::LabelSelector`], in upstream's wording.
    pub fn parse(text: &str) -> Result<Self, Error> {
        parse::parse(text).map(Self::all_of)
    }

    /// Reads a `LabelSelector` object (`matchLabels`, `matchExpressions`).
    ///
    /// Null selects nothing, an empty object everything.
    ///
    /// # Errors
    /// Fails when a key, a value or an operator breaks the rules.
    pub fn from_value(selector: &Value) -> Result<Self, Error> {
        if selector.is_null() {
            return Ok(Self::nothing());
        }
        let mut requirements = Vec::new();
        let labels = selector.get("matchLabels").and_then(Value::as_object);
        for (key, value) in labels.into_iter().flatten() {
            let value = value.as_str().unwrap_or_default().to_owned();
            requirements.push(Requirement::new(key.as_str(), Operator::Equals, [value])?);
        }
        for expression in object::path_list(selector, &["matchExpressions"]) {
            let operator = match object::path_str(expression, &["operator"]).unwrap_or_default() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => {
                    return Err(Error::LabelSelector(format!(
                        "{other:?} is not a valid label selector operator"
                    )));
                }
            };
            let key = object::path_str(expression, &["key"]).unwrap_or_default();
            let values = object::path_list(expression, &["values"])
                .iter()
                .filter_map(|value| value.as_str().map(str::to_owned));
            requirements.push(Requirement::new(key, operator, values)?);
        }
        Ok(Self::all_of(requirements))
    }

    /// The requirements; empty for both everything and nothing.
    pub fn requirements(&self) -> &[Requirement] {
        self.requirements.as_deref().unwrap_or_default()
    }

    /// Whether every object is selected.
    pub fn is_everything(&self) -> bool {
        self.requirements.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether labels match, given by key.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements
            .as_ref()
            .is_some_and(|terms| terms.iter().all(|term| term.matches(label(&term.key))))
    }

    /// Whether an object's labels match.
    pub fn matches_object(&self, object: &Value) -> bool {
        self.matches(|key| object::label(object, key))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.requirements().iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{term}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_selects_nothing_and_empty_everything() {
        let object = json!({"metadata": {"labels": {"a": "1"}}});
        assert!(
            !Selector::from_value(&Value::Null)
                .unwrap()
                .matches_object(&object)
        );
        assert!(
            Selector::from_value(&json!({}))
                .unwrap()
                .matches_object(&object)
        );
        assert!(Selector::from_value(&json!({})).unwrap().is_everything());
    }

    #[test]
    fn label_selector_objects_read_like_their_text() {
        let selector = Selector::from_value(&json!({
            "matchLabels": {"b": "2", "a": "1"},
            "matchExpressions": [
                {"key": "c", "operator": "NotIn", "values": ["y", "x"]},
                {"key": "d", "operator": "Exists"}
            ]
        }));
        assert_eq!(selector.unwrap().to_string(), "a=1,b=2,c notin (x,y),d");
        for bad in [
            json!({"matchExpressions": [{"key": "a", "operator": "in", "values": ["x"]}]}),
            json!({"matchExpressions": [{"key": "a", "operator": "In"}]}),
            json!({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]}),
            json!({"matchLabels": {"a b": "x"}}),
        ] {
            assert!(Selector::from_value(&bad).is_err(), "{bad}");
        }
    }
}
