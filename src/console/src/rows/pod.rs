//! Rows of the pod list.

use std::cmp::Ordering;

use flybridge_ui::{Cell, Column, Mark, Record, Role};
use jiff::Timestamp;

use super::{ListRow, ObjectRef, RowEnv, age_cell, ratio_cell};

/// What the console keeps of a Pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PodRow {
    pub(crate) id: String,
    pub(crate) cluster: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) ready: u32,
    pub(crate) containers: Vec<String>,
    /// As kubectl prints it: `Running`, `CrashLoopBackOff`, `Terminating`.
    pub(crate) status: String,
    pub(crate) restarts: u32,
    pub(crate) ip: String,
    pub(crate) node: String,
    pub(crate) created: Option<Timestamp>,
}

impl PodRow {
    fn total(&self) -> u32 {
        u32::try_from(self.containers.len()).unwrap_or(u32::MAX)
    }

    fn done(&self) -> bool {
        matches!(self.status.as_str(), "Completed" | "Succeeded")
    }
}

impl Record for PodRow {
    type Env = RowEnv;

    const COLUMNS: &'static [Column] = &[
        Column::text("cluster", "CLUSTER", 0, 8, 20),
        Column::text("namespace", "NAMESPACE", 2, 9, 20),
        Column::text("name", "NAME", 0, 16, 44).growing(),
        Column::number("ready", "READY", 0, 5),
        Column::text("status", "STATUS", 0, 8, 20),
        Column::number("restarts", "RESTARTS", 2, 8),
        Column::text("ip", "IP", 4, 7, 16),
        Column::text("node", "NODE", 3, 8, 30).growing(),
        Column::number("age", "AGE", 1, 4),
    ];

    fn id(&self) -> &str {
        &self.id
    }

    fn cell<'a>(&'a self, column: usize, env: &RowEnv) -> Cell<'a> {
        match column {
            0 => Cell::new(self.cluster.as_str(), Role::Cluster),
            1 => Cell::new(self.namespace.as_str(), Role::Namespace),
            2 => Cell::new(self.name.as_str(), Role::Strong),
            3 if self.done() => Cell::new(format!("{}/{}", self.ready, self.total()), Role::Dim),
            3 => ratio_cell(self.ready, self.total(), env),
            4 => Cell::new(
                self.status.as_str(),
                flybridge_ui::table::mark_role(self.mark()),
            ),
            5 => {
                let role = if self.restarts > 0 {
                    Role::StateWarn
                } else {
                    Role::Dim
                };
                Cell::new(self.restarts.to_string(), role)
            }
            6 => Cell::new(self.ip.as_str(), Role::Dim),
            7 => Cell::new(self.node.as_str(), Role::Dim),
            _ => age_cell(self.created, env),
        }
    }

    fn compare(&self, other: &Self, column: usize) -> Ordering {
        match column {
            0 => self.cluster.cmp(&other.cluster),
            1 => self.namespace.cmp(&other.namespace),
            2 => self.name.cmp(&other.name),
            3 => self.ready.cmp(&other.ready),
            4 => self
                .mark()
                .cmp(&other.mark())
                .reverse()
                .then_with(|| self.status.cmp(&other.status)),
            5 => other.restarts.cmp(&self.restarts),
            6 => self.ip.cmp(&other.ip),
            7 => self.node.cmp(&other.node),
            _ => other.created.cmp(&self.created),
        }
    }

    fn mark(&self) -> Mark {
        match self.status.as_str() {
            "Running" if self.ready == self.total() => Mark::Ok,
            "Running" => Mark::Attention,
            "Completed" | "Succeeded" => Mark::Ok,
            "Pending" | "ContainerCreating" | "PodInitializing" | "Terminating" => Mark::Moving,
            "Unknown" => Mark::Unknown,
            status if status.starts_with("Init:") => Mark::Moving,
            _ => Mark::Bad,
        }
    }
}

impl ListRow for PodRow {
    fn namespace(&self) -> &str {
        &self.namespace
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn touches(&self, text: &str) -> bool {
        self.cluster.contains(text)
    }

    fn number(&self, column: usize) -> Option<f64> {
        match column {
            3 => Some(f64::from(self.ready)),
            5 => Some(f64::from(self.restarts)),
            _ => None,
        }
    }

    fn created(&self) -> Option<Timestamp> {
        self.created
    }

    fn object(&self) -> ObjectRef {
        ObjectRef {
            cluster: Some(self.cluster.clone()),
            group: String::new(),
            version: "v1".to_owned(),
            kind: "Pod".to_owned(),
            plural: "pods".to_owned(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }
}
