//! The state of a table: rows, order, filter and cursor.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Record;

/// How many rows are measured to size the columns.
const SAMPLE: usize = 400;

/// Order of a table.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Sort {
    /// Position of the column.
    pub column: usize,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// Rows with a cursor that stays on its row, whatever happens around it.
#[derive(Debug)]
pub struct TableModel<R> {
    rows: Arc<Vec<Arc<R>>>,
    shown: Vec<u32>,
    sort: Sort,
    cursor: usize,
    cursor_id: Option<String>,
    offset: usize,
    height: usize,
    measured: Vec<u16>,
}

impl<R: Record> TableModel<R> {
    /// An empty table in an order.
    pub fn new(sort: Sort) -> Self {
        Self {
            rows: Arc::default(),
            shown: Vec::new(),
            sort,
            cursor: 0,
            cursor_id: None,
            offset: 0,
            height: 10,
            measured: vec![0; R::COLUMNS.len()],
        }
    }

    /// Replaces the rows, then filters and sorts them; the cursor stays on its row by id.
    pub fn set_rows(&mut self, rows: Arc<Vec<Arc<R>>>, keep: &dyn Fn(&R) -> bool, env: &R::Env) {
        self.rows = rows;
        self.refresh(keep, env);
    }

    /// Filters and sorts again.
    pub fn refresh(&mut self, keep: &dyn Fn(&R) -> bool, env: &R::Env) {
        let rows = Arc::clone(&self.rows);
        self.shown = (0_u32..)
            .zip(rows.iter())
            .filter(|(_, row)| keep(row))
            .map(|(i, _)| i)
            .collect();
        let row = |i: &u32| &rows[*i as usize];
        let sort = self.sort;
        self.shown
            .sort_by(|a, b| order(sort, row(a).as_ref(), row(b).as_ref()));
        self.measure(env);
        self.restore_cursor();
    }

    fn measure(&mut self, env: &R::Env) {
        let stride = (self.shown.len() / SAMPLE).max(1);
        let mut measured = vec![0_u16; R::COLUMNS.len()];
        for i in self.shown.iter().step_by(stride) {
            let row = &self.rows[*i as usize];
            for (column, widest) in measured.iter_mut().enumerate() {
                let width = row.cell(column, env).width();
                *widest = (*widest).max(u16::try_from(width).unwrap_or(u16::MAX));
            }
        }
        self.measured = measured;
    }

    fn restore_cursor(&mut self) {
        if let Some(id) = &self.cursor_id
            && let Some(at) = self
                .shown
                .iter()
                .position(|i| self.rows[*i as usize].id() == id)
        {
            self.cursor = at;
        }
        self.cursor = self.cursor.min(self.shown.len().saturating_sub(1));
        // Nobody chose the first row, so it is not held on to.
        if self.cursor_id.is_some() {
            self.cursor_id = self.selected().map(|row| row.id().to_owned());
        }
        self.settle();
    }

    /// All rows, unfiltered.
    pub fn rows(&self) -> &Arc<Vec<Arc<R>>> {
        &self.rows
    }

    /// How many rows pass the filter.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// Whether no row passes the filter.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The row at a position of the filtered order.
    pub fn row(&self, at: usize) -> Option<&Arc<R>> {
        self.rows.get(*self.shown.get(at)? as usize)
    }

    /// The row under the cursor.
    pub fn selected(&self) -> Option<&Arc<R>> {
        self.row(self.cursor)
    }

    /// Position of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The order.
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// Widest text of each column.
    pub fn measured(&self) -> &[u16] {
        &self.measured
    }

    /// Rows on a page as last laid out.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Moves the cursor by rows.
    pub fn step(&mut self, by: isize) {
        self.jump(self.cursor.saturating_add_signed(by));
    }

    /// Moves the cursor to a position, or to the last one.
    pub fn jump(&mut self, to: usize) {
        self.cursor = to.min(self.shown.len().saturating_sub(1));
        self.cursor_id = self.selected().map(|row| row.id().to_owned());
        self.settle();
    }

    /// Moves the cursor to a row by id and says whether it is shown.
    pub fn select(&mut self, id: &str) -> bool {
        let at = self
            .shown
            .iter()
            .position(|i| self.rows[*i as usize].id() == id);
        if let Some(at) = at {
            self.jump(at);
        } else {
            self.cursor_id = Some(id.to_owned());
        }
        at.is_some()
    }

    /// Sorts by a column; by the same column again, the other way around.
    ///
    /// The caller refreshes afterwards.
    pub fn sort_by(&mut self, column: usize) {
        if self.sort.column == column {
            self.sort.descending = !self.sort.descending;
        } else {
            self.sort = Sort {
                column,
                descending: false,
            };
        }
    }

