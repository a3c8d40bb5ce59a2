//! Why a binding is placed where it is: every filter's verdict on every cluster, then scores,
//! room and replicas, and how the replicas were divided.

use flybridge_ui::frame::{Labels, frame, scroll_bar, section};
use flybridge_ui::table::mark_role;
use flybridge_ui::text::{width16, wrap};
use flybridge_ui::{Painter, Role};
use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Spec;
use crate::effect::Effect;
use crate::explanation::{ClusterVerdict, Explanation, Verdict, short_filter};
use crate::render::lines::{Line, line, message, paint, paragraph};
use crate::rows::ObjectRef;
use crate::scroll::Scroll;
use crate::state::{Phase, State};

pub(crate) const SPEC: Spec = Spec {
    id: "explain",
    aliases: &[],
    title: "Explain",
    modes: &["explain"],
    hints: &["down", "up", "failing", "detail", "yaml", "back"],
};

/// The explanation and the cluster looked at.
#[derive(Debug, Default)]
pub(crate) struct ExplainState {
    pub(crate) binding: Option<ObjectRef>,
    pub(crate) generation: u64,
    pub(crate) scroll: Scroll,
    /// Whether what it was worked out from has changed since.
    pub(crate) stale: bool,
    phase: Phase,
    result: Option<Box<Explanation>>,
    failing: bool,
    /// Whether the division comes before the cluster, where there is no room for both.
    division: bool,
    asked_at: Option<Timestamp>,
}

impl ExplainState {
    /// An explanation has been asked for; an earlier one of the same binding stays until then.
    pub(crate) fn ask(&mut self, binding: ObjectRef, generation: u64, now: Timestamp) {
        self.binding = Some(binding);
        self.generation = generation;
        self.stale = false;
        self.asked_at = Some(now);
    }

    /// It is here.
    pub(crate) fn arrive(&mut self, result: Result<Box<Explanation>, String>) {
        let at = self.shown().get(self.scroll.at).map(|c| c.name.clone());
        match result {
            Ok(result) => {
                self.result = Some(Box::new(result.sorted()));
                self.phase = Phase::Live;
            }
            Err(error) => self.phase = Phase::Failed(error),
        }
        let shown = self.shown();
        let total = shown.len();
        let kept = at.and_then(|name| shown.iter().position(|c| c.name == name));
        self.scroll.jump(kept.unwrap_or(self.scroll.at), total);
    }

    /// Shows only clusters that do not fit, or all.
    pub(crate) fn toggle_failing(&mut self) {
        self.failing = !self.failing;
        let total = self.shown().len();
        self.scroll.jump(0, total);
    }

    /// Turns between the cluster and the division.
    pub(crate) fn toggle_division(&mut self) {
        self.division = !self.division;
    }

    /// The clusters shown, in order.
    pub(crate) fn shown(&self) -> Vec<&ClusterVerdict> {
        let Some(result) = &self.result else {
            return Vec::new();
        };
        result
            .clusters
            .iter()
            .filter(|c| !self.failing || !c.fits())
            .collect()
    }
}

/// Asks again if clusters or bindings changed while the explanation is on the screen.
pub(crate) fn refresh_if_stale(state: &mut State) -> Vec<Effect> {
    let explain = &state.explain;
    let (true, super::Pane::Explain, Some(binding)) =
        (explain.stale, state.pane(), explain.binding.clone())
    else {
        return Vec::new();
    };
    let generation = state.next_generation();
    state.explain.ask(binding.clone(), generation, state.now);
    vec![Effect::Explain {
        generation,
        binding,
    }]
}

pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    let explain = &state.explain;
    let path = explain
        .binding
        .as_ref()
        .map_or_else(String::new, ObjectRef::path);
    let aside = if explain.failing {
        "only clusters that do not fit"
    } else {
        ""
    };
    let labels = Labels {
        title: &[("Explain ", Role::Dim), (&path, Role::Title)],
        aside: if explain.failing {
            &[(aside, Role::StateWarn)]
        } else {
            &[]
        },
        ..Labels::default()
    };
    let inside = frame(p, area, labels, true);
    let Some(result) = &explain.result else {
        match &explain.phase {
            Phase::Failed(error) => {
                let text = [error.as_str(), "", "esc goes back."];
                message(
                    p,
                    inside,
                    ("Cannot explain this binding", Role::StateBad),
                    &text,
                );
            }
            Phase::Loading | Phase::Live => {
                let heading = format!("Asking the scheduler{}", p.glyphs.ellipsis);
                message(p, inside, (&heading, Role::Accent), &[]);
            }
        }
        return usize::from(inside.height);
    };
    let lines = head(state, result, usize::from(inside.width));
    let y = paint(p, inside, &lines) + 1;
    let rest = Rect::new(inside.x, y, inside.width, inside.bottom().saturating_sub(y));
    body(state, p, area, rest, result)
}

fn head(state: &State, result: &Explanation, columns: usize) -> Vec<Line> {
    let role = mark_role(result.mark);
    let glyph = state.glyphs.mark(result.mark);
    let mut lines: Vec<Line> = wrap(&result.summary, columns.saturating_sub(2))
        .into_iter()
        .enumerate()
        .map(|(i, text)| {
            let lead = if i == 0 { glyph } else { " " };
            vec![(format!("{lead} "), role), (text, Role::Strong)]
        })
        .collect();
    for (label, text) in &result.header {
        lines.push(vec![
            (format!("  {label:<10}"), Role::HeaderLabel),
            (text.clone(), Role::Text),
        ]);
    }
    lines
}

/// The matrix, and below or beside it what there is to say of the cluster under the cursor.
fn body(
    state: &State,
    p: &mut Painter<'_>,
    frame: Rect,
    area: Rect,
    result: &Explanation,
) -> usize {
    let explain = &state.explain;
    let shown = explain.shown();
    let selected = shown.get(explain.scroll.at).copied();
    let columns = usize::from(area.width);
    let detail = selected.map_or_else(Vec::new, |cluster| detail(state, result, cluster, columns));
    let rounds = rounds(result, columns);
    let matrix_wanted = u16::try_from(shown.len() + 1).unwrap_or(u16::MAX);
    let detail_wanted = u16::try_from(detail.len() + 2).unwrap_or(u16::MAX);
    let matrix_least = (area.height / 3).max(4);
    let matrix_rows = matrix_wanted
        .min(
            area.height
                .saturating_sub(detail_wanted.min(area.height / 2)),
        )
        .max(matrix_least)
        .min(matrix_wanted)
        .min(area.height);
    let matrix_area = Rect {
        height: matrix_rows,
        ..area
    };
    let height = matrix(state, p, frame, matrix_area, result, &shown);
    let y = matrix_area.bottom() + 1;
    let rest = Rect::new(area.x, y, area.width, area.bottom().saturating_sub(y));
    let divided = |p: &mut Painter<'_>, rest: Rect| {
        let heading = [("How replicas are divided", Role::TableHeader)];
        let rest = section(p, rest, &heading);
        paint(p, rest, &rounds) + 1
    };
    let division_first = explain.division && !rounds.is_empty();
    let rest = if division_first {
        let y = divided(p, rest);
        Rect::new(area.x, y, area.width, area.bottom().saturating_sub(y))
    } else {
        rest
    };
    let Some(cluster) = selected else {
        return height;
    };
    let rest = section(p, rest, &[(&cluster.name, Role::Cluster)]);
    let y = paint(p, rest, &detail) + 1;
    let rest = Rect::new(area.x, y, area.width, area.bottom().saturating_sub(y));
    if rest.height > 1 && !rounds.is_empty() && !division_first {
        divided(p, rest);
    }
    height
}

/// Where the columns of the matrix are.
struct Columns {
    name: u16,
    filters: Vec<(String, u16)>,
    /// Cells between columns.
    gap: u16,
}

