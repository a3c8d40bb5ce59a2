//! The wire form of server-side printing: `meta.k8s.io/v1` `Table`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A list of objects rendered as rows of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Table {
    /// Always `Table`.
    pub kind: String,
    /// Always `meta.k8s.io/v1`.
    pub api_version: String,
    /// List metadata.
    #[serde(default)]
    pub metadata: Value,
    /// The columns; watch frames after the first leave them empty.
    pub column_definitions: Vec<ColumnDefinition>,
    /// One row an object.
    pub rows: Vec<Row>,
}

impl Table {
    /// A table with empty metadata.
    pub fn new(column_definitions: Vec<ColumnDefinition>, rows: Vec<Row>) -> Self {
        Self {
            kind: "Table".to_owned(),
            api_version: "meta.k8s.io/v1".to_owned(),
            metadata: Value::Object(Map::new()),
            column_definitions,
            rows,
        }
    }
}

/// One column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnDefinition {
    /// The heading, such as `Age`.
    pub name: String,
    /// OpenAPI type of the cells: `string`, `integer`, `number`, `boolean` or `date`.
    #[serde(rename = "type")]
    pub kind: String,
    /// OpenAPI format; `name` marks the column that identifies the object.
    pub format: String,
    /// What the column shows.
    pub description: String,
    /// Zero for columns always shown, higher for wide output.
    pub priority: i64,
}

impl ColumnDefinition {
    /// A column without a format.
    pub fn new(name: &str, kind: &str, priority: i64) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            priority,
            ..Self::default()
        }
    }

    /// The column that identifies the object.
    pub fn name_column() -> Self {
        Self {
            format: "name".to_owned(),
            ..Self::new("Name", "string", 0)
        }
    }

    /// Sets the description.
    #[must_use]
    pub fn described(mut self, description: &str) -> Self {
        description.clone_into(&mut self.description);
        self
    }
}

/// One object of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    /// One cell a column, in their order.
    pub cells: Vec<Value>,
    /// Markers such as `Completed`, which clients may use to hide the row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Value>,
    /// The object itself, its metadata only, or null.
    pub object: Value,
}

impl Row {
    /// The marker upstream sets on pods that ended.
    pub fn completed(reason: &str, message: &str) -> Value {
        json!({"type": "Completed", "status": "True", "reason": reason, "message": message})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serializes_as_the_wire_form() {
        let table = Table::new(
            vec![ColumnDefinition::name_column()],
            vec![Row {
                cells: vec!["a".into()],
                ..Row::default()
            }],
        );
        assert_eq!(
            serde_json::to_value(&table).unwrap(),
            json!({
                "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {},
                "columnDefinitions": [
                    {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}
                ],
                "rows": [{"cells": ["a"], "object": null}]
            })
        );
    }
}
