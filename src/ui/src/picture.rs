//! Pictures of the screen: a buffer with its styles as SVG.
//!
//! Lines and blocks are drawn as shapes, so that they join whatever font the viewer has; each run
//! of other text is stretched to its cells.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use crate::theme::Theme;

/// Width and height of a cell, and the size of its text, in SVG units.
const CELL: (f64, f64) = (8.4, 18.0);
const FONT_SIZE: f64 = 14.0;
/// Air around the screen.
const MARGIN: f64 = 14.0;

/// The sixteen colours as pictures show them.
const ANSI: [(u8, u8, u8); 16] = [
    (0x10, 0x14, 0x1c),
    (0xe0, 0x5a, 0x5a),
    (0x5f, 0xb8, 0x6a),
    (0xd0, 0xa2, 0x3c),
    (0x4f, 0x8f, 0xe0),
    (0xb0, 0x7a, 0xd8),
    (0x3f, 0xb4, 0xb8),
    (0xc4, 0xca, 0xd4),
    (0x66, 0x70, 0x80),
    (0xff, 0x7b, 0x72),
    (0x7e, 0xe0, 0x8c),
    (0xe8, 0xc0, 0x60),
    (0x7a, 0xb4, 0xff),
    (0xd2, 0xa8, 0xff),
    (0x6c, 0xdc, 0xe0),
    (0xf4, 0xf6, 0xfa),
];

/// Draws a buffer.
pub fn svg(buffer: &Buffer, theme: &Theme, title: &str) -> String {
    let (columns, rows) = (f64::from(buffer.area.width), f64::from(buffer.area.height));
    let width = columns * CELL.0 + 2.0 * MARGIN;
    let height = rows * CELL.1 + 2.0 * MARGIN;
    let page = hex(theme.page.0).unwrap_or_else(|| rgb_hex(ANSI[0]));
    let ink = hex(theme.page.1).unwrap_or_else(|| rgb_hex(ANSI[7]));
    let mut out = String::new();
    let mut put = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    put(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"ui-monospace, 'JetBrains Mono', \
         'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"{FONT_SIZE}\">"
    ));
    put(format!("<title>{}</title>", escape(title)));
    put(format!(
        "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{page}\"/>"
    ));
    for y in 0..buffer.area.height {
        for line in row(buffer, y, &page, &ink) {
            put(line);
        }
    }
    put("</svg>".to_owned());
    out
}

/// Colours and attributes of a cell as they are seen.
#[derive(Clone, PartialEq)]
struct Seen {
    fg: String,
    bg: String,
    modifiers: Modifier,
}

fn seen(cell: &Cell, page: &str, ink: &str) -> Seen {
    let mut fg = hex(cell.fg).unwrap_or_else(|| ink.to_owned());
    let mut bg = hex(cell.bg).unwrap_or_else(|| page.to_owned());
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut fg, &mut bg);
    }
    Seen {
        fg,
        bg,
        modifiers: cell.modifier,
    }
}

fn row(buffer: &Buffer, y: u16, page: &str, ink: &str) -> Vec<String> {
    let mut grounds = Vec::new();
    let mut marks = Vec::new();
    let mut x = 0;
    while x < buffer.area.width {
        let at = |x: u16| &buffer[(buffer.area.x + x, buffer.area.y + y)];
        let look = seen(at(x), page, ink);
        let is_shape = shape(at(x).symbol()).is_some();
        let start = x;
        let mut text = String::new();
        while x < buffer.area.width {
            let cell = at(x);
            if seen(cell, page, ink) != look || shape(cell.symbol()).is_some() != is_shape {
                break;
            }
            text.push_str(cell.symbol());
            // A wide character covers the cell after it, which holds nothing of its own.
            x += u16::try_from(crate::text::width(cell.symbol()))
                .unwrap_or(1)
                .max(1);
        }
        let (left, top) = (
            MARGIN + f64::from(start) * CELL.0,
            MARGIN + f64::from(y) * CELL.1,
        );
        let wide = f64::from(x - start) * CELL.0;
        if look.bg != page {
            grounds.push(format!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
                CELL.1, look.bg
            ));
        }
        if is_shape {
            marks.extend(shapes(&text, left, top, &look));
        } else {
            marks.extend(words(&text, left, top, &look));
        }
    }
    grounds.extend(marks);
    grounds
}

/// Text of one look, split where it has wide blanks so that stretching stays even.
fn words(text: &str, left: f64, top: f64, look: &Seen) -> Vec<String> {
    let mut out = Vec::new();
    let mut column = 0;
    for part in text.split_inclusive("  ") {
        let columns = crate::text::width(part);
        let shown = part.trim();
        let blank = columns - crate::text::width(part.trim_start());
        if !shown.is_empty() {
            out.push(word(
                shown,
                left + to_f64(column + blank) * CELL.0,
                top,
                look,
            ));
        }
        column += columns;
    }
    out
}

fn word(text: &str, x: f64, top: f64, look: &Seen) -> String {
    let mut style = String::new();
    let m = look.modifiers;
    for (set, attribute) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        (Modifier::DIM, " opacity=\"0.6\""),
    ] {
        if m.contains(set) {
            style.push_str(attribute);
        }
    }
    let wide = to_f64(crate::text::width(text)) * CELL.0;
    format!(
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{}\" textLength=\"{wide:.1}\" \
         lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\"{style}>{}</text>",
        top + CELL.1 * 0.72,
        look.fg,
        escape(text)
    )
}

