//! The one place where the state changes: `update` takes an event and returns what to do.
//!
//! Pure: no I/O, no clock, no task. Whatever it wants done it returns as effects.

mod act;
mod complete;
mod data;
mod go;
mod keys;
mod layers;
mod scope;
mod watch;

use jiff::Timestamp;

use crate::effect::Effect;
use crate::event::{Event, TaskResult};
use crate::panes::Laid;
use crate::state::State;

pub(crate) use act::unavailable;

/// Seconds a message stays, by how bad it is.
const TOAST_SECONDS: (i64, i64) = (4, 8);

/// Applies an event.
pub(crate) fn update(state: &mut State, event: Event) -> Vec<Effect> {
    let mut effects = Vec::new();
    match event {
        Event::Key(chord) => {
            state.dirty = true;
            effects = keys::press(state, chord);
        }
        Event::Paste(text) => {
            state.dirty = true;
            layers::paste(state, &text);
        }
        Event::Resize(columns, rows) => {
            state.dirty = true;
            state.size = (columns, rows);
        }
        Event::Tick(now) => effects = tick(state, now),
        Event::LaidOut(laid) => laid_out(state, laid),
        Event::Data {
            key,
            generation,
            data,
        } => data::arrive(state, &key, generation, data),
        Event::Task { generation, result } => finish(state, generation, result),
    }
    effects.extend(watch::sync(state));
    effects
}

/// Time passes: ages change, messages go away, explanations are brought up to date.
fn tick(state: &mut State, now: Timestamp) -> Vec<Effect> {
    let before = crate::render::visible_time(state);
    state.now = now;
    if let Some(toast) = &state.toast {
        let seconds = now.duration_since(toast.at).as_secs();
        let stay = match toast.mark {
            flybridge_ui::Mark::Bad => i64::MAX,
            flybridge_ui::Mark::Attention => TOAST_SECONDS.1,
            _ => TOAST_SECONDS.0,
        };
        if seconds >= stay {
            state.toast = None;
            state.dirty = true;
        }
    }
    if crate::render::visible_time(state) != before {
        state.dirty = true;
    }
    crate::panes::explain::refresh_if_stale(state)
}

fn laid_out(state: &mut State, laid: Laid) {
    use crate::panes::Pane;
    match state.pane() {
        Pane::Fleet => state
            .fleet
            .scroll
            .laid_out(laid.rows, state.fleet.attention.len()),
        Pane::Clusters => state.clusters.table.laid_out(laid.rows),
        Pane::Bindings => state.bindings.table.laid_out(laid.rows),
        Pane::Workloads => state.workloads.list.table.laid_out(laid.rows),
        Pane::Pods => state.pods.list.table.laid_out(laid.rows),
        Pane::Works => state.works.table.laid_out(laid.rows),
        Pane::Explain => {
            let total = state.explain.shown().len();
            state.explain.scroll.laid_out(laid.rows, total);
        }
        Pane::Logs => state.logs.log.laid_out(laid.rows),
        Pane::Yaml => state.yaml.laid_out(laid.rows),
    }
}

fn finish(state: &mut State, generation: u64, result: TaskResult) {
    let current = match result {
        TaskResult::Yaml(_) => state.yaml.generation,
        TaskResult::Explain(_) => state.explain.generation,
        TaskResult::LogLines(_) | TaskResult::LogEnd(_) => state.logs.generation,
    };
    if generation != current {
        return;
    }
    state.dirty = true;
    match result {
        TaskResult::Yaml(result) => state.yaml.arrive(result),
        TaskResult::Explain(result) => state.explain.arrive(result),
        TaskResult::LogLines(lines) => state.logs.arrive(lines),
        TaskResult::LogEnd(error) => state.logs.end(error),
    }
}
