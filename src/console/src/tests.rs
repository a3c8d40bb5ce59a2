//! Tests of `update`: what keys, data and time do to the state.

mod live;

use flybridge_ui::Mark;

use crate::effect::Effect;
use crate::event::{Data, Event, Feed, TaskResult, WatchKey};
use crate::harness::Harness;
use crate::panes::Pane;
use crate::rows::Rows;
use crate::state::Layer;
use crate::{ExitReason, sample};

fn console() -> Harness {
    Harness::sample(120, 40, "default").unwrap()
}

fn bindings(harness: &Harness) -> Vec<String> {
    let table = &harness.state.bindings.table;
    (0..table.len())
        .map(|i| table.row(i).unwrap().id.clone())
        .collect()
}

#[test]
fn filtering_narrows_as_it_is_typed_and_cancelling_undoes_it() {
    let mut console = console();
    console.press("g b").press("/").type_text("ledger");
    assert_eq!(bindings(&console).len(), 2);
    console.press("enter");
    assert!(console.state.layers.is_empty());
    console.press("/").type_text(" kind:config");
    assert_eq!(bindings(&console), ["payments/ledger-config-configmap"]);
    console.press("esc");
    assert_eq!(bindings(&console).len(), 2);
    console.press("esc");
    assert_eq!(bindings(&console).len(), 15);
    assert_eq!(console.state.pane(), Pane::Bindings);
}

#[test]
fn a_wrong_pattern_keeps_the_last_good_rows_and_says_why() {
    let mut console = console();
    console.press("g b").press("/").type_text("ledger(");
    assert_eq!(bindings(&console).len(), 2);
    assert!(matches!(
        console.state.layers.last(),
        Some(Layer::Filter { error: Some(_), .. })
    ));
    console.press("enter");
    assert_eq!(bindings(&console).len(), 15);
    assert_eq!(console.state.toast.as_ref().unwrap().mark, Mark::Attention);
}

#[test]
fn the_palette_goes_to_panes_with_namespace_and_filter() {
    let mut console = console();
    console
        .press(":")
        .type_text("po payments @lon /api")
        .press("enter");
    assert_eq!(console.state.pane(), Pane::Pods);
    assert_eq!(console.state.namespace.as_deref(), Some("payments"));
    let table = &console.state.pods.list.table;
    assert_eq!(table.len(), 18);
    assert!((0..table.len()).all(|i| table.row(i).unwrap().cluster == "lon-prod-1"));
}

#[test]
fn the_palette_completes_and_refuses_nonsense() {
    let mut console = console();
    console.press(":").type_text("theme li").press("tab enter");
    assert_eq!(console.state.theme.name, "light");
    console.press(":").type_text("zzzz").press("enter");
    let toast = console.state.toast.clone().unwrap();
    assert!(toast.text.contains("zzzz"), "{}", toast.text);
}

#[test]
fn sorting_turns_around_and_the_cursor_stays_on_its_row() {
    let mut console = console();
    console.press("g c j j");
    let name = |c: &Harness| c.state.clusters.table.selected().unwrap().name.clone();
    assert_eq!(name(&console), "fra-prod-1");
    console.press("N");
    let table = &console.state.clusters.table;
    assert!(table.sort().descending);
    assert_eq!(table.row(0).unwrap().name, "waw-edge-1");
    assert_eq!(name(&console), "fra-prod-1");
    console.press("S");
    assert_eq!(
        console.state.clusters.table.row(0).unwrap().name,
        "ams-prod-1"
    );
    console
        .press(":")
        .type_text("sort cpu")
        .press("enter")
        .press(":")
        .type_text("sort cpu");
    console.press("enter");
    assert_eq!(
        console.state.clusters.table.row(0).unwrap().name,
        "fra-prod-2"
    );
}

#[test]
fn going_deeper_and_back_restores_the_list() {
    let mut console = console();
    console.press("g c j enter");
    assert_eq!(console.state.pane(), Pane::Workloads);
    let table = &console.state.workloads.list.table;
    assert!(
        table.len() > 2 && (0..table.len()).all(|i| table.row(i).unwrap().cluster == "ams-prod-2")
    );
    console.press("enter");
    assert_eq!(console.state.pane(), Pane::Pods);
    console.press("enter");
    assert_eq!(console.state.pane(), Pane::Logs);
    console.press("esc esc esc");
    assert_eq!(console.state.pane(), Pane::Clusters);
    assert!(console.state.workloads.list.filter.is_empty());
    assert!(console.effects.contains(&Effect::StopLogs));
}

#[test]
fn attention_and_namespace_scope_every_list() {
    let mut console = console();
    console.press("g b !");
    assert_eq!(bindings(&console).len(), 4);
    console.press("! 3");
    assert_eq!(console.state.namespace.as_deref(), Some("payments"));
    // Cluster-scoped rows have no namespace to leave.
    assert_eq!(bindings(&console).len(), 5);
    console.press("0");
    assert_eq!(bindings(&console).len(), 15);
}

#[test]
fn results_of_earlier_requests_are_dropped() {
    let mut console = console();
    console.press("g b y");
    let old = console.state.yaml.generation;
    console.press("esc j y");
    let result = TaskResult::Yaml(Err("overtaken".to_owned()));
    console.event(Event::Task {
        generation: old,
        result,
    });
    assert!(!console.text().contains("overtaken"));
}

