//! From the state to a frame. Reads the state only; what it learns of the layout it returns.

mod chrome;
mod layers;
pub(crate) mod lines;

use std::hash::{DefaultHasher, Hash, Hasher};

use flybridge_ui::{Painter, Role};
use ratatui::Frame;
use ratatui::layout::Rect;

use crate::panes::{self, Laid, Pane};
use crate::rows::{ListRow, age};
use crate::state::{List, State};

/// Columns and rows everything is laid out for; below, a notice is shown.
pub(crate) const LEAST: (u16, u16) = (80, 24);

/// Paints everything and returns how the pane was laid out.
pub(crate) fn render(state: &State, frame: &mut Frame<'_>) -> Laid {
    let area = frame.area();
    let mut p = Painter::new(frame.buffer_mut(), &state.theme, state.glyphs);
    p.tint(area, Role::Text);
    if area.width < LEAST.0 || area.height < LEAST.1 {
        chrome::too_small(state, &mut p, area);
        return Laid::default();
    }
    chrome::header(state, &mut p, Rect { height: 1, ..area });
    chrome::tabs(state, &mut p, line(area, 1));
    let body = Rect::new(area.x, area.y + 2, area.width, area.height - 4);
    let laid = panes::render(state, &mut p, body);
    chrome::hints(state, &mut p, line(area, area.height - 2));
    chrome::status(state, &mut p, line(area, area.height - 1));
    let cursor = layers::render(state, &mut p, body, line(area, area.height - 2));
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
    laid
}

fn line(area: Rect, y: u16) -> Rect {
    Rect::new(area.x, area.y + y, area.width, 1)
}

/// Whether lists show details of the row under the cursor.
pub(crate) fn shows_detail(state: &State) -> bool {
    let (columns, rows) = state.size;
    state.detail.unwrap_or(columns >= 150 || rows >= 34)
}

/// A digest of all text on the screen that changes with time alone.
pub(crate) fn visible_time(state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    chrome::clock(state).hash(&mut hasher);
    match state.pane() {
        Pane::Clusters => ages(state, &state.clusters, &mut hasher),
        Pane::Bindings => ages(state, &state.bindings, &mut hasher),
        Pane::Workloads => ages(state, &state.workloads.list, &mut hasher),
        Pane::Pods => ages(state, &state.pods.list, &mut hasher),
        Pane::Works => ages(state, &state.works, &mut hasher),
        Pane::Fleet => {
            let fleet = &state.fleet;
            let (first, last) = fleet
                .scroll
                .window(fleet.scroll.height(), fleet.attention.len());
            for item in &fleet.attention[first..last] {
                item.since().map(|at| age(at, state.now)).hash(&mut hasher);
            }
        }
        Pane::Explain | Pane::Logs | Pane::Yaml => {}
    }
    hasher.finish()
}

fn ages<R: ListRow>(state: &State, list: &List<R>, hasher: &mut DefaultHasher) {
    let (first, last) = list.table.window(list.table.height());
    for at in first..last {
        let created = list.table.row(at).and_then(|row| row.created());
        created.map(|at| age(at, state.now)).hash(hasher);
    }
}
