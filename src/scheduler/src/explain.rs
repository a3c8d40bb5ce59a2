//! Turns a traced run into rows of text: what was asked, every cluster's way through the plugins, selection and
//! division, and the answer in one sentence.

mod notes;
mod steps;
mod summary;

use serde::Serialize;

use crate::binding::{self, Attempt, Context};
use crate::pipeline::Outcome;
use crate::strategy::Strategy;
use crate::trace::{ClusterTrace, FilterTrace, Trace};
use crate::trigger::{BindingRef, Trigger};

/// The room of a cluster that nothing limits.
const NO_LIMIT: i64 = i32::MAX as i64;

/// Why a binding is placed where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Whether there is a placement.
    pub placed: bool,
    /// The answer in one sentence.
    pub summary: String,
    /// The question: heading and text.
    pub header: Vec<(&'static str, String)>,
    /// Names of the filters in the order they run.
    pub filters: Vec<&'static str>,
    /// Every cluster in order of name.
    pub clusters: Vec<ClusterVerdict>,
    /// Estimates, selection and division, in order.
    pub steps: Vec<Step>,
}

/// One cluster's way through the scheduler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterVerdict {
    /// Its name.
    pub name: String,
    /// Whether it is a target.
    pub chosen: bool,
    /// Whether it passed every filter.
    pub fits: bool,
    /// One verdict a filter.
    pub filters: Vec<FilterVerdict>,
    /// Its score, if it came so far.
    pub score: Option<i64>,
    /// Its rank among those that fit, from 1.
    pub rank: Option<usize>,
    /// Replicas it has room for in addition; nothing if that was not asked or has no limit.
    pub room: Option<i64>,
    /// Replicas before, if it was a target.
    pub before: Option<i64>,
    /// Replicas now, if it is a target.
    pub replicas: Option<i64>,
    /// What else happened to it.
    pub notes: Vec<String>,
}

/// What one filter says of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FilterVerdict {
    /// Name of the filter.
    pub plugin: &'static str,
    /// Whether the cluster passes.
    pub passed: bool,
    /// What decided: the label, taint, API or field. Given too where a target stays in spite of it.
    pub reason: String,
}

/// One step after the filters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// What the step does.
    pub title: String,
    /// Facts, one a line.
    pub lines: Vec<String>,
}

/// Explains what the scheduler decides about a binding now, whether or not it has reason to act.
pub fn explain_binding(binding: &BindingRef<'_>, context: &Context<'_>) -> Explanation {
    let context = Context {
        traced: true,
        ..*context
    };
    let trigger = crate::trigger::needs_scheduling(binding, context.snapshot, context.options);
    let attempts = binding::attempts(binding, &context);
    explain_attempts(&attempts, trigger.as_ref())
}

/// Explains runs over affinity terms: the one that succeeded, else the first, whose failure counts.
pub fn explain_attempts(attempts: &[Attempt], trigger: Option<&Trigger>) -> Explanation {
    let shown = attempts
        .iter()
        .find(|attempt| attempt.outcome.is_ok())
        .or_else(|| attempts.first());
    let Some(attempt) = shown else {
        return Explanation {
            summary: "not placed: the binding has no placement".to_owned(),
            ..Explanation::default()
        };
    };
    let none = Trace::default();
    let trace = attempt.trace.as_ref().unwrap_or(&none);
    let mut explanation = explain(&attempt.outcome, trace, trigger);
    for other in attempts {
        if let Err(failure) = &other.outcome
            && !other.affinity_name.is_empty()
        {
            explanation
                .header
                .push(("tried", format!("{}: {failure}", other.affinity_name)));
        }
    }
    explanation
}

/// Explains one run.
pub fn explain(outcome: &Outcome, trace: &Trace, trigger: Option<&Trigger>) -> Explanation {
    Explanation {
        placed: outcome.is_ok(),
        summary: summary::summary(outcome, trace),
        header: header(trace, trigger),
        filters: trace
            .clusters
            .first()
            .map(|cluster| cluster.filters.iter().map(|filter| filter.plugin).collect())
            .unwrap_or_default(),
        clusters: trace
            .clusters
            .iter()
            .map(|cluster| verdict(cluster, trace, outcome.is_ok()))
            .collect(),
        steps: steps::steps(trace),
    }
}

fn header(trace: &Trace, trigger: Option<&Trigger>) -> Vec<(&'static str, String)> {
    let run = &trace.run;
    let mut header = vec![(
        "trigger",
        trigger.map_or_else(
            || "none: nothing has changed since it was scheduled".to_owned(),
            ToString::to_string,
        ),
    )];
    if run.workload {
        header.push(("strategy", run.strategy.as_str().to_owned()));
        header.push(("replicas", run.replicas.to_string()));
    } else {
        header.push(("replicas", "not a workload".to_owned()));
    }
    if let Some(name) = &run.affinity_name {
        header.push(("affinity", name.clone()));
    }
    if run.fresh {
        header.push(("mode", "fresh: divided from scratch".to_owned()));
    } else if matches!(run.strategy, Strategy::Aggregated | Strategy::DynamicWeight) {
        header.push(("mode", "steady: what runs stays".to_owned()));
    }
    header
}

fn verdict(cluster: &ClusterTrace, trace: &Trace, placed: bool) -> ClusterVerdict {
    ClusterVerdict {
        name: cluster.name.clone(),
        chosen: cluster.result.is_some(),
        fits: cluster.passed(),
        filters: cluster.filters.iter().map(filter_verdict).collect(),
        score: cluster.rank.map(|_| cluster.score),
        rank: cluster.rank,
        room: cluster.alloc.filter(|room| *room < NO_LIMIT),
        before: cluster.previous,
        replicas: cluster.result,
        notes: notes::notes(cluster, trace, placed),
    }
}

fn filter_verdict(filter: &FilterTrace) -> FilterVerdict {
    FilterVerdict {
        plugin: filter.plugin,
        passed: filter.passed,
        reason: filter.reason.clone(),
    }
}

/// A number with its noun.
fn count(number: impl std::fmt::Display, noun: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
