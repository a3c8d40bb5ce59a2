//! Which lists are kept up to date: those that are seen, and for a while those just left.

use std::collections::BTreeSet;

use crate::effect::Effect;
use crate::event::WatchKey;
use crate::panes::Pane;
use crate::state::State;

/// Seconds a member list stays up to date after its pane was left.
const LINGER_SECONDS: i64 = 60;

/// Starts and stops watches so that exactly the wanted ones run.
pub(super) fn sync(state: &mut State) -> Vec<Effect> {
    let wanted = wanted(state);
    let running: BTreeSet<WatchKey> = state.watches.keys().cloned().collect();
    let mut effects = Vec::new();
    for key in running.difference(&wanted) {
        state.watches.remove(key);
        effects.push(Effect::Unwatch(key.clone()));
    }
    for key in wanted.difference(&running) {
        let generation = state.next_generation();
        state.watches.insert(key.clone(), generation);
        effects.push(Effect::Watch {
            key: key.clone(),
            generation,
        });
    }
    effects
}

/// Stops all watches, so that the next [`sync`] starts them again.
pub(super) fn restart(state: &mut State) -> Vec<Effect> {
    std::mem::take(&mut state.watches)
        .into_keys()
        .map(Effect::Unwatch)
        .collect()
}

fn wanted(state: &mut State) -> BTreeSet<WatchKey> {
    let mut wanted = BTreeSet::from([WatchKey::Clusters, WatchKey::Bindings]);
    let now = state.now;
    let seen = |pane| state.stack.iter().any(|view| view.pane == pane);
    let (workloads, pods) = (seen(Pane::Workloads), seen(Pane::Pods));
    let works = seen(Pane::Works);
    for (seen, wanted_at) in [
        (workloads, &mut state.workloads.wanted_at),
        (pods, &mut state.pods.wanted_at),
        (works, &mut state.works_wanted_at),
    ] {
        if seen {
            *wanted_at = Some(now);
        } else if wanted_at.is_some_and(|at| now.duration_since(at).as_secs() >= LINGER_SECONDS) {
            *wanted_at = None;
        }
    }
    let names = || {
        state
            .clusters
            .table
            .rows()
            .iter()
            .map(|row| row.name.clone())
    };
    if state.works_wanted_at.is_some() {
        wanted.insert(WatchKey::Works);
    }
    if state.workloads.wanted_at.is_some() {
        wanted.extend(names().map(WatchKey::Workloads));
    }
    if state.pods.wanted_at.is_some() {
        wanted.extend(names().map(WatchKey::Pods));
    }
    wanted
}
