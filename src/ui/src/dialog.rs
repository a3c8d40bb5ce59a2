//! Dialogs: a question with buttons, the safe one focused.

use ratatui::layout::Rect;

use crate::frame::{Labels, centred, frame};
use crate::painter::Painter;
use crate::text::{width16, wrap};
use crate::theme::Role;

/// A question.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Dialog {
    /// What it is about.
    pub title: String,
    /// The question; wrapped.
    pub text: String,
    /// Answers from left to right. The first is the safe one.
    pub buttons: Vec<String>,
    /// Position of the focused answer.
    pub focus: usize,
}

impl Dialog {
    /// A dialog with the first answer focused.
    pub fn new(title: &str, text: &str, buttons: &[&str]) -> Self {
        Self {
            title: title.to_owned(),
            text: text.to_owned(),
            buttons: buttons.iter().map(|b| (*b).to_owned()).collect(),
            focus: 0,
        }
    }

    /// Moves the focus to the next answer, or back to the first.
    pub fn next(&mut self) {
        self.focus = (self.focus + 1) % self.buttons.len().max(1);
    }
}

/// Paints a dialog in the middle of an area.
pub fn paint(p: &mut Painter<'_>, area: Rect, dialog: &Dialog) {
    let wide = 56.min(area.width);
    let lines = wrap(&dialog.text, usize::from(wide.saturating_sub(4)));
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(4);
    let area = centred(area, wide, height);
    p.clear(area, Role::Dialog);
    let title = [(dialog.title.as_str(), Role::Title)];
    let labels = Labels {
        title: &title,
        ..Labels::default()
    };
    let inside = frame(p, area, labels, true);
    for (y, line) in (inside.y..inside.bottom()).zip(&lines) {
        p.text(inside.x, y, inside.width, line, Role::Dialog);
    }
    let total: u16 = dialog.buttons.iter().map(|b| width16(b) + 6).sum();
    let mut x = inside.x + inside.width.saturating_sub(total) / 2;
    let y = inside.bottom().saturating_sub(1);
    for (i, button) in dialog.buttons.iter().enumerate() {
        let (text, role) = if i == dialog.focus {
            (format!("[ {button} ]"), Role::ButtonFocus)
        } else {
            (format!("  {button}  "), Role::Button)
        };
        x = p.text(x, y, inside.right().saturating_sub(x), &text, role) + 2;
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;

    use super::*;
    use crate::glyphs::ASCII;
    use crate::theme::Theme;

    #[test]
    fn the_first_answer_has_the_focus() {
        let area = Rect::new(0, 0, 40, 9);
        let mut buffer = Buffer::empty(area);
        let theme = Theme::bare();
        let mut dialog = Dialog::new("Quit", "Leave the console?", &["Cancel", "Quit"]);
        paint(&mut Painter::new(&mut buffer, &theme, ASCII), area, &dialog);
        let text: String = buffer.content.iter().map(|c| c.symbol()).collect();
        assert!(text.contains("[ Cancel ]"));
        assert!(!text.contains("[ Quit ]"));
        dialog.next();
        dialog.next();
        assert_eq!(dialog.focus, 0);
    }
}
