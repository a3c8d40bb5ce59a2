//! Label selectors on typed objects, without allocation.

use flybridge_machinery::names;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

/// Whether every requirement of the selector is well formed; one that is not matches nothing.
pub fn selector_is_valid(selector: &LabelSelector) -> bool {
    let pairs_fit = selector.match_labels.as_ref().is_none_or(|pairs| {
        pairs
            .iter()
            .all(|(key, value)| key_fits(key) && value_fits(value))
    });
    pairs_fit && requirements(selector).iter().all(requirement_is_valid)
}

fn requirements(selector: &LabelSelector) -> &[LabelSelectorRequirement] {
    selector.match_expressions.as_deref().unwrap_or_default()
}

fn values(requirement: &LabelSelectorRequirement) -> &[String] {
    requirement.values.as_deref().unwrap_or_default()
}

fn key_fits(key: &str) -> bool {
    names::label_key(key).is_empty()
}

fn value_fits(value: &str) -> bool {
    names::label_value(value).is_empty()
}

fn requirement_is_valid(requirement: &LabelSelectorRequirement) -> bool {
    let values = values(requirement);
    let operands_fit = match requirement.operator.as_str() {
        "In" | "NotIn" => !values.is_empty(),
        "Exists" | "DoesNotExist" => values.is_empty(),
        _ => false,
    };
    operands_fit && key_fits(&requirement.key) && values.iter().all(|value| value_fits(value))
}

/// Whether labels, given as a lookup by key, satisfy the selector; an ill-formed selector matches nothing.
pub fn selector_matches<'a>(
    selector: &LabelSelector,
    label: impl Fn(&str) -> Option<&'a str>,
) -> bool {
    selector_is_valid(selector) && failing_requirement(selector, label).is_none()
}

/// The requirement of a well-formed selector that the labels do not satisfy, as text.
pub(crate) fn failing_requirement<'a, 's>(
    selector: &'s LabelSelector,
    label: impl Fn(&str) -> Option<&'a str>,
) -> Option<Requirement<'s>> {
    let pair = selector
        .match_labels
        .iter()
        .flatten()
        .find(|(key, value)| label(key) != Some(value.as_str()));
    if let Some((key, value)) = pair {
        return Some(Requirement {
            key,
            operator: "In",
            values: std::slice::from_ref(value),
        });
    }
    requirements(selector)
        .iter()
        .map(|requirement| Requirement {
            key: &requirement.key,
            operator: &requirement.operator,
            values: values(requirement),
        })
        .find(|requirement| !requirement.holds(label(requirement.key)))
}

/// A requirement on one value, borrowed from a selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement<'a> {
    /// What is looked at.
    pub key: &'a str,
    /// How it is compared.
    pub operator: &'a str,
    /// What it is compared with.
    pub values: &'a [String],
}

impl Requirement<'_> {
    /// Whether the value, or its absence, satisfies the requirement.
    pub fn holds(&self, value: Option<&str>) -> bool {
        match self.operator {
            "In" => value.is_some_and(|value| self.lists(value)),
            "NotIn" => value.is_none_or(|value| !self.lists(value)),
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            _ => false,
        }
    }

    fn lists(&self, value: &str) -> bool {
        self.values.iter().any(|listed| listed == value)
    }
}

impl std::fmt::Display for Requirement<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.operator, self.values) {
            ("In", [value]) => write!(formatter, "{}={value}", self.key),
            ("In", values) => write!(formatter, "{} in ({})", self.key, values.join(",")),
            ("NotIn", values) => write!(formatter, "{} notin ({})", self.key, values.join(",")),
            ("Exists", _) => formatter.write_str(self.key),
            ("DoesNotExist", _) => write!(formatter, "!{}", self.key),
            (operator, values) => {
                write!(formatter, "{} {operator} ({})", self.key, values.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn selector(value: serde_json::Value) -> LabelSelector {
        serde_json::from_value(value).unwrap()
    }

    fn labels(key: &str) -> Option<&'static str> {
        match key {
            "env" => Some("prod"),
            "gpu" => Some(""),
            _ => None,
        }
    }

    #[test]
    fn an_empty_selector_matches_everything() {
        assert!(selector_matches(&selector(json!({})), labels));
    }

    #[test]
    fn absent_labels_satisfy_not_in_but_not_in() {
        let not_in =
            json!({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["a"]}]});
        let within =
            json!({"matchExpressions": [{"key": "tier", "operator": "In", "values": ["a"]}]});
        assert!(selector_matches(&selector(not_in), labels));
        assert!(!selector_matches(&selector(within), labels));
    }

    #[test]
    fn ill_formed_selectors_match_nothing() {
        for bad in [
            json!({"matchLabels": {"env": "not valid!"}}),
            json!({"matchExpressions": [{"key": "env", "operator": "In"}]}),
            json!({"matchExpressions": [{"key": "env", "operator": "Exists", "values": ["x"]}]}),
            json!({"matchExpressions": [{"key": "a/b/c", "operator": "DoesNotExist"}]}),
            json!({"matchExpressions": [{"key": "env", "operator": "Gt", "values": ["1"]}]}),
        ] {
            assert!(!selector_matches(&selector(bad), labels));
        }
    }

    #[test]
    fn names_the_first_requirement_that_fails() {
        let selector = selector(json!({
            "matchLabels": {"env": "prod"},
            "matchExpressions": [
                {"key": "gpu", "operator": "Exists"},
                {"key": "tier", "operator": "In", "values": ["gold", "silver"]},
            ],
        }));
        let failing = failing_requirement(&selector, labels).map(|found| found.to_string());
        assert_eq!(failing.as_deref(), Some("tier in (gold,silver)"));
    }
}
