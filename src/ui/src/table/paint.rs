//! Painting a table.

use ratatui::layout::Rect;

use super::layout::{Align, Placed, place};
use super::{Cell, Record, TableModel, mark_role};
use crate::painter::Painter;
use crate::text::width16;
use crate::theme::Role;

/// Byte ranges of a cell's text to highlight.
pub type Highlight<'a> = &'a dyn Fn(&str, &str) -> Vec<(usize, usize)>;

/// Cells left of the first column: the mark and a space.
const GUTTER: u16 = 2;

/// Paints a heading line and as many rows as fit, and returns how many rows fit.
///
/// `highlight` is given a column's id and a cell's text.
pub fn paint<R: Record>(
    p: &mut Painter<'_>,
    area: Rect,
    table: &TableModel<R>,
    env: &R::Env,
    highlight: Option<Highlight<'_>>,
) -> usize {
    if area.height == 0 || area.width <= GUTTER {
        return 0;
    }
    let placed = place(R::COLUMNS, table.measured(), area.width - GUTTER);
    heading(p, area, table, &placed);
    let height = usize::from(area.height - 1);
    let (first, last) = table.window(height);
    for (line, at) in (area.y + 1..area.bottom()).zip(first..last) {
        let Some(row) = table.row(at) else { break };
        // First, so that matches stand out on the selected row too.
        if at == table.cursor() {
            p.tint(Rect::new(area.x, line, area.width, 1), Role::Selection);
        }
        let mark = row.mark();
        let glyph = p.glyphs.mark(mark);
        p.text(area.x, line, 1, glyph, mark_role(mark));
        for place in &placed {
            let cell = row.cell(place.index, env);
            let column = &R::COLUMNS[place.index];
            let ranges = highlight.map_or_else(Vec::new, |find| find(column.id, &cell.plain()));
            let cell_area = Rect::new(area.x + GUTTER + place.x, line, place.width, 1);
            paint_cell(p, cell_area, &cell, column.align, &ranges);
        }
    }
    height
}

fn heading<R: Record>(p: &mut Painter<'_>, area: Rect, table: &TableModel<R>, placed: &[Placed]) {
    for place in placed {
        let column = &R::COLUMNS[place.index];
        let sorted = table.sort().column == place.index;
        let mut title = column.title.to_owned();
        let mut role = Role::TableHeader;
        if sorted {
            title.push_str(p.glyphs.sort[usize::from(table.sort().descending)]);
            role = Role::TableHeaderSort;
        }
        let x = area.x + GUTTER + place.x;
        // The arrow of a sorted column hangs into the gap.
        let room = place.width + u16::from(sorted);
        let taken = width16(&title).min(room);
        let start = match column.align {
            Align::Left => x,
            Align::Right => x + room - taken,
        };
        p.text(start, area.y, taken, &title, role);
    }
}

fn paint_cell(
    p: &mut Painter<'_>,
    area: Rect,
    cell: &Cell<'_>,
    align: Align,
    ranges: &[(usize, usize)],
) {
    let total = u16::try_from(cell.width()).unwrap_or(u16::MAX);
    let start = match align {
        Align::Left => area.x,
        Align::Right => area.right() - total.min(area.width),
    };
    let mut x = start;
    let mut left = area.width.min(total);
    for (text, role) in &cell.parts {
        let end = p.text(x, area.y, left, text, *role);
        left = left.saturating_sub(end - x);
        x = end;
    }
    // Whatever piece is cut off, even a whole one, the ellipsis says so.
    if total > area.width && area.width > 0 {
        let last = area.right() - 1;
        if area.width > 1 || cell.parts.len() > 1 {
            p.buffer[(last, area.y)].set_symbol(p.glyphs.ellipsis);
        }
    }
    let plain = cell.plain();
    for (from, to) in ranges {
        let before = plain.get(..*from).map_or(0, width16);
        let matched = plain.get(*from..*to).map_or(0, width16);
        let first = start + before;
        let last = (first + matched).min(area.right());
        if first < last {
            p.tint(Rect::new(first, area.y, last - first, 1), Role::Match);
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;

    use super::*;
    use crate::glyphs::ASCII;
    use crate::table::Sort;
    use crate::table::model::tests::rows;
    use crate::theme::Theme;

    fn screen(table: &TableModel<crate::table::model::tests::Item>, width: u16) -> Vec<String> {
        let area = Rect::new(0, 0, width, 4);
        let mut buffer = Buffer::empty(area);
        let theme = Theme::bare();
        let mut p = Painter::new(&mut buffer, &theme, ASCII);
        paint(&mut p, area, table, &(), None);
        buffer
            .content
            .chunks(usize::from(width))
            .map(|row| {
                row.iter()
                    .map(|c| c.symbol())
                    .collect::<String>()
                    .trim_end()
                    .to_owned()
            })
            .collect()
    }

    #[test]
    fn numbers_align_right_and_marks_lead() {
        let mut table = TableModel::new(Sort::default());
        table.set_rows(rows(&[("alpha", 7), ("beta", 100)]), &|_| true, &());
        assert_eq!(
            screen(&table, 20),
            ["  NAME^  SIZE", "* alpha     7", "X beta    100", ""]
        );
    }

    #[test]
    fn long_names_end_in_the_ellipsis() {
        let mut table = TableModel::new(Sort::default());
        table.set_rows(rows(&[("a-rather-long-name", 7)]), &|_| true, &());
        assert_eq!(screen(&table, 12)[1], "* a-rather-~");
    }
}
