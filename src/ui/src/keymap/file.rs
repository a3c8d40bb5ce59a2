//! Reading keymap files.
//!
//! ```toml
//! name = "mine"
//! inherits = "default"
//!
//! [table]
//! "g g" = "top"
//! "e" = ""            # frees the key
//! ```

use indexmap::IndexMap;
use serde::Deserialize;

use super::Keymap;
use crate::chord::{BadChord, parse_sequence};

/// How many files may inherit from one another.
const MAX_DEPTH: usize = 8;

/// Why a keymap cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeymapError {
    /// Not TOML, or not shaped as a keymap.
    #[error("keymap is not readable")]
    Parse(#[from] toml::de::Error),
    /// A key that does not exist.
    #[error("mode {mode}")]
    Key {
        /// Where.
        mode: String,
        /// What.
        #[source]
        source: BadChord,
    },
    /// A command that does not exist or cannot take its argument.
    #[error("mode {mode}, key {keys}: {why}")]
    Command {
        /// Where.
        mode: String,
        /// On which keys.
        keys: String,
        /// What is wrong with it.
        why: String,
    },
    /// One sequence is the beginning of another in the same file.
    #[error("mode {mode}: {long} can never be typed because {short} acts at once")]
    Shadowed {
        /// Where.
        mode: String,
        /// The sequence that wins.
        short: String,
        /// The sequence that loses.
        long: String,
    },
    /// `inherits` names a map that does not exist, or inheritance never ends.
    #[error("no keymap named {0:?} to inherit from")]
    Parent(String),
}

#[derive(Deserialize)]
struct File {
    name: String,
    inherits: Option<String>,
    #[serde(flatten)]
    modes: IndexMap<String, IndexMap<String, String>>,
}

/// Reads a keymap.
///
/// `parent` returns the text of a map by name; `command` turns what a key is bound to into a
/// command or says why it cannot.
///
/// # Errors
/// The first thing that is wrong with the file or one it inherits from.
pub fn load<T: Clone + PartialEq>(
    text: &str,
    parent: &dyn Fn(&str) -> Option<String>,
    command: &dyn Fn(&str) -> Result<T, String>,
) -> Result<Keymap<T>, KeymapError> {
    load_nested(text, parent, command, 0)
}

fn load_nested<T: Clone + PartialEq>(
    text: &str,
    parent: &dyn Fn(&str) -> Option<String>,
    command: &dyn Fn(&str) -> Result<T, String>,
    depth: usize,
) -> Result<Keymap<T>, KeymapError> {
    let file: File = toml::from_str(text)?;
    let mut map = match &file.inherits {
        None => Keymap::new(&file.name),
        Some(name) => {
            let text = parent(name).filter(|_| depth < MAX_DEPTH);
            let text = text.ok_or_else(|| KeymapError::Parent(name.clone()))?;
            load_nested(&text, parent, command, depth + 1)?
        }
    };
    map.name.clone_from(&file.name);
    for (mode, bindings) in &file.modes {
        check_shadows(mode, bindings)?;
        for (keys, bound) in bindings {
            let chords = parse_sequence(keys).map_err(|source| KeymapError::Key {
                mode: mode.clone(),
                source,
            })?;
            if bound.is_empty() {
                map.unbind(mode, &chords);
                continue;
            }
            let bound = command(bound).map_err(|why| KeymapError::Command {
                mode: mode.clone(),
                keys: keys.clone(),
                why,
            })?;
            map.bind(mode, &chords, bound);
        }
    }
    Ok(map)
}

fn check_shadows(mode: &str, bindings: &IndexMap<String, String>) -> Result<(), KeymapError> {
    for (short, bound) in bindings {
        let short_keys: Vec<&str> = short.split_whitespace().collect();
        for long in bindings.keys() {
            let long_keys: Vec<&str> = long.split_whitespace().collect();
            if !bound.is_empty()
                && long_keys.len() > short_keys.len()
                && long_keys.starts_with(&short_keys)
            {
                return Err(KeymapError::Shadowed {
                    mode: mode.to_owned(),
                    short: short.clone(),
                    long: long.clone(),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::Found;

    fn read(text: &str) -> Result<Keymap<String>, KeymapError> {
        let parent = |name: &str| {
            (name == "base")
                .then(|| "name = 'base'\n[global]\nq = 'back'\n'g g' = 'top'".to_owned())
        };
        load(text, &parent, &|text| {
            if text.starts_with("bad") {
                Err(format!("no command {text:?}"))
            } else {
                Ok(text.to_owned())
            }
        })
    }

    #[test]
    fn children_override_and_free_keys() {
        let map = read("name='x'\ninherits='base'\n[global]\nq=''\n'g'='go'").unwrap();
        assert_eq!(map.name, "x");
        let q = parse_sequence("q").unwrap();
        assert_eq!(map.find(&["global"], &q), Found::Nothing);
        let g = parse_sequence("g").unwrap();
        assert_eq!(map.find(&["global"], &g), Found::Command(&"go".to_owned()));
    }

    #[test]
    fn faults_are_named() {
        assert!(matches!(
            read("name='x'\ninherits='nowhere'"),
            Err(KeymapError::Parent(_))
        ));
        assert!(matches!(
            read("name='x'\n[t]\n'hyper-x'='y'"),
            Err(KeymapError::Key { .. })
        ));
        assert!(matches!(
            read("name='x'\n[t]\nx='bad'"),
            Err(KeymapError::Command { .. })
        ));
        assert!(matches!(
            read("name='x'\n[t]\ng='go'\n'g g'='top'"),
            Err(KeymapError::Shadowed { .. })
        ));
        assert!(matches!(read("name="), Err(KeymapError::Parse(_))));
    }
}
