//! What happened to a cluster besides the filters, in words.

use super::count;
use crate::trace::{ClusterTrace, DivisionTrace, Trace};

pub(super) fn notes(cluster: &ClusterTrace, trace: &Trace, placed: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if cluster.deleting {
        notes.push("is leaving the fleet".to_owned());
    }
    for filter in cluster.filters.iter().filter(|filter| filter.sticky) {
        notes.push(format!(
            "stays, being a target already, in spite of {}: {}",
            filter.plugin, filter.reason
        ));
    }
    for (estimator, room) in &cluster.estimates {
        notes.push(match room {
            Some(room) if *room >= super::NO_LIMIT => format!("{estimator}: no limit"),
            Some(room) => format!("{estimator}: room for {room}"),
            None => format!("{estimator}: no opinion"),
        });
    }
    if !cluster.estimates.is_empty() && cluster.estimates.iter().all(|(_, room)| room.is_none()) {
        notes.push("taken to have room for all replicas, as nobody has an opinion".to_owned());
    }
    if cluster.passed() {
        notes.push(fate(cluster, trace, placed));
    }
    notes.retain(|note| !note.is_empty());
    notes
}

/// What became of a cluster that passed the filters.
fn fate(cluster: &ClusterTrace, trace: &Trace, placed: bool) -> String {
    let replicas = |number: i64| count(number, "replica");
    match (cluster.result, cluster.previous) {
        (Some(_), Some(_)) if !trace.run.workload => "chosen, as before".to_owned(),
        (Some(_), None) if !trace.run.workload => "chosen".to_owned(),
        (Some(now), Some(before)) if now == before => {
            format!("chosen: {}, as before", replicas(now))
        }
        (Some(now), Some(before)) => format!("chosen: {}, {before} before", replicas(now)),
        (Some(now), None) => format!("chosen: {}", replicas(now)),
        (None, _) if cluster.selected => unserved(cluster, trace),
        (None, _) if placed || trace.clusters.iter().any(|other| other.selected) => {
            unselected(cluster, trace)
        }
        (None, _) => String::new(),
    }
}

/// Why a cluster that was selected got no replicas.
fn unserved(cluster: &ClusterTrace, trace: &Trace) -> String {
    let Some(division) = division_of(cluster, trace) else {
        return if trace.divisions.is_empty() {
            String::new()
        } else {
            format!("tier {} was not needed", cluster.tier)
        };
    };
    let party = division
        .parties
        .iter()
        .find(|party| party.cluster == cluster.name);
    match (party, division.mode) {
        (Some(party), _) if party.seats == 0 => {
            format!(
                "its share of {} comes to 0 with {}",
                division.seats,
                count(party.votes, "vote")
            )
        }
        (Some(_), _) => String::new(),
        (None, "static weights") => "no static weight rule selects it".to_owned(),
        (None, "unchanged") => "the replicas are placed already".to_owned(),
        (None, "scale down") => "runs no replicas that could remain".to_owned(),
        (None, _) => "the clusters before it have room for all replicas".to_owned(),
    }
}

fn division_of<'a>(cluster: &ClusterTrace, trace: &'a Trace) -> Option<&'a DivisionTrace> {
    trace
        .divisions
        .iter()
        .find(|division| division.tier == cluster.tier)
}

/// Why a cluster that fits was not selected.
fn unselected(cluster: &ClusterTrace, trace: &Trace) -> String {
    let swap = trace
        .selection
        .swaps
        .iter()
        .find(|(out, _)| *out == cluster.name);
    if let Some((_, roomier)) = swap {
        return format!("gave way to {roomier}, which has more room");
    }
    let region = trace
        .selection
        .regions
        .iter()
        .find(|region| region.name == cluster.region);
    match (region, cluster.rank) {
        (Some(region), _) if !region.chosen => format!("region {} was not chosen", region.name),
        (_, Some(rank)) => format!("rank {rank} is beyond what the spread constraints select"),
        (_, None) => String::new(),
    }
}
