//! Jobs and CronJobs: progress, and when the whole is done.

use k8s_openapi::api::batch::v1::{CronJob, CronJobStatus, Job, JobCondition, JobStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::{Value, json};

use crate::Result;
use crate::decode::{self, Item};

fn is_true(conditions: Option<&Vec<JobCondition>>, kind: &str) -> bool {
    conditions
        .into_iter()
        .flatten()
        .any(|condition| condition.type_ == kind && condition.status == "True")
}

/// How a Job ended: the first of its conditions that says so.
fn ending(status: &JobStatus) -> Option<&str> {
    status
        .conditions
        .iter()
        .flatten()
        .find(|c| matches!(c.type_.as_str(), "Complete" | "Failed") && c.status == "True")
        .map(|condition| condition.type_.as_str())
}

pub(super) fn job(object: &Value, items: &[Item], now: &str) -> Result<Option<Value>> {
    let template = decode::object::<Job>(object)?.status.unwrap_or_default();
    if ending(&template).is_some() {
        return Ok(None);
    }
    let mut reports = Vec::new();
    for item in items {
        if let Some(report) = item.status::<JobStatus>()? {
            reports.push((item.cluster_name.as_str(), report));
        }
    }
    let mut status = json!({});
    for (field, count) in [
        ("active", total(&reports, |r| r.active)),
        ("succeeded", total(&reports, |r| r.succeeded)),
        ("failed", total(&reports, |r| r.failed)),
    ] {
        if count != 0 {
            status[field] = json!(count);
        }
    }
    times(&mut status, &template, &reports, items.len());
    let conditions = conditions(&reports, items.len(), now);
    if !conditions.is_empty() {
        status["conditions"] = json!(conditions);
    }
    Ok(Some(status))
}

type Reports<'a> = [(&'a str, JobStatus)];

fn total(reports: &Reports<'_>, count: impl Fn(&JobStatus) -> Option<i32>) -> i64 {
    let counts = reports
        .iter()
        .map(|(_, report)| count(report).unwrap_or_default());
    counts.map(i64::from).sum()
}

/// The start is the earliest and set once; start and end are known when all members tell theirs.
fn times(status: &mut Value, template: &JobStatus, reports: &Reports<'_>, items: usize) {
    let starts: Vec<&Time> = reports
        .iter()
        .filter_map(|(_, r)| r.start_time.as_ref())
        .collect();
    let ends: Vec<&Time> = reports
        .iter()
        .filter_map(|(_, r)| r.completion_time.as_ref())
        .collect();
    if let Some(start) = &template.start_time {
        status["startTime"] = json!(start);
    } else if starts.len() == items
        && let Some(start) = starts.iter().min()
    {
        status["startTime"] = json!(start);
    }
    if ends.len() == items
        && let Some(end) = ends.iter().max()
    {
        status["completionTime"] = json!(end);
    }
}

fn conditions(reports: &Reports<'_>, items: usize, now: &str) -> Vec<Value> {
    let ended = |kind: &str| -> Vec<&str> {
        let matching = reports
            .iter()
            .filter(|(_, report)| ending(report) == Some(kind));
        matching.map(|(cluster, _)| *cluster).collect()
    };
    let mut conditions = Vec::new();
    let failed = ended("Failed");
    if !failed.is_empty() {
        let message = format!(
            "Job executed failed in member clusters {}",
            failed.join(",")
        );
        conditions.push(condition("Failed", "JobFailed", &message, now));
    }
    if items > 0 && ended("Complete").len() == items {
        conditions.push(condition("Complete", "Completed", "Job completed", now));
        let met = |(_, report): &(&str, JobStatus)| {
            is_true(report.conditions.as_ref(), "SuccessCriteriaMet")
        };
        if reports.iter().all(met) {
            let message = "All member clusters have met success criteria";
            conditions.push(condition(
                "SuccessCriteriaMet",
                "CompletionsReached",
                message,
                now,
            ));
        }
    }
    conditions
}

fn condition(kind: &str, reason: &str, message: &str, now: &str) -> Value {
    json!({
        "type": kind, "status": "True", "reason": reason, "message": message,
        "lastProbeTime": now, "lastTransitionTime": now,
    })
}

pub(super) fn cron_job(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<CronJob>(object)?;
    let mut merged = CronJobStatus::default();
    for item in items {
        let Some(report) = item.status::<CronJobStatus>()? else {
            continue;
        };
        if let Some(active) = report.active {
            merged.active.get_or_insert_default().extend(active);
        }
        merged.last_schedule_time = merged.last_schedule_time.max(report.last_schedule_time);
        merged.last_successful_time = merged.last_successful_time.max(report.last_successful_time);
    }
    Ok(Some(json!(merged)))
}
