//! A place in an object, and the violations found so far.

use std::collections::HashSet;

use flybridge_machinery::{FieldError, names};
use serde_json::Value;

/// A value with the path that leads to it; null when there is none.
#[derive(Clone, Debug)]
pub(super) struct At<'a> {
    /// The value itself.
    pub(super) value: &'a Value,
    /// Its path, such as `spec.containers[0]`.
    pub(super) path: String,
}

impl<'a> At<'a> {
    pub(super) const fn root(value: &'a Value) -> Self {
        Self {
            value,
            path: String::new(),
        }
    }

    pub(super) fn get(&self, name: &str) -> Self {
        let glue = if self.path.is_empty() { "" } else { "." };
        Self {
            value: self.value.get(name).unwrap_or(&Value::Null),
            path: format!("{}{glue}{name}", self.path),
        }
    }

    pub(super) fn path(&self, names: &[&str]) -> Self {
        names.iter().fold(self.clone(), |at, name| at.get(name))
    }

    /// The entry of a map, told as `map[key]`.
    pub(super) fn entry(&self, key: &str) -> Self {
        Self {
            value: self.value.get(key).unwrap_or(&Value::Null),
            path: format!("{}[{key}]", self.path),
        }
    }

    /// The same value under another path.
    pub(super) fn told_as(&self, path: String) -> Self {
        Self {
            value: self.value,
            path,
        }
    }

    pub(super) fn items(&self) -> Vec<Self> {
        let list = self.value.as_array().map_or(&[][..], Vec::as_slice);
        let item = |(index, value)| Self {
            value,
            path: format!("{}[{index}]", self.path),
        };
        list.iter().enumerate().map(item).collect()
    }

    pub(super) fn list(&self, name: &str) -> Vec<Self> {
        self.get(name).items()
    }

    pub(super) fn entries(&self) -> Vec<(&'a str, Self)> {
        let map = self.value.as_object().into_iter().flatten();
        map.map(|(key, value)| {
            (
                key.as_str(),
                Self {
                    value,
                    path: format!("{}[{key}]", self.path),
                },
            )
        })
        .collect()
    }

    pub(super) fn text(&self) -> &'a str {
        self.value.as_str().unwrap_or_default()
    }

    pub(super) fn text_of(&self, name: &str) -> &'a str {
        self.value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    pub(super) fn integer(&self) -> Option<i64> {
        self.value.as_i64()
    }

    pub(super) fn is_set(&self) -> bool {
        !self.value.is_null()
    }

    /// Whether the value is what its type starts out as, or absent.
    pub(super) fn is_blank(&self) -> bool {
        match self.value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        self.value == &Value::Bool(true)
    }

    /// Whether two values say the same; an absent field says what an empty one says.
    pub(super) fn same(&self, other: &At<'_>) -> bool {
        same(self.value, other.value)
    }

    /// Fields of an object that say something, from a list of names.
    pub(super) fn chosen(&self, names: &[&str]) -> Vec<Self> {
        names
            .iter()
            .map(|name| self.get(name))
            .filter(Self::is_set)
            .collect()
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.values().all(is_blank),
        value => At::root(value).is_blank(),
    }
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => one.keys().chain(other.keys()).all(|key| {
            same(
                one.get(key).unwrap_or(&Value::Null),
                other.get(key).unwrap_or(&Value::Null),
            )
        }),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (one, other) => one == other || (is_blank(one) && is_blank(other)),
    }
}

/// The violations found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    errors: Vec<FieldError>,
}

impl Findings {
    pub(super) fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    pub(super) fn extend(&mut self, errors: Vec<FieldError>) {
        self.errors.extend(errors);
    }

    pub(super) fn invalid(&mut self, at: &At<'_>, detail: &str) {
        self.errors.push(FieldError::invalid(
            at.path.as_str(),
            at.value.clone(),
            detail,
        ));
    }

    pub(super) fn required(&mut self, at: &At<'_>, detail: &str) {
        self.errors
            .push(FieldError::required(at.path.as_str(), detail));
    }

