//! Workloads: apps, batch, autoscaling, policy.

use super::{Row, row};

fn apps(resource: &str, kind: &str) -> Row {
    row("apps", "v1", resource, kind)
}

/// Adds the rows of the workload groups.
pub(super) fn add(rows: &mut Vec<Row>) {
    rows.extend([
        apps("controllerrevisions", "ControllerRevision"),
        apps("daemonsets", "DaemonSet")
            .short(&["ds"])
            .category("all")
            .status()
            .generation(),
        apps("deployments", "Deployment")
            .short(&["deploy"])
            .category("all")
            .scale()
            .status()
            .generation(),
        apps("replicasets", "ReplicaSet")
            .short(&["rs"])
            .category("all")
            .scale()
            .status()
            .generation()
            .selects_as("status.replicas", "status.replicas", "0"),
        apps("statefulsets", "StatefulSet")
            .short(&["sts"])
            .category("all")
            .scale()
            .status()
            .generation(),
        row("batch", "v1", "cronjobs", "CronJob")
            .short(&["cj"])
            .category("all")
            .status()
            .generation(),
        row("batch", "v1", "jobs", "Job")
            .category("all")
            .status()
            .generation()
            .orphans()
            .selects_as("status.successful", "status.succeeded", "0"),
        autoscaler("v2"),
        autoscaler("v1"),
        row(
            "policy",
            "v1",
            "poddisruptionbudgets",
            "PodDisruptionBudget",
        )
        .short(&["pdb"])
        .status()
        .generation()
        .conditional(),
    ]);
}

fn autoscaler(version: &str) -> Row {
    row(
        "autoscaling",
        version,
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
    )
    .short(&["hpa"])
    .category("all")
    .status()
}
