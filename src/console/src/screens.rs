//! Pictures in text of every pane, at every size it is laid out for, in every state it can be in.

use insta::assert_snapshot;
use jiff::Timestamp;

use crate::effect::Effect;
use crate::event::{Data, Event, Feed, TaskResult, WatchKey};
use crate::harness::{Answer, Harness};
use crate::rows::Rows;
use crate::sample;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// Panes that show lists, and the keys that lead there.
const LISTS: &[(&str, &str)] = &[
    ("fleet", "g f"),
    ("clusters", "g c"),
    ("bindings", "g b"),
    ("workloads", "g w"),
    ("pods", "g p"),
    ("works", ": w o r k s enter"),
];

/// Panes that show one thing, and the keys that lead there.
const VIEWS: &[(&str, &str)] = &[
    ("explain", "g b G e"),
    ("yaml", "g b G y"),
    ("logs", "g p l"),
];

fn screen(size: (u16, u16), answer: Answer, keys: &str) -> String {
    let mut harness = Harness::with(size.0, size.1, "default", answer).unwrap();
    harness.press(keys);
    harness.text()
}

/// Nothing ever arrives.
fn silence(_: &Effect, _: Timestamp) -> Vec<Event> {
    Vec::new()
}

/// Lists arrive, and there is nothing in them; what is fetched is empty.
fn emptiness(effect: &Effect, now: Timestamp) -> Vec<Event> {
    let Effect::Watch { key, generation } = effect else {
        return sample::answer(effect, now);
    };
    let data = match key {
        WatchKey::Clusters => Data::Clusters(Feed::Rows(Rows::default())),
        WatchKey::Bindings => Data::Bindings(Feed::Rows(Rows::default())),
        WatchKey::Works => Data::Works(Feed::Rows(Rows::default())),
        WatchKey::Workloads(_) => Data::Workloads(Feed::Rows(Rows::default())),
        WatchKey::Pods(_) => Data::Pods(Feed::Rows(Rows::default())),
    };
    vec![Event::Data {
        key: key.clone(),
        generation: *generation,
        data,
    }]
}

fn refusal() -> String {
    "clusters.cluster.karmada.io is forbidden: User \"ops\" cannot list resource \"clusters\""
        .to_owned()
}

/// No list can be had.
fn refusals(effect: &Effect, _: Timestamp) -> Vec<Event> {
    let Effect::Watch { key, generation } = effect else {
        return Vec::new();
    };
    let data = match key {
        WatchKey::Clusters => Data::Clusters(Feed::Failed(refusal())),
        WatchKey::Bindings => Data::Bindings(Feed::Failed(refusal())),
        WatchKey::Works => Data::Works(Feed::Failed(refusal())),
        WatchKey::Workloads(_) => Data::Workloads(Feed::Failed(refusal())),
        WatchKey::Pods(_) => Data::Pods(Feed::Failed(refusal())),
    };
    vec![Event::Data {
        key: key.clone(),
        generation: *generation,
        data,
    }]
}

/// Lists are there, but nothing that is fetched arrives.
fn views_wait(effect: &Effect, now: Timestamp) -> Vec<Event> {
    match effect {
        Effect::Watch { .. } => sample::answer(effect, now),
        _ => Vec::new(),
    }
}

/// Lists are there, but nothing can be fetched.
fn views_fail(effect: &Effect, now: Timestamp) -> Vec<Event> {
    let error = "the server could not find the requested resource".to_owned();
    let (generation, result) = match effect {
        Effect::FetchYaml { generation, .. } => (generation, TaskResult::Yaml(Err(error))),
        Effect::Explain { generation, .. } => (generation, TaskResult::Explain(Err(error))),
        Effect::Logs { generation, .. } => (generation, TaskResult::LogEnd(Some(error))),
        _ => return sample::answer(effect, now),
    };
    vec![Event::Task {
        generation: *generation,
        result,
    }]
}

/// Lists are there, and what is fetched is empty.
fn views_empty(effect: &Effect, now: Timestamp) -> Vec<Event> {
    let (generation, result) = match effect {
        Effect::FetchYaml { generation, .. } => (generation, TaskResult::Yaml(Ok(String::new()))),
        Effect::Explain { generation, .. } => (generation, TaskResult::Explain(Ok(Box::default()))),
        Effect::Logs { generation, .. } => (generation, TaskResult::LogEnd(None)),
        _ => return sample::answer(effect, now),
    };
    vec![Event::Task {
        generation: *generation,
        result,
    }]
}

#[test]
fn full() {
    for size in SIZES {
        for (name, keys) in LISTS.iter().chain(VIEWS) {
            let name = format!("{name}_full_{}x{}", size.0, size.1);
            assert_snapshot!(name, screen(size, sample::answer, keys));
        }
    }
}

#[test]
fn loading_empty_and_failed() {
    let states: [(&str, Answer, Answer); 3] = [
        ("loading", silence, views_wait),
        ("empty", emptiness, views_empty),
        ("error", refusals, views_fail),
    ];
    for size in &SIZES {
        for (state, lists, views) in states {
            for (name, keys) in LISTS {
                let name = format!("{name}_{state}_{}x{}", size.0, size.1);
                assert_snapshot!(name, screen(*size, lists, keys));
            }
            for (name, keys) in VIEWS {
                let name = format!("{name}_{state}_{}x{}", size.0, size.1);
                assert_snapshot!(name, screen(*size, views, keys));
            }
        }
    }
}

#[test]
fn layers() {
    let layers = [
        ("palette", ":"),
        ("namespaces", "g b n"),
        ("filter", "g b / ("),
        ("help", "g b ?"),
        ("sequence", "g"),
        ("dialog", "ctrl-c"),
        ("messages", "0 9 g m"),
    ];
    for (name, keys) in layers {
        for size in &SIZES[..2] {
            let name = format!("layer_{name}_{}x{}", size.0, size.1);
            assert_snapshot!(name, screen(*size, sample::answer, keys));
        }
    }
}

#[test]
fn small_terminals_are_told_so_and_never_panic() {
    for size in [
        (79, 24),
        (80, 23),
        (40, 10),
        (20, 5),
        (19, 4),
        (5, 2),
        (1, 1),
        (0, 0),
    ] {
        let text = screen(size, sample::answer, "g b e");
        if size.0 >= 20 && size.1 >= 5 {
            assert!(text.contains("needs 80x24"), "{size:?}: {text}");
        }
    }
}

#[test]
fn every_pane_paints_at_any_size_from_the_least_on() {
    for columns in [80, 81, 99, 100, 109, 110, 149, 150, 151, 199, 320] {
        for rows in [24, 25, 33, 34, 35, 70] {
            for (_, keys) in LISTS.iter().chain(VIEWS) {
                let text = screen((columns, rows), sample::answer, keys);
                assert!(
                    text.lines()
                        .all(|line| flybridge_ui::text::width(line) <= usize::from(columns))
                );
            }
        }
    }
}

#[test]
fn every_theme_paints_every_pane_alike() {
    for (_, keys) in LISTS.iter().chain(VIEWS) {
        let text = |theme: &str| {
            let mut harness = Harness::sample(120, 40, theme).unwrap();
            harness.press(keys);
            harness.text()
        };
        let expected = text("default");
        for theme in ["light", "mono", "colour-blind-safe"] {
            assert_eq!(text(theme), expected);
        }
    }
}
