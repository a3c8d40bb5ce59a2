//! Gauges and sparklines: numbers as a few cells.

use crate::glyphs::Glyphs;
use crate::painter::Painter;
use crate::theme::Role;

/// Paints how much of something is used, `fraction` from 0 to 1, in `columns` cells.
///
/// The filled part takes the colour of the level: from 0.75 on it warns, from 0.9 on it alarms.
pub fn gauge(p: &mut Painter<'_>, x: u16, y: u16, columns: u16, fraction: f64) {
    let (full, rest) = bar(p.glyphs, columns, fraction);
    let end = p.text(x, y, columns, &full, level(fraction));
    p.text(end, y, columns, &rest, Role::GaugeRest);
}

/// The filled and the empty part of a gauge as text, for cells of tables.
pub fn bar(glyphs: Glyphs, columns: u16, fraction: f64) -> (String, String) {
    let fraction = if fraction.is_finite() {
        fraction.clamp(0.0, 1.0)
    } else {
        0.0
    };
    let [full, rest] = glyphs.gauge;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value lies between 0 and the number of cells"
    )]
    let filled = (fraction * f64::from(columns)).round() as usize;
    (
        full.repeat(filled),
        rest.repeat(usize::from(columns).saturating_sub(filled)),
    )
}

/// The role of a used fraction.
pub fn level(fraction: f64) -> Role {
    if fraction >= 0.9 {
        Role::GaugeHigh
    } else if fraction >= 0.75 {
        Role::GaugeMid
    } else {
        Role::GaugeLow
    }
}

/// A line of bars, one a value, scaled to the largest.
pub fn sparkline(glyphs: &[&'static str], values: &[u64]) -> String {
    let top = values.iter().copied().max().unwrap_or(0).max(1);
    let last = glyphs.len().saturating_sub(1) as u64;
    values
        .iter()
        .filter_map(|value| {
            let step = (value * last).div_ceil(top);
            glyphs.get(usize::try_from(step).unwrap_or(0)).copied()
        })
        .collect()
}

/// Paints shares of a whole as one bar: each `(amount, role)` gets its part of `columns`.
///
/// An amount above 0 gets at least one cell, so that one failure among thousands is seen.
pub fn shares(p: &mut Painter<'_>, x: u16, y: u16, columns: u16, amounts: &[(u64, Role)]) {
    let total: u64 = amounts.iter().map(|(amount, _)| amount).sum();
    let [full, rest] = p.glyphs.gauge;
    p.rule(x, y, columns, rest, Role::GaugeRest);
    if total == 0 {
        return;
    }
    let mut cells: Vec<u64> = amounts
        .iter()
        .map(|(amount, _)| match amount {
            0 => 0,
            _ => (amount * u64::from(columns) / total).max(1),
        })
        .collect();
    // Whatever rounding left over or took too much is settled by the largest share.
    let used: u64 = cells.iter().sum();
    if let Some(largest) = (0..cells.len()).max_by_key(|i| cells[*i]) {
        cells[largest] = (cells[largest] + u64::from(columns)).saturating_sub(used);
    }
    let mut at = x;
    let end = x + columns;
    for (cells, (_, role)) in cells.iter().zip(amounts) {
        let wide = u16::try_from(*cells)
            .unwrap_or(0)
            .min(end.saturating_sub(at));
        p.rule(at, y, wide, full, *role);
        at += wide;
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;

    use super::*;
    use crate::glyphs::{ASCII, UNICODE};
    use crate::theme::Theme;

    fn drawn(glyphs: Glyphs, draw: impl Fn(&mut Painter<'_>)) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 1));
        let theme = Theme::bare();
        draw(&mut Painter::new(&mut buffer, &theme, glyphs));
        buffer.content.iter().map(|cell| cell.symbol()).collect()
    }

    #[test]
    fn gauges_round_to_whole_cells() {
        assert_eq!(drawn(UNICODE, |p| gauge(p, 0, 0, 10, 0.55)), "██████░░░░");
        assert_eq!(drawn(ASCII, |p| gauge(p, 0, 0, 10, 0.55)), "######....");
        assert_eq!(
            drawn(UNICODE, |p| gauge(p, 0, 0, 10, f64::NAN)),
            "░░░░░░░░░░"
        );
        assert_eq!(drawn(UNICODE, |p| gauge(p, 0, 0, 10, 7.0)), "██████████");
    }

    #[test]
    fn small_shares_are_seen() {
        let bar = drawn(ASCII, |p| {
            shares(p, 0, 0, 10, &[(1000, Role::StateOk), (1, Role::StateBad)]);
        });
        assert_eq!(bar, "##########");
        assert_eq!(
            drawn(ASCII, |p| shares(p, 0, 0, 10, &[(0, Role::StateOk)])),
            ".........."
        );
    }

    #[test]
    fn sparklines_scale_to_the_largest() {
        assert_eq!(sparkline(UNICODE.spark, &[0, 1, 7]), "▁▂█");
        assert_eq!(sparkline(UNICODE.spark, &[]), "");
    }
}
