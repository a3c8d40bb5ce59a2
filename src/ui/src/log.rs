//! A log: lines in a bounded ring, followed at the end or held at a place, wrapped or not.

use std::collections::VecDeque;

use ratatui::layout::Rect;

use crate::painter::Painter;
use crate::text::{width, wrap};
use crate::theme::Role;

/// One line of a log; all text is clean already.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LogLine {
    /// When, as it is shown; empty if not known.
    pub time: String,
    /// What.
    pub text: String,
    /// What it looks like.
    pub role: Role,
}

impl LogLine {
    /// A line whose role comes from the level words in it.
    pub fn new(time: String, text: String) -> Self {
        let role = level_role(&text);
        Self { time, text, role }
    }

    /// A line of ours between the lines of the log.
    pub fn marker(text: String) -> Self {
        Self {
            time: String::new(),
            text,
            role: Role::LogMarker,
        }
    }

    fn bytes(&self) -> usize {
        self.time.len() + self.text.len() + size_of::<Self>()
    }
}

/// The role of a line by the level it names near its beginning.
pub fn level_role(text: &str) -> Role {
    let head: String = text.chars().take(80).collect();
    let upper = head.to_ascii_uppercase();
    let has = |word: &str| words(&upper).any(|part| part == word);
    // `trace` and `debug` are ordinary words too, so these count as a level only in capitals.
    let names = |level: &str| {
        words(&head).any(|part| part == level) || upper.contains(&format!("LEVEL={level}"))
    };
    // klog lines start with a letter and the month and day: E0102 03:04:05.
    let klog = |letter: char| {
        let mut chars = head.chars();
        chars.next() == Some(letter) && chars.take(4).filter(char::is_ascii_digit).count() == 4
    };
    if has("ERROR") || has("FATAL") || has("PANIC") || has("ERR") || klog('E') || klog('F') {
        Role::LogError
    } else if has("WARN") || has("WARNING") || klog('W') {
        Role::LogWarn
    } else if names("DEBUG") || names("TRACE") {
        Role::LogDebug
    } else {
        Role::LogText
    }
}

/// Finds the byte ranges of a line to highlight.
pub type Highlight<'a> = &'a dyn Fn(&str) -> Vec<(usize, usize)>;

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
}

/// The state of a log view.
#[derive(Debug)]
pub struct LogModel {
    lines: VecDeque<LogLine>,
    bytes: usize,
    max_bytes: usize,
    /// Number of the first line kept; lines are counted from the beginning of the stream.
    first: u64,
    /// Numbers of the lines a filter lets through; nothing means all.
    filtered: Option<VecDeque<u64>>,
    /// Position, among shown lines, of the topmost line while not following.
    top: usize,
    /// Whether the end is kept in view.
    pub follow: bool,
    /// Whether long lines are wrapped.
    pub wrap: bool,
    /// Whether times are shown.
    pub times: bool,
    height: usize,
}

