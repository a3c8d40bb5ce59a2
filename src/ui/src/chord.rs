//! One key press of ours, how it is written, and where it comes from.
//!
//! Shift is folded into the character (`G`, not `shift-g`), so that a chord has one spelling
//! whatever the terminal reports.

use std::fmt;
use std::str::FromStr;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// A key without modifiers.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd, Hash)]
#[expect(missing_docs, reason = "the names are the keys")]
pub enum Key {
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct Chord {
    /// The key.
    pub key: Key,
    /// Control is held.
    pub ctrl: bool,
    /// Alt (Meta) is held.
    pub alt: bool,
    /// Shift is held; never set for characters.
    pub shift: bool,
}

/// Names of keys that are not one character, as files and hints write them.
const NAMES: &[(&str, Key)] = &[
    ("enter", Key::Enter),
    ("esc", Key::Esc),
    ("tab", Key::Tab),
    ("backspace", Key::Backspace),
    ("delete", Key::Delete),
    ("insert", Key::Insert),
    ("up", Key::Up),
    ("down", Key::Down),
    ("left", Key::Left),
    ("right", Key::Right),
    ("home", Key::Home),
    ("end", Key::End),
    ("pgup", Key::PageUp),
    ("pgdn", Key::PageDown),
    ("space", Key::Char(' ')),
];

/// Other spellings that are read but never written.
const ALIASES: &[(&str, Key)] = &[
    ("return", Key::Enter),
    ("ret", Key::Enter),
    ("escape", Key::Esc),
    ("del", Key::Delete),
    ("pageup", Key::PageUp),
    ("pagedown", Key::PageDown),
    ("minus", Key::Char('-')),
];

impl Chord {
    /// A key without modifiers.
    pub const fn plain(key: Key) -> Self {
        Self {
            key,
            ctrl: false,
            alt: false,
            shift: false,
        }
    }

    /// A character without modifiers.
    pub const fn char(c: char) -> Self {
        Self::plain(Key::Char(c))
    }

    /// A character with control.
    pub const fn ctrl(c: char) -> Self {
        Self {
            ctrl: true,
            ..Self::char(c)
        }
    }

    /// The character that this chord types into a text field, if it types one.
    pub fn typed(&self) -> Option<char> {
        match self.key {
            Key::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }

    /// The chord of a terminal's key event; nothing for releases and unknown keys.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let mut shift = event.modifiers.contains(KeyModifiers::SHIFT);
        let key = match event.code {
            KeyCode::Char(c) => Key::Char(c),
            KeyCode::Enter => Key::Enter,
            KeyCode::Esc => Key::Esc,
            KeyCode::Tab => Key::Tab,
            KeyCode::BackTab => {
                shift = true;
                Key::Tab
            }
            KeyCode::Backspace => Key::Backspace,
            KeyCode::Delete => Key::Delete,
            KeyCode::Insert => Key::Insert,
            KeyCode::Up => Key::Up,
            KeyCode::Down => Key::Down,
            KeyCode::Left => Key::Left,
            KeyCode::Right => Key::Right,
            KeyCode::Home => Key::Home,
            KeyCode::End => Key::End,
            KeyCode::PageUp => Key::PageUp,
            KeyCode::PageDown => Key::PageDown,
            KeyCode::F(n) => Key::F(n),
            _ => return None,
        };
        Some(
            Self {
                key,
                ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
                alt: event.modifiers.contains(KeyModifiers::ALT),
                shift,
            }
            .normalised(),
        )
    }

    fn normalised(mut self) -> Self {
        if let Key::Char(c) = self.key {
            if self.ctrl {
                self.key = Key::Char(c.to_ascii_lowercase());
            } else if self.shift {
                self.key = Key::Char(c.to_uppercase().next().unwrap_or(c));
            }
            self.shift = false;
            // Ctrl-[ is the byte of Esc, and some terminals report it as such.
            if self.ctrl && c == '[' {
                return Self::plain(Key::Esc);
            }
        }
        self
    }
}

/// A key that cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("no such key: {0:?}")]
pub struct BadChord(pub String);

impl FromStr for Chord {
    type Err = BadChord;

