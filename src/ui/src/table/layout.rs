//! Which columns a table shows at a width, and how wide each is.

use crate::text::width16;

/// Side to which a cell's text goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A column as its table declares it.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name in filters and sort commands: lower case, one word.
    pub id: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Side of its text.
    pub align: Align,
    /// 0 is always shown; the higher, the sooner it goes when room is short.
    pub priority: u8,
    /// Fewest columns it is any use at.
    pub min: u16,
    /// Most columns it takes unless room is left over.
    pub max: u16,
    /// Whether it may take room that is left over.
    pub grow: bool,
}

impl Column {
    /// A column of text.
    pub const fn text(
        id: &'static str,
        title: &'static str,
        priority: u8,
        min: u16,
        max: u16,
    ) -> Self {
        Self {
            id,
            title,
            align: Align::Left,
            priority,
            min,
            max,
            grow: false,
        }
    }

    /// A column of numbers.
    pub const fn number(id: &'static str, title: &'static str, priority: u8, min: u16) -> Self {
        Self {
            id,
            title,
            align: Align::Right,
            priority,
            min,
            max: 12,
            grow: false,
        }
    }

    /// The same column, taking room that is left over.
    pub const fn growing(self) -> Self {
        Self { grow: true, ..self }
    }
}

/// A column in its place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Placed {
    /// Position in the declaration.
    pub index: usize,
    /// First cell, from the left edge of the table.
    pub x: u16,
    /// Cells.
    pub width: u16,
}

/// Cells between columns.
const GAP: u16 = 2;

/// Places columns in `width` cells.
///
/// `measured` is the widest text of each column. Columns of priority 0 come first with their
/// least width; then each other column joins, by priority, as long as it fits at the width its
/// text needs (or, for the last one, at its least width).
pub fn place(columns: &[Column], measured: &[u16], width: u16) -> Vec<Placed> {
    let wanted = |i: usize| {
        let column = &columns[i];
        let heading = width16(column.title);
        let text = measured.get(i).copied().unwrap_or(0);
        text.max(heading)
            .clamp(column.min, column.max.max(column.min))
    };
    let mut widths: Vec<Option<u16>> = vec![None; columns.len()];
    let mut left = width + GAP;
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|i| columns[*i].priority);
    for i in order.iter().copied().filter(|i| columns[*i].priority == 0) {
        let least = columns[i].min.min(wanted(i));
        widths[i] = Some(least);
        left = left.saturating_sub(least + GAP);
    }
    for i in order.iter().copied().filter(|i| columns[*i].priority == 0) {
        widen(&mut widths[i], wanted(i), &mut left);
    }
    for i in order.iter().copied().filter(|i| columns[*i].priority > 0) {
        let least = columns[i].min.min(wanted(i));
        if left < least + GAP {
            break;
        }
        let taken = wanted(i).min(left - GAP);
        widths[i] = Some(taken);
        left -= taken + GAP;
    }
    for i in order {
        if columns[i].grow && widths[i].is_some() {
            let text = measured.get(i).copied().unwrap_or(0);
            widen(&mut widths[i], text, &mut left);
        }
    }
    arrange(&widths, width)
}

fn widen(width: &mut Option<u16>, wanted: u16, left: &mut u16) {
    if let Some(width) = width {
        let more = wanted.saturating_sub(*width).min(*left);
        *width += more;
        *left -= more;
    }
}

fn arrange(widths: &[Option<u16>], width: u16) -> Vec<Placed> {
    let mut placed = Vec::new();
    let mut x = 0;
    for (index, column) in widths.iter().enumerate() {
        let Some(column) = column else { continue };
        if x >= width {
            break;
        }
        let fitted = (*column).min(width - x);
        placed.push(Placed {
            index,
            x,
            width: fitted,
        });
        x += fitted + GAP;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[
        Column::text("name", "NAME", 0, 8, 30).growing(),
        Column::text("ready", "READY", 0, 5, 8),
        Column::text("region", "REGION", 2, 6, 16),
        Column::number("age", "AGE", 1, 4),
    ];

    fn shown(width: u16) -> Vec<(usize, u16)> {
        place(COLUMNS, &[20, 4, 14, 3], width)
            .iter()
            .map(|p| (p.index, p.width))
            .collect()
    }

    #[test]
    fn low_priority_columns_yield_first() {
        assert_eq!(shown(80), [(0, 20), (1, 5), (2, 14), (3, 4)]);
        assert_eq!(shown(40), [(0, 20), (1, 5), (3, 4)]);
        assert_eq!(shown(30), [(0, 20), (1, 5)]);
        assert_eq!(shown(20), [(0, 13), (1, 5)]);
        assert_eq!(shown(5), [(0, 5)]);
    }

    #[test]
    fn left_over_room_goes_to_growing_columns_only_as_far_as_text_needs() {
        let placed = place(COLUMNS, &[50, 4, 6, 3], 100);
        assert_eq!(placed[0].width, 50);
    }
}
