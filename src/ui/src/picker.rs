//! A list to pick from by typing: the palette and everything like it.

use ratatui::layout::Rect;

use crate::frame::{Labels, frame};
use crate::fuzzy::{Hit, rank};
use crate::input::TextInput;
use crate::painter::Painter;
use crate::text::width16;
use crate::theme::Role;

/// One thing to pick.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Item {
    /// What is matched and returned.
    pub label: String,
    /// What it does.
    pub doc: String,
    /// At the right edge, such as its key.
    pub aside: String,
    /// Why it cannot be picked now; empty if it can.
    pub disabled: String,
}

/// A prompt with the items that match it.
#[derive(Clone, Debug, Default)]
pub struct Picker {
    /// What is typed.
    pub input: TextInput,
    items: Vec<Item>,
    hits: Vec<Hit>,
    cursor: usize,
}

impl Picker {
    /// A picker with nothing typed.
    pub fn new(items: Vec<Item>) -> Self {
        let mut picker = Self {
            items,
            ..Self::default()
        };
        picker.refresh();
        picker
    }

    /// Matches again after the input changed.
    pub fn refresh(&mut self) {
        self.hits = rank(
            self.input.text(),
            self.items.iter().map(|item| item.label.as_str()),
        );
        self.cursor = 0;
    }

    /// Moves the cursor, around the ends.
    pub fn step(&mut self, by: isize) {
        let count = self.hits.len();
        if count > 0 {
            let count = count.cast_signed();
            self.cursor = (self.cursor.cast_signed() + by)
                .rem_euclid(count)
                .cast_unsigned();
        }
    }

    /// The item under the cursor.
    pub fn selected(&self) -> Option<&Item> {
        self.items.get(self.hits.get(self.cursor)?.index)
    }

    /// How many items match.
    pub fn matches(&self) -> usize {
        self.hits.len()
    }
}

/// Paints a picker and returns where the cursor belongs.
pub fn paint(
    p: &mut Painter<'_>,
    area: Rect,
    title: &str,
    mark: &str,
    picker: &Picker,
) -> Option<(u16, u16)> {
    p.clear(area, Role::Dialog);
    let count = format!("{} of {}", picker.hits.len(), picker.items.len());
    let labels = Labels {
        title: &[(title, Role::Title)],
        aside: &[(&count, Role::Dim)],
        ..Labels::default()
    };
    let inside = frame(p, area, labels, true);
    if inside.height == 0 || inside.width < 4 {
        return None;
    }
    let x = p.text(inside.x, inside.y, 2, mark, Role::PromptMark) + 1;
    let field = Rect::new(x, inside.y, inside.right() - x, 1);
    let cursor = picker.input.paint(p, field, Role::Prompt, "");
    let list = Rect::new(inside.x, inside.y + 1, inside.width, inside.height - 1);
    let height = usize::from(list.height);
    let start = (picker.cursor + 1).saturating_sub(height);
    let wide = picker
        .items
        .iter()
        .map(|item| width16(&item.label))
        .max()
        .unwrap_or(0);
    let label_width = wide.min(list.width * 2 / 5).max(8);
    for (y, at) in (list.y..list.bottom()).zip(start..picker.hits.len()) {
        let line = Rect::new(list.x, y, list.width, 1);
        paint_item(p, line, label_width, picker, at);
    }
    if picker.hits.is_empty() && list.height > 0 {
        p.text(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
    Some(cursor)
}

fn paint_item(p: &mut Painter<'_>, line: Rect, label_width: u16, picker: &Picker, at: usize) {
    let hit = &picker.hits[at];
    let item = &picker.items[hit.index];
    let enabled = item.disabled.is_empty();
    if at == picker.cursor {
        p.tint(line, Role::Selection);
    }
    let role = if enabled { Role::Text } else { Role::Faint };
    p.text(line.x, line.y, label_width, &item.label, role);
    for position in &hit.positions {
        let before: String = item.label.chars().take(*position as usize).collect();
        let x = line.x + width16(&before);
        if width16(&before) < label_width {
            p.tint(Rect::new(x, line.y, 1, 1), Role::Match);
        }
    }
    let x = line.x + label_width + 2;
    let aside = width16(&item.aside);
    let room = line.right().saturating_sub(x).saturating_sub(aside + 2);
    let doc = if enabled { &item.doc } else { &item.disabled };
    p.text(x, line.y, room, doc, Role::Dim);
    p.parts_right(line.right(), line.y, aside, &[(&item.aside, Role::HintKey)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picker() -> Picker {
        Picker::new(
            ["clusters", "bindings", "pods"]
                .map(|label| Item {
                    label: label.to_owned(),
                    ..Item::default()
                })
                .to_vec(),
        )
    }

    #[test]
    fn typing_narrows_and_the_cursor_wraps() {
        let mut picker = picker();
        picker.step(-1);
        assert_eq!(picker.selected().unwrap().label, "pods");
        picker.input.set("bi");
        picker.refresh();
        assert_eq!(picker.selected().unwrap().label, "bindings");
        picker.input.set("zzz");
        picker.refresh();
        picker.step(1);
        assert!(picker.selected().is_none());
    }
}
