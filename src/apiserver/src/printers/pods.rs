//! Pods and pod templates.
//!
//! Source: upstream's pod printer, whose Status column folds phase, reasons of containers, progress
//! of init containers and deletion into one word.

use std::collections::BTreeSet;

use flybridge_machinery::conditions;
use flybridge_machinery::object::{self, get_path, path_bool, path_list, path_str};
use flybridge_machinery::table::Row;
use flybridge_machinery::time;
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, text, wide};

pub(super) const PODS: Printer = Printer {
    columns: &[
        NAME,
        text("Ready"),
        text("Status"),
        text("Restarts"),
        AGE,
        wide("IP"),
        wide("Node"),
        wide("Nominated Node"),
        wide("Readiness Gates"),
    ],
    cells: pod,
    conditions: ended,
};

pub(super) const POD_TEMPLATES: Printer = Printer::new(
    &[NAME, text("Containers"), text("Images"), text("Pod Labels")],
    pod_template,
);

fn ended(pod: &Value) -> Vec<Value> {
    match path_str(pod, &["status", "phase"]) {
        Some("Succeeded") => {
            vec![Row::completed(
                "Succeeded",
                "The pod has completed successfully.",
            )]
        }
        Some("Failed") => vec![Row::completed("Failed", "The pod failed.")],
        _ => Vec::new(),
    }
}

fn pod_template(template: &Value, _now: Timestamp) -> Vec<Value> {
    let mut cells = vec![cell::name(template)];
    cells.extend(cell::containers(get_path(template, &["template", "spec"])));
    cells.push(cell::labels(get_path(
        template,
        &["template", "metadata", "labels"],
    )));
    cells
}

fn pod(pod: &Value, now: Timestamp) -> Vec<Value> {
    let summary = Summary::of(pod);
    let ip = path_list(pod, &["status", "podIPs"])
        .first()
        .and_then(|entry| path_str(entry, &["ip"]))
        .filter(|ip| !ip.is_empty())
        .unwrap_or("<none>");
    vec![
        cell::name(pod),
        format!("{}/{}", summary.ready, summary.total).into(),
        summary.reason.as_str().into(),
        summary.restarts(now).into(),
        cell::age(pod, now),
        ip.into(),
        cell::string_or(pod, &["spec", "nodeName"], "<none>"),
        cell::string_or(pod, &["status", "nominatedNodeName"], "<none>"),
        readiness_gates(pod),
    ]
}

fn readiness_gates(pod: &Value) -> Value {
    let gates = path_list(pod, &["spec", "readinessGates"]);
    if gates.is_empty() {
        return "<none>".into();
    }
    let met = gates
        .iter()
        .filter_map(|gate| path_str(gate, &["conditionType"]))
        .filter(|kind| conditions::is_true(pod, kind))
        .count();
    format!("{met}/{}", gates.len()).into()
}

/// Restarts and the latest end before one.
#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<Timestamp>,
}

impl Restarts {
    fn add(&mut self, status: &Value) {
        self.count += cell::number(status, &["restartCount"]);
        let ended = path_str(status, &["lastState", "terminated", "finishedAt"]);
        self.last = self.last.max(ended.and_then(|at| time::parse(at).ok()));
    }
}

/// What the always visible columns say.
struct Summary {
    ready: usize,
    total: usize,
    reason: String,
    restarts: Restarts,
}

impl Summary {
    fn of(pod: &Value) -> Self {
        let sidecars: BTreeSet<&str> = path_list(pod, &["spec", "initContainers"])
            .iter()
            .filter(|container| path_str(container, &["restartPolicy"]) == Some("Always"))
            .map(|container| path_str(container, &["name"]).unwrap_or_default())
            .collect();
        let mut summary = Self {
            ready: 0,
            total: cell::count(pod, &["spec", "containers"]) + sidecars.len(),
            reason: phase(pod),
            restarts: Restarts::default(),
        };
        let sidecar_restarts = summary.read_init_containers(pod, &sidecars);
        if let Some(restarts) = sidecar_restarts {
            summary.restarts = restarts;
            summary.read_containers(pod);
        }
        summary.read_deletion(pod);
        summary
    }