/// What a character draws inside its cell: strokes as an SVG path, or a filled part.
#[derive(Clone, Copy)]
enum Shape {
    Path(&'static str),
    /// Left, top, width and height as parts of the cell, and opacity.
    Block(f64, f64, f64, f64, f64),
}

fn shape(symbol: &str) -> Option<Shape> {
    // Paths are in a cell of 8.4 by 18 whose middle is 4.2, 9.
    Some(match symbol {
        "─" => Shape::Path("M0 9H8.4"),
        "│" => Shape::Path("M4.2 0V18"),
        "┃" => Shape::Block(0.3, 0.0, 0.4, 1.0, 1.0),
        "╭" => Shape::Path("M4.2 18V13Q4.2 9 8.4 9"),
        "╮" => Shape::Path("M0 9Q4.2 9 4.2 13V18"),
        "╰" => Shape::Path("M4.2 0V5Q4.2 9 8.4 9"),
        "╯" => Shape::Path("M0 9Q4.2 9 4.2 5V0"),
        "█" => Shape::Block(0.0, 0.14, 1.0, 0.72, 1.0),
        "░" => Shape::Block(0.0, 0.14, 1.0, 0.72, 0.35),
        "▌" => Shape::Block(0.0, 0.14, 0.5, 0.72, 1.0),
        _ => return partial(symbol),
    })
}

fn partial(symbol: &str) -> Option<Shape> {
    let eighth = |i: usize| to_f64(i + 1) / 8.0;
    let left = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if let Some(i) = left.iter().position(|s| *s == symbol) {
        return Some(Shape::Block(0.0, 0.14, eighth(i), 0.72, 1.0));
    }
    let low = ["▁", "▂", "▃", "▄", "▅", "▆", "▇"];
    let i = low.iter().position(|s| *s == symbol)?;
    Some(Shape::Block(0.0, 1.0 - eighth(i), 1.0, eighth(i), 1.0))
}

fn shapes(text: &str, left: f64, top: f64, look: &Seen) -> Vec<String> {
    let mut out = Vec::new();
    let symbols: Vec<String> = text.chars().map(String::from).collect();
    let mut at = 0;
    while at < symbols.len() {
        let run = symbols[at..]
            .iter()
            .take_while(|s| **s == symbols[at])
            .count();
        let x = left + to_f64(at) * CELL.0;
        match shape(&symbols[at]) {
            Some(Shape::Path(_)) if symbols[at] == "─" => out.push(stroke(
                &format!("M0 9H{:.1}", to_f64(run) * CELL.0),
                x,
                top,
                &look.fg,
            )),
            Some(Shape::Path(path)) => {
                for i in 0..run {
                    out.push(stroke(path, x + to_f64(i) * CELL.0, top, &look.fg));
                }
            }
            Some(Shape::Block(bx, by, bw, bh, opacity)) => {
                // Full cells join into one rectangle; parts of cells are drawn one by one.
                let (count, wide) = if bw >= 1.0 && bh < 1.0 && by < 0.5 {
                    (1, to_f64(run))
                } else {
                    (run, bw)
                };
                for i in 0..count {
                    out.push(format!(
                        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" opacity=\"{opacity}\"/>",
                        x + (to_f64(i) + bx) * CELL.0,
                        top + by * CELL.1,
                        wide * CELL.0,
                        bh * CELL.1,
                        look.fg
                    ));
                }
            }
            None => {}
        }
        at += run;
    }
    out
}

fn stroke(path: &str, x: f64, y: f64, color: &str) -> String {
    format!(
        "<path d=\"{path}\" transform=\"translate({x:.1} {y:.1})\" fill=\"none\" stroke=\"{color}\"/>"
    )
}

#[expect(clippy::cast_precision_loss, reason = "a screen has few columns")]
fn to_f64(n: usize) -> f64 {
    n as f64
}

fn hex(color: Color) -> Option<String> {
    let index = match color {
        Color::Reset => return None,
        Color::Rgb(r, g, b) => return Some(rgb_hex((r, g, b))),
        Color::Indexed(i) => return Some(rgb_hex(xterm(i))),
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    Some(rgb_hex(ANSI[index]))
}

fn xterm(index: u8) -> (u8, u8, u8) {
    match index {
        0..=15 => ANSI[usize::from(index)],
        16..=231 => {
            let step = |v: u8| if v == 0 { 0 } else { 55 + 40 * v };
            let i = index - 16;
            (step(i / 36), step(i / 6 % 6), step(i % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

fn rgb_hex((r, g, b): (u8, u8, u8)) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let written = match c {
            '&' => out.write_str("&amp;"),
            '<' => out.write_str("&lt;"),
            '>' => out.write_str("&gt;"),
            '"' => out.write_str("&quot;"),
            _ => out.write_char(c),
        };
        // Writing to a string cannot fail.
        debug_assert!(written.is_ok());
    }
    out
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn text_is_escaped_and_borders_are_shapes() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        buffer.set_string(0, 0, "─── <a&b>", Style::new().fg(Color::Red));
        let svg = svg(&buffer, &Theme::bare(), "t");
        assert!(svg.contains("&lt;a&amp;b&gt;"), "{svg}");
        assert!(svg.contains("M0 9H25.2"), "{svg}");
        assert!(svg.contains("#e05a5a"), "{svg}");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn reversed_cells_swap_their_colours() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
        let style = Style::new()
            .fg(Color::Rgb(1, 2, 3))
            .add_modifier(Modifier::REVERSED);
        buffer.set_string(0, 0, " ", style);
        assert!(svg(&buffer, &Theme::bare(), "t").contains("fill=\"#010203\""));
    }
}
