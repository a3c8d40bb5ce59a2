//! Which fields of Go structs are pointers, read from the field lines of `types.go` files.
//!
//! On the wire a Go encoder writes every field that is not a pointer, zero or not; only this
//! tells a zero that was meant from one that was not.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What one Go field says of its zero value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GoField {
    /// The field is a pointer, a map, a slice or an interface.
    pub(crate) pointer: bool,
    /// JSON leaves out the zero value.
    pub(crate) omit_empty: bool,
}

/// Fields by lower-case definition name and JSON name.
#[derive(Default)]
pub(crate) struct Facts(BTreeMap<(String, String), GoField>);

impl Facts {
    /// Adds the structs of every Go file below a module folder.
    pub(crate) fn read(&mut self, prefix: &str, folder: &Path) -> anyhow::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or("");
            if path.is_dir() {
                self.read(&format!("{prefix}.{name}"), &path)?;
            } else if name.ends_with(".go")
                && !name.ends_with("_test.go")
                && !name.starts_with("generated")
                && !name.starts_with("zz_")
            {
                self.read_text(prefix, &fs::read_to_string(&path)?);
            }
        }
        Ok(())
    }

    /// What is known of a field.
    pub(crate) fn get(&self, definition: &str, field: &str) -> Option<GoField> {
        let key = (definition.to_lowercase(), field.to_owned());
        self.0.get(&key).copied()
    }

    fn read_text(&mut self, prefix: &str, text: &str) {
        let mut current = None;
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("type ") {
                current = rest
                    .strip_suffix(" struct {")
                    .map(|name| format!("{prefix}.{name}").to_lowercase());
            } else if line.starts_with('}') {
                current = None;
            } else if let Some(name) = &current
                && let Some((field, facts)) = field_of(line)
            {
                self.0.insert((name.clone(), field), facts);
            }
        }
    }
}

fn field_of(line: &str) -> Option<(String, GoField)> {
    let line = line.trim();
    if line.starts_with("//") {
        return None;
    }
    let (declaration, tags) = line.split_once('`')?;
    let (_, tag) = tags.split_once("json:\"")?;
    let (tag, _) = tag.split_once('"')?;
    let mut words = tag.split(',');
    let field = words
        .next()
        .filter(|name| !name.is_empty() && *name != "-")?;
    let go_type = declaration.split_whitespace().nth(1)?;
    let facts = GoField {
        pointer: go_type.starts_with(['*', '[']) || go_type.starts_with("map["),
        omit_empty: words.any(|word| word == "omitempty" || word == "omitzero"),
    };
    Some((field.to_owned(), facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_pointers_from_values() {
        let mut facts = Facts::default();
        facts.read_text(
            "x.v1",
            "type Thing struct {\n\t// Doc.\n\tReplicas *int32 `json:\"replicas,omitempty\" protobuf:\"varint,1\"`\n\
             \tName string `json:\"name\"`\n\tSource `json:\",inline\"`\n}\n",
        );
        let replicas = facts.get("x.v1.Thing", "replicas").unwrap();
        assert!(replicas.pointer && replicas.omit_empty);
        let name = facts.get("x.v1.Thing", "name").unwrap();
        assert!(!name.pointer && !name.omit_empty);
        assert_eq!(facts.get("x.v1.Thing", ""), None);
    }
}
