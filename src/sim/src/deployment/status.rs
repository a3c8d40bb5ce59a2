//! What a deployment's status says about its rollout.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{DeploymentCondition, DeploymentStatus};

use super::strategy::room;
use super::{Outcome, View, observed};
use crate::object::name;
use crate::plan::{Action, Plan};
use crate::replicaset::some;
use crate::time::{after, time};

/// Adds the write of the status, if it changed, and the wake-up of the progress deadline.
pub(super) fn write(view: &View<'_>, outcome: Outcome, now: Timestamp, plan: &mut Plan) {
    let present = view.deployment.status.clone().unwrap_or_default();
    let mut status = counts(view, &present);
    let mut conditions = present.conditions.clone().unwrap_or_default();
    available(view, &status, now, &mut conditions);
    progressing(view, outcome, (&present, &status), now, &mut conditions);
    if let Some(deadline) = deadline(view, &conditions)
        && deadline > now
    {
        plan.wake(deadline);
    }
    status.conditions = Some(conditions);
    if status != present {
        let mut written = view.deployment.clone();
        written.status = Some(status);
        plan.push(Action::Status(written.into()));
    }
}

fn counts(view: &View<'_>, present: &DeploymentStatus) -> DeploymentStatus {
    let mut sum = super::Observed::default();
    for set in view.all().map(observed) {
        sum.replicas += set.replicas;
        sum.ready += set.ready;
        sum.available += set.available;
        sum.terminating += set.terminating;
    }
    let sizes: i32 = view.all().map(super::size).sum();
    DeploymentStatus {
        observed_generation: view.deployment.metadata.generation,
        replicas: some(sum.replicas),
        updated_replicas: some(view.new.map_or(0, |set| observed(set).replicas)),
        ready_replicas: some(sum.ready),
        available_replicas: some(sum.available),
        unavailable_replicas: some((sizes - sum.available).max(0)),
        terminating_replicas: Some(sum.terminating),
        collision_count: present.collision_count,
        conditions: None,
    }
}

fn available(
    view: &View<'_>,
    status: &DeploymentStatus,
    now: Timestamp,
    conditions: &mut Vec<DeploymentCondition>,
) {
    let minimum = view.replicas() - room(view.deployment, view.replicas()).unavailable;
    let condition = if status.available_replicas.unwrap_or(0) >= minimum {
        (
            "True",
            "MinimumReplicasAvailable",
            "Deployment has minimum availability.".to_owned(),
        )
    } else {
        (
            "False",
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.".to_owned(),
        )
    };
    set(conditions, "Available", condition, Touch::OnChange, now);
}

fn progressing(
    view: &View<'_>,
    outcome: Outcome,
    (before, after): (&DeploymentStatus, &DeploymentStatus),
    now: Timestamp,
    conditions: &mut Vec<DeploymentCondition>,
) {
    if progress_deadline(view).is_none() {
        conditions.retain(|c| c.type_.as_deref() != Some("Progressing"));
        return;
    }
    let present = reason(conditions, "Progressing")
        .unwrap_or_default()
        .to_owned();
    let paused = (
        "Unknown",
        "DeploymentPaused",
        "Deployment is paused".to_owned(),
    );
    if view.paused() {
        if present != "DeploymentPaused" {
            set(conditions, "Progressing", paused, Touch::OnChange, now);
        }
        return;
    }
    let resumed = (
        "Unknown",
        "DeploymentResumed",
        "Deployment is resumed".to_owned(),
    );
    if present == "DeploymentPaused" {
        set(conditions, "Progressing", resumed, Touch::OnChange, now);
        return;
    }
    match outcome {
        Outcome::Created => {
            let set_name = name(&super::revision::new_replica_set(view).metadata).to_owned();
            let text = format!("Created new replica set \"{set_name}\"");
            let condition = ("True", "NewReplicaSetCreated", text);
            set(conditions, "Progressing", condition, Touch::Always, now);
        }
        Outcome::Scaled => {}
        Outcome::Settled => rollout(view, (before, after), now, conditions),
    }
}

