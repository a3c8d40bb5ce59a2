//! Jobs and `CronJob`s.

use flybridge_machinery::Selector;

use super::findings::{At, Findings};
use super::pods::{self, Owner};
use super::{schedule, selectors};

const FIXED: [&str; 6] = [
    "selector",
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "successPolicy",
    "managedBy",
];
const COUNTS: [&str; 5] = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
];
const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];

/// The spec of a job, of its own or of a schedule.
pub(super) fn job(spec: &At<'_>, findings: &mut Findings) {
    for field in COUNTS {
        findings.at_least(&spec.get(field), 0);
    }
    let mode = spec.get("completionMode");
    findings.one_of(&mode, &["NonIndexed", "Indexed"]);
    if mode.text() == "Indexed" && !spec.get("completions").is_set() {
        findings.required(&spec.get("completions"), "when completion mode is Indexed");
    }
    let per_index = spec.get("backoffLimitPerIndex");
    findings.at_least(&per_index, 0);
    if per_index.is_set() && mode.text() != "Indexed" {
        findings.invalid(&per_index, "requires indexed completion mode");
    }
    for rule in spec.path(&["podFailurePolicy", "rules"]).items() {
        findings.one_of(&rule.get("action"), &ACTIONS);
        if rule.get("onExitCodes").is_blank() && rule.get("onPodConditions").is_blank() {
            findings.invalid(
                &rule,
                "specifying one of OnExitCodes and OnPodConditions is required",
            );
        }
    }
    pods::template(&spec.get("template"), Owner::Job, findings);
}

/// What a new job needs, beyond what a schedule's template needs.
pub(super) fn created(object: &At<'_>, findings: &mut Findings) {
    selected(&object.get("spec"), findings);
}

fn selected(spec: &At<'_>, findings: &mut Findings) {
    let selector = spec.get("selector");
    if selector.is_set() {
        selectors::label_selector(&selector, findings);
    } else {
        findings.required(&selector, "");
    }
    if let Ok(parsed) = Selector::from_value(selector.value) {
        selectors::matches_template(&parsed, spec, findings);
    }
}

/// A `CronJob`.
pub(super) fn cron_job(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    let times = spec.get("schedule");
    if findings.require(&times)
        && let Err(complaint) = schedule::check(times.text())
    {
        findings.invalid(&times, &complaint);
    }
    let zone = spec.get("timeZone");
    if zone
        .value
        .as_str()
        .is_some_and(|zone| zone.is_empty() || zone.eq_ignore_ascii_case("local"))
    {
        findings.invalid(&zone, "timeZone must be nil or non-empty string");
    }
    for field in [
        "startingDeadlineSeconds",
        "successfulJobsHistoryLimit",
        "failedJobsHistoryLimit",
    ] {
        findings.at_least(&spec.get(field), 0);
    }
    findings.one_of(
        &spec.get("concurrencyPolicy"),
        &["Allow", "Forbid", "Replace"],
    );
    job(&spec.path(&["jobTemplate", "spec"]), findings);
}

/// Most of a job stays as it was created; a suspended one may get another template.
pub(super) fn changed(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    let (old, new) = (old.get("spec"), new.get("spec"));
    for field in FIXED {
        findings.fixed(&old.get(field), &new.get(field));
    }
    selected(&new, findings);
    if !old.get("suspend").is_true() {
        findings.fixed(&old.get("template"), &new.get("template"));
    }
    let elastic = new.text_of("completionMode") == "Indexed"
        && new.get("completions").is_set()
        && new.get("completions").same(&new.get("parallelism"));
    if !elastic {
        findings.fixed(&old.get("completions"), &new.get("completions"));
    }
}
