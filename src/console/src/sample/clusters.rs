//! Nine clusters in four regions; one does not answer, one is tainted, one lost a node.

use std::sync::Arc;

use jiff::Timestamp;

use super::ago;
use crate::rows::{ClusterRow, ConditionRow, Rows, Tri, Usage};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Name, region, provider, nodes, used part of CPU and memory, age in days.
type Line = (&'static str, &'static str, &'static str, u32, f64, f64, i64);

const CLUSTERS: &[Line] = &[
    ("ams-prod-1", "eu-west", "aws", 6, 0.64, 0.71, 212),
    ("ams-prod-2", "eu-west", "aws", 6, 0.58, 0.61, 212),
    ("fra-prod-1", "eu-central", "gcp", 8, 0.66, 0.69, 340),
    ("fra-prod-2", "eu-central", "gcp", 8, 0.93, 0.88, 340),
    ("lon-prod-1", "eu-north", "aws", 5, 0.44, 0.52, 120),
    ("lon-prod-2", "eu-north", "azure", 5, 0.71, 0.68, 120),
    ("mad-edge-1", "eu-edge", "metal", 2, 0.22, 0.31, 61),
    ("mil-edge-1", "eu-edge", "metal", 2, 0.51, 0.55, 61),
    ("waw-edge-1", "eu-edge", "metal", 2, 0.35, 0.79, 19),
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CLUSTERS.iter().map(|line| line.0)
}

pub(super) fn rows(now: Timestamp) -> Rows<ClusterRow> {
    Arc::new(
        CLUSTERS
            .iter()
            .map(|line| Arc::new(row(line, now)))
            .collect(),
    )
}

fn row(line: &Line, now: Timestamp) -> ClusterRow {
    let (name, region, provider, nodes, cpu, memory, days) = *line;
    let dead = name == "ams-prod-1";
    let edge = provider == "metal";
    let cores = f64::from(nodes) * 16.0;
    let usage = |total: f64, part: f64| Usage {
        used: (total * part).round(),
        total,
    };
    let bytes = f64::from(nodes) * 64.0;
    let memory = usage(bytes, memory);
    ClusterRow {
        name: name.to_owned(),
        ready: if dead { Tri::False } else { Tri::True },
        mode: if edge { "Pull" } else { "Push" }.to_owned(),
        version: if edge { "v1.32.4" } else { "v1.33.1" }.to_owned(),
        region: region.to_owned(),
        zone: if edge {
            String::new()
        } else {
            format!("{region}-1a")
        },
        provider: provider.to_owned(),
        endpoint: format!("https://{name}.example.net:6443"),
        nodes_ready: if name == "waw-edge-1" {
            nodes - 1
        } else {
            nodes
        },
        nodes,
        cpu: usage(cores, cpu),
        memory: Usage {
            used: memory.used * GIB,
            total: memory.total * GIB,
        },
        pods: usage(f64::from(nodes) * 110.0, cpu * 0.8),
        taints: match name {
            "ams-prod-1" => vec!["cluster.karmada.io/not-ready:NoSchedule".to_owned()],
            "lon-prod-2" => vec!["maintenance=planned:NoSchedule".to_owned()],
            _ => Vec::new(),
        },
        conditions: conditions(dead, now),
        apis: if edge { 21 } else { 34 },
        deleting: false,
        created: ago(now, days * DAY),
    }
}

fn conditions(dead: bool, now: Timestamp) -> Vec<ConditionRow> {
    let ready = if dead {
        ConditionRow {
            kind: "Ready".to_owned(),
            status: Tri::False,
            reason: "ClusterNotReachable".to_owned(),
            message: "cluster is not reachable: dial tcp 10.2.0.9:6443: i/o timeout".to_owned(),
            since: ago(now, 252),
        }
    } else {
        ConditionRow {
            kind: "Ready".to_owned(),
            status: Tri::True,
            reason: "ClusterReady".to_owned(),
            message: "cluster is healthy and ready to accept workloads".to_owned(),
            since: ago(now, 12 * DAY),
        }
    };
    let apis = ConditionRow {
        kind: "CompleteAPIEnablements".to_owned(),
        status: Tri::True,
        reason: "FullAPIEnablements".to_owned(),
        message: String::new(),
        since: ago(now, 12 * DAY),
    };
    vec![ready, apis]
}
