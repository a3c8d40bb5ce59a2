//! Tables: rows known by id, sorted and filtered, of which only the visible ones are formatted.
//!
//! [`TableModel`] is the state and changes only through its methods; [`paint()`] reads it.

pub mod layout;
pub mod model;
pub mod paint;

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::glyphs::Mark;
use crate::theme::Role;

pub use layout::{Align, Column, Placed};
pub use model::{Sort, TableModel};
pub use paint::{Highlight, paint};

/// What a row must know of itself to be listed.
pub trait Record {
    /// What cells depend on besides the row, such as the time.
    type Env;

    /// All columns in their order on the screen.
    const COLUMNS: &'static [Column];

    /// What names the row; each row of a table has its own.
    fn id(&self) -> &str;

    /// One cell, formatted.
    fn cell<'a>(&'a self, column: usize, env: &Self::Env) -> Cell<'a>;

    /// Order by one column, upwards.
    fn compare(&self, other: &Self, column: usize) -> Ordering;

    /// The mark in front of the row.
    fn mark(&self) -> Mark;

    /// What the whole row looks like where its cells have no meaning of their own.
    fn row_role(&self) -> Option<Role> {
        None
    }
}

/// A formatted cell: pieces of text with their roles.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Cell<'a> {
    /// The pieces, painted one after another.
    pub parts: Vec<(Cow<'a, str>, Role)>,
}

impl<'a> Cell<'a> {
    /// A cell of one piece.
    pub fn new(text: impl Into<Cow<'a, str>>, role: Role) -> Self {
        Self {
            parts: vec![(text.into(), role)],
        }
    }

    /// The same cell with one more piece.
    #[must_use]
    pub fn then(mut self, text: impl Into<Cow<'a, str>>, role: Role) -> Self {
        self.parts.push((text.into(), role));
        self
    }

    /// Columns the text takes.
    pub fn width(&self) -> usize {
        self.parts
            .iter()
            .map(|(text, _)| crate::text::width(text))
            .sum()
    }

    /// The text without roles.
    pub fn plain(&self) -> String {
        self.parts.iter().map(|(text, _)| text.as_ref()).collect()
    }
}

/// The role of a mark.
pub fn mark_role(mark: Mark) -> Role {
    match mark {
        Mark::None => Role::Dim,
        Mark::Ok => Role::StateOk,
        Mark::Moving => Role::StateMoving,
        Mark::Unknown => Role::StateUnknown,
        Mark::Attention => Role::StateWarn,
        Mark::Bad => Role::StateBad,
    }
}
