//! What is around the panes: header, tabs, hints, status.

use std::collections::BTreeMap;

use flybridge_ui::chord::show_sequence;
use flybridge_ui::table::mark_role;
use flybridge_ui::text::width16;
use flybridge_ui::{Mark, Painter, Role};
use ratatui::layout::Rect;

use crate::action::Action;
use crate::panes::{NAMED, Pane, ROOTS, hints as pane_hints};
use crate::rows::Tri;
use crate::state::{Layer, Phase, State};

/// First line: who and where, and how the fleet is.
pub(super) fn header(state: &State, p: &mut Painter<'_>, area: Rect) {
    let about = &state.about;
    let counts = counts(state);
    let parts: Vec<(&str, Role)> = counts.iter().map(|(t, r)| (t.as_str(), *r)).collect();
    let end = area.right() - 1;
    let wanted: u16 = parts.iter().map(|(text, _)| width16(text)).sum();
    let right = p.parts_right(end, area.y, wanted.min(area.width), &parts);
    let room = |x: u16| right.saturating_sub(x + 2);
    let mut x = p.text(area.x, area.y, room(area.x), " FLYBRIDGE ", Role::Brand) + 1;
    x = p.name(x, area.y, room(x).min(32), &about.context, Role::Strong) + 1;
    let badge = if about.read_only { " READ-ONLY " } else { "" };
    let plane = room(x).saturating_sub(width16(badge) + 1);
    if plane > 6 {
        x = p.text(x, area.y, plane, &about.plane, Role::HeaderLabel) + 1;
    }
    p.text(x, area.y, room(x), badge, Role::BadgeWarn);
}

/// Clusters and bindings by state; what is well is not counted.
fn counts(state: &State) -> Vec<(String, Role)> {
    let of = |parts: &mut Vec<(String, Role)>, counts: &BTreeMap<Mark, u64>, total, thing| {
        parts.push((plural(total, thing), Role::Header));
        for mark in [Mark::Bad, Mark::Unknown, Mark::Attention, Mark::Moving] {
            if let Some(count) = counts.get(&mark) {
                parts.push((
                    format!(" {}{count}", state.glyphs.mark(mark)),
                    mark_role(mark),
                ));
            }
        }
    };
    let mut parts = Vec::new();
    match state.clusters.phase {
        Phase::Loading => parts.push(("connecting".to_owned(), Role::Dim)),
        Phase::Failed(_) if state.clusters.table.rows().is_empty() => {
            parts.push(("no answer".to_owned(), Role::StateBad));
        }
        Phase::Live | Phase::Failed(_) => {
            let total = state.clusters.table.rows().len();
            of(&mut parts, &state.fleet.clusters, total, "cluster");
        }
    }
    if state.bindings.phase == Phase::Live {
        parts.push(("   ".to_owned(), Role::Dim));
        let total = state.bindings.table.rows().len();
        of(&mut parts, &state.fleet.bindings, total, "binding");
    }
    parts
}

/// `1 thing`, `2 things`.
pub(crate) fn plural(count: usize, thing: &str) -> String {
    if count == 1 {
        format!("1 {thing}")
    } else {
        format!("{count} {thing}s")
    }
}

