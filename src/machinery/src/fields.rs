//! Field selectors: `metadata.name=x,status.phase!=Running`.
//!
//! Which fields a resource supports is not known here: the server asks for the requirements and
//! refuses fields it cannot select by.

use std::fmt;

use crate::Error;

/// How a field must compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldOperator {
    /// `=` or `==`.
    Equals,
    /// `!=`.
    NotEquals,
}

/// One term of a field selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRequirement {
    /// The field, such as `metadata.name`.
    pub field: String,
    /// How it must compare.
    pub operator: FieldOperator,
    /// The value, without escapes.
    pub value: String,
}

/// A conjunction of field requirements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    requirements: Vec<FieldRequirement>,
}

impl FieldSelector {
    /// Selects every object.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Selects by one exact value.
    pub fn equals(field: &str, value: &str) -> Self {
        let requirement = FieldRequirement {
            field: field.to_owned(),
            operator: FieldOperator::Equals,
            value: value.to_owned(),
        };
        Self {
            requirements: vec![requirement],
        }
    }

    /// Reads the query parameter `fieldSelector`.
    ///
    /// # Errors
    /// Fails with [`Error::FieldSelector`] on terms without an operator and on bad escapes.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut terms = split_terms(text);
        terms.sort_unstable();
        let mut requirements = Vec::new();
        for term in terms.into_iter().filter(|term| !term.is_empty()) {
            let Some((field, operator, value)) = split_term(term) else {
                return Err(Error::FieldSelector(format!(
                    "invalid selector: '{text}'; can't understand '{term}'"
                )));
            };
            let value = unescape(value)?;
            if field.is_empty() && value.is_empty() {
                continue;
            }
            requirements.push(FieldRequirement {
                field: field.to_owned(),
                operator,
                value,
            });
        }
        Ok(Self { requirements })
    }

    /// The terms, ordered as the canonical text orders them.
    pub fn requirements(&self) -> &[FieldRequirement] {
        &self.requirements
    }

    /// Whether every object is selected.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// The value a field must have exactly, if the selector says so.
    pub fn exact(&self, field: &str) -> Option<&str> {
        self.requirements
            .iter()
            .find(|term| term.field == field && term.operator == FieldOperator::Equals)
            .map(|term| term.value.as_str())
    }

    /// Whether an object matches, given its field values; an absent field reads as empty.
    pub fn matches(&self, value_of: impl Fn(&str) -> Option<String>) -> bool {
        self.requirements.iter().all(|term| {
            let equal = value_of(&term.field).unwrap_or_default() == term.value;
            equal == (term.operator == FieldOperator::Equals)
        })
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.requirements.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let operator = match term.operator {
                FieldOperator::Equals => "=",
                FieldOperator::NotEquals => "!=",
            };
            write!(f, "{comma}{}{operator}{}", term.field, escape(&term.value))?;
        }
        Ok(())
    }
}

/// Splits at commas that no backslash escapes.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(offset) = rest.get(from..).and_then(|tail| tail.find([',', '\\'])) {
        let at = from + offset;
        let (head, tail) = rest.split_at(at);
        if tail.starts_with('\\') {
            from = at + 1 + tail.chars().nth(1).map_or(0, char::len_utf8);
        } else {
            terms.push(head);
            rest = tail.strip_prefix(',').unwrap_or(tail);
            from = 0;
        }
    }
    terms.push(rest);
    terms
}

fn split_term(term: &str) -> Option<(&str, FieldOperator, &str)> {
    term.char_indices().find_map(|(at, _)| {
        let (field, rest) = term.split_at(at);
        if let Some(value) = rest.strip_prefix("!=") {
            Some((field, FieldOperator::NotEquals, value))
        } else {
            let value = rest.strip_prefix("==").or_else(|| rest.strip_prefix('='))?;
            Some((field, FieldOperator::Equals, value))
        }
    })
}

fn unescape(text: &str) -> Result<String, Error> {
    let mut value = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => value.push(escaped),
                Some(other) => {
                    return Err(Error::FieldSelector(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    )));
                }
                None => {
                    return Err(Error::FieldSelector(
                        "invalid field selector: invalid escape sequence: \\".to_owned(),
                    ));
                }
            },
            ',' | '=' => {
                return Err(Error::FieldSelector(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(character)
                )));
            }
            other => value.push(other),
        }
    }
    Ok(value)
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace(',', "\\,")
        .replace('=', "\\=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_fields_read_as_empty() {
        let selector = FieldSelector::parse("status.podIP=,metadata.name!=a").unwrap();
        assert!(selector.matches(|field| (field == "metadata.name").then(|| "b".to_owned())));
        assert!(!selector.matches(|_| Some("a".to_owned())));
    }

    #[test]
    fn finds_the_exact_name() {
        let selector = FieldSelector::parse("metadata.name==web,spec.nodeName!=n").unwrap();
        assert_eq!(selector.exact("metadata.name"), Some("web"));
        assert_eq!(selector.exact("spec.nodeName"), None);
        assert_eq!(FieldSelector::equals("a", "b,c").to_string(), "a=b\\,c");
    }
}
