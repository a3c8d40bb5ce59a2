//! The clusters of the fleet, and why one is not ready.

use flybridge_ui::frame::{Labels, frame};
use flybridge_ui::table::mark_role;
use flybridge_ui::{Mark, Painter, Record, Role};
use ratatui::layout::Rect;

use super::Spec;
use super::list::{self, Words};
use crate::render::lines::{Line, bytes, cores, fact, gauge_line, line, paint, paragraph};
use crate::rows::{ClusterRow, ConditionRow, Tri, age};
use crate::state::State;

pub(crate) const SPEC: Spec = Spec {
    id: "clusters",
    aliases: &["cluster", "cl"],
    title: "Clusters",
    modes: &["clusters", "list"],
    hints: &[
        "open",
        "bindings",
        "pods",
        "yaml",
        "filter",
        "attention",
        "detail",
        "sort ready",
        "goto bindings",
    ],
};

const WORDS: Words = Words {
    things: "clusters",
    none: &[
        "No cluster has joined this control plane yet.",
        "",
        "karmadactl join NAME --cluster-kubeconfig FILE adds one.",
    ],
};

const LABEL: usize = 11;

pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    let (area, below) = list::split(state, area, 14);
    if let Some(below) = below {
        detail(state, p, below);
    }
    list::render(
        state,
        p,
        area,
        (&state.clusters, &state.clusters.phase),
        (&WORDS, &[]),
    )
}

fn detail(state: &State, p: &mut Painter<'_>, area: Rect) {
    let Some(row) = state.clusters.table.selected() else {
        frame(p, area, Labels::default(), false);
        return;
    };
    let labels = Labels {
        title: &[(&row.name, Role::Title)],
        aside: &[("d hides", Role::Faint)],
        ..Labels::default()
    };
    let inside = frame(p, area, labels, false);
    let columns = usize::from(inside.width);
    let mut lines = why(state, row, columns);
    lines.extend(facts(state, row, columns));
    paint(p, inside, &lines);
}

/// The readiness and its reason, then the other conditions.
fn why(state: &State, row: &ClusterRow, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let glyph = state.glyphs.mark(row.mark());
    let word = match (row.ready, row.mark()) {
        (_, Mark::Moving) => "leaving the fleet",
        (Tri::True, Mark::Ok) => "ready",
        (Tri::True, _) => "ready, but needs a look",
        (Tri::False, _) => "not ready",
        (Tri::Unknown, _) => "not known: nothing has been heard of it",
    };
    lines.push(line(format!("{glyph} {word}"), mark_role(row.mark())));
    for condition in &row.conditions {
        lines.extend(condition_lines(state, condition, columns));
    }
    if row.conditions.is_empty() {
        lines.push(line("  no condition has been reported yet", Role::Dim));
    }
    for (i, taint) in row.taints.iter().enumerate() {
        let label = if i == 0 { "Taints" } else { "" };
        lines.push(fact(label, LABEL, line(taint.clone(), Role::StateWarn)));
    }
    lines
}

fn condition_lines(state: &State, condition: &ConditionRow, columns: usize) -> Vec<Line> {
    let role = match condition.status {
        Tri::True => Role::StateOk,
        Tri::False => Role::StateBad,
        Tri::Unknown => Role::StateUnknown,
    };
    let since = condition
        .since
        .map(|at| format!("  for {}", age(at, state.now)));
    let head = vec![
        (condition.kind.clone(), Role::Strong),
        (" ".to_owned(), Role::Dim),
        (condition.status.text().to_owned(), role),
        (format!("  {}", condition.reason), Role::Text),
        (since.unwrap_or_default(), Role::Dim),
    ];
    let mut lines = vec![head];
    // What is well needs no words.
    if condition.status != Tri::True && !condition.message.is_empty() {
        lines.extend(paragraph(&condition.message, 2, columns, role));
    }
    lines
}

fn facts(state: &State, row: &ClusterRow, columns: usize) -> Vec<Line> {
    let bar = if columns >= 60 { 16 } else { 10 };
    let amounts = |usage: crate::rows::Usage, unit: fn(f64) -> String| {
        format!("{} of {}", unit(usage.used), unit(usage.total))
    };
    let gauge = |usage: crate::rows::Usage, unit: fn(f64) -> String| {
        gauge_line(state.glyphs, bar, usage.fraction(), amounts(usage, unit))
    };
    let nodes_role = if row.nodes_ready < row.nodes {
        Role::StateWarn
    } else {
        Role::Text
    };
    let place: Vec<&str> = [&row.provider, &row.region, &row.zone]
        .into_iter()
        .map(String::as_str)
        .filter(|text| !text.is_empty())
        .collect();
    let place = if place.is_empty() {
        "not said".to_owned()
    } else {
        place.join(" / ")
    };
    vec![
        fact("CPU", LABEL, gauge(row.cpu, cores)),
        fact("Memory", LABEL, gauge(row.memory, bytes)),
        fact("Pods", LABEL, gauge(row.pods, cores)),
        fact(
            "Nodes",
            LABEL,
            line(
                format!("{} of {} ready", row.nodes_ready, row.nodes),
                nodes_role,
            ),
        ),
        fact("Place", LABEL, line(place, Role::Text)),
        fact(
            "Version",
            LABEL,
            vec![
                (row.version.clone(), Role::Text),
                (
                    format!("  {} API group versions, {} mode", row.apis, row.mode),
                    Role::Dim,
                ),
            ],
        ),
        fact("Endpoint", LABEL, line(row.endpoint.clone(), Role::Dim)),
    ]
}
