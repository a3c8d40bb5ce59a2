//! What a job's status says, and when a job is over.

use jiff::Timestamp;
use k8s_openapi::api::batch::v1::{Job, JobCondition, JobStatus};

use super::counting::Counted;
use super::{COMPONENT, INDEX, View};
use crate::object::annotation;
use crate::plan::{Action, Note, Plan, reference};
use crate::pods;
use crate::replicaset::some;
use crate::time::{seconds_after, time};

/// Whether the job has succeeded or failed for good.
pub(super) fn is_finished(job: &Job) -> bool {
    finished_at(job).is_some()
}

/// When the job ended.
pub(super) fn finished_at(job: &Job) -> Option<Timestamp> {
    let conditions = job.status.as_ref()?.conditions.as_ref()?;
    let end = conditions
        .iter()
        .find(|c| matches!(c.type_.as_str(), "Complete" | "Failed") && c.status == "True")?;
    end.last_transition_time.as_ref().map(|at| at.0)
}

/// How a job ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    succeeded: bool,
    reason: &'static str,
    message: &'static str,
}

/// Whether the job must end now.
pub(super) fn end(view: &View<'_>, counted: &Counted) -> Option<End> {
    let limit = view.spec.backoff_limit.unwrap_or(6);
    if counted.failed() > limit {
        return Some(End {
            succeeded: false,
            reason: "BackoffLimitExceeded",
            message: "Job has reached the specified backoff limit",
        });
    }
    let deadline = view.spec.active_deadline_seconds.zip(view.start_time());
    if deadline.is_some_and(|(seconds, start)| seconds_after(start, seconds) <= view.now) {
        return Some(End {
            succeeded: false,
            reason: "DeadlineExceeded",
            message: "Job was active longer than specified deadline",
        });
    }
    let complete = match view.spec.completions {
        Some(completions) => counted.succeeded() >= completions,
        None => counted.succeeded() > 0 && view.active().next().is_none(),
    };
    complete.then_some(End {
        succeeded: true,
        reason: "CompletionsReached",
        message: "Reached expected number of succeeded pods",
    })
}

/// Adds the write of the status, if it changed, and the wake-up of the deadline.
pub(super) fn write(view: &View<'_>, counted: Counted, end: Option<End>, plan: &mut Plan) {
    let present = view.job.status.clone().unwrap_or_default();
    let mut status = present.clone();
    let active = i32::try_from(view.active().count()).unwrap_or(i32::MAX);
    let ready = view.active().filter(|pod| pods::is_ready(pod)).count();
    let deleting = view
        .pods
        .iter()
        .filter(|pod| pod.metadata.deletion_timestamp.is_some() && !pods::is_finished(pod));
    status.terminating = Some(i32::try_from(deleting.count()).unwrap_or(i32::MAX));
    status.active = some(if end.is_some() { 0 } else { active });
    status.ready = Some(i32::try_from(ready).unwrap_or(i32::MAX));
    if status.start_time.is_none() && !view.is_suspended() {
        status.start_time = Some(time(view.now));
    }
    let (succeeded, failed) = counted.settled();
    status.succeeded = some(succeeded);
    status.failed = some(failed);
    if view.is_indexed() {
        status.completed_indexes = Some(completed_indexes(view));
    }
    if let Some(end) = end {
        finish(view, end, counted.is_settled(), &mut status, plan);
    }
    suspended(view, &mut status);
    status.uncounted_terminated_pods = Some(counted.uncounted());
    if let (Some(seconds), Some(start)) = (view.spec.active_deadline_seconds, &status.start_time) {
        plan.wake(seconds_after(start.0, seconds));
    }
    if status != present {
        let mut written = view.job.clone();
        written.status = Some(status);
        plan.push(Action::Status(written.into()));
    }
}

/// First the criterion is met; the job is over once every pod is counted and none stops any more.
fn finish(view: &View<'_>, end: End, settled: bool, status: &mut JobStatus, plan: &mut Plan) {
    let (criterion, last, reason) = if end.succeeded {
        ("SuccessCriteriaMet", "Complete", "Completed")
    } else {
        ("FailureTarget", "Failed", end.reason)
    };
    let now = view.now;
    let conditions = status.conditions.get_or_insert_default();
    set(conditions, criterion, true, (end.reason, end.message), now);
    if !settled || status.terminating.unwrap_or(0) > 0 || view.active().next().is_some() {
        return;
    }
    set(conditions, last, true, (end.reason, end.message), now);
    if end.succeeded {
        status.completion_time = Some(time(now));
    }
    let about = reference("batch/v1", "Job", &view.job.metadata);
    plan.note(if end.succeeded {
        Note::normal(COMPONENT, about, reason, "Job completed".to_owned())
    } else {
        Note::warning(COMPONENT, about, reason, end.message.to_owned())
    });
}

fn suspended(view: &View<'_>, status: &mut JobStatus) {
    let was = status
        .conditions
        .iter()
        .flatten()
        .any(|c| c.type_ == "Suspended" && c.status == "True");
    if view.is_suspended() == was {
        return;
    }
    let text = if view.is_suspended() {
        ("JobSuspended", "Job suspended")
    } else {
        status.start_time = Some(time(view.now));
        ("JobResumed", "Job resumed")
    };
    let conditions = status.conditions.get_or_insert_default();
    set(conditions, "Suspended", view.is_suspended(), text, view.now);
}

fn set(
    conditions: &mut Vec<JobCondition>,
    type_: &str,
    status: bool,
    (reason, message): (&str, &str),
    now: Timestamp,
) {
    let status = if status { "True" } else { "False" };
    let present = conditions.iter_mut().find(|c| c.type_ == type_);
    if present.as_ref().is_some_and(|c| c.status == status) {
        return;
    }
    let wanted = JobCondition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        last_probe_time: Some(time(now)),
        last_transition_time: Some(time(now)),
    };
    match present {
        Some(present) => *present = wanted,
        None => conditions.push(wanted),
    }
}

/// `0-2,5`: the indexes that have succeeded.
fn completed_indexes(view: &View<'_>) -> String {
    let mut done: Vec<i32> = view
        .pods
        .iter()
        .filter(|pod| pods::phase(pod) == "Succeeded")
        .filter_map(|pod| annotation(&pod.metadata, INDEX)?.parse().ok())
        .collect();
    done.sort_unstable();
    done.dedup();
    let mut ranges: Vec<(i32, i32)> = Vec::new();
    for index in done {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == index => *end = index,
            _ => ranges.push((index, index)),
        }
    }
    let parts: Vec<String> = ranges
        .into_iter()
        .map(|(from, to)| match to - from {
            0 => from.to_string(),
            1 => format!("{from},{to}"),
            _ => format!("{from}-{to}"),
        })
        .collect();
    parts.join(",")
}
