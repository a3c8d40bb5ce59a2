//! One line of text being typed.

use ratatui::layout::Rect;
use tui_textarea::{CursorMove, TextArea};

use crate::chord::{Chord, Key};
use crate::painter::Painter;
use crate::text::{clean, width, width16};
use crate::theme::Role;

/// A text field of one line; pasted line breaks become spaces and never submit.
#[derive(Clone, Debug)]
pub struct TextInput {
    area: TextArea<'static>,
}

impl Default for TextInput {
    fn default() -> Self {
        Self::with_text("")
    }
}

impl TextInput {
    /// A field that holds `text`, with the cursor at its end.
    pub fn with_text(text: &str) -> Self {
        let mut area = TextArea::new(vec![clean(text).into_owned()]);
        area.move_cursor(CursorMove::End);
        Self { area }
    }

    /// What has been typed.
    pub fn text(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    /// Replaces the text and puts the cursor at its end.
    pub fn set(&mut self, text: &str) {
        *self = Self::with_text(text);
    }

    /// Handles a key and says whether the field understood it.
    pub fn key(&mut self, chord: Chord) -> bool {
        if let Some(c) = chord.typed() {
            self.area.insert_str(clean(c.encode_utf8(&mut [0; 4])));
            return true;
        }
        match (chord.ctrl, chord.alt, chord.key) {
            (false, false, Key::Backspace) | (true, false, Key::Char('h')) => {
                self.area.delete_char();
            }
            (false, false, Key::Delete) => {
                self.area.delete_next_char();
            }
            (true, false, Key::Char('w')) | (false, true, Key::Backspace) => {
                self.area.delete_word();
            }
            (true, false, Key::Char('u')) => {
                self.area.delete_line_by_head();
            }
            (true, false, Key::Char('k')) => {
                self.area.delete_line_by_end();
            }
            (false, false, Key::Left) => self.area.move_cursor(CursorMove::Back),
            (false, false, Key::Right) => self.area.move_cursor(CursorMove::Forward),
            (true, false, Key::Left) | (false, true, Key::Char('b')) => {
                self.area.move_cursor(CursorMove::WordBack);
            }
            (true, false, Key::Right) | (false, true, Key::Char('f')) => {
                self.area.move_cursor(CursorMove::WordForward);
            }
            (false, false, Key::Home) | (true, false, Key::Char('a')) => {
                self.area.move_cursor(CursorMove::Head);
            }
            (false, false, Key::End) | (true, false, Key::Char('e')) => {
                self.area.move_cursor(CursorMove::End);
            }
            _ => return false,
        }
        true
    }

    /// Inserts pasted text.
    pub fn paste(&mut self, text: &str) {
        self.area
            .insert_str(clean(text.trim_end_matches(['\r', '\n'])));
    }

    /// Whether the cursor is after the last character.
    pub fn at_end(&self) -> bool {
        self.cursor_chars() == self.text().chars().count()
    }

    fn cursor_chars(&self) -> usize {
        self.area.cursor().1
    }

    /// Paints the field in the first line of `area`, scrolled so that the cursor is seen, with a
    /// dim completion after the text. Returns where the terminal's cursor belongs.
    pub fn paint(&self, p: &mut Painter<'_>, area: Rect, role: Role, ghost: &str) -> (u16, u16) {
        let before: String = self.text().chars().take(self.cursor_chars()).collect();
        let room = usize::from(area.width.max(1) - 1);
        let mut skipped = 0;
        let mut hidden = 0;
        for c in before.chars() {
            if width(&before) - hidden <= room {
                break;
            }
            hidden += width(c.encode_utf8(&mut [0; 4]));
            skipped += 1;
        }
        let shown: String = self.text().chars().skip(skipped).collect();
        let end = p.text(area.x, area.y, area.width, &shown, role);
        p.text(
            end,
            area.y,
            area.right().saturating_sub(end),
            ghost,
            Role::PromptGhost,
        );
        let visible: String = before.chars().skip(skipped).collect();
        (
            area.x + width16(&visible).min(area.width.saturating_sub(1)),
            area.y,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glyphs::UNICODE;
    use crate::theme::Theme;

    #[test]
    fn edits_like_a_shell() {
        let mut input = TextInput::with_text("pods ns:web");
        input.key(Chord::ctrl('w'));
        assert_eq!(input.text(), "pods ns:");
        input.key(Chord::ctrl('a'));
        input.key(Chord::char('x'));
        assert_eq!(input.text(), "xpods ns:");
        assert!(!input.at_end());
        input.key(Chord::ctrl('k'));
        assert_eq!(input.text(), "x");
        assert!(!input.key(Chord::plain(Key::Enter)));
    }

    #[test]
    fn pasted_line_breaks_and_escapes_are_harmless() {
        let mut input = TextInput::default();
        input.paste("rm\n-rf\u{1b}[A\n");
        assert_eq!(input.text(), "rm -rf\u{241b}[A");
    }

    #[test]
    fn long_text_scrolls_to_the_cursor() {
        let input = TextInput::with_text("abcdefghij");
        let area = Rect::new(0, 0, 5, 1);
        let mut buffer = ratatui::buffer::Buffer::empty(area);
        let theme = Theme::bare();
        let mut p = Painter::new(&mut buffer, &theme, UNICODE);
        let cursor = input.paint(&mut p, area, Role::Prompt, "");
        assert_eq!(cursor, (4, 0));
        assert_eq!(buffer[(3, 0)].symbol(), "j");
    }
}
