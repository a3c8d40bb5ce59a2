//! What each action does.

use flybridge_ui::dialog::Dialog;
use flybridge_ui::{Mark, Record};

use super::scope::{refresh_all, selected};
use super::{go, layers, watch};
use crate::ExitReason;
use crate::action::{Action, Needs};
use crate::effect::Effect;
use crate::panes::Pane;
use crate::rows::ListRow;
use crate::state::{Layer, List, State};

/// Why an action that needs something cannot be done now; nothing if it can.
pub(crate) fn unavailable(state: &State, needs: Needs) -> Option<&'static str> {
    let under = selected(state);
    let pane = state.pane();
    let list = matches!(
        pane,
        Pane::Clusters | Pane::Bindings | Pane::Workloads | Pane::Pods | Pane::Works
    );
    let (possible, why) = match needs {
        Needs::Nothing => (true, ""),
        Needs::List => (list, "not a list"),
        Needs::Filter => (list || pane == Pane::Logs, "nothing to filter here"),
        Needs::Object => (
            under.object.is_some() || under.pod.is_some(),
            "nothing is selected",
        ),
        Needs::Binding => (under.binding.is_some(), "no binding is selected"),
        Needs::Pod => (under.pod.is_some(), "no pod is selected"),
        Needs::Cluster => (under.cluster.is_some(), "no cluster is selected"),
        Needs::Logs => (pane == Pane::Logs, "no logs are shown"),
        Needs::Explain => (pane == Pane::Explain, "nothing is explained"),
        Needs::Prompt => (!state.layers.is_empty(), "no prompt is open"),
    };
    (!possible).then_some(why)
}

/// Does an action, or says why not.
pub(super) fn act(state: &mut State, action: &Action) -> Vec<Effect> {
    if let Some(why) = unavailable(state, action.spec().needs) {
        state.say(Mark::None, format!("{action}: {why}"));
        return Vec::new();
    }
    match action {
        Action::Down => step(state, 1, 0),
        Action::Up => step(state, -1, 0),
        Action::HalfDown => step(state, 0, 1),
        Action::HalfUp => step(state, 0, -1),
        Action::PageDown => step(state, 0, 2),
        Action::PageUp => step(state, 0, -2),
        Action::Top => edge(state, false),
        Action::Bottom => edge(state, true),
        Action::Accept => return layers::accept(state),
        Action::Yes => return layers::yes(state),
        Action::Cancel => layers::cancel(state),
        Action::Complete => layers::complete(state),
        Action::NextItem => layers::step(state, 1),
        Action::PreviousItem => layers::step(state, -1),
        Action::Palette => layers::open_palette(state),
        Action::Filter => layers::open_filter(state),
        Action::Namespaces => layers::open_namespaces(state),
        Action::Help => state.layers.push(Layer::Help(0)),
        Action::Messages => state.layers.push(Layer::Messages(0)),
        Action::ClearFilter => {
            layers::clear_filter(state);
        }
        Action::Attention => {
            state.attention = !state.attention;
            refresh_all(state);
        }
        Action::Detail if state.pane() == Pane::Explain => state.explain.toggle_division(),
        Action::Detail => state.detail = Some(!crate::render::shows_detail(state)),
        Action::Namespace(name) => namespace(state, name),
        Action::Sort(column) => sort(state, column),
        Action::SortNext => sort_step(state, 1),
        Action::SortPrevious => sort_step(state, -1),
        Action::Theme(name) => theme(state, name),
        Action::Failing => state.explain.toggle_failing(),
        Action::Follow => state.logs.log.follow = !state.logs.log.follow,
        Action::Wrap => state.logs.log.wrap = !state.logs.log.wrap,
        Action::Times => state.logs.log.times = !state.logs.log.times,
        Action::Clear => state.logs.log.clear(),
        _ => return act_outside(state, action),
    }
    Vec::new()
}

