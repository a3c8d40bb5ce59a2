//! Painting text by role into a buffer; the one way widgets put anything on the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::glyphs::Glyphs;
use crate::text::{fit, fit_middle, width16};
use crate::theme::{Role, Theme};

/// A piece of text and what it means.
pub type Part<'a> = (&'a str, Role);

/// A buffer with the theme and glyphs to paint with.
#[derive(Debug)]
pub struct Painter<'a> {
    /// Where it paints.
    pub buffer: &'a mut Buffer,
    /// Styles.
    pub theme: &'a Theme,
    /// Characters.
    pub glyphs: Glyphs,
}

impl<'a> Painter<'a> {
    /// A painter on a buffer.
    pub fn new(buffer: &'a mut Buffer, theme: &'a Theme, glyphs: Glyphs) -> Self {
        Self {
            buffer,
            theme,
            glyphs,
        }
    }

    /// Paints text at most `columns` wide and returns the column after it.
    ///
    /// What lies outside the buffer is not painted.
    pub fn text(&mut self, x: u16, y: u16, columns: u16, text: &str, role: Role) -> u16 {
        let style = self.theme.style(role);
        self.styled(x, y, columns, text, style)
    }

    /// Like [`Painter::text`] with a style instead of a role.
    pub fn styled(&mut self, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        if y < area.y || y >= area.bottom() || x >= area.right() || columns == 0 {
            return x;
        }
        let columns = columns.min(area.right() - x);
        let fitted = fit(text, usize::from(columns), self.glyphs.ellipsis);
        let (end, _) = self
            .buffer
            .set_stringn(x, y, &fitted, usize::from(columns), style);
        end
    }

    /// Like [`Painter::text`], but what does not fit is cut from the middle.
    pub fn name(&mut self, x: u16, y: u16, columns: u16, text: &str, role: Role) -> u16 {
        let fitted = fit_middle(text, usize::from(columns), self.glyphs.ellipsis);
        self.text(x, y, columns, &fitted, role)
    }

    /// Paints parts one after another within `columns` and returns the column after the last.
    pub fn parts(&mut self, x: u16, y: u16, columns: u16, parts: &[Part<'_>]) -> u16 {
        let end = x.saturating_add(columns);
        let mut at = x;
        for (text, role) in parts {
            at = self.text(at, y, end.saturating_sub(at), text, *role);
        }
        at
    }

    /// Paints parts so that they end at column `right`, and returns the column they start at.
    ///
    /// If they are wider than `columns`, the end is cut.
    pub fn parts_right(&mut self, right: u16, y: u16, columns: u16, parts: &[Part<'_>]) -> u16 {
        let total: u16 = parts.iter().map(|(text, _)| width16(text)).sum();
        let start = right.saturating_sub(total.min(columns));
        self.parts(start, y, columns, parts);
        start
    }

    /// Gives an area a role's colours and attributes; text stays.
    pub fn tint(&mut self, area: Rect, role: Role) {
        let area = area.intersection(self.buffer.area);
        let style = self.theme.style(role);
        self.buffer.set_style(area, style);
    }

    /// Empties an area and gives it a role's look.
    pub fn clear(&mut self, area: Rect, role: Role) {
        let area = area.intersection(self.buffer.area);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                self.buffer[(x, y)].reset();
            }
        }
        self.tint(area, role);
    }

    /// Fills one line with a character.
    pub fn rule(&mut self, x: u16, y: u16, columns: u16, glyph: &str, role: Role) {
        let style = self.theme.style(role);
        let area = self.buffer.area;
        if y < area.y || y >= area.bottom() {
            return;
        }
        for column in x..x.saturating_add(columns).min(area.right()) {
            self.buffer[(column, y)].set_symbol(glyph).set_style(style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glyphs::UNICODE;

    #[test]
    fn painting_outside_the_buffer_is_harmless() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 5, 1));
        let theme = Theme::bare();
        let mut p = Painter::new(&mut buffer, &theme, UNICODE);
        p.text(3, 0, 50, "hello", Role::Text);
        p.text(9, 0, 5, "x", Role::Text);
        p.text(0, 7, 5, "x", Role::Text);
        p.rule(0, 9, 5, "-", Role::Text);
        p.clear(Rect::new(2, 0, 90, 90), Role::Text);
        p.text(0, 0, 5, "abcdefgh", Role::Text);
        assert_eq!(buffer, {
            let mut expected = Buffer::empty(Rect::new(0, 0, 5, 1));
            expected.set_string(0, 0, "abcd…", Style::new());
            expected
        });
    }

    #[test]
    fn right_aligned_parts_end_where_told() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        let theme = Theme::bare();
        let mut p = Painter::new(&mut buffer, &theme, UNICODE);
        let start = p.parts_right(8, 0, 8, &[("ab", Role::Text), ("c", Role::Dim)]);
        assert_eq!(start, 5);
        assert_eq!(buffer[(7, 0)].symbol(), "c");
    }
}
