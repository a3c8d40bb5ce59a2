//! Estimates, selection and division, step by step.

use super::{Step, count};
use crate::trace::{DivisionTrace, Trace};

/// Rounds told of a division; the last ones are those that were contested.
const LAST_ROUNDS: usize = 5;
/// Divisions of more seats do not name the winner of each.
const TOLD_IN_ORDER: usize = 24;

pub(super) fn steps(trace: &Trace) -> Vec<Step> {
    let mut steps = Vec::new();
    let ignored: Vec<String> = trace
        .estimators
        .iter()
        .filter_map(|estimator| {
            let reason = estimator.ignored_because.as_ref()?;
            Some(format!("{} is ignored: {reason}", estimator.name))
        })
        .collect();
    if !ignored.is_empty() {
        steps.push(Step {
            title: "estimates".to_owned(),
            lines: ignored,
        });
    }
    steps.extend(selection(trace));
    steps.extend(trace.divisions.iter().map(division));
    steps
}

fn selection(trace: &Trace) -> Option<Step> {
    let mut lines: Vec<String> = trace
        .selection
        .regions
        .iter()
        .map(|region| {
            format!(
                "region {}: {}, weight {}{}",
                region.name,
                count(region.clusters, "cluster"),
                region.weight,
                if region.chosen { ", chosen" } else { "" }
            )
        })
        .collect();
    lines.extend(
        trace
            .selection
            .swaps
            .iter()
            .map(|(out, roomier)| format!("{out} gives way to {roomier}, which has more room")),
    );
    let fit = trace
        .clusters
        .iter()
        .filter(|cluster| cluster.passed())
        .count();
    let selected = trace
        .clusters
        .iter()
        .filter(|cluster| cluster.selected)
        .count();
    if lines.is_empty() && selected == fit {
        return None;
    }
    let need = trace.run.need.map_or_else(String::new, |need| {
        format!(" for {}", count(need, "replica"))
    });
    Some(Step {
        title: format!("selection: {selected} of {fit} clusters{need}"),
        lines,
    })
}

fn division(division: &DivisionTrace) -> Step {
    let tier = if division.tier > 0 {
        format!(" in overflow tier {}", division.tier)
    } else {
        String::new()
    };
    let title = match division.mode {
        "unchanged" => format!("division{tier}: all {} replicas stay", division.seats),
        mode => format!(
            "division{tier}, {mode}: {}",
            count(division.seats, "replica")
        ),
    };
    let mut lines: Vec<String> = division
        .parties
        .iter()
        .filter(|party| party.seats > 0)
        .map(|party| {
            format!(
                "{}: {}, {}",
                party.cluster,
                count(party.votes, "vote"),
                count(party.seats, "replica")
            )
        })
        .collect();
    let empty = division
        .parties
        .iter()
        .filter(|party| party.seats == 0)
        .count();
    if empty > 0 {
        let clusters = count(empty, "cluster");
        lines.push(format!("{clusters} with too few votes for one replica"));
    }
    lines.extend(order(division));
    lines.extend(last_rounds(division));
    Step { title, lines }
}

/// Who wins seat after seat, where that can be taken in at a glance.
fn order(division: &DivisionTrace) -> Option<String> {
    let all = usize::try_from(division.seats).is_ok_and(|seats| seats == division.rounds.len());
    if !all || !(2..=TOLD_IN_ORDER).contains(&division.rounds.len()) {
        return None;
    }
    let winners: Vec<&str> = division
        .rounds
        .iter()
        .filter_map(|winner| division.parties.get(*winner))
        .map(|party| party.cluster.as_str())
        .collect();
    Some(format!("seats in order: {}", winners.join(", ")))
}

/// The last seats with the quotient that won them, told from the end.
fn last_rounds(division: &DivisionTrace) -> Vec<String> {
    let mut seats: Vec<u64> = division.parties.iter().map(|party| party.seats).collect();
    let mut lines = Vec::new();
    let mut number = division.seats;
    for winner in division.rounds.iter().rev().take(LAST_ROUNDS) {
        let (Some(party), Some(held)) = (division.parties.get(*winner), seats.get_mut(*winner))
        else {
            break;
        };
        *held = held.saturating_sub(1);
        let divisor = 2 * *held + 1;
        lines.push(format!(
            "seat {number} to {}: {} / {divisor}",
            party.cluster, party.votes
        ));
        number -= 1;
    }
    if !lines.is_empty() {
        let order = if division.last_name_first {
            "last"
        } else {
            "first"
        };
        lines.push(format!(
            "ties go to fewer replicas, then to the {order} name"
        ));
    }
    lines
}
