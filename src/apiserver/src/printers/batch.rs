//! Jobs and cron jobs.

use std::time::Duration;

use flybridge_machinery::object::{self, get_path, path_bool, path_i64, path_str};
use flybridge_machinery::{conditions, time};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, boolean, cell, integer, text, wide};

pub(super) const JOBS: Printer = Printer::new(
    &[
        NAME,
        text("Status"),
        text("Completions"),
        text("Duration"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    job,
);

pub(super) const CRON_JOBS: Printer = Printer::new(
    &[
        NAME,
        text("Schedule"),
        text("Timezone"),
        boolean("Suspend"),
        integer("Active"),
        text("Last Schedule"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cron_job,
);

fn job(job: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = vec![
        cell::name(job),
        job_status(job).into(),
        completions(job).into(),
        duration(job, now).into(),
        cell::age(job, now),
    ];
    cells.extend(cell::containers(get_path(
        job,
        &["spec", "template", "spec"],
    )));
    cells.push(cell::selector(get_path(job, &["spec", "selector"])));
    cells
}

fn job_status(job: &Value) -> &'static str {
    if conditions::is_true(job, "Complete") {
        return "Complete";
    }
    if conditions::is_true(job, "Failed") {
        return "Failed";
    }
    if object::is_terminating(job) {
        return "Terminating";
    }
    ["Suspended", "FailureTarget", "SuccessCriteriaMet"]
        .into_iter()
        .find(|kind| conditions::is_true(job, kind))
        .unwrap_or("Running")
}

fn completions(job: &Value) -> String {
    let succeeded = cell::number(job, &["status", "succeeded"]);
    if let Some(wanted) = path_i64(job, &["spec", "completions"]) {
        return format!("{succeeded}/{wanted}");
    }
    match cell::number(job, &["spec", "parallelism"]) {
        parallelism if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        _ => format!("{succeeded}/1"),
    }
}

fn duration(job: &Value, now: Timestamp) -> String {
    let at = |field: &str| time::parse(path_str(job, &["status", field])?).ok();
    let Some(start) = at("startTime") else {
        return String::new();
    };
    let end = at("completionTime").unwrap_or(now);
    time::human_duration(Duration::try_from(end.duration_since(start)).unwrap_or_default())
}

fn cron_job(cron_job: &Value, now: Timestamp) -> Vec<Value> {
    let suspend = match path_bool(cron_job, &["spec", "suspend"]) {
        None => "<unset>",
        Some(true) => "True",
        Some(false) => "False",
    };
    let last = cell::since(cron_job, &["status", "lastScheduleTime"], now);
    let template = get_path(cron_job, &["spec", "jobTemplate", "spec"]).unwrap_or(&Value::Null);
    let mut cells = vec![
        cell::name(cron_job),
        cell::string(cron_job, &["spec", "schedule"]),
        cell::string_or(cron_job, &["spec", "timeZone"], "<none>"),
        suspend.into(),
        cell::count(cron_job, &["status", "active"]).into(),
        last.as_deref().unwrap_or("<none>").into(),
        cell::age(cron_job, now),
    ];
    cells.extend(cell::containers(get_path(template, &["template", "spec"])));
    cells.push(cell::selector(template.get("selector")));
    cells
}
