//! Whether a binding has to be scheduled, and why.

use flybridge_apis::annotations::APPLIED_PLACEMENT;
use flybridge_apis::placement::{Placement, ReplicaSchedulingType};
use flybridge_apis::{
    ClusterResourceBinding, ResourceBinding, ResourceBindingSpec, ResourceBindingStatus,
};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use std::fmt;

use crate::request::Options;
use crate::snapshot::Snapshot;

/// A binding of either scope.
#[derive(Clone, Copy, Debug)]
pub struct BindingRef<'a> {
    /// Its metadata.
    pub metadata: &'a ObjectMeta,
    /// Its spec.
    pub spec: &'a ResourceBindingSpec,
    /// Its status.
    pub status: Option<&'a ResourceBindingStatus>,
}

impl<'a> From<&'a ResourceBinding> for BindingRef<'a> {
    fn from(binding: &'a ResourceBinding) -> Self {
        Self {
            metadata: &binding.metadata,
            spec: &binding.spec,
            status: binding.status.as_ref(),
        }
    }
}

impl<'a> From<&'a ClusterResourceBinding> for BindingRef<'a> {
    fn from(binding: &'a ClusterResourceBinding) -> Self {
        Self {
            metadata: &binding.metadata,
            spec: &binding.spec,
            status: binding.status.as_ref(),
        }
    }
}

impl<'a> BindingRef<'a> {
    /// The affinity term the scheduler settled on; empty when there is none.
    pub fn affinity_name(&self) -> &'a str {
        self.status
            .map(|status| status.scheduler_observed_affinity_name.as_str())
            .unwrap_or_default()
    }

    /// Whether a fresh division was asked for since the last success.
    pub fn reschedule_requested(&self) -> Option<Timestamp> {
        let asked = self.spec.reschedule_triggered_at.as_ref()?.0;
        let last = self.status?.last_scheduled_time.as_ref()?.0;
        (asked > last).then_some(asked)
    }

    fn applied_placement(&self) -> &'a str {
        self.metadata
            .annotations
            .as_ref()
            .and_then(|annotations| annotations.get(APPLIED_PLACEMENT))
            .map(String::as_str)
            .unwrap_or_default()
    }
}

/// Why a binding has to be scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// It has never been placed.
    FirstPlacement,
    /// These members of the placement differ from those last used.
    PlacementChanged(Vec<&'static str>),
    /// The targets do not add up to the replicas.
    ReplicasChanged {
        /// Replicas in the targets, together or in the first one that differs.
        from: i64,
        /// Replicas wanted.
        to: i64,
    },
    /// Components have no target yet.
    ComponentsUnplaced,
    /// A fresh division was asked for at this time.
    RescheduleRequested(Timestamp),
    /// Duplicated workloads and resources without replicas are placed on every occasion.
    EveryOccasion,
    /// A target is leaving the fleet.
    TargetTerminating(String),
}

impl fmt::Display for Trigger {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FirstPlacement => formatter.write_str("first placement"),
            Self::PlacementChanged(members) => {
                write!(formatter, "placement changed: {}", members.join(", "))
            }
            Self::ReplicasChanged { from, to } => {
                write!(formatter, "replicas changed: {from} -> {to}")
            }
            Self::ComponentsUnplaced => formatter.write_str("components have no target yet"),
            Self::RescheduleRequested(at) => write!(formatter, "reschedule requested at {at}"),
            Self::EveryOccasion => {
                formatter.write_str("not divided: placed again on every occasion")
            }
            Self::TargetTerminating(cluster) => {
                write!(formatter, "target {cluster} is leaving the fleet")
            }
        }
    }
}

/// Why the binding has to be scheduled now, if it has to.
pub fn needs_scheduling(
    binding: &BindingRef<'_>,
    snapshot: &Snapshot,
    options: Options,
) -> Option<Trigger> {
    let placement = binding.spec.placement.as_ref()?;
    if let Some(trigger) = placement_changed(binding, placement) {
        return Some(trigger);
    }
    if let Some(trigger) = replicas_changed(binding.spec, placement, options) {
        return Some(trigger);
    }
    if let Some(asked) = binding.reschedule_requested() {
        return Some(Trigger::RescheduleRequested(asked));
    }
    let duplicated = placement.scheduling_type() == Some(ReplicaSchedulingType::Duplicated);
    if !binding.spec.is_workload() || duplicated {
        return Some(Trigger::EveryOccasion);
    }
    binding
        .spec
        .clusters
        .iter()
        .find(|target| {
            snapshot
                .get(&target.name)
                .is_some_and(flybridge_apis::Cluster::is_deleting)
        })
        .map(|target| Trigger::TargetTerminating(target.name.clone()))
}

fn placement_changed(binding: &BindingRef<'_>, placement: &Placement) -> Option<Trigger> {
    let text = binding.applied_placement();
    if text.is_empty() {
        return Some(Trigger::FirstPlacement);
    }
    // Source: an annotation that cannot be read counts as unchanged.
    let applied: Placement = serde_json::from_str(text).ok()?;
    if applied == *placement {
        return None;
    }
    let mut changed = Vec::new();
    let mut compare = |same: bool, member: &'static str| {
        if !same {
            changed.push(member);
        }
    };
    compare(
        applied.cluster_affinity == placement.cluster_affinity,
        "clusterAffinity",
    );
    compare(
        applied.cluster_tolerations == placement.cluster_tolerations,
        "clusterTolerations",
    );
    compare(
        applied.spread_constraints == placement.spread_constraints,
        "spreadConstraints",
    );
    compare(
        applied.replica_scheduling == placement.replica_scheduling,
        "replicaScheduling",
    );
    compare(applied.resource == placement.resource, "resource");
    if changed.is_empty() && terms_changed(&applied, placement, binding.affinity_name()) {
        changed.push(
            if applied.cluster_affinities == placement.cluster_affinities {
                "workloadAffinity"
            } else {
                "clusterAffinities"
            },
        );
    }
    (!changed.is_empty()).then_some(Trigger::PlacementChanged(changed))
}

/// Only the term in force matters; without one every remaining difference does.
fn terms_changed(applied: &Placement, placement: &Placement, in_force: &str) -> bool {
    if in_force.is_empty() {
        return true;
    }
    let term = |placement: &Placement| {
        placement
            .cluster_affinities
            .iter()
            .find(|term| term.affinity_name == in_force)
            .cloned()
    };
    match (term(applied), term(placement)) {
        (Some(before), Some(now)) => before != now,
        _ => true,
    }
}

fn replicas_changed(
    spec: &ResourceBindingSpec,
    placement: &Placement,
    options: Options,
) -> Option<Trigger> {
    let scheduling = placement.replica_scheduling.as_ref()?;
    if options.multiple_pod_templates && !spec.components.is_empty() && spec.clusters.is_empty() {
        return Some(Trigger::ComponentsUnplaced);
    }
    let to = i64::from(spec.replicas);
    let from = match scheduling.replica_scheduling_type? {
        ReplicaSchedulingType::Duplicated => spec
            .clusters
            .iter()
            .map(|target| i64::from(target.replicas))
            .find(|replicas| *replicas != to)?,
        ReplicaSchedulingType::Divided => spec
            .clusters
            .iter()
            .map(|target| i64::from(target.replicas))
            .sum(),
    };
    (from != to).then_some(Trigger::ReplicasChanged { from, to })
}
