//! News of lists.

use std::sync::Arc;

use super::scope::{refresh, refresh_all};
use crate::event::{Data, Feed, WatchKey};
use crate::rows::ListRow;
use crate::state::{MemberList, Phase, State};

/// Takes news of a list in; news from an earlier start of its watch is dropped.
pub(super) fn arrive(state: &mut State, key: &WatchKey, generation: u64, data: Data) {
    if state.watches.get(key) != Some(&generation) {
        return;
    }
    state.dirty = true;
    let env = state.env();
    let (namespace, attention) = (state.namespace.clone(), state.attention);
    match (key, data) {
        (WatchKey::Clusters, Data::Clusters(feed)) => {
            if let Some(rows) = accept(feed, &mut state.clusters.phase) {
                state.clusters.table.set_rows(rows, &|_| true, &env);
            }
            // Members come and go with clusters.
            prune(state);
            refresh_all(state);
        }
        (WatchKey::Bindings, Data::Bindings(feed)) => {
            if let Some(rows) = accept(feed, &mut state.bindings.phase) {
                state.bindings.table.set_rows(rows, &|_| true, &env);
            }
            refresh(&mut state.bindings, namespace.as_deref(), attention, &env);
        }
        (WatchKey::Workloads(cluster), Data::Workloads(feed)) => {
            member(&mut state.workloads, cluster, feed);
            merge(&mut state.workloads, &env);
            refresh(
                &mut state.workloads.list,
                namespace.as_deref(),
                attention,
                &env,
            );
        }
        (WatchKey::Pods(cluster), Data::Pods(feed)) => {
            member(&mut state.pods, cluster, feed);
            merge(&mut state.pods, &env);
            refresh(&mut state.pods.list, namespace.as_deref(), attention, &env);
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

fn merge<R: ListRow>(list: &mut MemberList<R>, env: &crate::rows::RowEnv) {
    let rows: Vec<Arc<R>> = list
        .members
        .values()
        .flat_map(|member| member.rows.iter().cloned())
        .collect();
    list.list.table.set_rows(Arc::new(rows), &|_| true, env);
}

/// Forgets rows of members that are gone.
fn prune(state: &mut State) {
    let names: std::collections::BTreeSet<String> = state
        .clusters
        .table
        .rows()
        .iter()
        .map(|row| row.name.clone())
        .collect();
    let env = state.env();
    if state
        .workloads
        .members
        .keys()
        .any(|name| !names.contains(name))
    {
        state
            .workloads
            .members
            .retain(|name, _| names.contains(name));
        merge(&mut state.workloads, &env);
    }
    if state.pods.members.keys().any(|name| !names.contains(name)) {
        state.pods.members.retain(|name, _| names.contains(name));
        merge(&mut state.pods, &env);
    }
}