#[test]
fn news_from_a_stopped_watch_is_dropped() {
    let mut console = console();
    let old = console.state.watches[&WatchKey::Clusters];
    let nothing = || Data::Clusters(Feed::Rows(Rows::default()));
    console.press("ctrl-r");
    let news = |generation| Event::Data {
        key: WatchKey::Clusters,
        generation,
        data: nothing(),
    };
    console.event(news(old));
    assert_eq!(console.state.clusters.table.len(), 9);
    let current = console.state.watches[&WatchKey::Clusters];
    console.event(news(current));
    assert_eq!(console.state.clusters.table.len(), 0);
}

#[test]
fn members_are_watched_only_while_they_are_seen_and_a_while_after() {
    let mut console = console();
    let pods = |c: &Harness| {
        c.state
            .watches
            .keys()
            .filter(|key| matches!(key, WatchKey::Pods(_)))
            .count()
    };
    assert_eq!(pods(&console), 0);
    console.press("g p");
    assert_eq!(pods(&console), 9);
    console.press("g f");
    let after = |seconds| Event::Tick(sample::now() + jiff::SignedDuration::from_secs(seconds));
    console.event(after(59));
    assert_eq!(pods(&console), 9);
    console.event(after(60));
    assert_eq!(pods(&console), 0);
    assert!(
        console
            .effects
            .contains(&Effect::Unwatch(WatchKey::Pods("fra-prod-1".to_owned())))
    );
}

#[test]
fn nothing_is_drawn_again_unless_what_is_seen_changes() {
    let mut console = console();
    console.press("g b");
    console.state.toast = None;
    console.state.dirty = false;
    // The youngest binding is 12 minutes old, so its age is in minutes.
    let at = |seconds| Event::Tick(sample::now() + jiff::SignedDuration::from_secs(seconds));
    console.event(at(1));
    assert!(!console.state.dirty);
    console.event(at(60));
    assert!(console.state.dirty);
}

#[test]
fn keys_of_no_meaning_change_nothing() {
    let mut console = console();
    let before = console.text();
    console.press("z");
    assert_eq!(console.text(), before);
    console.press("g z");
    assert_eq!(
        console.state.toast.as_ref().unwrap().text,
        "gz is not bound"
    );
}

#[test]
fn the_way_out() {
    let mut quit = console();
    quit.press("q");
    assert_eq!(quit.state.exit, Some(ExitReason::Quit));

    let mut deep = console();
    deep.press("g b e q");
    assert!(!deep.ended());
    assert_eq!(deep.state.pane(), Pane::Bindings);
    deep.press(":").type_text("q").press("enter");
    assert!(deep.ended());

    let mut careful = console();
    careful.press("ctrl-c enter");
    assert!(!careful.ended(), "the safe answer has the focus");
    careful.press("ctrl-c tab enter");
    assert!(careful.ended());

    let mut hasty = console();
    hasty.press("ctrl-c ctrl-c");
    assert!(hasty.ended());
}

#[test]
fn suspending_is_refused_only_where_the_plane_would_stop_too() {
    let mut console = console();
    console.press("ctrl-z");
    assert!(console.effects.contains(&Effect::Suspend));
    let mut embedded = Harness::sample(120, 40, "default").unwrap();
    embedded.state.about.in_process = true;
    embedded.press("ctrl-z");
    assert!(!embedded.effects.contains(&Effect::Suspend));
    assert!(embedded.state.toast.is_some());
}

#[test]
fn pasted_lines_never_submit() {
    let mut console = console();
    console.press("g b").press("/");
    console.event(Event::Paste("ledger\nq\n".to_owned()));
    assert!(!console.ended());
    assert_eq!(console.state.bindings.filter.text, "ledger q");
}

#[test]
fn logs_follow_pause_filter_and_turn_to_the_past() {
    let mut console = console();
    console.press("g p l");
    assert_eq!(console.state.logs.log.len(), 120);
    console.press("k");
    assert!(!console.state.logs.log.follow);
    console.press("G");
    assert!(console.state.logs.log.follow);
    console.press("/").type_text("ERROR").press("enter");
    assert_eq!(console.state.logs.log.len(), 12);
    console.press("T");
    assert_eq!(
        console.state.logs.request.since,
        crate::effect::Since::Seconds(60)
    );
    assert_eq!(console.state.logs.log.len(), 12);
}

#[test]
fn an_explanation_is_brought_up_to_date_when_the_fleet_changes() {
    let mut console = console();
    console.press("g b G e");
    let before = console.state.explain.generation;
    let generation = console.state.watches[&WatchKey::Bindings];
    let rows = std::sync::Arc::clone(console.state.bindings.table.rows());
    console.event(Event::Data {
        key: WatchKey::Bindings,
        generation,
        data: Data::Bindings(Feed::Rows(rows)),
    });
    assert_eq!(console.state.explain.generation, before);
    console.event(Event::Tick(
        sample::now() + jiff::SignedDuration::from_secs(1),
    ));
    assert!(console.state.explain.generation > before);
}

#[test]
fn help_lists_the_keys_that_work_here() {
    let mut console = console();
    console.press("g b ?");
    let text = console.text();
    for expected in [
        "explain why a binding",
        "sort by a column",
        "keymap default",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    console.press("q");
    assert!(console.state.layers.is_empty() && !console.ended());
}
