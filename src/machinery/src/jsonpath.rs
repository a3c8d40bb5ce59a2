//! kubectl's JSONPath dialect: templates such as `{range .items[*]}{.metadata.name}{"\n"}{end}`.
//!
//! Missing keys are no error, as in kubectl and in printer columns.
//!
//! Source: behaviour of upstream `k8s.io/client-go/util/jsonpath`, quirks included.

mod compare;
mod evaluate;
mod parse;
mod unquote;

use std::borrow::Cow;

use serde_json::Value;

use crate::Error;

/// A parsed template.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    nodes: Vec<Node>,
}

/// One step of a template.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Text(String),
    Field(String),
    /// Start, end and step of a slice.
    Slice(Slice),
    Filter {
        left: Vec<Self>,
        operator: String,
        right: Vec<Self>,
    },
    Integer(i64),
    Float(f64),
    Bool(bool),
    Wildcard,
    Recursive,
    Union(Vec<Vec<Self>>),
    /// `range`, `end` or an unknown word.
    Identifier(String),
    /// One `{…}`.
    Action(Vec<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    step: Option<i64>,
    /// The slice was written as a single index.
    single: bool,
}

impl JsonPath {
    /// Reads a template: text with actions in braces.
    ///
    /// # Errors
    /// Fails with [`Error::JsonPathSyntax`], in upstream's wording.
    pub fn parse(template: &str) -> Result<Self, Error> {
        parse::parse(template).map(|nodes| Self { nodes })
    }

    /// Reads a bare path such as `.spec.replicas`, as printer columns and scale paths have it.
    ///
    /// # Errors
    /// Fails like [`JsonPath::parse`].
    pub fn column(path: &str) -> Result<Self, Error> {
        Self::parse(&format!("{{{path}}}"))
    }

    /// Finds the values of each action, one list an action or text.
    ///
    /// # Errors
    /// Fails with [`Error::JsonPathEvaluation`] when an index is out of bounds, a step does not fit
    /// the type, or a filter compares unlike things.
    pub fn find<'a>(&self, object: &'a Value) -> Result<Vec<Vec<Cow<'a, Value>>>, Error> {
        evaluate::find(&self.nodes, object)
    }

    /// Finds the first value of the first action; errors read as absent.
    pub fn first<'a>(&self, object: &'a Value) -> Option<Cow<'a, Value>> {
        self.find(object)
            .ok()?
            .into_iter()
            .next()?
            .into_iter()
            .next()
    }

    /// Renders the template as `kubectl -o jsonpath` does.
    ///
    /// # Errors
    /// Fails like [`JsonPath::find`].
    pub fn render(&self, object: &Value) -> Result<String, Error> {
        let mut output = String::new();
        for group in self.find(object)? {
            let texts: Vec<String> = group.iter().map(|value| text_of(value)).collect();
            output.push_str(&texts.join(" "));
        }
        Ok(output)
    }
}

/// The text of one value: strings bare, composites as JSON.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number_text(number),
        other => other.to_string(),
    }
}

#[expect(clippy::float_cmp, reason = "asks whether the number is whole")]
fn number_text(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.trunc() == float && float.abs() < 1e21 => {
            format!("{float:.0}")
        }
        _ => number.to_string(),
    }
}