    fn from_str(text: &str) -> Result<Self, BadChord> {
        let bad = || BadChord(text.to_owned());
        let mut chord = Self::plain(Key::Esc);
        let mut rest = text;
        while let Some((prefix, tail)) = modifier(rest) {
            match prefix {
                "ctrl" | "Ctrl" | "C" => chord.ctrl = true,
                "alt" | "Alt" | "A" | "M" => chord.alt = true,
                "shift" | "Shift" | "S" => chord.shift = true,
                _ => return Err(bad()),
            }
            rest = tail;
        }
        chord.key = key_named(rest).ok_or_else(bad)?;
        Ok(chord.normalised())
    }
}

/// Splits `ctrl-x` at its first dash; a lone dash is a key and no separator.
fn modifier(text: &str) -> Option<(&str, &str)> {
    text.split_once('-')
        .filter(|(prefix, tail)| !prefix.is_empty() && !tail.is_empty())
}

fn key_named(name: &str) -> Option<Key> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(Key::Char(c));
    }
    let lower = name.to_ascii_lowercase();
    if let Some((_, key)) = NAMES.iter().chain(ALIASES).find(|(n, _)| *n == lower) {
        return Some(*key);
    }
    let number: u8 = lower.strip_prefix('f')?.parse().ok()?;
    (1..=24).contains(&number).then_some(Key::F(number))
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [
            (self.ctrl, "ctrl-"),
            (self.alt, "alt-"),
            (self.shift, "shift-"),
        ] {
            if held {
                f.write_str(name)?;
            }
        }
        if let Some((name, _)) = NAMES.iter().find(|(_, key)| *key == self.key) {
            return f.write_str(name);
        }
        match self.key {
            Key::Char(c) => write!(f, "{c}"),
            Key::F(n) => write!(f, "f{n}"),
            // Every other key has a name in the table.
            _ => Ok(()),
        }
    }
}

/// Reads a sequence such as `g g` or `ctrl-w j`.
///
/// # Errors
/// [`BadChord`] with the first part that is not a key, or with the text itself if it is empty.
pub fn parse_sequence(text: &str) -> Result<Vec<Chord>, BadChord> {
    let chords = text
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<Vec<Chord>, _>>()?;
    if chords.is_empty() {
        return Err(BadChord(text.to_owned()));
    }
    Ok(chords)
}

/// Writes a sequence as hints show it: plain characters together (`gg`), others with spaces.
pub fn show_sequence(chords: &[Chord]) -> String {
    let parts: Vec<String> = chords.iter().map(ToString::to_string).collect();
    let plain = parts.iter().all(|part| part.chars().count() == 1);
    parts.join(if plain { "" } else { " " })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_both_worlds_are_read_and_one_is_written() {
        for (text, written) in [
            ("ctrl-d", "ctrl-d"),
            ("C-d", "ctrl-d"),
            ("Ctrl-D", "ctrl-d"),
            ("Shift-g", "G"),
            ("G", "G"),
            ("shift-tab", "shift-tab"),
            ("A-1", "alt-1"),
            ("F2", "f2"),
            ("space", "space"),
            ("-", "-"),
            ("ctrl--", "ctrl--"),
            ("PageDown", "pgdn"),
            ("ctrl-[", "esc"),
        ] {
            let chord: Chord = text.parse().unwrap();
            assert_eq!(chord.to_string(), written);
            assert_eq!(written.parse::<Chord>().unwrap(), chord);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "hyper-x", "ctrl", "f99", "fx"] {
            assert!(text.parse::<Chord>().is_err(), "{text:?}");
        }
        assert!(parse_sequence("  ").is_err());
    }

    #[test]
    fn sequences_of_characters_are_shown_together() {
        assert_eq!(show_sequence(&parse_sequence("g g").unwrap()), "gg");
        assert_eq!(
            show_sequence(&parse_sequence("ctrl-w j").unwrap()),
            "ctrl-w j"
        );
    }

    #[test]
    fn terminal_events_have_one_spelling() {
        let event = |code, modifiers| Chord::from_event(KeyEvent::new(code, modifiers)).unwrap();
        assert_eq!(
            event(KeyCode::Char('G'), KeyModifiers::SHIFT).to_string(),
            "G"
        );
        assert_eq!(
            event(KeyCode::BackTab, KeyModifiers::SHIFT).to_string(),
            "shift-tab"
        );
        assert_eq!(
            event(KeyCode::Char('?'), KeyModifiers::SHIFT).to_string(),
            "?"
        );
    }
}
