//! What is on top of the panes: prompts, pickers, help, dialogs.

use flybridge_ui::picker::Picker;
use flybridge_ui::{Chord, Mark, TextInput};

use super::complete::{command_items, namespace_items, run_command};
use super::{act, go};
use crate::action::Action;
use crate::effect::Effect;
use crate::filter::Filter;
use crate::state::{Layer, State};

/// A key that is no action, typed into the top prompt.
pub(super) fn typed(state: &mut State, chord: Chord) {
    let changed = match state.layers.last_mut() {
        Some(Layer::Palette(picker) | Layer::Namespaces(picker)) => {
            let changed = picker.input.key(chord);
            picker.refresh();
            changed
        }
        Some(Layer::Filter { input, .. }) => input.key(chord),
        _ => false,
    };
    if changed {
        filter_changed(state);
    }
}

/// Pasted text.
pub(super) fn paste(state: &mut State, text: &str) {
    match state.layers.last_mut() {
        Some(Layer::Palette(picker) | Layer::Namespaces(picker)) => {
            picker.input.paste(text);
            picker.refresh();
        }
        Some(Layer::Filter { input, .. }) => input.paste(text),
        _ => return,
    }
    filter_changed(state);
}

/// Applies the filter as it is typed; while it is wrong, the last good one stays.
fn filter_changed(state: &mut State) {
    let pane = state.pane();
    let Some(Layer::Filter { input, error, .. }) = state.layers.last_mut() else {
        return;
    };
    match go::parse_filter(pane, input.text()) {
        Ok(filter) => {
            *error = None;
            go::set_filter(state, pane, filter);
        }
        Err(why) => *error = Some(why),
    }
}

/// Opens the filter prompt.
pub(super) fn open_filter(state: &mut State) {
    let Some(filter) = state.filter().cloned() else {
        return;
    };
    state.layers.push(Layer::Filter {
        input: TextInput::with_text(&filter.text),
        error: None,
        before: filter,
    });
}

/// Opens the palette.
pub(super) fn open_palette(state: &mut State) {
    let picker = Picker::new(command_items(state));
    state.layers.push(Layer::Palette(picker));
}

/// Opens the choice of namespaces.
pub(super) fn open_namespaces(state: &mut State) {
    let picker = Picker::new(namespace_items(state));
    state.layers.push(Layer::Namespaces(picker));
}

/// Closes the top layer; a filter prompt puts back what was before.
pub(super) fn cancel(state: &mut State) {
    if let Some(Layer::Filter { before, .. }) = state.layers.pop() {
        let pane = state.pane();
        go::set_filter(state, pane, before);
    }
}

/// Does what the top layer offers.
pub(super) fn accept(state: &mut State) -> Vec<Effect> {
    match state.layers.pop() {
        Some(Layer::Palette(picker)) => {
            let typed = picker.input.text().trim().to_owned();
            let picked = picker.selected().map(|item| item.label.clone());
            run_command(state, &typed, picked)
        }
        Some(Layer::Namespaces(picker)) => match picker.selected() {
            Some(item) => act::act(state, &Action::Namespace(item.label.clone())),
            None => Vec::new(),
        },
        Some(Layer::Filter { error, before, .. }) => {
            if let Some(why) = error {
                let pane = state.pane();
                go::set_filter(state, pane, before);
                state.say(Mark::Attention, format!("filter: {why}"));
            }
            Vec::new()
        }
        Some(Layer::Dialog(dialog, action)) if dialog.focus > 0 => act::act(state, &action),
        _ => Vec::new(),
    }
}

/// Answers yes to a dialog, whatever has the focus.
pub(super) fn yes(state: &mut State) -> Vec<Effect> {
    match state.layers.pop() {
        Some(Layer::Dialog(_, action)) => act::act(state, &action),
        _ => Vec::new(),
    }
}

/// Moves in the top layer.
pub(super) fn step(state: &mut State, by: isize) {
    match state.layers.last_mut() {
        Some(Layer::Palette(picker) | Layer::Namespaces(picker)) => picker.step(by),
        Some(Layer::Help(at) | Layer::Messages(at)) => *at = at.saturating_add_signed(by),
        Some(Layer::Dialog(dialog, _)) => dialog.next(),
        Some(Layer::Filter { .. }) | None => {}
    }
}

/// Completes what is typed with the item under the cursor.
pub(super) fn complete(state: &mut State) {
    if let Some(Layer::Palette(picker) | Layer::Namespaces(picker)) = state.layers.last_mut() {
        let label = picker.selected().map(|item| item.label.clone());
        if let Some(label) = label {
            picker.input.set(&label);
            picker.refresh();
        }
    }
}

/// Shows all rows of the pane again, and says whether there was a filter.
pub(super) fn clear_filter(state: &mut State) -> bool {
    let had = state.filter().is_some_and(|filter| !filter.text.is_empty());
    if had {
        let pane = state.pane();
        // A list opened for one object keeps its narrowing; going back takes it away.
        let narrowed = state
            .stack
            .last()
            .is_some_and(|view| view.restore.is_some());
        if narrowed {
            return false;
        }
        go::set_filter(state, pane, Filter::default());
    }
    had
}
