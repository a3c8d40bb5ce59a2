//! One scheduling of a whole binding: whether to run, which affinity terms to try, and what to write.

use flybridge_apis::TargetCluster;
use flybridge_apis::placement::Placement;

use crate::failure::Failure;
use crate::pipeline::{Outcome, schedule, schedule_traced};
use crate::request::{Estimate, Options, Peers, Request};
use crate::snapshot::Snapshot;
use crate::trace::Trace;
use crate::trigger::{BindingRef, Trigger, needs_scheduling};

/// One run of the pipeline.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The affinity term; empty when the placement has none.
    pub affinity_name: String,
    /// What came of it.
    pub outcome: Outcome,
    /// How, when asked for.
    pub trace: Option<Trace>,
}

/// When a failed binding is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// With the next change of the binding or of a cluster.
    OnEvent,
    /// After a short, growing delay.
    Backoff,
    /// After minutes, or with the next change.
    Unschedulable,
}

/// What to write to the binding's Scheduled condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Whether it is true.
    pub status: bool,
    /// Its reason.
    pub reason: &'static str,
    /// Its message.
    pub message: String,
}

/// What to do with a binding.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Why it was scheduled; nothing when it was not.
    pub trigger: Option<Trigger>,
    /// The runs in order.
    pub attempts: Vec<Attempt>,
    /// Targets to write to the spec, together with the placement annotation; nothing leaves both as they are.
    pub clusters: Option<Vec<TargetCluster>>,
    /// The affinity term to write to the status.
    pub affinity_name: Option<String>,
    /// Whether the observed generation becomes the generation this plan is made of.
    pub observes_generation: bool,
    /// The condition to write; success also stamps the time of the last scheduling.
    pub condition: Option<Scheduled>,
    /// When to try again.
    pub retry: Retry,
}

/// What a plan is made of besides the binding.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The clusters.
    pub snapshot: &'a Snapshot,
    /// Answers of the estimators.
    pub estimates: &'a [Estimate],
    /// Workloads whose placement matters.
    pub peers: &'a Peers,
    /// Features and flags.
    pub options: Options,
    /// Whether to trace the runs.
    pub traced: bool,
}

/// The placement as the applied-placement annotation has it.
pub fn applied_placement(binding: &BindingRef<'_>) -> String {
    serde_json::to_string(&binding.spec.placement).unwrap_or_default()
}

/// Plans the scheduling of a binding; nothing is planned for one that is being deleted.
pub fn plan(binding: &BindingRef<'_>, context: &Context<'_>) -> Plan {
    if binding.metadata.deletion_timestamp.is_some() {
        return Plan::idle();
    }
    let Some(trigger) = needs_scheduling(binding, context.snapshot, context.options) else {
        let observed = binding
            .status
            .map_or(0, |status| status.scheduler_observed_generation);
        return Plan {
            observes_generation: binding.metadata.generation.unwrap_or(0) != observed,
            ..Plan::idle()
        };
    };
    Plan {
        trigger: Some(trigger),
        ..conclude(attempts(binding, context))
    }
}

/// Runs the pipeline for the affinity terms in order until one succeeds; once without terms.
pub fn attempts(binding: &BindingRef<'_>, context: &Context<'_>) -> Vec<Attempt> {
    let Some(placement) = &binding.spec.placement else {
        return Vec::new();
    };
    if placement.cluster_affinity.is_some() || placement.cluster_affinities.is_empty() {
        return vec![attempt(binding, context, "")];
    }
    let mut attempts = Vec::new();
    for name in affinity_names(binding, placement) {
        let attempt = attempt(binding, context, name);
        let succeeded = attempt.outcome.is_ok();
        attempts.push(attempt);
        if succeeded {
            break;
        }
    }
    attempts
}

/// The success if there is one, else the first failure.
fn conclude(attempts: Vec<Attempt>) -> Plan {
    let deciding = attempts
        .iter()
        .find(|attempt| attempt.outcome.is_ok())
        .or_else(|| attempts.first());
    let Some(attempt) = deciding else {
        return Plan::idle();
    };
    let affinity_name = (!attempt.affinity_name.is_empty()).then(|| attempt.affinity_name.clone());
    match attempt.outcome.clone() {
        Ok(clusters) => Plan {
            affinity_name,
            ..Plan::succeeded(clusters, attempts)
        },
        Err(failure) => Plan::failed(&failure, attempts),
    }
}

impl Plan {
    const fn idle() -> Self {
        Self {
            trigger: None,
            attempts: Vec::new(),
            clusters: None,
            affinity_name: None,
            observes_generation: false,
            condition: None,
            retry: Retry::OnEvent,
        }
    }

    fn succeeded(clusters: Vec<TargetCluster>, attempts: Vec<Attempt>) -> Self {
        Self {
            attempts,
            clusters: Some(clusters),
            observes_generation: true,
            condition: Some(Scheduled {
                status: true,
                reason: "Success",
                message: "Binding has been scheduled successfully.".to_owned(),
            }),
            ..Self::idle()
        }
    }

    /// Source: a workload that fits nowhere is withdrawn; other failures leave it where it is.
    fn failed(failure: &Failure, attempts: Vec<Attempt>) -> Self {
        let retry = if failure.is_fit() {
            Retry::OnEvent
        } else if failure.is_unschedulable() {
            Retry::Unschedulable
        } else {
            Retry::Backoff
        };
        Self {
            attempts,
            clusters: failure.is_fit().then(Vec::new),
            condition: Some(Scheduled {
                status: false,
                reason: failure.condition_reason(),
                message: failure.to_string(),
            }),
            retry,
            ..Self::idle()
        }
    }
}

/// The affinity terms to try: from the one in force onwards, or all of them when a fresh division was asked for.
fn affinity_names<'a>(
    binding: &BindingRef<'_>,
    placement: &'a Placement,
) -> impl Iterator<Item = &'a str> {
    let terms = &placement.cluster_affinities;
    let in_force = terms
        .iter()
        .position(|term| term.affinity_name == binding.affinity_name())
        .filter(|_| binding.reschedule_requested().is_none())
        .unwrap_or(0);
    terms
        .iter()
        .skip(in_force)
        .map(|term| term.affinity_name.as_str())
}

fn attempt(binding: &BindingRef<'_>, context: &Context<'_>, affinity_name: &str) -> Attempt {
    let request = Request {
        spec: binding.spec,
        affinity_name,
        fresh: binding.reschedule_requested().is_some(),
        estimates: context.estimates,
        peers: context.peers,
        options: context.options,
    };
    let (outcome, trace) = if context.traced {
        let (outcome, trace) = schedule_traced(&request, context.snapshot);
        (outcome, Some(trace))
    } else {
        (schedule(&request, context.snapshot), None)
    };
    Attempt {
        affinity_name: affinity_name.to_owned(),
        outcome,
        trace,
    }
}
