//! News of lists.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::scope::replace;
use crate::event::{Data, Feed, WatchKey};
use crate::rows::{ListRow, RowEnv};
use crate::state::{MemberList, Phase, State};

/// Takes news of a list in; news from an earlier start of its watch is dropped.
pub(super) fn arrive(state: &mut State, key: &WatchKey, generation: u64, data: Data) {
    if state.watches.get(key) != Some(&generation) {
        return;
    }
    state.dirty = true;
    let env = state.env();
    let (namespace, attention) = (state.namespace.clone(), state.attention);
    let scope = (namespace.as_deref(), attention);
    match (key, data) {
        (WatchKey::Clusters, Data::Clusters(feed)) => {
            if let Some(rows) = accept(feed, &mut state.clusters.phase) {
                replace(&mut state.clusters, rows, scope.0, scope.1, &env);
            }
            // Members come and go with clusters.
            prune(state);
        }
        (WatchKey::Bindings, Data::Bindings(feed)) => {
            if let Some(rows) = accept(feed, &mut state.bindings.phase) {
                replace(&mut state.bindings, rows, scope.0, scope.1, &env);
            }
        }
        (WatchKey::Works, Data::Works(feed)) => {
            if let Some(rows) = accept(feed, &mut state.works.phase) {
                replace(&mut state.works, rows, scope.0, scope.1, &env);
            }
        }
        (WatchKey::Workloads(cluster), Data::Workloads(feed)) => {
            member(&mut state.workloads, cluster, feed);
            merge(&mut state.workloads, scope, &env);
        }
        (WatchKey::Pods(cluster), Data::Pods(feed)) => {
            member(&mut state.pods, cluster, feed);
            merge(&mut state.pods, scope, &env);
        }
        _ => {}
    }
    if matches!(key, WatchKey::Clusters | WatchKey::Bindings) {
        crate::panes::fleet::recompute(state);
        state.explain.stale = true;
    }
}

fn accept<R>(feed: Feed<R>, phase: &mut Phase) -> Option<Arc<Vec<Arc<R>>>> {
    match feed {
        Feed::Rows(rows) => {
            *phase = Phase::Live;
            Some(rows)
        }
        Feed::Failed(error) => {
            *phase = Phase::Failed(error);
            None
        }
    }
}

fn member<R>(list: &mut MemberList<R>, cluster: &str, feed: Feed<R>) {
    let member = list.members.entry(cluster.to_owned()).or_default();
    if let Some(rows) = accept(feed, &mut member.phase) {
        member.rows = rows;
    }
}

fn merge<R: ListRow>(list: &mut MemberList<R>, scope: (Option<&str>, bool), env: &RowEnv) {
    let rows: Vec<Arc<R>> = list
        .members
        .values()
        .flat_map(|member| member.rows.iter().cloned())
        .collect();
    replace(&mut list.list, Arc::new(rows), scope.0, scope.1, env);
}

/// Forgets rows of members that are gone.
fn prune(state: &mut State) {
    let names: BTreeSet<&str> = state
        .clusters
        .table
        .rows()
        .iter()
        .map(|row| row.name.as_str())
        .collect();
    let env = state.env();
    let scope = (state.namespace.as_deref(), state.attention);
    if state
        .workloads
        .members
        .keys()
        .any(|name| !names.contains(name.as_str()))
    {
        state
            .workloads
            .members
            .retain(|name, _| names.contains(name.as_str()));
        merge(&mut state.workloads, scope, &env);
    }
    if state
        .pods
        .members
        .keys()
        .any(|name| !names.contains(name.as_str()))
    {
        state
            .pods
            .members
            .retain(|name, _| names.contains(name.as_str()));
        merge(&mut state.pods, scope, &env);
    }
}