    pub(super) fn forbidden(&mut self, at: &At<'_>, detail: &str) {
        self.errors
            .push(FieldError::forbidden(at.path.as_str(), detail));
    }

    pub(super) fn not_found(&mut self, at: &At<'_>) {
        self.errors
            .push(FieldError::not_found(at.path.as_str(), at.value.clone()));
    }

    pub(super) fn duplicate(&mut self, at: &At<'_>) {
        self.errors
            .push(FieldError::duplicate(at.path.as_str(), at.value.clone()));
    }

    pub(super) fn not_supported(&mut self, at: &At<'_>, supported: &[&str]) {
        self.errors.push(FieldError::not_supported(
            at.path.as_str(),
            at.value.clone(),
            supported,
        ));
    }

    /// Asks for a value; says whether there is one.
    pub(super) fn require(&mut self, at: &At<'_>) -> bool {
        if at.is_blank() {
            self.required(at, "");
        }
        !at.is_blank()
    }

    /// Applies a rule of names to a text that is there.
    pub(super) fn name(&mut self, at: &At<'_>, rule: fn(&str) -> Vec<String>) {
        if !at.text().is_empty() {
            self.name_or_empty(at, rule);
        }
    }

    /// Applies a rule of names, also to the empty text.
    pub(super) fn name_or_empty(&mut self, at: &At<'_>, rule: fn(&str) -> Vec<String>) {
        for complaint in rule(at.text()) {
            self.invalid(at, &complaint);
        }
    }

    pub(super) fn required_name(&mut self, at: &At<'_>, rule: fn(&str) -> Vec<String>) {
        if self.require(at) {
            self.name(at, rule);
        }
    }

    /// Allows a text, where it is given, to be one of some.
    pub(super) fn one_of(&mut self, at: &At<'_>, supported: &[&str]) {
        if at.is_set() && !supported.contains(&at.text()) {
            self.not_supported(at, supported);
        }
    }

    pub(super) fn at_least(&mut self, at: &At<'_>, least: i64) {
        if at.integer().is_some_and(|number| number < least) {
            self.invalid(at, &format!("must be greater than or equal to {least}"));
        }
    }

    pub(super) fn within(&mut self, at: &At<'_>, least: i64, most: i64) {
        if at
            .integer()
            .is_some_and(|number| number < least || number > most)
        {
            self.invalid(
                at,
                &format!("must be between {least} and {most}, inclusive"),
            );
        }
    }

    pub(super) fn port(&mut self, at: &At<'_>) {
        self.within(at, 1, 65535);
    }

    /// A port by number or by name.
    pub(super) fn port_or_name(&mut self, at: &At<'_>, rule: fn(&str) -> Vec<String>) {
        match at.value {
            Value::String(_) => self.name_or_empty(at, rule),
            _ => self.port(at),
        }
    }

    /// A port by number or by name that must be there; zero stands for a missing one.
    pub(super) fn required_port(&mut self, at: &At<'_>) {
        if at.is_set() {
            self.port_or_name(at, names::port_name);
        } else {
            let none = Value::from(0);
            self.port(&At {
                value: &none,
                path: at.path.clone(),
            });
        }
    }

    /// Wants values to differ among each other.
    #[expect(
        single_use_lifetimes,
        reason = "anonymous lifetimes in `impl Trait` are unstable"
    )]
    pub(super) fn unique<'a>(&mut self, places: impl IntoIterator<Item = At<'a>>) {
        let mut seen = HashSet::new();
        for at in places {
            if !at.text().is_empty() && !seen.insert(at.text()) {
                self.duplicate(&at);
            }
        }
    }

    /// Refuses a change of a field.
    pub(super) fn fixed(&mut self, old: &At<'_>, new: &At<'_>) {
        if !old.same(new) {
            self.errors
                .push(FieldError::immutable(new.path.as_str(), new.value.clone()));
        }
    }
}
