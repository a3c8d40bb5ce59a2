//! The fleet at a glance: how many, where, how full, and what needs a look.

mod summary;

use flybridge_ui::frame::{Labels, frame, scroll_bar, section};
use flybridge_ui::table::mark_role;
use flybridge_ui::text::width16;
use flybridge_ui::{Mark, Painter, Record, Role, gauge};
use ratatui::layout::Rect;

use super::Spec;
use crate::render::lines::{bytes, cores, message};
use crate::rows::{Usage, age, percent};
use crate::state::{Phase, State};

use summary::Group;
pub(crate) use summary::{FleetState, Item, recompute};

pub(crate) const SPEC: Spec = Spec {
    id: "fleet",
    aliases: &["home"],
    title: "Fleet",
    modes: &["fleet"],
    hints: &[
        "open",
        "explain",
        "yaml",
        "goto clusters",
        "goto bindings",
        "goto workloads",
        "goto pods",
    ],
};

pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    let labels = Labels {
        title: &[("Fleet", Role::Title)],
        ..Labels::default()
    };
    if !ready(state) {
        let inside = frame(p, area, labels, true);
        waiting(state, p, inside);
        return usize::from(inside.height);
    }
    let regions = u16::try_from(state.fleet.groups.len()).unwrap_or(u16::MAX);
    let (left, right) = if area.width >= 150 {
        let left = Rect {
            width: area.width / 2,
            ..area
        };
        (
            left,
            Rect {
                x: left.right(),
                width: area.width - left.width,
                ..area
            },
        )
    } else {
        let clusters = u16::try_from(state.clusters.table.rows().len()).unwrap_or(u16::MAX);
        // On a high screen there is room for the fullest clusters too.
        let fullest = if area.height >= 30 {
            clusters.min(6) + 2
        } else {
            0
        };
        let wanted = regions.saturating_add(7).saturating_add(fullest);
        let most = area.height.saturating_sub(8).max(area.height * 3 / 5);
        let left = Rect {
            height: wanted.min(most),
            ..area
        };
        (
            left,
            Rect {
                y: left.bottom(),
                height: area.height - left.height,
                ..area
            },
        )
    };
    let inside = frame(p, left, labels, false);
    overview(state, p, inside);
    attention(state, p, right)
}

fn ready(state: &State) -> bool {
    state.clusters.phase == Phase::Live && !state.clusters.table.rows().is_empty()
}

fn waiting(state: &State, p: &mut Painter<'_>, area: Rect) {
    match &state.clusters.phase {
        Phase::Loading => {
            let heading = format!("Connecting to {}{}", state.about.context, p.glyphs.ellipsis);
            let text = [
                "The fleet appears as soon as the control plane answers.",
                "",
                "? shows the keys, q leaves.",
            ];
            message(p, area, (&heading, Role::Accent), &text);
        }
        Phase::Failed(error) => {
            let text = [
                error.as_str(),
                "",
                "It is tried again by itself; ctrl-r tries now.",
            ];
            message(
                p,
                area,
                ("The control plane does not answer", Role::StateBad),
                &text,
            );
        }
        Phase::Live => {
            let text = [
                "No cluster has joined this control plane yet.",
                "",
                "karmadactl join NAME --cluster-kubeconfig FILE adds one.",
            ];
            message(p, area, ("An empty fleet", Role::Strong), &text);
        }
    }
}

/// Totals, then a line a region.
fn overview(state: &State, p: &mut Painter<'_>, area: Rect) {
    let fleet = &state.fleet;
    let half = area.width / 2;
    let mut y = area.y;
    let counts = |marks: &[Mark]| {
        let of = |mark| marks.iter().filter(|m| **m == mark).count() as u64;
        [
            Mark::Ok,
            Mark::Moving,
            Mark::Attention,
            Mark::Unknown,
            Mark::Bad,
        ]
        .map(|m| (m, of(m)))
    };
    let clusters = counts(&fleet.total.marks);
    share_line(p, (area.x, y, half - 2), "Clusters", &clusters);
    usage_line(
        p,
        (area.x + half, y, area.right() - area.x - half),
        "CPU",
        fleet.total.cpu,
        cores,
    );
    y += 1;
    let bindings = [
        Mark::Ok,
        Mark::Moving,
        Mark::Attention,
        Mark::Unknown,
        Mark::Bad,
    ]
    .map(|mark| (mark, fleet.bindings.get(&mark).copied().unwrap_or(0)));
    share_line(p, (area.x, y, half - 2), "Bindings", &bindings);
    let memory = fleet.total.memory;
    usage_line(
        p,
        (area.x + half, y, area.right() - area.x - half),
        "Memory",
        memory,
        bytes,
    );
    y += 2;
    let below = Rect::new(area.x, y, area.width, area.bottom().saturating_sub(y));
    let rows = section(p, below, &[("Regions", Role::TableHeader)]);
    regions(state, p, rows);
    let taken = u16::try_from(fleet.groups.len() + 2).unwrap_or(u16::MAX);
    let y = rows.y.saturating_add(taken);
    if y + 2 < area.bottom() {
        let below = Rect::new(area.x, y, area.width, area.bottom() - y);
        fullest(state, p, below);
    }
}

