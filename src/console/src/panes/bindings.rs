//! The bindings: what is placed where, and how it is there.

use flybridge_ui::frame::{Labels, frame};
use flybridge_ui::table::mark_role;
use flybridge_ui::{Mark, Painter, Record, Role};
use ratatui::layout::Rect;

use super::Spec;
use super::list::{self, Words};
use crate::render::lines::{Line, fact, line, paint, paragraph};
use crate::rows::{BindingRow, Target, Tri, age};
use crate::state::State;

pub(crate) const SPEC: Spec = Spec {
    id: "bindings",
    aliases: &["binding", "rb", "crb"],
    title: "Bindings",
    modes: &["bindings", "list"],
    hints: &[
        "explain",
        "pods",
        "yaml",
        "filter",
        "attention",
        "namespaces",
        "detail",
        "sort scheduled",
    ],
};

const WORDS: Words = Words {
    things: "bindings",
    none: &[
        "Nothing is propagated yet.",
        "",
        "A binding appears when a PropagationPolicy selects a resource:",
        "kubectl apply -f a workload and a policy that selects it.",
    ],
};

const LABEL: usize = 11;

pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    let (area, below) = list::split(state, area, 13);
    if let Some(below) = below {
        detail(state, p, below);
    }
    list::render(
        state,
        p,
        area,
        (&state.bindings, &state.bindings.phase),
        (&WORDS, &[]),
    )
}

fn detail(state: &State, p: &mut Painter<'_>, area: Rect) {
    let Some(row) = state.bindings.table.selected() else {
        frame(p, area, Labels::default(), false);
        return;
    };
    let labels = Labels {
        title: &[(&row.id, Role::Title)],
        aside: &[("e explains", Role::Faint)],
        ..Labels::default()
    };
    let inside = frame(p, area, labels, false);
    let mut lines = facts(state, row, usize::from(inside.width));
    lines.extend(targets(state, row));
    paint(p, inside, &lines);
}

fn facts(state: &State, row: &BindingRow, columns: usize) -> Vec<Line> {
    let (word, role) = match row.scheduled {
        Tri::True => ("yes", Role::StateOk),
        Tri::False => ("no", Role::StateBad),
        Tri::Unknown => ("not yet", Role::StateUnknown),
    };
    let when = row
        .scheduled_at
        .map(|at| format!("  {} ago", age(at, state.now)));
    let (seen, present) = row.generations;
    // The scheduler notes a generation only when it finds a place.
    let behind = if row.scheduled == Tri::True && seen < present {
        format!("  the scheduler has seen generation {seen} of {present}")
    } else {
        String::new()
    };
    let mut lines = vec![
        fact(
            "Resource",
            LABEL,
            vec![
                (row.kind.clone(), Role::Kind),
                (format!(" {}", row.resource), Role::Text),
                (format!("  {}", row.api_version), Role::Dim),
            ],
        ),
        fact(
            "Scheduled",
            LABEL,
            vec![
                (word.to_owned(), role),
                (format!("  {}", row.reason), Role::Text),
                (when.unwrap_or_default(), Role::Dim),
                (behind, Role::StateWarn),
            ],
        ),
    ];
    if row.scheduled != Tri::True && !row.message.is_empty() {
        lines.extend(paragraph(&row.message, LABEL, columns, role));
    }
    if !row.policy.is_empty() {
        lines.push(fact("Policy", LABEL, line(row.policy.clone(), Role::Text)));
    }
    if row.replicas > 0 {
        let placed: i32 = row.targets.iter().map(|t| t.replicas).sum();
        let role = if placed < row.replicas {
            Role::StateWarn
        } else {
            Role::Text
        };
        let text = format!("{placed} of {} placed", row.replicas);
        lines.push(fact("Replicas", LABEL, line(text, role)));
    }
    lines
}

fn targets(state: &State, row: &BindingRow) -> Vec<Line> {
    let name = row
        .targets
        .iter()
        .map(|t| flybridge_ui::text::width(&t.cluster))
        .max();
    let name = name.unwrap_or(0);
    row.targets
        .iter()
        .map(|target| target_line(state, target, name))
        .collect()
}

fn target_line(state: &State, target: &Target, name: usize) -> Line {
    let mark = match (target.evicting, target.applied, target.healthy) {
        (true, ..) => Mark::Moving,
        (_, Tri::False, _) => Mark::Bad,
        (_, Tri::True, Tri::True) => Mark::Ok,
        (_, Tri::Unknown, _) => Mark::Unknown,
        _ => Mark::Attention,
    };
    let role = mark_role(mark);
    let cluster = &target.cluster;
    let mut parts = line(format!("{} ", state.glyphs.mark(mark)), role);
    parts.push((format!("{cluster:<name$}  "), Role::Cluster));
    if target.replicas > 0 {
        parts.push((format!("{:>4}  ", target.replicas), Role::Number));
    }
    if target.evicting {
        parts.push((format!("leaving: {}", target.reason), role));
        return parts;
    }
    let applied = match target.applied {
        Tri::True => ("applied", Role::StateOk),
        Tri::False => ("not applied", Role::StateBad),
        Tri::Unknown => ("not applied yet", Role::StateUnknown),
    };
    parts.push((applied.0.to_owned(), applied.1));
    if target.applied == Tri::False {
        parts.push((format!("  {}", target.applied_message), Role::StateBad));
        return parts;
    }
    let healthy = match target.healthy {
        Tri::True => ("  healthy", Role::StateOk),
        Tri::False => ("  unhealthy", Role::StateWarn),
        Tri::Unknown => ("  health not known", Role::StateUnknown),
    };
    parts.push((healthy.0.to_owned(), healthy.1));
    parts.push((format!("  {}", target.status), Role::Dim));
    parts
}

/// How a row is, in words.
pub(crate) fn summary(row: &BindingRow) -> String {
    if let Some(trouble) = row.trouble() {
        return trouble;
    }
    if row.suspended {
        return "suspended: nothing is dispatched or scheduled".to_owned();
    }
    if let Some(target) = row.targets.iter().find(|t| t.evicting) {
        return format!("leaving {}: {}", target.cluster, target.reason);
    }
    match row.mark() {
        Mark::Unknown => "waits for the scheduler".to_owned(),
        _ => "as wanted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Harness;

    fn told(scheduled: Tri, generations: (i64, i64)) -> String {
        let harness = Harness::sample(120, 40, "default").unwrap();
        let row = BindingRow {
            scheduled,
            generations,
            ..BindingRow::default()
        };
        let lines = facts(&harness.state, &row, 100);
        lines.into_iter().flatten().map(|(text, _)| text).collect()
    }

    #[test]
    fn only_a_placed_binding_can_be_behind() {
        let behind = "the scheduler has seen generation 1 of 2";
        assert!(told(Tri::True, (1, 2)).contains(behind));
        assert!(!told(Tri::True, (2, 2)).contains("generation"));
        assert!(!told(Tri::False, (0, 1)).contains("generation"));
    }
}
