//! The Works: what each member has been given, whether it took it, and how it is there.

use flybridge_ui::Painter;
use ratatui::layout::Rect;

use super::Spec;
use super::list::{self, Words};
use crate::state::State;

pub(crate) const SPEC: Spec = Spec {
    id: "works",
    aliases: &["work", "wk"],
    title: "Works",
    modes: &["works", "list"],
    hints: &[
        "yaml",
        "filter",
        "attention",
        "namespaces",
        "sort applied",
        "copy",
    ],
};

const WORDS: Words = Words {
    things: "works",
    none: &[
        "No member has been given anything yet.",
        "",
        "A Work appears when a binding has been scheduled.",
    ],
};

pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    list::render(
        state,
        p,
        area,
        (&state.works, &state.works.phase),
        (&WORDS, &[]),
    )
}
