//! Pods of all members in one list.

use flybridge_ui::Painter;
use ratatui::layout::Rect;

use super::Spec;
use super::list::{self, Words};
use crate::state::State;

pub(crate) const SPEC: Spec = Spec {
    id: "pods",
    aliases: &["pod", "po"],
    title: "Pods",
    modes: &["pods", "list"],
    hints: &[
        "logs",
        "previous-logs",
        "yaml",
        "filter",
        "attention",
        "namespaces",
        "sort status",
    ],
};

const WORDS: Words = Words {
    things: "pods",
    none: &["No member runs a pod."],
};

pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    let notices = list::notices(state, &state.pods);
    let phase = list::phase_of(state, &state.pods);
    list::render(
        state,
        p,
        area,
        (&state.pods.list, &phase),
        (&WORDS, &notices),
    )
}