/// Second line: root panes, and the way to the pane shown.
pub(super) fn tabs(state: &State, p: &mut Painter<'_>, area: Rect) {
    let mut x = area.x + 1;
    let deep = state.stack.len() > 1;
    for pane in ROOTS.into_iter().chain(NAMED) {
        let active = pane == state.root();
        if !active && NAMED.contains(&pane) {
            continue;
        }
        // With a way to show, only the tab it starts from is needed.
        if deep && !active {
            continue;
        }
        let role = if active { Role::TabActive } else { Role::Tab };
        x = p.text(x, area.y, area.right() - x, pane.spec().title, role) + 3;
    }
    if deep {
        x = x.saturating_sub(2);
        for (at, view) in state.stack.iter().enumerate().skip(1) {
            let role = if at + 1 == state.stack.len() {
                Role::CrumbActive
            } else {
                Role::Crumb
            };
            x = p.text(x, area.y, 2, state.glyphs.crumb, Role::Faint) + 1;
            let room = area.right().saturating_sub(x + 1);
            x = p.name(x, area.y, room, &crumb(state, view.pane), role) + 1;
        }
    }
    let mut scope = Vec::new();
    if state.attention {
        scope.push((" attention only ", Role::BadgeWarn));
    }
    let namespace = state.namespace.as_deref().unwrap_or("all");
    if state.pane() != Pane::Fleet || state.namespace.is_some() {
        scope.push(("  namespace ", Role::HeaderLabel));
        scope.push((namespace, Role::Accent));
    }
    let wanted: u16 = scope.iter().map(|(t, _)| width16(t)).sum();
    if x + wanted + 1 < area.right() {
        p.parts_right(area.right() - 1, area.y, wanted, &scope);
    }
}

fn crumb(state: &State, pane: Pane) -> String {
    let path = |object: &Option<crate::rows::ObjectRef>| {
        object
            .as_ref()
            .map_or_else(String::new, crate::rows::ObjectRef::path)
    };
    match pane {
        Pane::Explain => format!("explain {}", path(&state.explain.binding)),
        Pane::Yaml => format!("yaml {}", path(&state.yaml.object)),
        Pane::Logs => format!("logs {}", state.logs.request.pod),
        root => root.spec().title.to_owned(),
    }
}

/// The line of keys that are useful now; what does not fit is left out, help never is.
pub(super) fn hints(state: &State, p: &mut Painter<'_>, area: Rect) {
    if matches!(state.layers.last(), Some(Layer::Filter { .. })) {
        return;
    }
    let modes = state.modes();
    let key_of = |action: &Action| state.keymap.keys_for(&modes, action);
    let mut actions = match state.layers.last() {
        None => pane_hints(state.pane()),
        Some(Layer::Palette(_) | Layer::Namespaces(_) | Layer::Dialog(..)) => {
            vec![
                Action::Accept,
                Action::Complete,
                Action::NextItem,
                Action::Cancel,
            ]
        }
        Some(_) => vec![Action::Cancel, Action::Down, Action::Up],
    };
    if state.layers.is_empty() {
        actions.retain(|action| crate::update::unavailable(state, action.spec().needs).is_none());
        actions.extend([Action::Palette]);
    }
    let help = key_of(&Action::Help).map(|key| (key, "help".to_owned()));
    let reserved = help
        .as_ref()
        .map_or(0, |(key, text)| width16(key) + width16(text) + 4);
    let mut x = area.x + 1;
    for action in &actions {
        let Some(key) = key_of(action) else { continue };
        let label = label(action);
        let wide = width16(&key) + 1 + width16(&label);
        if x + wide + reserved > area.right() {
            break;
        }
        x = p.text(x, area.y, wide, &key, Role::HintKey) + 1;
        x = p.text(x, area.y, wide, &label, Role::HintText) + 3;
    }
    if let Some((key, text)) = help.filter(|_| state.layers.is_empty()) {
        let parts = [
            (key.as_str(), Role::HintKey),
            (" ", Role::HintText),
            (&text, Role::HintText),
        ];
        p.parts_right(area.right() - 1, area.y, reserved, &parts);
    }
}

fn label(action: &Action) -> String {
    match action {
        Action::Goto(pane) => pane.to_string(),
        Action::Namespaces => "namespace".to_owned(),
        Action::Palette => "commands".to_owned(),
        Action::Accept => "ok".to_owned(),
        Action::Cancel => "close".to_owned(),
        Action::NextItem => "next".to_owned(),
        other => other.to_string().replace('-', " "),
    }
}