fn rollout(
    view: &View<'_>,
    (before, after): (&DeploymentStatus, &DeploymentStatus),
    now: Timestamp,
    conditions: &mut Vec<DeploymentCondition>,
) {
    let present = reason(conditions, "Progressing").unwrap_or_default();
    let done = after.replicas == after.updated_replicas && present == "NewReplicaSetAvailable";
    if done {
        return;
    }
    let subject = view.new.map_or_else(
        || format!("Deployment \"{}\"", name(&view.deployment.metadata)),
        |set| format!("ReplicaSet \"{}\"", name(&set.metadata)),
    );
    let wanted = view.replicas();
    let complete = [
        after.replicas,
        after.updated_replicas,
        after.available_replicas,
    ]
    .into_iter()
    .all(|count| count.unwrap_or(0) == wanted);
    if complete {
        let text = format!("{subject} has successfully progressed.");
        let condition = ("True", "NewReplicaSetAvailable", text);
        set(conditions, "Progressing", condition, Touch::Always, now);
    } else if has_progressed(before, after) {
        let text = format!("{subject} is progressing.");
        let condition = ("True", "ReplicaSetUpdated", text);
        set(conditions, "Progressing", condition, Touch::Always, now);
    } else if deadline(view, conditions).is_some_and(|deadline| deadline <= now) {
        let text = format!("{subject} has timed out progressing.");
        let condition = ("False", "ProgressDeadlineExceeded", text);
        set(conditions, "Progressing", condition, Touch::OnChange, now);
    }
}

fn has_progressed(before: &DeploymentStatus, after: &DeploymentStatus) -> bool {
    let count = |value: Option<i32>| value.unwrap_or(0);
    let old = |status: &DeploymentStatus| count(status.replicas) - count(status.updated_replicas);
    count(after.updated_replicas) > count(before.updated_replicas)
        || old(after) < old(before)
        || count(after.ready_replicas) > count(before.ready_replicas)
        || count(after.available_replicas) > count(before.available_replicas)
}

fn progress_deadline(view: &View<'_>) -> Option<Duration> {
    let seconds = view.deployment.spec.progress_deadline_seconds?;
    // The largest value is how API clients say "never".
    (seconds != i32::MAX).then(|| Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

/// When the running rollout counts as stuck.
fn deadline(view: &View<'_>, conditions: &[DeploymentCondition]) -> Option<Timestamp> {
    let condition = conditions
        .iter()
        .find(|c| c.type_.as_deref() == Some("Progressing"))?;
    let running = matches!(
        condition.reason.as_deref(),
        Some(
            "NewReplicaSetCreated"
                | "FoundNewReplicaSet"
                | "ReplicaSetUpdated"
                | "DeploymentResumed"
        )
    );
    let since = condition.last_update_time.as_ref().filter(|_| running)?;
    Some(after(since.0, progress_deadline(view)?))
}

fn reason<'a>(conditions: &'a [DeploymentCondition], type_: &str) -> Option<&'a str> {
    let condition = conditions
        .iter()
        .find(|c| c.type_.as_deref() == Some(type_))?;
    condition.reason.as_deref()
}

/// When a condition's update time moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    /// When status or reason changes.
    OnChange,
    /// Whenever it is set.
    Always,
}

fn set(
    conditions: &mut Vec<DeploymentCondition>,
    type_: &str,
    (status, reason, message): (&str, &str, String),
    touch: Touch,
    now: Timestamp,
) {
    let position = conditions
        .iter()
        .position(|c| c.type_.as_deref() == Some(type_));
    let present = position.map(|index| &conditions[index]);
    let unchanged = present.is_some_and(|c| {
        c.status.as_deref() == Some(status) && c.reason.as_deref() == Some(reason)
    });
    if unchanged && touch == Touch::OnChange {
        return;
    }
    let since = present
        .filter(|c| c.status.as_deref() == Some(status))
        .and_then(|c| c.last_transition_time.clone());
    let wanted = DeploymentCondition {
        type_: Some(type_.to_owned()),
        status: Some(status.to_owned()),
        reason: Some(reason.to_owned()),
        message: Some(message),
        last_update_time: Some(time(now)),
        last_transition_time: since.or_else(|| Some(time(now))),
    };
    match position {
        Some(index) => conditions[index] = wanted,
        None => conditions.push(wanted),
    }
}
