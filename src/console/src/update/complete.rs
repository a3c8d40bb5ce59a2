//! The palette: what it offers and what typed commands mean.
//!
//! ```text
//! command := action [argument] | pane [namespace] [@cluster] [filter terms]
//! ```

use flybridge_ui::Mark;
use flybridge_ui::picker::Item;

use super::{act, go, unavailable};
use crate::action::{Action, Needs, SPECS};
use crate::effect::Effect;
use crate::panes::{NAMED, Pane, ROOTS};
use crate::state::State;

/// Commands remembered.
const HISTORY: usize = 100;

/// Everything the palette offers now.
pub(crate) fn command_items(state: &State) -> Vec<Item> {
    let mut items = Vec::new();
    for pane in ROOTS.into_iter().chain(NAMED) {
        let action = Action::Goto(pane);
        let spec = pane.spec();
        items.push(Item {
            label: spec.id.to_owned(),
            doc: format!("go to {}", spec.title),
            aside: key_of(state, &action),
            disabled: String::new(),
        });
    }
    for spec in SPECS.iter().filter(|spec| spec.needs != Needs::Prompt) {
        let aside = match Action::parse(spec.id) {
            Ok(action) => key_of(state, &action),
            Err(_) => format!("<{}>", spec.argument),
        };
        items.push(Item {
            label: spec.id.to_owned(),
            doc: spec.doc.to_owned(),
            aside,
            disabled: unavailable(state, spec.needs)
                .unwrap_or_default()
                .to_owned(),
        });
    }
    for name in state.catalog.theme_names() {
        items.push(item(format!("theme {name}"), "change the theme"));
    }
    for name in state.namespaces() {
        items.push(item(format!("namespace {name}"), "show one namespace"));
    }
    items.push(item("namespace all".to_owned(), "show all namespaces"));
    // A pane that is also an action, such as `bindings`, is offered once, as the pane.
    let mut seen = std::collections::BTreeSet::new();
    items.retain(|item| seen.insert(item.label.clone()));
    items
}

fn item(label: String, doc: &str) -> Item {
    Item {
        label,
        doc: doc.to_owned(),
        ..Item::default()
    }
}

fn key_of(state: &State, action: &Action) -> String {
    state
        .keymap
        .keys_for(&state.modes(), action)
        .unwrap_or_default()
}

/// All namespaces and how to reach them by number.
pub(super) fn namespace_items(state: &State) -> Vec<Item> {
    let mut items = vec![Item {
        label: "all".to_owned(),
        doc: "every namespace".to_owned(),
        aside: key_of(state, &Action::Namespace("all".to_owned())),
        disabled: String::new(),
    }];
    for (number, name) in (1..).zip(state.namespaces()) {
        let bindings = state
            .bindings
            .table
            .rows()
            .iter()
            .filter(|row| row.namespace == name)
            .count();
        let aside = match number {
            1..=9 => key_of(state, &Action::Namespace(number.to_string())),
            _ => String::new(),
        };
        items.push(Item {
            label: name,
            doc: match bindings {
                0 => String::new(),
                1 => "1 binding".to_owned(),
                n => format!("{n} bindings"),
            },
            aside,
            disabled: String::new(),
        });
    }
    items
}

/// Runs what was typed, or else what was picked.
pub(super) fn run_command(state: &mut State, typed: &str, picked: Option<String>) -> Vec<Effect> {
    if !typed.is_empty() {
        state.commands.push(typed.to_owned());
        let excess = state.commands.len().saturating_sub(HISTORY);
        state.commands.drain(..excess);
    }
    if let Some(effects) = run_typed(state, typed) {
        return effects;
    }
    if let Some(effects) = picked.and_then(|picked| run_typed(state, &picked)) {
        return effects;
    }
    let why = Action::parse(typed).err().unwrap_or_default();
    state.say(Mark::Attention, why);
    Vec::new()
}

fn run_typed(state: &mut State, typed: &str) -> Option<Vec<Effect>> {
    let (word, rest) = typed.split_once(' ').unwrap_or((typed, ""));
    match word {
        "q" | "q!" | "exit" => return Some(act::act(state, &Action::Quit)),
        "ns" => return Some(namespace(state, rest)),
        _ => {}
    }
    if let Some(pane) = Pane::named(word) {
        return Some(open_pane(state, pane, rest));
    }
    Action::parse(typed)
        .ok()
        .map(|action| act::act(state, &action))
}

fn namespace(state: &mut State, name: &str) -> Vec<Effect> {
    let action = if name.is_empty() {
        Action::Namespaces
    } else {
        Action::Namespace(name.to_owned())
    };
    act::act(state, &action)
}

/// Goes to a pane with the namespace and filter that follow its name.
fn open_pane(state: &mut State, pane: Pane, rest: &str) -> Vec<Effect> {
    let mut effects = go::root(state, pane);
    let mut terms = Vec::new();
    let known = state.namespaces();
    for word in rest.split_whitespace() {
        let is_namespace = word == "*" || known.iter().any(|name| name == word);
        if is_namespace && terms.is_empty() {
            let name = if word == "*" { "all" } else { word };
            effects.extend(act::act(state, &Action::Namespace(name.to_owned())));
        } else {
            terms.push(word.strip_prefix('/').unwrap_or(word));
        }
    }
    if !terms.is_empty() {
        match go::parse_filter(pane, &terms.join(" ")) {
            Ok(filter) => go::set_filter(state, pane, filter),
            Err(why) => state.say(Mark::Attention, format!("filter: {why}")),
        }
    }
    effects
}
