//! Going from pane to pane.

use flybridge_ui::Mark;

use super::scope::{Selected, refresh_all, selected};
use crate::effect::{Effect, LogRequest};
use crate::filter::Filter;
use crate::panes::fleet::Item;
use crate::panes::{Pane, ROOTS};
use crate::rows::{BindingRow, ClusterRow, ListRow, ObjectRef, PodRow, WorkRow, WorkloadRow};
use crate::state::{List, Phase, State, View};

/// Shows a root pane.
pub(super) fn root(state: &mut State, pane: Pane) -> Vec<Effect> {
    let mut effects = Vec::new();
    while state.stack.len() > 1 {
        effects.extend(pop(state));
    }
    let before = state.root();
    if before != pane {
        state.last_root = Some(before);
        state.stack = vec![View {
            pane,
            restore: None,
        }];
    }
    effects
}

/// Shows the root pane `by` tabs away.
pub(super) fn neighbour(state: &mut State, by: isize) -> Vec<Effect> {
    let at = ROOTS
        .iter()
        .position(|pane| *pane == state.root())
        .unwrap_or(0);
    let count = ROOTS.len().cast_signed();
    let next = (at.cast_signed() + by).rem_euclid(count).cast_unsigned();
    root(state, ROOTS[next])
}

/// Puts a pane on top.
pub(super) fn push(state: &mut State, pane: Pane, restore: Option<Filter>) {
    // A pane is on the stack once: going back always shows something else.
    state
        .stack
        .retain(|view| view.pane != pane || view.restore.is_some());
    state.stack.push(View { pane, restore });
}

/// Takes the top pane away and undoes the filter it came with.
pub(super) fn pop(state: &mut State) -> Vec<Effect> {
    if state.stack.len() < 2 {
        return Vec::new();
    }
    let Some(view) = state.stack.pop() else {
        return Vec::new();
    };
    if let Some(filter) = view.restore {
        set_filter(state, view.pane, filter);
    }
    if view.pane == Pane::Logs {
        state.logs.generation = state.next_generation();
        return vec![Effect::StopLogs];
    }
    Vec::new()
}

/// Replaces the filter of a pane's list.
pub(super) fn set_filter(state: &mut State, pane: Pane, filter: Filter) {
    match pane {
        Pane::Clusters => state.clusters.filter = filter,
        Pane::Bindings => state.bindings.filter = filter,
        Pane::Workloads => state.workloads.list.filter = filter,
        Pane::Pods => state.pods.list.filter = filter,
        Pane::Works => state.works.filter = filter,
        Pane::Logs => {
            state.logs.set_filter(filter);
            return;
        }
        Pane::Fleet | Pane::Explain | Pane::Yaml => return,
    }
    refresh_all(state);
}

/// Reads a filter for a pane.
pub(super) fn parse_filter(pane: Pane, text: &str) -> Result<Filter, String> {
    let columns = match pane {
        Pane::Clusters => List::<ClusterRow>::columns(),
        Pane::Bindings => List::<BindingRow>::columns(),
        Pane::Workloads => List::<WorkloadRow>::columns(),
        Pane::Pods => List::<PodRow>::columns(),
        Pane::Works => List::<WorkRow>::columns(),
        Pane::Fleet | Pane::Explain | Pane::Logs | Pane::Yaml => Vec::new(),
    };
    Filter::parse(text, &columns)
}

/// Puts a list on top, narrowed by a filter that goes away with it.
pub(super) fn push_filtered(state: &mut State, pane: Pane, text: &str) {
    let Ok(filter) = parse_filter(pane, text) else {
        return;
    };
    let before = match pane {
        Pane::Clusters => state.clusters.filter.clone(),
        Pane::Bindings => state.bindings.filter.clone(),
        Pane::Workloads => state.workloads.list.filter.clone(),
        _ => state.pods.list.filter.clone(),
    };
    push(state, pane, Some(before));
    set_filter(state, pane, filter);
}

/// Opens what is under the cursor.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    let under = selected(state);
    match state.pane() {
        Pane::Fleet => match state.fleet.attention.get(state.fleet.scroll.at).cloned() {
            Some(Item::Cluster(row)) => {
                let effects = root(state, Pane::Clusters);
                state.clusters.table.select(&row.name);
                effects
            }
            Some(Item::Binding(row)) => explain(state, Some(row.object())),
            None => Vec::new(),
        },
        Pane::Clusters => {
            if let Some(name) = under.cluster {
                push_filtered(
                    state,
                    Pane::Workloads,
                    &format!("cluster:^{}$", escape(&name)),
                );
            }
            Vec::new()
        }
        Pane::Bindings => explain(state, under.object),
        Pane::Workloads => {
            pods_of(state, &under);
            Vec::new()
        }
        Pane::Pods => logs(state, &under, false),
        Pane::Works | Pane::Explain => yaml(state, under.object),
        Pane::Logs | Pane::Yaml => Vec::new(),
    }
}

/// Lists the pods of a cluster, binding or workload.
pub(super) fn pods_of(state: &mut State, under: &Selected) {
    let text = if let Some(name) = &under.cluster {
        format!("cluster:^{}$", escape(name))
    } else if let Some(binding) = &under.binding {
        format!(
            "ns:{} name:^{}-",
            binding.namespace,
            escape(&binding.resource)
        )
    } else if let Some(object) = &under.object {
        let cluster = object.cluster.as_deref().unwrap_or_default();
        format!(
            "cluster:^{}$ ns:{} name:^{}-",
            escape(cluster),
            object.namespace,
            escape(&object.name)
        )
    } else {
        return;
    };
    push_filtered(state, Pane::Pods, &text);
}

/// Object names hold no character that is special in patterns but the dot.
fn escape(name: &str) -> String {
    name.replace('.', "\\.")
}

/// Explains a binding.
pub(super) fn explain(state: &mut State, binding: Option<ObjectRef>) -> Vec<Effect> {
    let Some(binding) = binding else {
        return Vec::new();
    };
    let generation = state.next_generation();
    if state.explain.binding.as_ref() != Some(&binding) {
        state.explain = crate::panes::explain::ExplainState::default();
    }
    state.explain.ask(binding.clone(), generation, state.now);
    push(state, Pane::Explain, None);
    vec![Effect::Explain {
        generation,
        binding,
    }]
}

/// Shows an object as YAML.
pub(super) fn yaml(state: &mut State, object: Option<ObjectRef>) -> Vec<Effect> {
    let Some(object) = object else {
        return Vec::new();
    };
    let generation = state.next_generation();
    state.yaml.ask(object.clone(), generation);
    push(state, Pane::Yaml, None);
    vec![Effect::FetchYaml { generation, object }]
}

/// Shows the logs of the pod under the cursor.
pub(super) fn logs(state: &mut State, under: &Selected, previous: bool) -> Vec<Effect> {
    let Some(pod) = &under.pod else {
        state.say(Mark::None, "no pod is selected");
        return Vec::new();
    };
    let request = LogRequest {
        cluster: pod.cluster.clone(),
        namespace: pod.namespace.clone(),
        pod: pod.name.clone(),
        container: pod.containers.first().cloned().unwrap_or_default(),
        previous,
        ..LogRequest::default()
    };
    state.logs.open(request, pod.containers.clone());
    push(state, Pane::Logs, None);
    stream(state)
}

/// Starts the log stream of the present request from its beginning.
pub(super) fn stream(state: &mut State) -> Vec<Effect> {
    let generation = state.next_generation();
    state.logs.generation = generation;
    state.logs.phase = Phase::Loading;
    vec![Effect::Logs {
        generation,
        request: state.logs.request.clone(),
    }]
}