/// Last line: the message of the moment, or how the connection is.
pub(super) fn status(state: &State, p: &mut Painter<'_>, area: Rect) {
    let clock = clock(state);
    let right = p.parts_right(area.right() - 1, area.y, 8, &[(&clock, Role::Status)]);
    let room = right.saturating_sub(area.x + 2);
    if let Some(toast) = &state.toast {
        let (glyph, role) = match toast.mark {
            Mark::Bad => (state.glyphs.mark(Mark::Bad), Role::ToastError),
            Mark::Attention => (state.glyphs.mark(Mark::Attention), Role::ToastWarn),
            _ => (state.glyphs.dot, Role::ToastInfo),
        };
        p.parts(
            area.x + 1,
            area.y,
            room,
            &[(glyph, role), (" ", role), (&toast.text, role)],
        );
        return;
    }
    let (live, total) = watch_counts(state);
    let watches = format!("watches {live}/{total}");
    let mark = if live == total {
        Mark::Ok
    } else {
        Mark::Moving
    };
    let parts = [
        (state.glyphs.mark(mark), mark_role(mark)),
        (" ", Role::Status),
        (watches.as_str(), Role::Status),
    ];
    let x = p.parts(area.x + 1, area.y, room, &parts);
    // With no rows at all the pane itself says why.
    let known = !state.clusters.table.rows().is_empty();
    if let Some(error) = trouble(state).filter(|_| known) {
        let text = format!("   {error}");
        p.text(
            x,
            area.y,
            right.saturating_sub(x + 1),
            &text,
            Role::StateBad,
        );
    } else if let Some(position) = crate::panes::list::position(state) {
        p.text(
            x + 3,
            area.y,
            right.saturating_sub(x + 4),
            &position,
            Role::Status,
        );
    }
}

/// How many watches have delivered, of how many.
fn watch_counts(state: &State) -> (usize, usize) {
    use crate::event::WatchKey;
    let live = state
        .watches
        .keys()
        .filter(|key| {
            let phase = match key {
                WatchKey::Clusters => Some(&state.clusters.phase),
                WatchKey::Bindings => Some(&state.bindings.phase),
                WatchKey::Works => Some(&state.works.phase),
                WatchKey::Workloads(c) => state.workloads.members.get(c).map(|m| &m.phase),
                WatchKey::Pods(c) => state.pods.members.get(c).map(|m| &m.phase),
            };
            phase == Some(&Phase::Live)
        })
        .count();
    (live, state.watches.len())
}

fn trouble(state: &State) -> Option<&str> {
    [&state.clusters.phase, &state.bindings.phase]
        .into_iter()
        .find_map(|phase| match phase {
            Phase::Failed(error) => Some(error.as_str()),
            Phase::Loading | Phase::Live => None,
        })
}

/// The time of day, in minutes: it changes once a minute.
pub(super) fn clock(state: &State) -> String {
    state.now.strftime("%H:%MZ").to_string()
}

/// The keys that may follow those pressed.
pub(super) fn follow_ups(state: &State) -> Vec<(String, String)> {
    let mut items: Vec<(String, String)> = Vec::new();
    for mode in state.modes() {
        for (keys, action) in state.keymap.bindings(mode, &state.keys) {
            let rest = show_sequence(&keys[state.keys.len().min(keys.len())..]);
            if !items.iter().any(|(key, _)| *key == rest) {
                items.push((rest, label(action)));
            }
        }
    }
    items
}

/// The notice for a terminal that is too small, as much of it as there is room for.
pub(super) fn too_small(state: &State, p: &mut Painter<'_>, area: Rect) {
    let size = format!("this terminal is {}x{}", area.width, area.height);
    let clusters = state.clusters.table.rows();
    let ready = clusters.iter().filter(|row| row.ready == Tri::True).count();
    let counts = format!("{ready} of {} ready", plural(clusters.len(), "cluster"));
    let lines = [
        ("FLYBRIDGE", Role::Strong),
        ("needs 80x24;", Role::Text),
        (size.as_str(), Role::Text),
        (counts.as_str(), Role::Dim),
        (state.about.context.as_str(), Role::Dim),
    ];
    for (y, (text, role)) in (area.y..area.bottom()).zip(lines) {
        p.text(area.x, y, area.width, text, role);
    }
}