/// Cells of SCORE and of ROOM.
const NUMBER: u16 = 5;
/// Cells of REPLICAS.
const REPLICAS: u16 = 8;

fn columns(result: &Explanation, width: u16) -> Columns {
    let gap = if width < 100 { 1 } else { 2 };
    let name = result
        .clusters
        .iter()
        .map(|c| width16(&c.name))
        .max()
        .unwrap_or(8);
    let filters: Vec<(String, u16)> = result
        .filters
        .iter()
        .map(|filter| short_filter(filter))
        .map(|title| {
            let wide = width16(&title).max(3);
            (title, wide)
        })
        .collect();
    let taken: u16 = filters.iter().map(|(_, wide)| wide + gap).sum();
    let room = width.saturating_sub(taken + 2 * (NUMBER + gap) + REPLICAS + 2 + gap);
    Columns {
        name: name.max(7).min(room.max(7)),
        filters,
        gap,
    }
}

fn matrix(
    state: &State,
    p: &mut Painter<'_>,
    frame: Rect,
    area: Rect,
    result: &Explanation,
    shown: &[&ClusterVerdict],
) -> usize {
    if area.height < 2 {
        return 0;
    }
    let columns = columns(result, area.width);
    let mut x = area.x + 2;
    p.text(x, area.y, columns.name, "CLUSTER", Role::TableHeader);
    x += columns.name + columns.gap;
    for (title, wide) in &columns.filters {
        p.text(x, area.y, *wide, title, Role::TableHeader);
        x += wide + columns.gap;
    }
    for title in ["SCORE", "ROOM"] {
        p.parts_right(x + NUMBER, area.y, NUMBER, &[(title, Role::TableHeader)]);
        x += NUMBER + columns.gap;
    }
    p.text(x, area.y, REPLICAS, "REPLICAS", Role::TableHeader);
    let height = usize::from(area.height - 1);
    let scroll = &state.explain.scroll;
    let (first, last) = scroll.window(height, shown.len());
    for (y, at) in (area.y + 1..area.bottom()).zip(first..last) {
        matrix_row(p, Rect::new(area.x, y, area.width, 1), &columns, shown[at]);
        if at == scroll.at {
            p.tint(Rect::new(area.x, y, area.width, 1), Role::Selection);
        }
    }
    if shown.is_empty() {
        p.text(
            area.x + 2,
            area.y + 1,
            area.width,
            "every cluster fits",
            Role::StateOk,
        );
    }
    let track = Rect {
        y: area.y,
        height: area.height + 1,
        ..frame
    };
    scroll_bar(p, track, shown.len(), height, first);
    height
}

fn matrix_row(p: &mut Painter<'_>, row: Rect, columns: &Columns, cluster: &ClusterVerdict) {
    let chosen = cluster.after.is_some();
    let (glyph, role) = if chosen {
        (p.glyphs.mark(flybridge_ui::Mark::Ok), Role::StateOk)
    } else if cluster.fits() {
        (p.glyphs.none, Role::Dim)
    } else {
        (" ", Role::Dim)
    };
    p.text(row.x, row.y, 1, glyph, role);
    let name_role = match (chosen, cluster.fits()) {
        (true, _) => Role::ExplainPick,
        (false, true) => Role::Text,
        (false, false) => Role::Dim,
    };
    let mut x = row.x + 2;
    p.name(x, row.y, columns.name, &cluster.name, name_role);
    x += columns.name + columns.gap;
    for (i, (_, wide)) in columns.filters.iter().enumerate() {
        let (text, role) = match cluster.verdicts.get(i) {
            Some(Verdict::Pass) => (p.glyphs.pass, Role::ExplainPass),
            Some(Verdict::Fail(_)) => (p.glyphs.fail, Role::ExplainFail),
            Some(Verdict::Skipped) | None => (p.glyphs.none, Role::ExplainSkip),
        };
        p.text(x, row.y, *wide, text, role);
        x += wide + columns.gap;
    }
    for number in [cluster.score, cluster.room] {
        let (text, role) = match number {
            Some(number) => (short(number), Role::Number),
            None => (p.glyphs.none.to_owned(), Role::ExplainSkip),
        };
        p.parts_right(x + NUMBER, row.y, NUMBER, &[(&text, role)]);
        x += NUMBER + columns.gap;
    }
    let room = row.right().saturating_sub(x);
    let (text, role) = replicas(p, cluster);
    let end = p.text(x, row.y, room, &text, role);
    // The first reason is on the row where there is room for it.
    let end = end.max(x + REPLICAS);
    if let Some(reason) = cluster.reasons().next().filter(|_| columns.gap > 1) {
        let reason = decided(reason);
        p.text(
            end + 2,
            row.y,
            row.right().saturating_sub(end + 2),
            reason,
            Role::Dim,
        );
    }
}