/// Actions that lead to other panes or out of the console.
fn act_outside(state: &mut State, action: &Action) -> Vec<Effect> {
    let under = selected(state);
    match action {
        Action::Goto(pane) => go::root(state, *pane),
        Action::NextPane => go::neighbour(state, 1),
        Action::PreviousPane => go::neighbour(state, -1),
        Action::Last => match state.last_root {
            Some(pane) => go::root(state, pane),
            None => Vec::new(),
        },
        Action::Back => back(state),
        Action::Leave => leave(state),
        Action::Open => go::open(state),
        Action::Explain => go::explain(state, under.object),
        Action::Yaml => go::yaml(state, under.object),
        Action::Logs => go::logs(state, &under, false),
        Action::PreviousLogs => go::logs(state, &under, true),
        Action::Pods => {
            go::pods_of(state, &under);
            Vec::new()
        }
        Action::Bindings => {
            if let Some(name) = under.cluster {
                go::push_filtered(state, Pane::Bindings, &format!("@{name}"));
            }
            Vec::new()
        }
        Action::Copy => match under.object {
            Some(object) => {
                state.say(Mark::Ok, format!("copied {}", object.name));
                vec![Effect::Copy(object.name)]
            }
            None => Vec::new(),
        },
        Action::Since => {
            state.logs.request.since = state.logs.request.since.next();
            state.logs.log.clear();
            go::stream(state)
        }
        Action::Container => {
            if state.logs.next_container() {
                go::stream(state)
            } else {
                Vec::new()
            }
        }
        Action::Refresh => {
            state.say(Mark::None, "starting all watches again");
            watch::restart(state)
        }
        Action::Suspend if state.about.in_process => {
            state.say(
                Mark::Attention,
                "not suspended: the control plane in this process would stop too",
            );
            Vec::new()
        }
        Action::Suspend => vec![Effect::Suspend],
        Action::Interrupt => {
            interrupt(state);
            Vec::new()
        }
        Action::Quit => {
            state.exit = Some(ExitReason::Quit);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Clears the message, the filter or the top pane, in this order; at the root, asks to quit.
fn back(state: &mut State) -> Vec<Effect> {
    if state
        .toast
        .as_ref()
        .is_some_and(|toast| toast.mark == Mark::Bad)
    {
        state.toast = None;
        return Vec::new();
    }
    if layers::clear_filter(state) {
        return Vec::new();
    }
    if state.stack.len() > 1 {
        return go::pop(state);
    }
    if state.attention {
        state.attention = false;
        refresh_all(state);
        return Vec::new();
    }
    go::root(state, Pane::Fleet)
}

/// Goes back as long as there is something to go back from, and then leaves.
fn leave(state: &mut State) -> Vec<Effect> {
    let at_the_root = state.stack.len() == 1 && state.root() == Pane::Fleet && !state.attention;
    if at_the_root {
        state.exit = Some(ExitReason::Quit);
        return Vec::new();
    }
    back(state)
}

fn ask_to_quit(state: &mut State) {
    let text = if state.about.in_process {
        "Leave the console? The control plane in this process stops with it."
    } else {
        "Leave the console? The control plane goes on."
    };
    let dialog = Dialog::new("Quit", text, &["Stay", "Quit"]);
    state.layers.push(Layer::Dialog(dialog, Action::Quit));
}

/// Cancels whatever can be cancelled, or else asks to quit.
fn interrupt(state: &mut State) {
    if state.pane() == Pane::Logs && state.logs.log.follow {
        state.logs.log.follow = false;
    } else {
        ask_to_quit(state);
    }
}

/// Moves by rows and by halves of a page.
fn step(state: &mut State, rows: isize, halves: isize) {
    let by = |height: usize| rows + halves * (height / 2).max(1).cast_signed();
    if let Some(Layer::Help(at) | Layer::Messages(at)) = state.layers.last_mut() {
        *at = at.saturating_add_signed(by(20));
        return;
    }
    match state.pane() {
        Pane::Fleet => {
            let total = state.fleet.attention.len();
            state
                .fleet
                .scroll
                .step(by(state.fleet.scroll.height()), total);
        }
        Pane::Clusters => state.clusters.table.step(by(state.clusters.table.height())),
        Pane::Bindings => state.bindings.table.step(by(state.bindings.table.height())),
        Pane::Workloads => {
            let table = &mut state.workloads.list.table;
            table.step(by(table.height()));
        }
        Pane::Pods => {
            let table = &mut state.pods.list.table;
            table.step(by(table.height()));
        }
        Pane::Works => state.works.table.step(by(state.works.table.height())),
        Pane::Explain => {
            let total = state.explain.shown().len();
            state
                .explain
                .scroll
                .step(by(state.explain.scroll.height()), total);
        }
        Pane::Logs => state.logs.log.scroll(by(state.logs.log.height())),
        Pane::Yaml => state.yaml.scroll(by(state.yaml.height())),
    }
}

fn edge(state: &mut State, bottom: bool) {
    let to = if bottom { usize::MAX } else { 0 };
    if let Some(Layer::Help(at) | Layer::Messages(at)) = state.layers.last_mut() {
        *at = to;
        return;
    }
    match state.pane() {
        Pane::Fleet => state.fleet.scroll.jump(to, state.fleet.attention.len()),
        Pane::Clusters => state.clusters.table.jump(to),
        Pane::Bindings => state.bindings.table.jump(to),
        Pane::Workloads => state.workloads.list.table.jump(to),
        Pane::Pods => state.pods.list.table.jump(to),
        Pane::Works => state.works.table.jump(to),
        Pane::Explain => {
            let total = state.explain.shown().len();
            state.explain.scroll.jump(to, total);
        }
        Pane::Logs if bottom => state.logs.log.follow = true,
        Pane::Logs => state.logs.log.to_top(),
        Pane::Yaml => state.yaml.jump(to),
    }
}

fn namespace(state: &mut State, name: &str) {
    let names = state.namespaces();
    let chosen = match name.parse::<usize>() {
        Ok(0) => None,
        Ok(number) => match names.get(number - 1) {
            Some(name) => Some(name.clone()),
            None => {
                let text = format!("there are {} namespaces; n lists them", names.len());
                state.say(Mark::None, text);
                return;
            }
        },
        Err(_) if name == "all" => None,
        Err(_) => Some(name.to_owned()),
    };
    state.namespace = chosen;
    refresh_all(state);
}

fn sort(state: &mut State, column: &str) {
    fn by<R: ListRow>(list: &mut List<R>, column: &str) -> bool {
        let found = <R as Record>::COLUMNS.iter().position(|c| c.id == column);
        if let Some(at) = found {
            list.table.sort_by(at);
        }
        found.is_some()
    }
    let found = match state.pane() {
        Pane::Clusters => by(&mut state.clusters, column),
        Pane::Bindings => by(&mut state.bindings, column),
        Pane::Workloads => by(&mut state.workloads.list, column),
        Pane::Pods => by(&mut state.pods.list, column),
        Pane::Works => by(&mut state.works, column),
        Pane::Fleet | Pane::Explain | Pane::Logs | Pane::Yaml => true,
    };
    if !found {
        state.say(Mark::None, format!("there is no column {column:?} here"));
    }
    refresh_all(state);
}

fn sort_step(state: &mut State, by: isize) {
    fn neighbour<R: ListRow>(list: &mut List<R>, by: isize) {
        let count = <R as Record>::COLUMNS.len().cast_signed();
        let at = list.table.sort().column.cast_signed();
        list.table
            .sort_by((at + by).rem_euclid(count).cast_unsigned());
    }
    match state.pane() {
        Pane::Clusters => neighbour(&mut state.clusters, by),
        Pane::Bindings => neighbour(&mut state.bindings, by),
        Pane::Workloads => neighbour(&mut state.workloads.list, by),
        Pane::Pods => neighbour(&mut state.pods.list, by),
        Pane::Works => neighbour(&mut state.works, by),
        Pane::Fleet | Pane::Explain | Pane::Logs | Pane::Yaml => {}
    }
    refresh_all(state);
}

fn theme(state: &mut State, name: &str) {
    match state.catalog.theme(name) {
        Ok(theme) => state.theme = theme,
        Err(error) => state.say(Mark::Attention, flybridge_base::report(&error)),
    }
}
