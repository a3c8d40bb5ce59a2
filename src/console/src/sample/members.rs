//! What the members run: the workloads their bindings bring, and pods for each replica.

use std::sync::Arc;

use jiff::Timestamp;

use super::{ago, bindings, clusters};
use crate::rows::workload::member_id;
use crate::rows::{PodRow, Rows, WorkloadRow};

fn ready(resource: &str, cluster: &str, replicas: i32) -> i32 {
    if resource == "ledger" && cluster == "lon-prod-1" {
        1
    } else {
        replicas
    }
}

fn count(n: i32) -> u32 {
    u32::try_from(n).unwrap_or(0)
}

pub(super) fn workloads(cluster: &str, now: Timestamp) -> Rows<WorkloadRow> {
    let listed = ["Deployment", "StatefulSet", "DaemonSet", "Job"];
    let mut rows = Vec::new();
    for ((namespace, resource, kind, _, age), replicas) in bindings::placed(cluster) {
        if !listed.contains(kind) {
            continue;
        }
        let replicas = if *kind == "DaemonSet" { 2 } else { replicas };
        rows.push(Arc::new(WorkloadRow {
            id: member_id(cluster, kind, namespace, resource),
            cluster: cluster.to_owned(),
            namespace: (*namespace).to_owned(),
            name: (*resource).to_owned(),
            kind: (*kind).to_owned(),
            ready: count(ready(resource, cluster, replicas)),
            desired: count(replicas),
            updated: count(replicas),
            available: count(ready(resource, cluster, replicas)),
            images: format!("registry.example.net/{namespace}/{resource}:1.14.2"),
            created: ago(now, *age - 40),
        }));
    }
    Arc::new(rows)
}

pub(super) fn pods(cluster: &str, now: Timestamp) -> Rows<PodRow> {
    let at = clusters::names()
        .position(|name| name == cluster)
        .unwrap_or(0);
    let mut rows = Vec::new();
    for row in workloads(cluster, now).iter() {
        for replica in 0..row.desired {
            rows.push(Arc::new(pod(row, replica, at, now)));
        }
    }
    Arc::new(rows)
}

fn pod(row: &WorkloadRow, replica: u32, cluster: usize, now: Timestamp) -> PodRow {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let letter = |n: usize| char::from(LETTERS[(n * 7 + cluster * 3) % LETTERS.len()]);
    let seed = replica as usize + row.name.len() * 5;
    let hash: String = (0..5).map(|i| letter(seed + i * 11)).collect();
    let name = if row.kind == "Deployment" {
        format!("{}-7c9f5d8b46-{hash}", row.name)
    } else {
        format!("{}-{hash}", row.name)
    };
    let broken = replica >= row.ready;
    let status = match (broken, replica % 2) {
        (false, _) => "Running",
        (true, 0) => "CrashLoopBackOff",
        (true, _) => "Pending",
    };
    let node = format!("{}-node-{}", row.cluster, replica % 5 + 1);
    PodRow {
        id: member_id(&row.cluster, "Pod", &row.namespace, &name),
        cluster: row.cluster.clone(),
        namespace: row.namespace.clone(),
        name,
        ready: u32::from(!broken),
        containers: match row.name.as_str() {
            "ledger" => vec!["ledger".to_owned()],
            name => vec![name.to_owned()],
        },
        status: status.to_owned(),
        restarts: if status == "CrashLoopBackOff" { 14 } else { 0 },
        ip: if status == "Pending" {
            String::new()
        } else {
            format!(
                "10.{}.{}.{}",
                40 + cluster,
                replica % 5 + 1,
                17 + seed % 200
            )
        },
        node: if status == "Pending" {
            String::new()
        } else {
            node
        },
        created: ago(now, 6 * 3600 + i64::from(replica) * 913),
    }
}