/// A number in the cells of [`NUMBER`].
fn short(number: i64) -> String {
    match number {
        ..100_000 => number.to_string(),
        100_000..10_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}M", number / 1_000_000),
    }
}

/// The part of a reason that the column's heading does not say already.
fn decided(reason: &str) -> &str {
    let reason = reason.strip_prefix("cluster(s) ").unwrap_or(reason);
    reason
        .split_once("constraint: ")
        .map_or(reason, |(_, decided)| decided)
}

fn replicas(p: &Painter<'_>, cluster: &ClusterVerdict) -> (String, Role) {
    let arrow = p.glyphs.arrow;
    match (cluster.before, cluster.after) {
        (0, None) if !cluster.fits() => (String::new(), Role::ExplainSkip),
        (0, None) => (p.glyphs.none.to_owned(), Role::ExplainSkip),
        (before, None) => (format!("{before} {arrow} 0"), Role::StateWarn),
        (_, Some(0)) => ("chosen".to_owned(), Role::ExplainPick),
        (before, Some(after)) if before == after => (after.to_string(), Role::ExplainPick),
        (before, Some(after)) => (format!("{before} {arrow} {after}"), Role::StateMoving),
    }
}

fn detail(
    state: &State,
    result: &Explanation,
    cluster: &ClusterVerdict,
    columns: usize,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for (filter, verdict) in result.filters.iter().zip(&cluster.verdicts) {
        if let Verdict::Fail(reason) = verdict {
            lines.push(vec![
                (format!("{} ", state.glyphs.fail), Role::ExplainFail),
                (filter.clone(), Role::Strong),
            ]);
            lines.extend(paragraph(reason, 2, columns, Role::ExplainReason));
        }
    }
    if cluster.fits() {
        let passed = cluster
            .verdicts
            .iter()
            .filter(|v| **v == Verdict::Pass)
            .count();
        let text = format!("{} passes all {passed} filters", state.glyphs.pass);
        lines.push(line(text, Role::ExplainPass));
    }
    if !cluster.scores.is_empty() {
        let scores: Vec<String> = cluster
            .scores
            .iter()
            .map(|(name, score)| format!("{name} {score}"))
            .collect();
        lines.extend(paragraph(
            &format!("scores: {}", scores.join(", ")),
            2,
            columns,
            Role::Dim,
        ));
    }
    for note in &cluster.notes {
        lines.extend(paragraph(note, 2, columns, Role::Text));
    }
    lines
}

fn rounds(result: &Explanation, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (number, round) in (1..).zip(&result.rounds) {
        lines.push(vec![
            (format!("{number} "), Role::Dim),
            (round.title.clone(), Role::Text),
        ]);
        for text in &round.lines {
            lines.extend(paragraph(text, 2, columns, Role::Dim));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{NUMBER, short};

    #[test]
    fn room_is_never_cut_off() {
        let told = [
            0,
            99_999,
            100_000,
            9_999_999,
            10_000_000,
            i64::from(i32::MAX),
        ]
        .map(short);
        assert_eq!(told, ["0", "99999", "100k", "9999k", "10M", "2147M"]);
        assert!(told.iter().all(|text| text.len() <= usize::from(NUMBER)));
    }
}
