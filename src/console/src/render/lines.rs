//! Lines of facts for panels: built as values, painted with wrapping.

use flybridge_ui::text::{width, wrap};
use flybridge_ui::{Painter, Role, gauge};
use ratatui::layout::Rect;

/// One line: pieces of text with roles.
pub(crate) type Line = Vec<(String, Role)>;

/// A line of one piece.
pub(crate) fn line(text: impl Into<String>, role: Role) -> Line {
    vec![(text.into(), role)]
}

/// A label in a column of its own and what it labels.
pub(crate) fn fact(label: &str, columns: usize, mut value: Line) -> Line {
    let mut fact = line(format!("{label:<columns$}"), Role::HeaderLabel);
    fact.append(&mut value);
    fact
}

/// Text wrapped to `columns`, each line indented.
pub(crate) fn paragraph(text: &str, indent: usize, columns: usize, role: Role) -> Vec<Line> {
    wrap(text, columns.saturating_sub(indent))
        .into_iter()
        .map(|text| vec![(" ".repeat(indent), role), (text, role)])
        .collect()
}

/// A gauge with its percentage and amounts.
pub(crate) fn gauge_line(
    glyphs: flybridge_ui::Glyphs,
    columns: u16,
    fraction: Option<f64>,
    amounts: String,
) -> Line {
    let Some(fraction) = fraction else {
        return line("not reported", Role::Faint);
    };
    let role = gauge::level(fraction);
    let (full, rest) = gauge::bar(glyphs, columns, fraction);
    vec![
        (full, role),
        (rest, Role::GaugeRest),
        (format!("{:>5}  ", crate::rows::percent(fraction)), role),
        (amounts, Role::Dim),
    ]
}

/// Paints lines from the top and returns the row after the last.
pub(crate) fn paint(p: &mut Painter<'_>, area: Rect, lines: &[Line]) -> u16 {
    let mut y = area.y;
    for line in lines {
        if y >= area.bottom() {
            break;
        }
        let parts: Vec<(&str, Role)> = line.iter().map(|(t, r)| (t.as_str(), *r)).collect();
        p.parts(area.x, y, area.width, &parts);
        y += 1;
    }
    y
}

/// Paints a heading and an explanation in the middle of an area, as empty panes do.
pub(crate) fn message(p: &mut Painter<'_>, area: Rect, heading: (&str, Role), text: &[&str]) {
    let columns = usize::from(area.width.min(64));
    let mut lines = vec![
        (heading.0.to_owned(), heading.1),
        (String::new(), Role::Dim),
    ];
    for text in text {
        lines.extend(
            wrap(text, columns)
                .into_iter()
                .map(|line| (line, Role::Dim)),
        );
    }
    let count = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let top = area.y + area.height.saturating_sub(count) / 3;
    for (y, (text, role)) in (top..area.bottom()).zip(&lines) {
        let wide = u16::try_from(width(text))
            .unwrap_or(u16::MAX)
            .min(area.width);
        p.text(area.x + (area.width - wide) / 2, y, area.width, text, *role);
    }
}

/// An amount of cores.
pub(crate) fn cores(amount: f64) -> String {
    if amount >= 100.0 {
        format!("{amount:.0}")
    } else {
        trimmed(amount)
    }
}

/// An amount of bytes in binary units.
pub(crate) fn bytes(amount: f64) -> String {
    let mut amount = amount;
    for unit in ["B", "Ki", "Mi", "Gi", "Ti"] {
        if amount < 1024.0 {
            return format!("{}{unit}", trimmed(amount));
        }
        amount /= 1024.0;
    }
    format!("{}Pi", trimmed(amount))
}

fn trimmed(amount: f64) -> String {
    let text = if amount >= 100.0 {
        format!("{amount:.0}")
    } else {
        format!("{amount:.1}")
    };
    text.strip_suffix(".0")
        .map_or_else(|| text.clone(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        assert_eq!(bytes(1536.0 * 1024.0 * 1024.0), "1.5Gi");
        assert_eq!(bytes(512.0), "512B");
        assert_eq!(cores(16.0), "16");
        assert_eq!(cores(0.25), "0.2");
        assert_eq!(cores(1234.5), "1234");
    }
}
