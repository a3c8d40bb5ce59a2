//! Deployment: which ReplicaSets exist, how large each is, and what the rollout looks like from outside.
//!
//! Source: upstream's deployment controller. As there, one call makes one step; the writes wake the next.

mod revision;
mod scaling;
mod status;
mod strategy;

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use serde_json::json;

use crate::object::{Kind, is_deleting, name};
use crate::plan::{Action, Note, Plan, key, reference};

pub(crate) use revision::template_hash;
pub(crate) use strategy::resolve;

/// Who reports the events.
const COMPONENT: &str = "deployment-controller";

/// Plans one step for `deployment`, whose own ReplicaSets are `sets`.
pub fn plan(deployment: &Deployment, sets: &[Arc<ReplicaSet>], now: Timestamp) -> Plan {
    let view = View::of(deployment, sets);
    let mut plan = Plan::idle();
    let mut outcome = Outcome::Settled;
    if !is_deleting(&deployment.metadata) {
        outcome = step(&view, &mut plan);
    }
    status::write(&view, outcome, now, &mut plan);
    plan
}

/// What a step did, as far as the status cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The new ReplicaSet was created.
    Created,
    /// Sizes changed because the wanted size did, or the deployment is paused: progress stands still.
    Scaled,
    /// The rollout was looked at.
    Settled,
}

fn step(view: &View<'_>, plan: &mut Plan) -> Outcome {
    if view.paused() || scaling::is_scaling(view) {
        if let Some(new) = view.new {
            revision::synchronise(view, new, plan);
        }
        scaling::scale(view, plan);
        return Outcome::Scaled;
    }
    let Some(new) = view.new else {
        if view.recreates() && scaling::scale_down_all_old(view, plan) {
            return Outcome::Settled;
        }
        if view.recreates() && view.old_pods_remain() {
            return Outcome::Settled;
        }
        let set = revision::new_replica_set(view);
        let note = scaled(view, "up", name(&set.metadata), 0, size(&set));
        plan.push(Action::Create(set.into()));
        if scaling::new_size(view) > 0 {
            plan.note(note);
        }
        return Outcome::Created;
    };
    if revision::synchronise(view, new, plan) {
        return Outcome::Settled;
    }
    if view.recreates() {
        if !scaling::scale_down_all_old(view, plan) && !view.old_pods_remain() {
            scaling::resize(view, new, view.replicas(), plan);
        }
    } else {
        scaling::roll(view, new, plan);
    }
    if plan.actions.is_empty() && view.is_complete() {
        revision::clean_up(view, plan);
    }
    Outcome::Settled
}

/// A deployment and its ReplicaSets, sorted out.
struct View<'a> {
    deployment: &'a Deployment,
    /// The ReplicaSet of the present template.
    new: Option<&'a ReplicaSet>,
    /// All others, oldest first.
    old: Vec<&'a ReplicaSet>,
}

impl<'a> View<'a> {
    fn of(deployment: &'a Deployment, sets: &'a [Arc<ReplicaSet>]) -> Self {
        let mut sets: Vec<&ReplicaSet> = sets.iter().map(Arc::as_ref).collect();
        sets.sort_by_key(|set| {
            let created = set.metadata.creation_timestamp.as_ref().map(|t| t.0);
            (created, name(&set.metadata))
        });
        let position = sets
            .iter()
            .position(|set| revision::has_template_of(set, deployment));
        let new = position.map(|index| sets.remove(index));
        Self {
            deployment,
            new,
            old: sets,
        }
    }

    fn all(&self) -> impl Iterator<Item = &'a ReplicaSet> + '_ {
        self.old.iter().copied().chain(self.new)
    }

    fn replicas(&self) -> i32 {
        self.deployment.spec.replicas.unwrap_or(1)
    }

    fn paused(&self) -> bool {
        self.deployment.spec.paused.unwrap_or(false)
    }

    fn recreates(&self) -> bool {
        strategy::recreates(self.deployment)
    }

    /// Whether pods of an old template still exist, even terminating ones.
    fn old_pods_remain(&self) -> bool {
        self.old.iter().any(|set| {
            let status = set.status.as_ref();
            status.is_some_and(|s| s.replicas + s.terminating_replicas.unwrap_or(0) > 0)
        })
    }

    /// Whether every pod is of the present template and available, and no other is left.
    fn is_complete(&self) -> bool {
        let new = self.new.map(observed).unwrap_or_default();
        let old: i32 = self.old.iter().map(|set| observed(set).replicas).sum();
        old == 0 && new.replicas == self.replicas() && new.available == self.replicas()
    }
}

/// What a ReplicaSet's status says.
#[derive(Clone, Copy, Debug, Default)]
struct Observed {
    replicas: i32,
    ready: i32,
    available: i32,
    terminating: i32,
}

fn observed(set: &ReplicaSet) -> Observed {
    set.status
        .as_ref()
        .map_or_else(Observed::default, |status| Observed {
            replicas: status.replicas,
            ready: status.ready_replicas.unwrap_or(0),
            available: status.available_replicas.unwrap_or(0),
            terminating: status.terminating_replicas.unwrap_or(0),
        })
}

/// The size a ReplicaSet is asked to have.
fn size(set: &ReplicaSet) -> i32 {
    set.spec.replicas.unwrap_or(1)
}

fn patch_set(set: &ReplicaSet, patch: &serde_json::Value) -> Action {
    let mut patch = patch.clone();
    patch["metadata"]["uid"] = json!(set.metadata.uid);
    Action::Patch {
        key: key(Kind::ReplicaSet, &set.metadata),
        patch,
    }
}

fn scaled(view: &View<'_>, direction: &str, set: &str, from: i32, to: i32) -> Note {
    Note::normal(
        COMPONENT,
        reference("apps/v1", "Deployment", &view.deployment.metadata),
        "ScalingReplicaSet",
        format!("Scaled {direction} replica set {set} from {from} to {to}"),
    )
}

#[cfg(test)]
mod tests;
