//! The panes: one file each, and the list of them.

pub(crate) mod bindings;
pub(crate) mod clusters;
pub(crate) mod explain;
pub(crate) mod fleet;
pub(crate) mod list;
pub(crate) mod logs;
pub(crate) mod pods;
pub(crate) mod workloads;
pub(crate) mod works;
pub(crate) mod yaml;

use std::fmt;

use flybridge_ui::Painter;
use ratatui::layout::Rect;

use crate::action::Action;
use crate::state::State;

/// A pane.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub(crate) enum Pane {
    Fleet,
    Clusters,
    Bindings,
    Workloads,
    Pods,
    Works,
    Explain,
    Logs,
    Yaml,
}

/// What the table of panes says of one.
#[derive(Debug)]
pub(crate) struct Spec {
    /// Name in keymaps and in the palette.
    pub(crate) id: &'static str,
    /// Other names the palette understands.
    pub(crate) aliases: &'static [&'static str],
    /// Heading.
    pub(crate) title: &'static str,
    /// Keymap modes, the most specific first; `global` always follows.
    pub(crate) modes: &'static [&'static str],
    /// What the hint line offers, the most useful first.
    pub(crate) hints: &'static [&'static str],
}

/// Panes one can go to directly, in the order of the tabs.
pub(crate) const ROOTS: [Pane; 5] = [
    Pane::Fleet,
    Pane::Clusters,
    Pane::Bindings,
    Pane::Workloads,
    Pane::Pods,
];

/// Panes one goes to by name alone, as they are needed seldom.
pub(crate) const NAMED: [Pane; 1] = [Pane::Works];

impl Pane {
    /// What the table says of it.
    pub(crate) const fn spec(self) -> &'static Spec {
        match self {
            Self::Fleet => &fleet::SPEC,
            Self::Clusters => &clusters::SPEC,
            Self::Bindings => &bindings::SPEC,
            Self::Workloads => &workloads::SPEC,
            Self::Pods => &pods::SPEC,
            Self::Works => &works::SPEC,
            Self::Explain => &explain::SPEC,
            Self::Logs => &logs::SPEC,
            Self::Yaml => &yaml::SPEC,
        }
    }

    /// The pane one can go to with a name or an alias.
    pub(crate) fn named(name: &str) -> Option<Self> {
        ROOTS.into_iter().chain(NAMED).find(|pane| {
            let spec = pane.spec();
            spec.id == name || spec.aliases.contains(&name)
        })
    }

    /// All panes.
    #[cfg(test)]
    pub(crate) const fn all() -> [Self; 9] {
        [
            Self::Fleet,
            Self::Clusters,
            Self::Bindings,
            Self::Workloads,
            Self::Pods,
            Self::Works,
            Self::Explain,
            Self::Logs,
            Self::Yaml,
        ]
    }
}

impl fmt::Display for Pane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec().id)
    }
}

/// Rows a pane showed of what it scrolls; `update` needs it to move by pages.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Laid {
    pub(crate) rows: usize,
}

/// Paints the pane on top.
pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> Laid {
    let rows = match state.pane() {
        Pane::Fleet => fleet::render(state, p, area),
        Pane::Clusters => clusters::render(state, p, area),
        Pane::Bindings => bindings::render(state, p, area),
        Pane::Workloads => workloads::render(state, p, area),
        Pane::Pods => pods::render(state, p, area),
        Pane::Works => works::render(state, p, area),
        Pane::Explain => explain::render(state, p, area),
        Pane::Logs => logs::render(state, p, area),
        Pane::Yaml => yaml::render(state, p, area),
    };
    Laid { rows }
}

/// The hints of a pane as actions; every one exists, which a test holds.
pub(crate) fn hints(pane: Pane) -> Vec<Action> {
    pane.spec()
        .hints
        .iter()
        .filter_map(|text| Action::parse(text).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_actions_and_names_are_unique() {
        let mut names = Vec::new();
        for pane in Pane::all() {
            let spec = pane.spec();
            assert_eq!(hints(pane).len(), spec.hints.len(), "{}", spec.id);
            names.push(spec.id);
            names.extend(spec.aliases);
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