    /// Takes note of how many rows the screen shows.
    pub fn laid_out(&mut self, height: usize) {
        self.height = height.max(1);
        self.settle();
    }

    fn settle(&mut self) {
        self.offset = self.window(self.height).0;
    }

    /// First and last-plus-one position to show in `height` rows, the cursor among them.
    pub fn window(&self, height: usize) -> (usize, usize) {
        let height = height.max(1);
        let total = self.shown.len();
        let mut start = self.offset.min(total.saturating_sub(height));
        if self.cursor < start {
            start = self.cursor;
        } else if self.cursor >= start + height {
            start = self.cursor + 1 - height;
        }
        (start, (start + height).min(total))
    }
}

fn order<R: Record>(sort: Sort, a: &R, b: &R) -> Ordering {
    let by_column = a.compare(b, sort.column);
    let by_column = if sort.descending {
        by_column.reverse()
    } else {
        by_column
    };
    by_column.then_with(|| a.id().cmp(b.id()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::glyphs::Mark;
    use crate::table::{Cell, Column};
    use crate::theme::Role;

    pub(in crate::table) struct Item {
        pub(in crate::table) name: &'static str,
        pub(in crate::table) size: u32,
    }

    impl Record for Item {
        type Env = ();
        const COLUMNS: &'static [Column] = &[
            Column::text("name", "NAME", 0, 4, 20),
            Column::number("size", "SIZE", 1, 4),
        ];

        fn id(&self) -> &str {
            self.name
        }

        fn cell<'a>(&'a self, column: usize, (): &()) -> Cell<'a> {
            match column {
                0 => Cell::new(self.name, Role::Text),
                _ => Cell::new(self.size.to_string(), Role::Number),
            }
        }

        fn compare(&self, other: &Self, column: usize) -> Ordering {
            match column {
                0 => self.name.cmp(other.name),
                _ => self.size.cmp(&other.size),
            }
        }

        fn mark(&self) -> Mark {
            if self.size > 90 { Mark::Bad } else { Mark::Ok }
        }
    }

    pub(in crate::table) fn rows(items: &[(&'static str, u32)]) -> Arc<Vec<Arc<Item>>> {
        Arc::new(
            items
                .iter()
                .map(|(name, size)| Arc::new(Item { name, size: *size }))
                .collect(),
        )
    }

    fn names(table: &TableModel<Item>) -> Vec<&'static str> {
        (0..table.len())
            .map(|i| table.row(i).unwrap().name)
            .collect()
    }

    #[test]
    fn the_cursor_follows_its_row() {
        let mut table = TableModel::new(Sort::default());
        table.set_rows(rows(&[("b", 1), ("c", 2), ("d", 3)]), &|_| true, &());
        table.step(1);
        assert_eq!(table.selected().unwrap().name, "c");
        table.set_rows(rows(&[("a", 9), ("b", 1), ("c", 2)]), &|_| true, &());
        assert_eq!((table.cursor(), table.selected().unwrap().name), (2, "c"));
        table.set_rows(rows(&[("a", 9)]), &|_| true, &());
        assert_eq!(table.selected().unwrap().name, "a");
        table.set_rows(rows(&[]), &|_| true, &());
        assert!(table.selected().is_none());
    }

    #[test]
    fn sorts_both_ways_with_the_name_as_second_key() {
        let mut table = TableModel::new(Sort::default());
        table.set_rows(rows(&[("b", 1), ("a", 1), ("c", 0)]), &|_| true, &());
        table.sort_by(1);
        table.refresh(&|_| true, &());
        assert_eq!(names(&table), ["c", "a", "b"]);
        table.sort_by(1);
        table.refresh(&|row| row.name != "c", &());
        assert_eq!(names(&table), ["a", "b"]);
    }

    #[test]
    fn the_window_holds_the_cursor() {
        let mut table = TableModel::new(Sort::default());
        let items: Vec<(&'static str, u32)> =
            ["a", "b", "c", "d", "e", "f"].map(|n| (n, 0)).to_vec();
        table.set_rows(rows(&items), &|_| true, &());
        table.laid_out(3);
        assert_eq!(table.window(3), (0, 3));
        table.jump(usize::MAX);
        assert_eq!(table.window(3), (3, 6));
        table.step(-2);
        assert_eq!(table.window(3), (3, 6));
        table.step(-1);
        assert_eq!(table.window(3), (2, 5));
        assert_eq!(table.window(60), (0, 6));
    }
}
