//! Which rows lists show, and which object is under the cursor.

use crate::filter::Filter;
use crate::panes::Pane;
use crate::panes::fleet::Item;
use crate::rows::{BindingRow, ListRow, ObjectRef, PodRow, RowEnv, Rows};
use crate::state::{List, State};

/// Filters and sorts a list again.
pub(super) fn refresh<R: ListRow>(
    list: &mut List<R>,
    namespace: Option<&str>,
    attention: bool,
    env: &RowEnv,
) {
    let List { table, filter, .. } = list;
    let filter: &Filter = filter;
    table.refresh(&|row| keeps(row, filter, namespace, attention, env), env);
}

fn keeps<R: ListRow>(
    row: &R,
    filter: &Filter,
    namespace: Option<&str>,
    attention: bool,
    env: &RowEnv,
) -> bool {
    let in_scope = row.namespace().is_empty() || namespace.is_none_or(|ns| ns == row.namespace());
    in_scope && (!attention || row.is("attention")) && filter.keeps(row, env)
}

/// Replaces the rows of a list.
pub(super) fn replace<R: ListRow>(
    list: &mut List<R>,
    rows: Rows<R>,
    namespace: Option<&str>,
    attention: bool,
    env: &RowEnv,
) {
    let List { table, filter, .. } = list;
    let filter: &Filter = filter;
    let keep = |row: &R| keeps(row, filter, namespace, attention, env);
    table.set_rows(rows, &keep, env);
}

/// Filters and sorts all lists again.
pub(super) fn refresh_all(state: &mut State) {
    let env = state.env();
    let namespace = state.namespace.as_deref();
    refresh(&mut state.clusters, namespace, state.attention, &env);
    refresh(&mut state.bindings, namespace, state.attention, &env);
    refresh(&mut state.works, namespace, state.attention, &env);
    refresh(&mut state.workloads.list, namespace, state.attention, &env);
    refresh(&mut state.pods.list, namespace, state.attention, &env);
}

/// What is under the cursor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selected {
    pub(crate) object: Option<ObjectRef>,
    pub(crate) binding: Option<std::sync::Arc<BindingRow>>,
    pub(crate) pod: Option<std::sync::Arc<PodRow>>,
    pub(crate) cluster: Option<String>,
}

/// What is under the cursor of the pane shown.
pub(crate) fn selected(state: &State) -> Selected {
    let mut selected = Selected::default();
    match state.pane() {
        Pane::Clusters => {
            let row = state.clusters.table.selected();
            selected.object = row.map(|row| row.object());
            selected.cluster = row.map(|row| row.name.clone());
        }
        Pane::Bindings => {
            selected.binding = state.bindings.table.selected().cloned();
            selected.object = selected.binding.as_ref().map(|row| row.object());
        }
        Pane::Workloads => {
            selected.object = state
                .workloads
                .list
                .table
                .selected()
                .map(|row| row.object());
        }
        Pane::Works => {
            selected.object = state.works.table.selected().map(|row| row.object());
        }
        Pane::Pods => {
            selected.pod = state.pods.list.table.selected().cloned();
            selected.object = selected.pod.as_ref().map(|row| row.object());
        }
        Pane::Fleet => fleet(state, &mut selected),
        Pane::Explain => selected.object.clone_from(&state.explain.binding),
        Pane::Yaml => selected.object.clone_from(&state.yaml.object),
        Pane::Logs => {}
    }
    selected
}

fn fleet(state: &State, selected: &mut Selected) {
    let Some(item) = state.fleet.attention.get(state.fleet.scroll.at) else {
        return;
    };
    match item {
        Item::Cluster(row) => {
            selected.object = Some(row.object());
            selected.cluster = Some(row.name.clone());
        }
        Item::Binding(row) => {
            selected.object = Some(row.object());
            selected.binding = Some(std::sync::Arc::clone(row));
        }
    }
}