impl LogModel {
    /// An empty log that keeps at most `max_bytes` of lines.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            lines: VecDeque::new(),
            bytes: 0,
            max_bytes,
            first: 0,
            filtered: None,
            top: 0,
            follow: true,
            wrap: false,
            times: false,
            height: 10,
        }
    }

    /// Adds a line at the end; the oldest go if the ring is full. `keep` is the filter.
    pub fn push(&mut self, line: LogLine, keep: Option<&dyn Fn(&str) -> bool>) {
        let number = self.first + self.lines.len() as u64;
        if let (Some(filtered), Some(keep)) = (&mut self.filtered, keep)
            && keep(&line.text)
        {
            filtered.push_back(number);
        }
        self.bytes += line.bytes();
        self.lines.push_back(line);
        while self.bytes > self.max_bytes && self.lines.len() > 1 {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(gone) = self.lines.pop_front() else {
            return;
        };
        self.bytes -= gone.bytes();
        let shown = match &mut self.filtered {
            None => true,
            Some(filtered) => filtered
                .pop_front_if(|number| *number == self.first)
                .is_some(),
        };
        if shown {
            self.top = self.top.saturating_sub(1);
        }
        self.first += 1;
    }

    /// Shows only the lines that pass, or all.
    pub fn filter(&mut self, keep: Option<&dyn Fn(&str) -> bool>) {
        self.filtered = keep.map(|keep| {
            (self.first..)
                .zip(&self.lines)
                .filter(|(_, line)| keep(&line.text))
                .map(|(number, _)| number)
                .collect()
        });
        self.top = self.top.min(self.len().saturating_sub(1));
    }

    /// Forgets all lines.
    pub fn clear(&mut self) {
        self.first += self.lines.len() as u64;
        self.lines.clear();
        self.bytes = 0;
        self.top = 0;
        if let Some(filtered) = &mut self.filtered {
            filtered.clear();
        }
    }

    /// Lines shown.
    pub fn len(&self) -> usize {
        self.filtered
            .as_ref()
            .map_or(self.lines.len(), VecDeque::len)
    }

    /// Whether no line is shown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lines kept, shown or not.
    pub fn total(&self) -> usize {
        self.lines.len()
    }

    /// Lines that came and went because the ring was full, or were cleared.
    pub fn dropped(&self) -> u64 {
        self.first
    }

    /// A shown line.
    pub fn line(&self, at: usize) -> Option<&LogLine> {
        let index = match &self.filtered {
            None => at,
            Some(filtered) => usize::try_from(filtered.get(at)? - self.first).ok()?,
        };
        self.lines.get(index)
    }

    /// All shown lines as text.
    pub fn text(&self) -> String {
        (0..self.len())
            .filter_map(|at| self.line(at))
            .map(|line| format!("{} {}\n", line.time, line.text))
            .collect()
    }

    /// Scrolls by lines. Up stops following; reaching the end follows again.
    pub fn scroll(&mut self, by: isize) {
        let last_top = self.len().saturating_sub(self.height);
        let top = if self.follow { last_top } else { self.top };
        self.top = top.saturating_add_signed(by).min(last_top);
        self.follow = by > 0 && self.top >= last_top;
    }

    /// Goes to the first line and stops following.
    pub fn to_top(&mut self) {
        self.top = 0;
        self.follow = false;
    }

    /// Takes note of how many rows the screen shows.
    pub fn laid_out(&mut self, height: usize) {
        self.height = height.max(1);
    }

    /// Lines a page has.
    pub fn height(&self) -> usize {
        self.height
    }
}

/// Paints a log and returns how many rows it has. `highlight` finds byte ranges in a line.
pub fn paint(
    p: &mut Painter<'_>,
    area: Rect,
    log: &LogModel,
    highlight: Option<Highlight<'_>>,
) -> usize {
    let height = usize::from(area.height);
    if height == 0 || area.width == 0 {
        return height;
    }
    let stamp = if log.times { time_width(log) } else { 0 };
    let columns = usize::from(area.width).saturating_sub(stamp).max(1);
    let rows = |line: &LogLine| -> Vec<String> {
        if log.wrap {
            wrap(&line.text, columns)
        } else {
            vec![line.text.clone()]
        }
    };
    // While following, whole lines are taken from the end until the page is full.
    let mut page: VecDeque<(usize, String, bool)> = VecDeque::new();
    if log.follow {
        let mut at = log.len();
        while at > 0 && page.len() < height {
            at -= 1;
            let Some(line) = log.line(at) else { break };
            for (i, row) in rows(line).into_iter().enumerate().rev() {
                page.push_front((at, row, i == 0));
            }
        }
        while page.len() > height {
            page.pop_front();
        }
    } else {
        let mut at = log.top;
        while page.len() < height {
            let Some(line) = log.line(at) else { break };
            page.extend(
                rows(line)
                    .into_iter()
                    .enumerate()
                    .map(|(i, row)| (at, row, i == 0)),
            );
            at += 1;
        }
    }
    for (y, (at, row, is_first)) in (area.y..area.bottom()).zip(&page) {
        if let Some(line) = log.line(*at) {
            paint_row(
                p,
                Rect::new(area.x, y, area.width, 1),
                stamp,
                (line, row, *is_first),
                highlight,
            );
        }
    }
    height
}

