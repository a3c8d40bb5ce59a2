//! A place in a run of lines: a cursor, and the window that holds it.

/// A cursor over lines and the window around it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Scroll {
    pub(crate) at: usize,
    offset: usize,
    height: usize,
}

impl Scroll {
    /// Moves by lines of `total`.
    pub(crate) fn step(&mut self, by: isize, total: usize) {
        self.jump(self.at.saturating_add_signed(by), total);
    }

    /// Goes to a line, or to the last.
    pub(crate) fn jump(&mut self, to: usize, total: usize) {
        self.at = to.min(total.saturating_sub(1));
        self.offset = self.window(self.height, total).0;
    }

    /// Takes note of how many lines the screen shows.
    pub(crate) fn laid_out(&mut self, height: usize, total: usize) {
        self.height = height;
        self.jump(self.at, total);
    }

    /// Lines on a page.
    pub(crate) fn height(&self) -> usize {
        self.height.max(1)
    }

    /// First and last-plus-one line to show, the cursor among them.
    pub(crate) fn window(&self, height: usize, total: usize) -> (usize, usize) {
        let height = height.max(1);
        let mut start = self.offset.min(total.saturating_sub(height));
        if self.at < start {
            start = self.at;
        } else if self.at >= start + height {
            start = self.at + 1 - height;
        }
        (start, (start + height).min(total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_follows_the_cursor_and_survives_shrinking() {
        let mut scroll = Scroll::default();
        scroll.laid_out(3, 10);
        scroll.step(5, 10);
        assert_eq!(scroll.window(3, 10), (3, 6));
        scroll.laid_out(3, 2);
        assert_eq!((scroll.at, scroll.window(3, 2)), (1, (0, 2)));
        scroll.laid_out(3, 0);
        assert_eq!(scroll.window(3, 0), (0, 0));
    }
}
