//! Custom resources: the columns their definition declares.

use flybridge_machinery::jsonpath::{JsonPath, text_of};
use flybridge_machinery::object::{self, path_i64, path_str};
use flybridge_machinery::table::{ColumnDefinition, Row};
use flybridge_machinery::time;
use jiff::Timestamp;
use serde_json::Value;

/// Renders objects of one version of a custom resource.
#[derive(Clone, Debug)]
pub struct CustomPrinter {
    columns: Vec<CustomColumn>,
}

#[derive(Clone, Debug)]
struct CustomColumn {
    definition: ColumnDefinition,
    /// `None` where the path is malformed: the cells stay empty.
    path: Option<JsonPath>,
}

impl CustomPrinter {
    /// Reads `additionalPrinterColumns`; without any there is an Age column.
    pub fn new(additional_printer_columns: &[Value]) -> Self {
        if additional_printer_columns.is_empty() {
            let age = ColumnDefinition::new("Age", "date", 0);
            let path = JsonPath::column(".metadata.creationTimestamp").ok();
            return Self {
                columns: vec![CustomColumn {
                    definition: age,
                    path,
                }],
            };
        }
        Self {
            columns: additional_printer_columns
                .iter()
                .map(CustomColumn::new)
                .collect(),
        }
    }

    /// The columns, the name first.
    pub fn columns(&self) -> Vec<ColumnDefinition> {
        let mut columns = vec![ColumnDefinition::name_column()];
        columns.extend(self.columns.iter().map(|column| column.definition.clone()));
        columns
    }

    /// The cells of one object, in the order of the columns.
    pub fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        let mut cells = vec![object::name(object).into()];
        cells.extend(self.columns.iter().map(|column| column.cell(object, now)));
        cells
    }

    /// The whole row; `embedded` is what goes beside the cells.
    pub fn row(&self, object: &Value, embedded: Value, now: Timestamp) -> Row {
        Row {
            cells: self.cells(object, now),
            conditions: Vec::new(),
            object: embedded,
        }
    }
}

impl CustomColumn {
    fn new(column: &Value) -> Self {
        let field = |name: &str| path_str(column, &[name]).unwrap_or_default();
        Self {
            definition: ColumnDefinition {
                name: field("name").to_owned(),
                kind: field("type").to_owned(),
                format: field("format").to_owned(),
                description: field("description").to_owned(),
                priority: path_i64(column, &["priority"]).unwrap_or_default(),
            },
            path: JsonPath::column(field("jsonPath")).ok(),
        }
    }

    fn cell(&self, object: &Value, now: Timestamp) -> Value {
        let found = self.path.as_ref().and_then(|path| path.first(object));
        match found {
            None => Value::Null,
            Some(value) => typed(&self.definition.kind, &value, now),
        }
    }
}

/// Converts a value to the declared type; what does not fit is null.
fn typed(kind: &str, value: &Value, now: Timestamp) -> Value {
    match (kind, value) {
        (_, Value::Null) => Value::Null,
        ("string", value) => text_of(value).into(),
        ("integer", Value::Number(number)) => match number.as_i64() {
            Some(integer) => integer.into(),
            None => number.as_f64().map_or(Value::Null, truncated),
        },
        ("number", Value::Number(number)) => match number.as_f64() {
            // Go writes whole floating point numbers without a fraction.
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15 => {
                truncated(float)
            }
            _ => value.clone(),
        },
        ("boolean", Value::Bool(_)) => value.clone(),
        ("date", Value::String(text)) => match time::parse(text) {
            Ok(at) => time::age(at, now).into(),
            Err(_) => "<invalid>".into(),
        },
        _ => Value::Null,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cell shows the whole part"
)]
fn truncated(float: f64) -> Value {
    (float as i64).into()
}