fn time_width(log: &LogModel) -> usize {
    let last = log.lines.back().map_or(0, |line| width(&line.time));
    let first = log.lines.front().map_or(0, |line| width(&line.time));
    match first.max(last) {
        0 => 0,
        columns => columns + 1,
    }
}

fn paint_row(
    p: &mut Painter<'_>,
    area: Rect,
    stamp: usize,
    (line, row, is_first): (&LogLine, &str, bool),
    highlight: Option<Highlight<'_>>,
) {
    let stamp = u16::try_from(stamp).unwrap_or(0).min(area.width);
    if is_first && stamp > 0 {
        p.text(area.x, area.y, stamp, &line.time, Role::LogTime);
    }
    let x = area.x + stamp;
    p.text(x, area.y, area.right().saturating_sub(x), row, line.role);
    for (from, to) in highlight.map_or_else(Vec::new, |find| find(row)) {
        let column = |to: usize| row.get(..to).map_or(0, crate::text::width16);
        let first = x.saturating_add(column(from));
        let last = x.saturating_add(column(to)).min(area.right());
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
    use crate::theme::Theme;

    fn log(lines: &[&str]) -> LogModel {
        let mut log = LogModel::new(1 << 20);
        for line in lines {
            log.push(
                LogLine::new("12:00:00".to_owned(), (*line).to_owned()),
                None,
            );
        }
        log
    }

    fn screen(log: &LogModel, width: u16, height: u16) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        let theme = Theme::bare();
        paint(
            &mut Painter::new(&mut buffer, &theme, ASCII),
            area,
            log,
            None,
        );
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
    fn follows_the_end_until_scrolled_up() {
        let mut log = log(&["a", "b", "c", "d"]);
        log.laid_out(2);
        assert_eq!(screen(&log, 5, 2), ["c", "d"]);
        log.scroll(-1);
        log.push(LogLine::new(String::new(), "e".to_owned()), None);
        assert_eq!(screen(&log, 5, 2), ["b", "c"]);
        log.scroll(9);
        assert!(log.follow);
        assert_eq!(screen(&log, 5, 2), ["d", "e"]);
        log.to_top();
        assert_eq!(screen(&log, 5, 2), ["a", "b"]);
    }

    #[test]
    fn the_ring_is_bounded_and_counts_what_it_dropped() {
        let mut log = LogModel::new(10 * (size_of::<LogLine>() + 1));
        for i in 0..100 {
            log.push(LogLine::new(String::new(), format!("{}", i % 10)), None);
        }
        assert_eq!((log.total(), log.dropped()), (10, 90));
    }

    #[test]
    fn filters_old_and_new_lines() {
        let mut log = log(&["error one", "fine"]);
        let keep: &dyn Fn(&str) -> bool = &|line| line.contains("error");
        log.filter(Some(keep));
        log.push(
            LogLine::new(String::new(), "error two".to_owned()),
            Some(keep),
        );
        log.push(LogLine::new(String::new(), "fine".to_owned()), Some(keep));
        assert_eq!(screen(&log, 9, 3), ["error one", "error two", ""]);
        log.filter(None);
        assert_eq!(log.len(), 4);
    }

    #[test]
    fn wrapped_lines_take_rows_and_times_only_the_first() {
        let mut log = log(&["one two three"]);
        (log.wrap, log.times) = (true, true);
        assert_eq!(screen(&log, 17, 2), ["12:00:00 one two", "         three"]);
    }

    #[test]
    fn levels_are_found() {
        assert_eq!(level_role("level=error msg=x"), Role::LogError);
        assert_eq!(level_role("W0102 03:04:05 x"), Role::LogWarn);
        assert_eq!(level_role("GET /errors 200 trace=1"), Role::LogText);
        assert_eq!(level_role("level=debug msg=x"), Role::LogDebug);
    }
}
