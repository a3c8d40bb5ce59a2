//! Frames around panes, with a title above and facts below.

use ratatui::layout::Rect;

use crate::painter::{Painter, Part};
use crate::text::width16;
use crate::theme::Role;

/// What is written on a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Labels<'a> {
    /// At the top left.
    pub title: &'a [Part<'a>],
    /// At the top right.
    pub aside: &'a [Part<'a>],
    /// At the bottom left.
    pub foot: &'a [Part<'a>],
    /// At the bottom right.
    pub foot_aside: &'a [Part<'a>],
}

/// Paints a frame and returns the area inside, with one column of air on each side.
pub fn frame(p: &mut Painter<'_>, area: Rect, labels: Labels<'_>, focused: bool) -> Rect {
    if area.width < 2 || area.height < 2 {
        return Rect::new(area.x, area.y, 0, 0);
    }
    let (glyphs, role) = if focused {
        (p.glyphs.border_focus, Role::BorderFocus)
    } else {
        (p.glyphs.border, Role::Border)
    };
    let [
        top_left,
        top_right,
        bottom_left,
        bottom_right,
        horizontal,
        vertical,
    ] = glyphs;
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    for (y, left_corner, right_corner) in [
        (area.y, top_left, top_right),
        (bottom, bottom_left, bottom_right),
    ] {
        p.rule(area.x, y, area.width, horizontal, role);
        p.rule(area.x, y, 1, left_corner, role);
        p.rule(right, y, 1, right_corner, role);
    }
    for y in area.y + 1..bottom {
        p.rule(area.x, y, 1, vertical, role);
        p.rule(right, y, 1, vertical, role);
    }
    label_line(p, area, area.y, labels.title, labels.aside);
    label_line(p, area, bottom, labels.foot, labels.foot_aside);
    Rect::new(
        area.x + 2,
        area.y + 1,
        area.width.saturating_sub(4),
        area.height - 2,
    )
}

fn label_line(p: &mut Painter<'_>, area: Rect, y: u16, left: &[Part<'_>], right: &[Part<'_>]) {
    let room = area.width.saturating_sub(4);
    let mut used = 0;
    if !left.is_empty() && room > 4 {
        let x = area.x + 2;
        let end = p.parts(x + 1, y, room - 2, left);
        p.text(x, y, 1, " ", Role::Border);
        p.text(end, y, 1, " ", Role::Border);
        used = end + 1 - x;
    }
    let wanted: u16 = right.iter().map(|(text, _)| width16(text)).sum::<u16>() + 2;
    if !right.is_empty() && used + wanted < room {
        let end = area.right() - 2;
        let start = p.parts_right(end - 1, y, wanted, right);
        p.text(start - 1, y, 1, " ", Role::Border);
        p.text(end - 1, y, 1, " ", Role::Border);
    }
}

/// Paints a horizontal line with a heading inside an area, and returns the rows below it.
pub fn section(p: &mut Painter<'_>, area: Rect, heading: &[Part<'_>]) -> Rect {
    if area.height == 0 {
        return area;
    }
    let end = p.parts(area.x, area.y, area.width, heading);
    let start = end + 1;
    if start < area.right() {
        p.rule(
            start,
            area.y,
            area.right() - start,
            p.glyphs.border[4],
            Role::Border,
        );
    }
    Rect::new(area.x, area.y + 1, area.width, area.height - 1)
}

/// Paints a scroll bar over the right border: `offset` of `total` rows, `visible` at once.
pub fn scroll_bar(p: &mut Painter<'_>, area: Rect, total: usize, visible: usize, offset: usize) {
    let track = usize::from(area.height.saturating_sub(2));
    if total <= visible || track < 2 || area.width == 0 {
        return;
    }
    let thumb = (track * visible / total).clamp(1, track);
    let room = track - thumb;
    let start = (room * offset + (total - visible) / 2) / (total - visible);
    for row in start.min(room)..start.min(room) + thumb {
        let y = area.y + 1 + u16::try_from(row).unwrap_or(0);
        p.rule(area.right() - 1, y, 1, p.glyphs.thumb, Role::BorderFocus);
    }
}

/// A rectangle of at most `width` by `height` in the middle of `area`.
pub fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let width = width.min(area.width);
    let height = height.min(area.height);
    Rect::new(
        area.x + (area.width - width) / 2,
        area.y + (area.height - height) / 2,
        width,
        height,
    )
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;

    use super::*;
    use crate::glyphs::UNICODE;
    use crate::theme::Theme;

    fn lines(buffer: &Buffer) -> Vec<String> {
        buffer
            .content
            .chunks(usize::from(buffer.area.width))
            .map(|row| row.iter().map(|cell| cell.symbol()).collect())
            .collect()
    }

    #[test]
    fn labels_sit_on_the_border_and_asides_yield() {
        let theme = Theme::bare();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 24, 3));
        let mut p = Painter::new(&mut buffer, &theme, UNICODE);
        let labels = Labels {
            title: &[("pods", Role::Title)],
            aside: &[("3", Role::Dim)],
            foot: &[("a long foot", Role::Dim)],
            foot_aside: &[("too long to fit", Role::Dim)],
        };
        let inside = frame(&mut p, Rect::new(0, 0, 24, 3), labels, false);
        assert_eq!(inside, Rect::new(2, 1, 20, 1));
        assert_eq!(
            lines(&buffer),
            [
                "╭─ pods ─────────── 3 ─╮",
                "│                      │",
                "╰─ a long foot ────────╯"
            ]
        );
    }

    #[test]
    fn nothing_panics_when_tiny() {
        let theme = Theme::bare();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 2));
        let mut p = Painter::new(&mut buffer, &theme, UNICODE);
        for (w, h) in [(0, 0), (1, 1), (2, 2), (3, 2)] {
            let area = Rect::new(0, 0, w, h);
            frame(&mut p, area, Labels::default(), true);
            scroll_bar(&mut p, area, 10, 1, 9);
            section(&mut p, area, &[("heading", Role::Dim)]);
        }
    }
}
