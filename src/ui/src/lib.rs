//! Widgets, theme roles, keymap trie and terminal ownership; nothing here knows Kubernetes.
//!
//! Widgets paint into a [`ratatui::buffer::Buffer`] through [`Painter`], which holds the theme and
//! the glyph set, so no widget names a colour. Only [`terminal`] touches the terminal.

pub mod chord;
pub mod dialog;
pub mod frame;
pub mod fuzzy;
pub mod gauge;
pub mod glyphs;
pub mod input;
pub mod keymap;
pub mod log;
pub mod painter;
pub mod picker;
pub mod picture;
pub mod table;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod yaml;

pub use chord::{Chord, Key};
pub use glyphs::{Glyphs, Mark};
pub use input::TextInput;
pub use keymap::{Found, Keymap};
pub use painter::Painter;
pub use table::{Align, Cell, Column, Record, TableModel};
pub use terminal::Terminal;
pub use theme::{ColorLevel, Role, Theme};
