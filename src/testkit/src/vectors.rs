//! Runs golden vector files: one JSON object a line with `id`, `input` and `output`.
//!
//! A runner gets a whole case and says what differs; it knows nothing of files.

mod affinity;
mod division;
mod estimator;
mod naming;
mod policy_match;
mod scheduler;
mod scheduler_binding;
mod webhook;

use std::path::Path;

use anyhow::Context;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Checks one case; the error says what differs.
pub type Runner = fn(&Value) -> anyhow::Result<Verdict>;

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The result is the recorded one.
    Passed,
    /// The result differs on purpose: the recorded one comes from a fault of the reference.
    Differs,
    /// The case is outside of what the runner covers.
    Skipped,
}

/// What became of a file.
#[derive(Debug, Default)]
pub struct Report {
    /// Cases with the recorded result.
    pub passed: usize,
    /// Cases with another result on purpose.
    pub deliberate: usize,
    /// Cases outside of what the runner covers.
    pub skipped: usize,
    /// Cases with another result: id and difference.
    pub failures: Vec<(String, String)>,
}

impl Report {
    /// Cases that were run.
    pub fn total(&self) -> usize {
        self.passed + self.deliberate + self.failures.len()
    }
}

/// The runner for a vector file by its name without extension.
pub fn runner(family: &str) -> Option<Runner> {
    Some(match family {
        "affinity" => affinity::run,
        "division" => division::run,
        "estimator" => estimator::run,
        "naming" => naming::run,
        "policy_match" => policy_match::run,
        "scheduler" => scheduler::run,
        "scheduler_binding" => scheduler_binding::run,
        "webhook" => webhook::run,
        _ => return None,
    })
}

/// Runs every case of a file.
///
/// # Errors
/// When the file cannot be read or a line is no JSON.
pub fn run_file(path: &Path, runner: Runner) -> anyhow::Result<Report> {
    let text = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    let mut report = Report::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).context("parse a case")?;
        match runner(&case) {
            Ok(Verdict::Passed) => report.passed += 1,
            Ok(Verdict::Differs) => report.deliberate += 1,
            Ok(Verdict::Skipped) => report.skipped += 1,
            Err(difference) => {
                let id = case["id"].as_str().unwrap_or_default().to_owned();
                report.failures.push((id, format!("{difference:#}")));
            }
        }
    }
    Ok(report)
}

/// A member of the input in typed form; absent and null read as the default.
fn part<T: DeserializeOwned + Default>(input: &Value, name: &str) -> anyhow::Result<T> {
    match input.get(name) {
        None | Some(Value::Null) => Ok(T::default()),
        Some(value) => T::deserialize(value).with_context(|| format!("decode input.{name}")),
    }
}

/// Compares two values.
fn same(got: &Value, want: &Value) -> anyhow::Result<Verdict> {
    anyhow::ensure!(got == want, "got {got}\n    want {want}");
    Ok(Verdict::Passed)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn check(family: &str) {
        let directory = std::env::var_os("VECTORS_DIR").map_or_else(
            || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data")),
            PathBuf::from,
        );
        let run = runner(family).expect("the family has a runner");
        let report = run_file(&directory.join(format!("{family}.jsonl")), run).unwrap();
        assert!(report.passed > 0, "no case of {family} was run");
        assert!(report.failures.is_empty(), "{:#?}", report.failures);
    }

    #[test]
    fn clusters_match_affinities_as_recorded() {
        check("affinity");
    }

    #[test]
    fn seats_are_divided_as_recorded() {
        check("division");
    }

    #[test]
    fn capacity_is_estimated_as_recorded() {
        check("estimator");
    }

    #[test]
    fn names_are_derived_as_recorded() {
        check("naming");
    }

    #[test]
    fn policies_are_chosen_as_recorded() {
        check("policy_match");
    }

    #[test]
    fn bindings_are_placed_as_recorded_traced_or_not() {
        check("scheduler");
    }

    #[test]
    fn bindings_are_reconciled_as_recorded() {
        check("scheduler_binding");
    }

    #[test]
    fn objects_are_admitted_as_recorded() {
        check("webhook");
    }

    #[test]
    fn families_without_a_runner_are_named() {
        assert!(runner("no-such-family").is_none());
    }
}
