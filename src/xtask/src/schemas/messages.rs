//! Prost structs joined with definitions: message, tag, JSON name, kind.
//!
//! A field is matched to the JSON property of the same letters. A message field that matches no
//! property is a Go struct embedded into its parent: its fields are matched to the properties of
//! the parent and land beside the parent's own.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::go_types::{Facts, GoField};

const REPEATED: u8 = 1;
const MAP: u8 = 2;
const KEEP_ZERO: u8 = 4;
const INLINE: u8 = 8;

/// Messages that exist only to carry one JSON value; the decoder knows them by name.
const WRAPPERS: [&str; 14] = [
    "Quantity",
    "Time",
    "MicroTime",
    "IntOrString",
    "FieldsV1",
    "RawExtension",
    "JSON",
    "JSONSchemaPropsOrArray",
    "JSONSchemaPropsOrBool",
    "JSONSchemaPropsOrStringArray",
    "ExtraValue",
    "Verbs",
    "OptionalNames",
    "Duration",
];

/// One field of a prost struct.
pub(crate) struct Field {
    tag: u32,
    name: String,
    kind: char,
    reference: Option<String>,
    flags: u8,
}

/// Reads every struct below a folder, by lower-case dotted name.
pub(crate) fn read(folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<Field>>> {
    let mut structs = BTreeMap::new();
    read_folder(folder, &mut Vec::new(), &mut structs)?;
    Ok(structs)
}

fn read_folder(
    folder: &Path,
    module: &mut Vec<String>,
    structs: &mut BTreeMap<String, Vec<Field>>,
) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or("");
            module.push(name.to_owned());
            read_folder(&path, module, structs)?;
            module.pop();
        } else if path.file_name().is_some_and(|name| name == "mod.rs") {
            read_text(&fs::read_to_string(&path)?, module, structs);
        }
    }
    Ok(())
}

fn read_text(text: &str, module: &[String], structs: &mut BTreeMap<String, Vec<Field>>) {
    let mut lines = text.lines().map(str::trim);
    let mut current: Option<String> = None;
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("pub struct ") {
            let name = rest
                .trim_end_matches('}')
                .trim()
                .trim_end_matches('{')
                .trim();
            let key = canonical(module, name);
            structs.insert(key.clone(), Vec::new());
            current = (!line.ends_with('}')).then_some(key);
        } else if let Some(attribute) = line.strip_prefix("#[prost(") {
            let mut declaration = String::new();
            for next in lines.by_ref() {
                declaration.push_str(next);
                let open = declaration.matches('<').count() > declaration.matches('>').count();
                if next.ends_with(',') && !open {
                    break;
                }
            }
            if let Some(fields) = current.as_ref().and_then(|key| structs.get_mut(key))
                && let Some(field) = field(attribute, &declaration, module)
            {
                fields.push(field);
            }
        }
    }
}

fn field(attribute: &str, declaration: &str, module: &[String]) -> Option<Field> {
    let (_, tag) = attribute.split_once("tag = \"")?;
    let tag = tag.split_once('"')?.0.parse().ok()?;
    let (name, go_type) = declaration.strip_prefix("pub ")?.split_once(':')?;
    let mut flags = 0;
    if attribute.contains("repeated") {
        flags |= REPEATED;
    }
    let word = if let Some((_, map)) = attribute.split_once("btree_map = \"") {
        flags |= MAP;
        map.split_once('"')?.0.split_once(", ")?.1
    } else {
        attribute.split([',', ' ']).next()?
    };
    let kind = match word {
        "string" => 's',
        "bool" => 'b',
        "int32" | "int64" => 'i',
        "double" => 'd',
        "bytes" => 'y',
        "message" => 'm',
        _ => return None,
    };
    let reference = (kind == 'm').then(|| {
        let inner = go_type
            .rsplit(['<', ','])
            .find(|part| part.contains(char::is_alphabetic));
        resolve(inner.unwrap_or("").trim_matches([' ', '>', ',']), module)
    });
    Some(Field {
        tag,
        name: name
            .trim_start_matches("r#")
            .replace('_', "")
            .to_lowercase(),
        kind,
        reference,
        flags,
    })
}

fn resolve(path: &str, module: &[String]) -> String {
    let mut base = module.to_vec();
    let mut parts: Vec<&str> = path.split("::").collect();
    let name = parts.pop().unwrap_or("");
    for part in parts {
        if part == "super" {
            base.pop();
        } else {
            base.push(part.to_owned());
        }
    }
    canonical(&base, name)
}