    /// Gives the restarts of sidecars, unless the pod is still initializing.
    fn read_init_containers(&mut self, pod: &Value, sidecars: &BTreeSet<&str>) -> Option<Restarts> {
        let mut sidecar_restarts = Restarts::default();
        let total = cell::count(pod, &["spec", "initContainers"]);
        let mut initializing = false;
        for (index, status) in path_list(pod, &["status", "initContainerStatuses"])
            .iter()
            .enumerate()
        {
            self.restarts.add(status);
            let sidecar = sidecars.contains(path_str(status, &["name"]).unwrap_or_default());
            if sidecar {
                sidecar_restarts.add(status);
            }
            let ended = get_path(status, &["state", "terminated"]).filter(|end| end.is_object());
            if ended.is_some_and(|end| cell::number(end, &["exitCode"]) == 0) {
                continue;
            }
            if sidecar && path_bool(status, &["started"]) == Some(true) {
                self.ready += usize::from(path_bool(status, &["ready"]) == Some(true));
                continue;
            }
            let waiting = path_str(status, &["state", "waiting", "reason"])
                .filter(|reason| !matches!(*reason, "" | "PodInitializing"));
            self.reason = match (ended, waiting) {
                (Some(end), _) => format!("Init:{}", end_reason(end)),
                (None, Some(reason)) => format!("Init:{reason}"),
                (None, None) => format!("Init:{index}/{total}"),
            };
            initializing = true;
            break;
        }
        (!initializing || conditions::is_true(pod, "Initialized")).then_some(sidecar_restarts)
    }

    fn read_containers(&mut self, pod: &Value) {
        let mut running = false;
        for status in path_list(pod, &["status", "containerStatuses"])
            .iter()
            .rev()
        {
            self.restarts.add(status);
            let state = |name: &str| get_path(status, &["state", name]).filter(|s| s.is_object());
            let waiting = state("waiting")
                .and_then(|waiting| path_str(waiting, &["reason"]))
                .filter(|reason| !reason.is_empty());
            if let Some(reason) = waiting {
                reason.clone_into(&mut self.reason);
            } else if let Some(end) = state("terminated") {
                self.reason = end_reason(end);
            } else if path_bool(status, &["ready"]) == Some(true) && state("running").is_some() {
                running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" && running {
            let ready = conditions::is_true(pod, "Ready");
            self.reason = if ready { "Running" } else { "NotReady" }.to_owned();
        }
    }

    fn read_deletion(&mut self, pod: &Value) {
        if !object::is_terminating(pod) {
            return;
        }
        let phase = path_str(pod, &["status", "phase"]);
        if path_str(pod, &["status", "reason"]) == Some("NodeLost") {
            "Unknown".clone_into(&mut self.reason);
        } else if !matches!(phase, Some("Succeeded" | "Failed")) {
            "Terminating".clone_into(&mut self.reason);
        }
    }

    fn restarts(&self, now: Timestamp) -> String {
        match self.restarts {
            Restarts {
                count,
                last: Some(last),
            } if count != 0 => {
                format!("{count} ({} ago)", time::age(last, now))
            }
            Restarts { count, .. } => count.to_string(),
        }
    }
}

fn phase(pod: &Value) -> String {
    let gated = conditions::of(pod, "PodScheduled")
        .is_some_and(|scheduled| path_str(scheduled, &["reason"]) == Some("SchedulingGated"));
    if gated {
        return "SchedulingGated".to_owned();
    }
    let reason = path_str(pod, &["status", "reason"]).filter(|reason| !reason.is_empty());
    reason
        .or_else(|| path_str(pod, &["status", "phase"]))
        .unwrap_or_default()
        .to_owned()
}

fn end_reason(end: &Value) -> String {
    let reason = path_str(end, &["reason"]).unwrap_or_default();
    let signal = cell::number(end, &["signal"]);
    match (reason, signal) {
        ("", 0) => format!("ExitCode:{}", cell::number(end, &["exitCode"])),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}
