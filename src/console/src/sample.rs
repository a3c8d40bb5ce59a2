//! A made-up fleet for previews, pictures and tests.

mod bindings;
mod clusters;
mod explained;
mod members;
mod text;
mod works;

use jiff::{SignedDuration, Timestamp};

use crate::effect::Effect;
use crate::event::{Data, Event, Feed, TaskResult, WatchKey};

/// The present of the made-up fleet.
pub(crate) fn now() -> Timestamp {
    const NOON: i64 = 1_772_366_669;
    Timestamp::from_second(NOON).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// A time ago.
fn ago(now: Timestamp, seconds: i64) -> Option<Timestamp> {
    now.checked_sub(SignedDuration::from_secs(seconds)).ok()
}

/// What the made-up fleet answers to an effect.
pub(crate) fn answer(effect: &Effect, now: Timestamp) -> Vec<Event> {
    match effect {
        Effect::Watch { key, generation } => vec![Event::Data {
            key: key.clone(),
            generation: *generation,
            data: data(key, now),
        }],
        Effect::FetchYaml { generation, object } => vec![Event::Task {
            generation: *generation,
            result: TaskResult::Yaml(Ok(text::yaml(object))),
        }],
        Effect::Explain {
            generation,
            binding,
        } => vec![Event::Task {
            generation: *generation,
            result: TaskResult::Explain(Ok(Box::new(explained::explain(binding, now)))),
        }],
        Effect::Logs {
            generation,
            request,
        } => vec![Event::Task {
            generation: *generation,
            result: TaskResult::LogLines(text::log(request, now)),
        }],
        Effect::Unwatch(_) | Effect::StopLogs | Effect::Copy(_) | Effect::Suspend => Vec::new(),
    }
}

fn data(key: &WatchKey, now: Timestamp) -> Data {
    match key {
        WatchKey::Clusters => Data::Clusters(Feed::Rows(clusters::rows(now))),
        WatchKey::Bindings => Data::Bindings(Feed::Rows(bindings::rows(now))),
        WatchKey::Works => Data::Works(Feed::Rows(works::rows(now))),
        WatchKey::Workloads(cluster) => Data::Workloads(match unreachable(cluster) {
            Some(error) => Feed::Failed(error),
            None => Feed::Rows(members::workloads(cluster, now)),
        }),
        WatchKey::Pods(cluster) => Data::Pods(match unreachable(cluster) {
            Some(error) => Feed::Failed(error),
            None => Feed::Rows(members::pods(cluster, now)),
        }),
    }
}

fn unreachable(cluster: &str) -> Option<String> {
    (cluster == "ams-prod-1").then(|| "dial tcp 10.2.0.9:6443: i/o timeout".to_owned())
}
