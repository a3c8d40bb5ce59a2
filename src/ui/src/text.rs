//! Text that may come from a cluster: making it harmless, measuring it, and fitting it in cells.
//!
//! Everything that reaches a screen passes [`clean`] once, where it arrives. After that no string
//! holds a control character, an escape sequence or an invisible direction mark.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Replaces what could move the cursor, start an escape sequence or reorder text.
///
/// C0 controls become their visible pictures, line breaks and tabs become one space, C1 controls
/// and invisible direction marks become U+FFFD.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(visible).collect())
}

fn is_plain(c: char) -> bool {
    visible(c) == c
}

fn visible(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => '\u{fffd}',
        _ => c,
    }
}

/// Like [`clean`], but keeps tabs as spaces up to the next multiple of `tab` columns.
pub fn clean_line(text: &str, tab: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        if c == '\t' {
            let fill = tab.max(1) - column % tab.max(1);
            out.extend(std::iter::repeat_n(' ', fill));
            column += fill;
        } else {
            out.push(visible(c));
            column += 1;
        }
    }
    out
}

/// Columns the text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Columns the text takes, as the type ratatui counts in.
pub fn width16(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}

/// The text, or its beginning and `ellipsis`, in at most `columns`.
pub fn fit<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let mark = width(ellipsis);
    if columns <= mark {
        return Cow::Owned(take_columns(text, columns).to_owned());
    }
    Cow::Owned(format!("{}{ellipsis}", take_columns(text, columns - mark)))
}

/// The text, or its beginning and end around `ellipsis`, in at most `columns`.
///
/// Names of clusters and objects differ at both ends, so the middle goes first.
pub fn fit_middle<'a>(text: &'a str, columns: usize, ellipsis: &str) -> Cow<'a, str> {
    let mark = width(ellipsis);
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns < mark + 4 {
        return fit(text, columns, ellipsis);
    }
    let tail_columns = (columns - mark) / 2;
    let head = take_columns(text, columns - mark - tail_columns);
    let tail: Vec<&str> = {
        let mut used = 0;
        let mut tail: Vec<&str> = text
            .graphemes(true)
            .rev()
            .take_while(|g| {
                used += width(g);
                used <= tail_columns
            })
            .collect();
        tail.reverse();
        tail
    };
    Cow::Owned(format!("{head}{ellipsis}{}", tail.concat()))
}

/// The longest beginning of the text that fits in `columns`.
pub fn take_columns(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += width(grapheme);
        if used > columns {
            break;
        }
        end = at + grapheme.len();
    }
    text.get(..end).unwrap_or_default()
}

/// Splits the text into lines of at most `columns`, at spaces where it can.
///
/// A word longer than a line is cut. There is always at least one line.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_word_bounds() {
        let mut rest = word;
        let mut columns_left = width(rest);
        if used + columns_left > columns && used > 0 && columns_left <= columns {
            lines.push(std::mem::take(&mut line));
            used = 0;
            if rest.trim().is_empty() {
                continue;
            }
        }
        while used + columns_left > columns {
            let mut head = take_columns(rest, columns - used);
            if head.is_empty() && used == 0 {
                head = rest.graphemes(true).next().unwrap_or(rest);
            }
            line.push_str(head);
            lines.push(std::mem::take(&mut line));
            used = 0;
            rest = rest.get(head.len()..).unwrap_or_default();
            columns_left = width(rest);
        }
        line.push_str(rest);
        used += columns_left;
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    for line in &mut lines {
        let end = line.trim_end().len();
        line.truncate(end);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_becomes_visible() {
        assert_eq!(clean("\u{1b}[2J\u{7}x"), "\u{241b}[2J\u{2407}x");
        assert_eq!(clean("a\u{9b}31mb\u{202e}c"), "a\u{fffd}31mb\u{fffd}c");
        assert_eq!(clean("two\r\nlines"), "two  lines");
        assert!(matches!(clean("plain ✓ 漢字"), Cow::Borrowed(_)));
    }

    #[test]
    fn tabs_reach_their_stops() {
        assert_eq!(clean_line("a\tb\u{1b}", 4), "a   b\u{241b}");
    }

    #[test]
    fn fitting_counts_columns_not_bytes() {
        assert_eq!(fit("漢字漢字", 5, "…"), "漢字…");
        assert_eq!(fit("short", 5, "…"), "short");
        assert_eq!(fit("long", 1, "…"), "l");
        assert_eq!(
            fit_middle("indexer-statefulset", 11, "…"),
            "index…lset".replace("lset", "ulset")
        );
        assert_eq!(fit_middle("abcdef", 3, "…"), "ab…");
    }

    #[test]
    fn wraps_at_spaces_and_cuts_long_words() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("漢字", 1), ["漢", "字"]);
    }
}
