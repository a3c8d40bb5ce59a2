//! Keymaps: modes of key sequences that lead to commands, read from TOML.
//!
//! The map is generic over the command. A mode is a trie, so that `g g` and `g c` can share their
//! first key and a prefix can be shown as a hint.

pub mod file;
pub mod trie;

use indexmap::IndexMap;

use crate::chord::{Chord, show_sequence};
pub use file::{KeymapError, load};
pub use trie::{Found, Trie};

/// Commands by mode and key sequence.
#[derive(Clone, Debug, Default)]
pub struct Keymap<T> {
    /// What the file calls itself.
    pub name: String,
    modes: IndexMap<String, Trie<T>>,
}

impl<T: Clone + PartialEq> Keymap<T> {
    /// An empty map.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            modes: IndexMap::new(),
        }
    }

    /// Binds keys in a mode and replaces what they were bound to.
    pub fn bind(&mut self, mode: &str, keys: &[Chord], command: T) {
        self.mode_mut(mode).insert(keys, command);
    }

    /// Frees keys in a mode.
    pub fn unbind(&mut self, mode: &str, keys: &[Chord]) {
        self.mode_mut(mode).remove(keys);
    }

    fn mode_mut(&mut self, mode: &str) -> &mut Trie<T> {
        self.modes.entry(mode.to_owned()).or_default()
    }

    /// Names of all modes, in the order of the file.
    pub fn modes(&self) -> impl Iterator<Item = &str> {
        self.modes.keys().map(String::as_str)
    }

    /// What the keys mean; modes are asked in order and the first that knows the keys answers.
    pub fn find(&self, modes: &[&str], keys: &[Chord]) -> Found<'_, T> {
        for mode in modes {
            if let Some(trie) = self.modes.get(*mode) {
                match trie.find(keys) {
                    Found::Nothing => {}
                    found => return found,
                }
            }
        }
        Found::Nothing
    }

    /// All bindings of a mode that start with `prefix`, in key order.
    pub fn bindings(&self, mode: &str, prefix: &[Chord]) -> Vec<(Vec<Chord>, &T)> {
        self.modes
            .get(mode)
            .map_or_else(Vec::new, |trie| trie.bindings(prefix))
    }

    /// The shortest way to reach a command, as hints show it.
    ///
    /// A binding that an earlier mode hides is not offered.
    pub fn keys_for(&self, modes: &[&str], command: &T) -> Option<String> {
        self.all_keys_for(modes, command).into_iter().next()
    }

    /// All ways to reach a command, shortest first.
    pub fn all_keys_for(&self, modes: &[&str], command: &T) -> Vec<String> {
        let mut ways: Vec<Vec<Chord>> = modes
            .iter()
            .flat_map(|mode| self.bindings(mode, &[]))
            .filter(|(_, bound)| *bound == command)
            .map(|(keys, _)| keys)
            .filter(|keys| matches!(self.find(modes, keys), Found::Command(c) if c == command))
            .collect();
        ways.dedup();
        let mut shown: Vec<String> = ways.iter().map(|keys| show_sequence(keys)).collect();
        // Letters before named keys of the same length: they are easier to read in a hint.
        shown.sort_by_key(|text| (text.chars().count() > 2, text.chars().count()));
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chord::parse_sequence;

    fn map() -> Keymap<&'static str> {
        let mut map = Keymap::new("test");
        for (mode, keys, command) in [
            ("global", "q", "back"),
            ("global", "g g", "top"),
            ("global", "home", "top"),
            ("global", "e", "none"),
            ("table", "e", "explain"),
            ("table", "g c", "clusters"),
        ] {
            map.bind(mode, &parse_sequence(keys).unwrap(), command);
        }
        map
    }

    #[test]
    fn earlier_modes_hide_later_ones() {
        let map = map();
        let e = parse_sequence("e").unwrap();
        assert_eq!(
            map.find(&["table", "global"], &e),
            Found::Command(&"explain")
        );
        assert_eq!(map.find(&["global"], &e), Found::Command(&"none"));
        assert_eq!(map.keys_for(&["table", "global"], &"none"), None);
    }

    #[test]
    fn prefixes_fall_through_to_the_mode_that_has_them() {
        let map = map();
        let modes = ["table", "global"];
        let g = parse_sequence("g").unwrap();
        assert_eq!(map.find(&modes, &g), Found::Prefix);
        let gg = parse_sequence("g g").unwrap();
        assert_eq!(map.find(&modes, &gg), Found::Command(&"top"));
        assert_eq!(map.keys_for(&modes, &"top").unwrap(), "gg");
    }
}
