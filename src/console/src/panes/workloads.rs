//! Workloads of all members in one list.

use flybridge_ui::Painter;
use ratatui::layout::Rect;

use super::Spec;
use super::list::{self, Words};
use crate::state::State;

pub(crate) const SPEC: Spec = Spec {
    id: "workloads",
    aliases: &[
        "workload",
        "wl",
        "deploy",
        "deployments",
        "sts",
        "ds",
        "jobs",
    ],
    title: "Workloads",
    modes: &["workloads", "list"],
    hints: &[
        "pods",
        "yaml",
        "filter",
        "attention",
        "namespaces",
        "sort ready",
        "copy",
    ],
};

const WORDS: Words = Words {
    things: "workloads",
    none: &["No member runs a Deployment, StatefulSet, DaemonSet or Job."],
};

pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    let notices = list::notices(state, &state.workloads);
    let phase = list::phase_of(state, &state.workloads);
    list::render(
        state,
        p,
        area,
        (&state.workloads.list, &phase),
        (&WORDS, &notices),
    )
}
