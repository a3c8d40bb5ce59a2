//! Printing answers: one table over all origins, or the objects themselves.

use anyhow::Result;
use serde_json::{Value, json};

use super::{Origin, yaml};
use crate::args::{GetArgs, Output};
use crate::out;

const GAP: &str = "   ";

/// Prints the answers and returns whether there was nothing to print.
pub(super) fn print(args: &GetArgs, answers: &[(Origin, Value)]) -> Result<bool> {
    match args.output {
        Output::Table | Output::Wide => {
            let table = tabulate(args, answers);
            out::text(&table)?;
            Ok(table.is_empty())
        }
        Output::Name => {
            let mut empty = true;
            for (_, answer) in answers {
                let resource = answer["resource"].as_str().unwrap_or_default();
                for object in objects(answer) {
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
    answers: &[(Origin, Value)],
    format: impl Fn(&Value) -> Result<String>,
) -> Result<bool> {
    let mut items: Vec<Value> = Vec::new();
    for (origin, answer) in answers {
        for mut object in objects(answer) {
            if let (Some(cluster), Some(metadata)) = (origin, object["metadata"].as_object_mut()) {
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

fn objects(answer: &Value) -> Vec<Value> {
    match answer["items"].as_array() {
        Some(items) => items.clone(),
        None => {
            let mut object = answer.clone();
            if let Some(fields) = object.as_object_mut() {
                fields.remove("resource");
            }
            vec![object]
        }
    }
}

fn tabulate(args: &GetArgs, answers: &[(Origin, Value)]) -> String {
    let with_cluster = answers.iter().any(|(origin, _)| origin.is_some());
    let wide = args.output == Output::Wide;
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut header: Option<Vec<String>> = None;
    for (origin, table) in answers {
        let columns = table["columnDefinitions"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let shown: Vec<usize> = (0..columns.len())
            .filter(|&index| wide || columns[index]["priority"].as_i64().unwrap_or(0) == 0)
            .collect();
        header.get_or_insert_with(|| {
            let mut names: Vec<String> = Vec::new();
            if args.all_namespaces {
                names.push("NAMESPACE".to_owned());
            }
            names.extend(
                shown
                    .iter()
                    .map(|&index| cell(&columns[index]["name"]).to_uppercase()),
            );
            if with_cluster {
                names.insert(
                    names.len().min(1 + usize::from(args.all_namespaces)),
                    "CLUSTER".to_owned(),
                );
                names.push("ADOPTION".to_owned());
            }
            names
        });
        for row in table["rows"].as_array().into_iter().flatten() {
            let mut line: Vec<String> = Vec::new();
            if args.all_namespaces {
                line.push(cell(&row["object"]["metadata"]["namespace"]));
            }
            line.extend(shown.iter().map(|&index| cell(&row["cells"][index])));
            if with_cluster {
                let cluster = origin.clone().unwrap_or_default();
                line.insert(
                    line.len().min(1 + usize::from(args.all_namespaces)),
                    cluster,
                );
                line.push(adoption(row).to_owned());
            }
            lines.push(line);
        }
    }
    match header {
        Some(header) if !lines.is_empty() => {
            lines.insert(0, header);
            align(&lines)
        }
        _ => String::new(),
    }
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
