//! The characters the console draws with: one set for UTF-8 terminals and one in ASCII.

/// What a mark in front of a row says; each has its own shape, so colour only repeats it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Ord, PartialOrd)]
pub enum Mark {
    /// Nothing to say.
    #[default]
    None,
    /// As it should be.
    Ok,
    /// On its way to another state.
    Moving,
    /// Not known.
    Unknown,
    /// Needs a look.
    Attention,
    /// Failed.
    Bad,
}

/// A set of drawing characters.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Glyphs {
    /// Whether the set is the ASCII one.
    pub ascii: bool,
    /// Corners and lines: top left, top right, bottom left, bottom right, horizontal, vertical.
    pub border: [&'static str; 6],
    /// The same for the border of the focused pane.
    pub border_focus: [&'static str; 6],
    /// What stands for text that did not fit.
    pub ellipsis: &'static str,
    /// Between breadcrumbs.
    pub crumb: &'static str,
    /// Between facts on one line.
    pub dot: &'static str,
    /// A passed check.
    pub pass: &'static str,
    /// A failed check.
    pub fail: &'static str,
    /// From one value to another.
    pub arrow: &'static str,
    /// Sorted upwards and downwards.
    pub sort: [&'static str; 2],
    /// A gauge's full and empty cell.
    pub gauge: [&'static str; 2],
    /// Sparkline levels from low to high.
    pub spark: &'static [&'static str],
    /// Row cursor.
    pub cursor: &'static str,
    /// A value that is absent.
    pub none: &'static str,
    /// Thumb of a scroll bar.
    pub thumb: &'static str,
    marks: [&'static str; 6],
}

/// For terminals with a UTF-8 locale.
pub const UNICODE: Glyphs = Glyphs {
    ascii: false,
    border: ["╭", "╮", "╰", "╯", "─", "│"],
    border_focus: ["╭", "╮", "╰", "╯", "─", "│"],
    ellipsis: "…",
    crumb: "›",
    dot: "·",
    pass: "✓",
    fail: "✗",
    arrow: "→",
    sort: ["↑", "↓"],
    gauge: ["█", "░"],
    spark: &["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    cursor: "▌",
    none: "–",
    thumb: "┃",
    marks: [" ", "●", "◐", "○", "▲", "✖"],
};

/// For every other terminal.
pub const ASCII: Glyphs = Glyphs {
    ascii: true,
    border: ["+", "+", "+", "+", "-", "|"],
    border_focus: ["+", "+", "+", "+", "=", "|"],
    ellipsis: "~",
    crumb: ">",
    dot: "|",
    pass: "ok",
    fail: "X",
    arrow: "->",
    sort: ["^", "v"],
    gauge: ["#", "."],
    spark: &[".", ":", "-", "=", "+", "*", "#", "@"],
    cursor: ">",
    none: "-",
    thumb: "#",
    marks: [" ", "*", "~", "?", "!", "X"],
};

impl Glyphs {
    /// The set a locale can show; `locale` is the value of `LC_ALL`, `LC_CTYPE` or `LANG`.
    pub fn for_locale(locale: &str) -> Self {
        let upper = locale.to_ascii_uppercase();
        if upper.contains("UTF-8") || upper.contains("UTF8") {
            UNICODE
        } else {
            ASCII
        }
    }

    /// The character of a mark.
    pub fn mark(&self, mark: Mark) -> &'static str {
        match mark {
            Mark::None => self.marks[0],
            Mark::Ok => self.marks[1],
            Mark::Moving => self.marks[2],
            Mark::Unknown => self.marks[3],
            Mark::Attention => self.marks[4],
            Mark::Bad => self.marks[5],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_differ_in_shape_within_a_set() {
        for set in [UNICODE, ASCII] {
            let mut marks = set.marks.to_vec();
            marks.sort_unstable();
            marks.dedup();
            assert_eq!(marks.len(), 6);
        }
    }

    #[test]
    fn locale_decides_the_set() {
        assert!(Glyphs::for_locale("C").ascii);
        assert!(!Glyphs::for_locale("de_DE.utf8").ascii);
    }
}