/// The clusters with the least room left, the fullest first.
fn fullest(state: &State, p: &mut Painter<'_>, area: Rect) {
    let fullness = |row: &crate::rows::ClusterRow| {
        let part = |usage: Usage| usage.fraction().unwrap_or(-1.0);
        part(row.cpu).max(part(row.memory))
    };
    let mut rows: Vec<_> = state.clusters.table.rows().iter().collect();
    rows.sort_by(|a, b| fullness(b).total_cmp(&fullness(a)));
    let area = section(p, area, &[("Fullest clusters", Role::TableHeader)]);
    let name = (area.width / 4).clamp(12, 28);
    let bar = (area.width.saturating_sub(name + 4) / 2)
        .saturating_sub(13)
        .min(24);
    for (y, row) in (area.y..area.bottom()).zip(rows) {
        p.text(
            area.x,
            y,
            1,
            p.glyphs.mark(row.mark()),
            mark_role(row.mark()),
        );
        p.name(area.x + 2, y, name, &row.name, Role::Cluster);
        let mut x = area.x + name + 4;
        for (label, usage) in [("cpu ", row.cpu), ("mem ", row.memory)] {
            p.text(x, y, 4, label, Role::HeaderLabel);
            if let Some(fraction) = usage.fraction() {
                gauge::gauge(p, x + 4, y, bar, fraction);
                let text = format!("{:>5}", percent(fraction));
                p.text(x + 4 + bar, y, 6, &text, gauge::level(fraction));
            }
            x += bar + 13;
        }
    }
}

fn share_line(
    p: &mut Painter<'_>,
    (x, y, wide): (u16, u16, u16),
    label: &str,
    counts: &[(Mark, u64)],
) {
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    p.text(x, y, 9, label, Role::HeaderLabel);
    let total_text = format!("{total:>5} ");
    let at = p.text(x + 9, y, 7, &total_text, Role::Strong);
    let bar = wide.saturating_sub(9 + 7 + 14).clamp(4, 28);
    let shares: Vec<(u64, Role)> = counts.iter().map(|(m, n)| (*n, mark_role(*m))).collect();
    gauge::shares(p, at, y, bar, &shares);
    let mut at = at + bar + 1;
    for (mark, count) in counts
        .iter()
        .rev()
        .filter(|(mark, n)| *n > 0 && *mark != Mark::Ok)
    {
        let text = format!("{}{count} ", p.glyphs.mark(*mark));
        at = p.text(
            at,
            y,
            (x + wide).saturating_sub(at),
            &text,
            mark_role(*mark),
        );
    }
    let all_well = counts.iter().all(|(mark, n)| *n == 0 || *mark == Mark::Ok);
    if all_well && total > 0 {
        p.text(
            at,
            y,
            (x + wide).saturating_sub(at),
            "all well",
            Role::StateOk,
        );
    }
}

fn usage_line(
    p: &mut Painter<'_>,
    (x, y, wide): (u16, u16, u16),
    label: &str,
    usage: Usage,
    unit: fn(f64) -> String,
) {
    p.text(x, y, 8, label, Role::HeaderLabel);
    let Some(fraction) = usage.fraction() else {
        p.text(
            x + 8,
            y,
            wide.saturating_sub(8),
            "not reported",
            Role::Faint,
        );
        return;
    };
    let bar = wide.saturating_sub(8 + 6 + 14).clamp(4, 28);
    gauge::gauge(p, x + 8, y, bar, fraction);
    let at = x + 8 + bar;
    let at = p.text(
        at,
        y,
        6,
        &format!("{:>5} ", percent(fraction)),
        gauge::level(fraction),
    );
    let amounts = format!("{}/{}", unit(usage.used), unit(usage.total));
    p.text(at, y, (x + wide).saturating_sub(at), &amounts, Role::Dim);
}

