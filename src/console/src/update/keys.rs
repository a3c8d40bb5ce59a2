//! From keys to actions, before any pane sees them.

use flybridge_ui::chord::show_sequence;
use flybridge_ui::{Chord, Found, Mark};

use super::{act, layers};
use crate::effect::Effect;
use crate::state::{Layer, State};

/// Handles a key press: as part of a sequence, as an action, or as text.
pub(super) fn press(state: &mut State, chord: Chord) -> Vec<Effect> {
    state.keys.push(chord);
    let keys = state.keys.clone();
    let found = state.keymap.find(&state.modes(), &keys);
    match found {
        Found::Command(action) => {
            let action = action.clone();
            state.keys.clear();
            act::act(state, &action)
        }
        Found::Prefix => Vec::new(),
        Found::Nothing => {
            state.keys.clear();
            if keys.len() > 1 {
                if chord != Chord::plain(flybridge_ui::Key::Esc) {
                    let text = format!("{} is not bound", show_sequence(&keys));
                    state.say(Mark::None, text);
                }
            } else if types_text(state) {
                layers::typed(state, chord);
            }
            Vec::new()
        }
    }
}

fn types_text(state: &State) -> bool {
    matches!(
        state.layers.last(),
        Some(Layer::Palette(_) | Layer::Namespaces(_) | Layer::Filter { .. })
    )
}
