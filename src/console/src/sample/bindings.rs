//! Bindings in all the states an operator meets.

use std::sync::Arc;

use jiff::Timestamp;

use super::ago;
use crate::rows::{BindingRow, Rows, Target, Tri};

const DAY: i64 = 24 * 3600;

/// Namespace, resource, kind, clusters with replicas, age in seconds.
type Line = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, i32)],
    i64,
);

const BINDINGS: &[Line] = &[
    (
        "payments",
        "ledger",
        "Deployment",
        &[("fra-prod-1", 7), ("lon-prod-1", 3), ("ams-prod-2", 2)],
        41 * DAY,
    ),
    (
        "payments",
        "api",
        "Deployment",
        &[("fra-prod-1", 12), ("lon-prod-1", 18)],
        41 * DAY,
    ),
    (
        "payments",
        "settlement",
        "CronJob",
        &[("fra-prod-1", 0)],
        41 * DAY,
    ),
    (
        "payments",
        "ledger-config",
        "ConfigMap",
        &[("fra-prod-1", 0), ("lon-prod-1", 0), ("ams-prod-2", 0)],
        41 * DAY,
    ),
    ("search", "indexer", "StatefulSet", &[], 3 * 3600),
    (
        "search",
        "ui",
        "Deployment",
        &[("ams-prod-2", 2), ("fra-prod-2", 2)],
        8 * DAY,
    ),
    (
        "search",
        "query",
        "Deployment",
        &[("ams-prod-2", 4), ("fra-prod-2", 4), ("fra-prod-1", 2)],
        8 * DAY,
    ),
    (
        "web",
        "shop",
        "Deployment",
        &[("ams-prod-1", 3), ("lon-prod-1", 6), ("ams-prod-2", 3)],
        8 * DAY,
    ),
    (
        "web",
        "cdn-config",
        "ConfigMap",
        &[("fra-prod-1", 0), ("fra-prod-2", 0), ("lon-prod-2", 0)],
        2 * DAY,
    ),
    (
        "web",
        "gateway",
        "DaemonSet",
        &[("mad-edge-1", 0), ("mil-edge-1", 0), ("waw-edge-1", 0)],
        61 * DAY,
    ),
    ("ml", "train", "Job", &[], 12 * 60),
    (
        "ml",
        "features",
        "Deployment",
        &[("fra-prod-2", 5)],
        5 * DAY,
    ),
    (
        "batch",
        "nightly",
        "CronJob",
        &[("lon-prod-1", 0)],
        90 * DAY,
    ),
    (
        "batch",
        "mailer",
        "Deployment",
        &[("lon-prod-1", 2)],
        90 * DAY,
    ),
    (
        "",
        "payments-reader",
        "ClusterRole",
        &[("fra-prod-1", 0), ("lon-prod-1", 0), ("ams-prod-2", 0)],
        41 * DAY,
    ),
];

pub(super) fn rows(now: Timestamp) -> Rows<BindingRow> {
    Arc::new(
        BINDINGS
            .iter()
            .map(|line| Arc::new(row(line, now)))
            .collect(),
    )
}

/// Members a resource goes to, with replicas.
pub(super) fn placed(cluster: &str) -> impl Iterator<Item = (&'static Line, i32)> {
    let name = cluster.to_owned();
    BINDINGS.iter().filter_map(move |line| {
        let (_, replicas) = line.3.iter().find(|(c, _)| *c == name)?;
        Some((line, *replicas))
    })
}

fn row(line: &Line, now: Timestamp) -> BindingRow {
    let (namespace, resource, kind, clusters, age) = *line;
    let name = format!("{resource}-{}", kind.to_ascii_lowercase());
    let placed = !clusters.is_empty();
    let (reason, message) = match resource {
        "indexer" => (
            "NoClusterFit",
            "0/9 clusters are available: 6 cluster(s) did not match the placement cluster affinity constraint, 2 cluster(s) had untolerated taint, 1 cluster(s) did not have the API resource.",
        ),
        "train" => (
            "Unschedulable",
            "clusters resources are not enough to schedule: max available replicas is 40, needed 64",
        ),
        _ => ("Success", "Binding has been scheduled successfully."),
    };
    BindingRow {
        id: crate::rows::path(namespace, &name),
        namespace: namespace.to_owned(),
        name,
        kind: kind.to_owned(),
        api_version: api_version(kind).to_owned(),
        resource: resource.to_owned(),
        replicas: match resource {
            "indexer" => 5,
            "train" => 64,
            _ => clusters.iter().map(|(_, n)| n).sum(),
        },
        scheduled: if placed { Tri::True } else { Tri::False },
        reason: reason.to_owned(),
        message: message.to_owned(),
        scheduled_at: ago(now, age.min(3 * 3600)),
        generations: (3, 3),
        targets: clusters
            .iter()
            .map(|(c, n)| target(resource, c, *n))
            .collect(),
        suspended: resource == "mailer",
        policy: format!(
            "{}/pp-{resource}",
            if namespace.is_empty() {
                "cluster"
            } else {
                namespace
            }
        ),
        created: ago(now, age),
    }
}

fn api_version(kind: &str) -> &'static str {
    match kind {
        "ConfigMap" => "v1",
        "ClusterRole" => "rbac.authorization.k8s.io/v1",
        "Job" | "CronJob" => "batch/v1",
        _ => "apps/v1",
    }
}

fn target(resource: &str, cluster: &str, replicas: i32) -> Target {
    let mut target = Target {
        cluster: cluster.to_owned(),
        replicas,
        applied: Tri::True,
        healthy: Tri::True,
        status: if replicas > 0 {
            format!("ready {replicas}/{replicas}")
        } else {
            String::new()
        },
        ..Target::default()
    };
    match (resource, cluster) {
        ("ledger", "lon-prod-1") => {
            target.healthy = Tri::False;
            target.status = "ready 1/3".to_owned();
        }
        ("shop", "ams-prod-1") => {
            target.evicting = true;
            target.reason = "TaintUntolerated, grace 9m of 10m left".to_owned();
        }
        ("cdn-config", "lon-prod-2") => {
            target.applied = Tri::False;
            target.applied_message =
                "resource(configmap web/cdn-config) already exists in the cluster".to_owned();
        }
        _ => {}
    }
    target
}
