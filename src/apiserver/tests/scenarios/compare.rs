//! Recorded answers against ours. Placeholders such as `<uid:1>` are bound to what ours has on
//! first sight and must stay the same, and differ from each other, through a scenario.

use std::collections::BTreeMap;

use jiff::Timestamp;
use regex::Regex;
use serde_json::{Map, Value};

use crate::play::ORIGIN;

/// What the numbered placeholders of a scenario stand for.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    meaning: BTreeMap<String, String>,
}

impl Bindings {
    fn bind(&mut self, label: &str, found: &str) -> Result<(), String> {
        let family = label.split(':').next().unwrap_or(label);
        if let Some(bound) = self.meaning.get(label) {
            return if bound == found {
                Ok(())
            } else {
                Err(format!("{label} was {bound} and is {found}"))
            };
        }
        let taken = self
            .meaning
            .iter()
            .find(|(other, meaning)| *meaning == found && other.split(':').next() == Some(family));
        // Revisions inside pointers are numbered for themselves.
        let comparable = |other: &str| other.starts_with("<rv:p") == label.starts_with("<rv:p");
        if let Some((other, _)) = taken.filter(|(other, _)| comparable(other)) {
            return Err(format!("{found} is both {other} and {label}"));
        }
        self.meaning.insert(label.to_owned(), found.to_owned());
        Ok(())
    }

    /// Compares a recorded value with ours.
    pub(crate) fn same(&mut self, path: &str, wanted: &Value, found: &Value) -> Result<(), String> {
        match (wanted, found) {
            (Value::Object(wanted), Value::Object(found)) => self.objects(path, wanted, found),
            (Value::Array(wanted), Value::Array(found)) => self.arrays(path, wanted, found),
            (Value::String(wanted), _) => self.texts(path, wanted, found),
            _ if numbers_agree(wanted, found) => Ok(()),
            _ => Err(format!(
                "{path}: wanted {} found {}",
                short(wanted),
                short(found)
            )),
        }
    }

    fn objects(
        &mut self,
        path: &str,
        wanted: &Map<String, Value>,
        found: &Map<String, Value>,
    ) -> Result<(), String> {
        let list_item = path.rsplit_once('/').is_some_and(|(list, index)| {
            list.ends_with("/items") && index.parse::<usize>().is_ok()
        });
        let left_out = |name: &str| {
            // Descriptions were not recorded everywhere.
            name == "managedFields"
                || (name == "description" && !wanted.contains_key(name))
                || (list_item
                    && matches!(name, "apiVersion" | "kind")
                    && !wanted.contains_key(name))
        };
        for (name, value) in wanted.iter().filter(|(name, _)| !left_out(name)) {
            let path = format!("{path}/{name}");
            if name == "message" && value.is_string() {
                check_message(&path, value, found.get(name))?;
                continue;
            }
            let Some(ours) = found.get(name) else {
                return Err(format!("{path}: wanted {} found nothing", short(value)));
            };
            self.same(&path, value, ours)?;
        }
        let extra = found
            .keys()
            .find(|name| !wanted.contains_key(*name) && !left_out(name) && *name != "message");
        match extra {
            Some(name) => Err(format!(
                "{path}/{name}: wanted nothing found {}",
                short(&found[name])
            )),
            None => Ok(()),
        }
    }

    fn arrays(&mut self, path: &str, wanted: &[Value], found: &[Value]) -> Result<(), String> {
        if wanted.len() != found.len() {
            let texts = (
                short(&Value::Array(wanted.to_vec())),
                short(&Value::Array(found.to_vec())),
            );
            return Err(format!(
                "{path}: wanted {} items {} found {} items {}",
                wanted.len(),
                texts.0,
                found.len(),
                texts.1
            ));
        }
        let (mut wanted, mut found) = (wanted.to_vec(), found.to_vec());
        if path.ends_with("/details/causes") {
            let key = |cause: &Value| (cause["field"].to_string(), cause["reason"].to_string());
            wanted.sort_by_key(key);
            found.sort_by_key(key);
        }
        for (index, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
            self.same(&format!("{path}/{index}"), wanted, found)?;
        }
        Ok(())
    }

    fn texts(&mut self, path: &str, wanted: &str, found: &Value) -> Result<(), String> {
        let differ = || Err(format!("{path}: wanted {wanted:?} found {}", short(found)));
        if wanted == "<nodePort>" {
            let port = found.as_i64().unwrap_or(0);
            return if (30_000..=32_767).contains(&port) {
                Ok(())
            } else {
                differ()
            };
        }
        let Some(text) = found.as_str() else {
            return differ();
        };
        if wanted == text {
            return Ok(());
        }
        let pattern =
            Regex::new(r"<(uid|rv|time|microtime|clusterIP|rand|hash|etag|continue|age)(:p?\d+)?>")
                .unwrap();
        let labels: Vec<&str> = pattern
            .find_iter(wanted)
            .map(|found| found.as_str())
            .collect();
        if labels.is_empty() {
            return differ();
        }
        let shape = pattern
            .split(wanted)
            .map(regex::escape)
            .collect::<Vec<_>>()
            .join("(.*?)");
        let shape = Regex::new(&format!("^(?s:{shape})$")).unwrap();
        let Some(parts) = shape.captures(text) else {
            return differ();
        };
        for (label, part) in labels.iter().zip(parts.iter().skip(1).flatten()) {
            if !fits(label, part.as_str()) {
                return differ();
            }
            if label.contains(':') {
                self.bind(label, part.as_str())
                    .map_err(|text| format!("{path}: {text}"))?;
            }
        }
        Ok(())
    }
}

fn check_message(path: &str, wanted: &Value, found: Option<&Value>) -> Result<(), String> {
    let text = found.and_then(Value::as_str).unwrap_or_default();
    if wanted.as_str().unwrap_or_default().contains("immutable") && !text.contains("immutable") {
        return Err(format!("{path}: must say immutable, says {text:?}"));
    }
    Ok(())
}

fn fits(label: &str, text: &str) -> bool {
    let recent = |text: &str| {
        let origin: Timestamp = ORIGIN.parse().unwrap();
        text.parse::<Timestamp>()
            .is_ok_and(|time| origin.duration_until(time).abs().as_hours() < 36)
    };
    match label
        .trim_start_matches('<')
        .split([':', '>'])
        .next()
        .unwrap_or_default()
    {
        "uid" => uuid_like(text),
        "rv" => text.parse::<u64>().is_ok(),
        "time" => recent(text) && !text.contains('.'),
        "microtime" => recent(text) && text.contains('.'),
        "clusterIP" => text.starts_with("10.96."),
        "rand" => text.len() == 5,
        _ => !text.is_empty(),
    }
}

fn uuid_like(text: &str) -> bool {
    text.len() == 36 && text.as_bytes().get(14) == Some(&b'4')
}

fn numbers_agree(wanted: &Value, found: &Value) -> bool {
    wanted == found
        || matches!((wanted.as_f64(), found.as_f64()), (Some(a), Some(b)) if (a - b).abs() < f64::EPSILON)
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 300 {
        text.chars().take(300).chain("…".chars()).collect()
    } else {
        text
    }
}
