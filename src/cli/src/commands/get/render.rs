//! Printing answers: one table over all origins, or the objects themselves.

use anyhow::Result;
use serde_json::{Value, json};

use super::{Answer, yaml};
use crate::args::{GetArgs, Output};
use crate::out;

const GAP: &str = "   ";

/// Prints the answers and returns whether there was nothing to print.
pub(super) fn print(args: &GetArgs, answers: &[Answer]) -> Result<bool> {
    match args.output {
        Output::Table | Output::Wide => {
            let table = tabulate(args, answers);
            out::text(&table)?;
            Ok(table.is_empty())
        }
        Output::Name => {
            let mut empty = true;
            for answer in answers {
                let resource = answer.resource.full_name();
                for object in objects(&answer.body) {
                    let name = object["metadata"]["name"].as_str().unwrap_or_default();
                    out::line(&format!("{resource}/{name}"))?;
                    empty = false;
                }
            }
            Ok(empty)
        }
        Output::Json => print_objects(args, answers, |value| {
            Ok(format!("{}\n", serde_json::to_string_pretty(value)?))
        }),
        Output::Yaml => print_objects(args, answers, yaml),
    }
}

fn print_objects(
    args: &GetArgs,
    answers: &[Answer],
    format: impl Fn(&Value) -> Result<String>,
) -> Result<bool> {
    let mut items: Vec<Value> = Vec::new();
    for answer in answers {
        for mut object in objects(&answer.body) {
            if let (Some(cluster), Some(metadata)) =
                (&answer.origin, object["metadata"].as_object_mut())
            {
                let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
                annotations["resource.karmada.io/cached-from-cluster"] = json!(cluster);
            }
            items.push(object);
        }
    }
    let empty = items.is_empty();
    let single = args.name.is_some() && items.len() == 1;
    let value = if single {
        items.swap_remove(0)
    } else {
        json!({"apiVersion": "v1", "kind": "List", "items": items})
    };
    out::text(&format(&value)?)?;
    Ok(empty)
}

fn objects(body: &Value) -> Vec<Value> {
    match body["items"].as_array() {
        Some(items) => items.clone(),
        None => vec![body.clone()],
    }
}

/// The columns before and after those that the servers print.
#[derive(Clone, Copy)]
struct Frame {
    namespaces: bool,
    clusters: bool,
}

impl Frame {
    /// A line with its namespace first, its cluster behind the name, and its adoption last.
    fn line(
        self,
        mut cells: Vec<String>,
        namespace: &str,
        cluster: &str,
        adoption: &str,
    ) -> Vec<String> {
        if self.clusters {
            cells.insert(cells.len().min(1), cluster.to_owned());
            cells.push(adoption.to_owned());
        }
        if self.namespaces {
            cells.insert(0, namespace.to_owned());
        }
        cells
    }
}

fn tabulate(args: &GetArgs, answers: &[Answer]) -> String {
    let frame = Frame {
        namespaces: args.all_namespaces && answers.iter().any(|a| a.resource.is_namespaced()),
        clusters: answers.iter().any(|answer| answer.origin.is_some()),
    };
    let wide = args.output == Output::Wide;
    let mut lines: Vec<Vec<String>> = Vec::new();
    for answer in answers {
        let columns = columns(&answer.body, wide);
        let rows = answer.body["rows"].as_array();
        for row in rows.into_iter().flatten() {
            if lines.is_empty() {
                let titles = columns.iter().map(|(_, title)| title.clone()).collect();
                lines.push(frame.line(titles, "NAMESPACE", "CLUSTER", "ADOPTION"));
            }
            let cells = columns
                .iter()
                .map(|(index, _)| cell(&row["cells"][index]))
                .collect();
            let namespace = cell(&row["object"]["metadata"]["namespace"]);
            let cluster = answer.origin.as_deref().unwrap_or_default();
            lines.push(frame.line(cells, &namespace, cluster, adoption(row)));
        }
    }
    align(&lines)
}

/// Position and title of the columns to show.
fn columns(table: &Value, wide: bool) -> Vec<(usize, String)> {
    let definitions = table["columnDefinitions"].as_array();
    definitions
        .into_iter()
        .flatten()
        .enumerate()
        .filter(|(_, column)| wide || column["priority"].as_i64().unwrap_or(0) == 0)
        .map(|(index, column)| (index, cell(&column["name"]).to_uppercase()))
        .collect()
}

/// Whether the control plane manages the object in the member.
fn adoption(row: &Value) -> &'static str {
    let managed = &row["object"]["metadata"]["labels"]["karmada.io/managed"];
    if managed == "true" { "Y" } else { "N" }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn align(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|index| {
            lines
                .iter()
                .filter_map(|line| line.get(index))
                .map(|text| text.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (value, width) in line.iter().zip(&widths) {
            row.push_str(&format!("{value:<width$}"));
            row.push_str(GAP);
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_without_trailing_space() {
        let lines = [
            vec!["NAME".to_owned(), "AGE".to_owned()],
            vec!["long-name".to_owned(), "5s".to_owned()],
        ];
        assert_eq!(align(&lines), "NAME        AGE\nlong-name   5s\n");
    }
}
