//! Jobs.

use flybridge_machinery::object::{self, ensure_path, get_path, path_bool};
use serde_json::{Value, json};

use super::fill::Fill::{Bool, Int, Text};
use super::fill::{Fill, fill, fill_all};

const JOB: &[(&str, Fill)] = &[
    ("spec.parallelism", Int(1)),
    ("spec.completionMode", Text("NonIndexed")),
    ("spec.suspend", Bool(false)),
    ("spec.manualSelector", Bool(false)),
];

fn has(job: &Value, field: &str) -> bool {
    get_path(job, &["spec", field]).is_some_and(|value| !value.is_null())
}

pub(super) fn default_job(job: &mut Value) {
    if !has(job, "completions") && !has(job, "parallelism") {
        fill(job, "spec.completions", Int(1));
    }
    fill_all(job, JOB);
    let retries = if has(job, "backoffLimitPerIndex") {
        i64::from(i32::MAX)
    } else {
        6
    };
    fill(job, "spec.backoffLimit", Int(retries));
    let replaced = if has(job, "podFailurePolicy") {
        "Failed"
    } else {
        "TerminatingOrFailed"
    };
    fill(job, "spec.podReplacementPolicy", Text(replaced));
    if object::labels(job).next().is_none()
        && let Some(labels) = job.pointer("/spec/template/metadata/labels").cloned()
        && labels.as_object().is_some_and(|labels| !labels.is_empty())
    {
        ensure_path(job, &["metadata"]).insert("labels".to_owned(), labels);
    }
}

/// Selects the job's pods by its uid, unless the user selects them.
///
/// Source: upstream shares one label map between job and template where the job had none, so the
/// generated labels appear on the job too.
pub(super) fn generate_selector(job: &mut Value, own_labels: bool) {
    if path_bool(job, &["spec", "manualSelector"]) == Some(true) {
        return;
    }
    let uid = object::uid(job).unwrap_or_default().to_owned();
    let name = object::name(job).to_owned();
    let labels = [
        ("controller-uid", uid.as_str()),
        ("job-name", name.as_str()),
        ("batch.kubernetes.io/controller-uid", uid.as_str()),
        ("batch.kubernetes.io/job-name", name.as_str()),
    ];
    for (key, value) in labels {
        ensure_path(job, &["spec", "template", "metadata", "labels"])
            .entry(key)
            .or_insert_with(|| value.into());
        if !own_labels && object::labels(job).next().is_some() {
            ensure_path(job, &["metadata", "labels"])
                .entry(key)
                .or_insert_with(|| value.into());
        }
    }
    let selector = ensure_path(job, &["spec"])
        .entry("selector")
        .or_insert_with(|| json!({}));
    ensure_path(selector, &["matchLabels"])
        .insert("batch.kubernetes.io/controller-uid".to_owned(), uid.into());
}