/// The name the definitions use, in lower case: `io.k8s.api.core.v1.pod`.
fn canonical(module: &[String], name: &str) -> String {
    let module = module.join(".").replace('_', "-");
    format!("io.k8s.{module}.{name}").to_lowercase()
}

struct Joiner<'a> {
    structs: &'a BTreeMap<String, Vec<Field>>,
    names: BTreeMap<String, &'a str>,
    definitions: &'a Value,
    facts: &'a Facts,
    order: Vec<String>,
    index: BTreeMap<String, usize>,
    rows: Vec<Value>,
}

/// Builds the table: `messages` by name to an index into `fields`, each a list of
/// `[tag, name, kind, flags, message]`.
pub(crate) fn join(
    structs: &BTreeMap<String, Vec<Field>>,
    definitions: &Value,
    facts: &Facts,
) -> Value {
    let names = definitions
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| (name.to_lowercase(), name.as_str()))
        .collect();
    let mut joiner = Joiner {
        structs,
        names,
        definitions,
        facts,
        order: Vec::new(),
        index: BTreeMap::new(),
        rows: Vec::new(),
    };
    let roots: Vec<String> = joiner
        .names
        .keys()
        .filter(|name| structs.contains_key(*name))
        .cloned()
        .collect();
    for root in &roots {
        joiner.message(root);
    }
    json!({ "messages": joiner.order, "fields": joiner.rows })
}

impl<'a> Joiner<'a> {
    fn message(&mut self, key: &str) -> usize {
        if let Some(index) = self.index.get(key) {
            return *index;
        }
        let definition = self.names.get(key).copied();
        let name = definition.map_or_else(|| wrapper_name(key), str::to_owned);
        let index = self.slot(key, name.clone());
        if !is_wrapper(&name) || definition.is_some_and(|name| self.properties(name).is_some()) {
            self.rows[index] = self.fields(key, definition);
        }
        index
    }

    fn slot(&mut self, key: &str, name: String) -> usize {
        let index = self.order.len();
        self.index.insert(key.to_owned(), index);
        self.order.push(name);
        self.rows.push(json!([]));
        index
    }

    fn properties(&self, definition: &str) -> Option<&'a serde_json::Map<String, Value>> {
        let definitions: &'a Value = self.definitions;
        definitions.get(definition)?.get("properties")?.as_object()
    }

    fn fields(&mut self, key: &str, definition: Option<&str>) -> Value {
        let structs = self.structs;
        let mut rows = Vec::new();
        for field in structs.get(key).into_iter().flatten() {
            let json_name = definition.and_then(|name| self.json_name(name, &field.name));
            let mut flags = field.flags;
            let row = match (json_name, &field.reference) {
                (Some(name), _) => {
                    let go = definition.and_then(|owner| self.facts.get(owner, name));
                    if keeps_zero(go) {
                        flags |= KEEP_ZERO;
                    }
                    let reference = field.reference.as_ref().map(|key| self.message(key));
                    json!([field.tag, name, field.kind.to_string(), flags, reference])
                }
                (None, Some(reference)) if definition.is_some() => {
                    let inline = self.embedded(key, reference, definition);
                    json!([field.tag, "", "m", flags | INLINE, inline])
                }
                _ => continue,
            };
            rows.push(row);
        }
        Value::Array(rows)
    }

    /// An embedded struct: its own rows, with names from the properties of its parent.
    fn embedded(&mut self, parent: &str, key: &str, definition: Option<&str>) -> usize {
        let slot = format!("{key}@{parent}");
        if let Some(index) = self.index.get(&slot) {
            return *index;
        }
        let index = self.slot(&slot, String::new());
        self.rows[index] = self.fields(key, definition);
        index
    }

    fn json_name(&self, definition: &str, letters: &str) -> Option<&'a str> {
        self.properties(definition)?
            .keys()
            .find(|name| name.replace(['$', '-', '_'], "").to_lowercase() == letters)
            .map(String::as_str)
    }
}

fn keeps_zero(go: Option<GoField>) -> bool {
    go.is_none_or(|go| go.pointer || !go.omit_empty)
}

fn is_wrapper(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    WRAPPERS.contains(&last)
}

/// Wrapper messages without a definition keep their last part in Go's spelling.
fn wrapper_name(key: &str) -> String {
    let (head, last) = key.rsplit_once('.').unwrap_or(("", key));
    WRAPPERS
        .iter()
        .find(|name| name.to_lowercase() == last)
        .map_or_else(|| key.to_owned(), |name| format!("{head}.{name}"))
}