fn regions(state: &State, p: &mut Painter<'_>, area: Rect) {
    let groups = &state.fleet.groups;
    let widest = |text: fn(&Group) -> &str, least: usize| {
        let widest = groups
            .iter()
            .map(|g| flybridge_ui::text::width(text(g)))
            .max()
            .unwrap_or(0);
        u16::try_from(widest.max(least)).unwrap_or(24).min(22)
    };
    let region = widest(|g| &g.region, 6);
    let provider = widest(|g| &g.provider, 8);
    let fixed = region + 2 + provider + 2 + 9 + 2 + 8 + 2;
    let bars = area.width.saturating_sub(fixed) / 2;
    let bar = bars.saturating_sub(7).min(20);
    let xs = [
        area.x,
        area.x + region + 2,
        area.x + region + provider + 4,
        area.x + region + provider + 15,
    ];
    let cpu_x = area.x + fixed;
    let titles = ["REGION", "PROVIDER", "CLUSTERS", "NODES"];
    for (x, title) in xs.iter().zip(titles) {
        p.text(*x, area.y, 10, title, Role::TableHeader);
    }
    p.text(cpu_x, area.y, bars, "CPU", Role::TableHeader);
    p.text(cpu_x + bar + 7, area.y, bars, "MEMORY", Role::TableHeader);
    let room = usize::from(area.height.saturating_sub(1));
    for (i, group) in groups.iter().enumerate().take(room) {
        let y = area.y + 1 + u16::try_from(i).unwrap_or(0);
        if i + 1 == room && groups.len() > room {
            let text = format!("and {} more regions", groups.len() - i);
            p.text(area.x, y, area.width, &text, Role::Dim);
            break;
        }
        let or_none = |text: &str| if text.is_empty() { "not said" } else { text }.to_owned();
        p.text(xs[0], y, region, &or_none(&group.region), Role::Text);
        p.text(xs[1], y, provider, &or_none(&group.provider), Role::Dim);
        marks(p, (xs[2], y), &group.marks);
        let nodes = format!("{}/{}", group.nodes.0, group.nodes.1);
        let role = if group.nodes.0 < group.nodes.1 {
            Role::StateWarn
        } else {
            Role::Text
        };
        p.text(xs[3], y, 8, &nodes, role);
        for (x, usage) in [(cpu_x, group.cpu), (cpu_x + bar + 7, group.memory)] {
            if let Some(fraction) = usage.fraction() {
                gauge::gauge(p, x, y, bar, fraction);
                let text = format!("{:>5}", percent(fraction));
                p.text(x + bar, y, 6, &text, gauge::level(fraction));
            }
        }
    }
}

/// A mark a cluster as long as they fit, else a count by mark.
fn marks(p: &mut Painter<'_>, (x, y): (u16, u16), marks: &[Mark]) {
    let mut sorted = marks.to_vec();
    sorted.sort_unstable();
    if sorted.len() <= 9 {
        for (x, mark) in (x..).zip(sorted) {
            let glyph = p.glyphs.mark(mark);
            p.text(x, y, 1, glyph, mark_role(mark));
        }
        return;
    }
    let ok = sorted.iter().filter(|m| **m == Mark::Ok).count();
    let text = format!("{ok}/{}", sorted.len());
    let worst = sorted.last().copied().unwrap_or_default();
    p.text(x, y, 9, &text, mark_role(worst));
}

fn attention(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    let fleet = &state.fleet;
    let count = format!(" {}", fleet.attention.len());
    let labels = Labels {
        title: &[("Needs attention", Role::Title), (&count, Role::Dim)],
        ..Labels::default()
    };
    let inside = frame(p, area, labels, true);
    let height = usize::from(inside.height);
    if fleet.attention.is_empty() {
        let words = match state.bindings.phase {
            Phase::Loading => "bindings are still being listed",
            Phase::Live | Phase::Failed(_) => {
                "nothing: every cluster is ready, every binding applied and healthy"
            }
        };
        p.text(inside.x, inside.y, inside.width, words, Role::StateOk);
        return height;
    }
    let (first, last) = fleet.scroll.window(height, fleet.attention.len());
    let widest = fleet
        .attention
        .iter()
        .map(|item| width16(item.name()))
        .max();
    let name_width = widest.unwrap_or(0).min(inside.width / 3);
    for (y, at) in (inside.y..inside.bottom()).zip(first..last) {
        let item = &fleet.attention[at];
        let glyph = p.glyphs.mark(item.mark());
        p.text(inside.x, y, 1, glyph, mark_role(item.mark()));
        let (kind, role) = match item {
            Item::Cluster(_) => ("cluster", Role::Cluster),
            Item::Binding(_) => ("binding", Role::Strong),
        };
        p.text(inside.x + 2, y, 8, kind, Role::Kind);
        p.name(inside.x + 10, y, name_width, item.name(), role);
        let x = inside.x + 10 + name_width + 2;
        let age = item
            .since()
            .map(|at| age(at, state.now))
            .unwrap_or_default();
        let room = inside.right().saturating_sub(x + 7);
        p.text(x, y, room, &item.text(), Role::Text);
        p.parts_right(inside.right(), y, 6, &[(&age, Role::Dim)]);
        if at == fleet.scroll.at {
            p.tint(Rect::new(inside.x, y, inside.width, 1), Role::Selection);
        }
    }
    scroll_bar(p, area, fleet.attention.len(), height, first);
    height
}
