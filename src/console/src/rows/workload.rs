//! Rows of the workload list: Deployments, StatefulSets, DaemonSets and Jobs of all members.

use std::cmp::Ordering;

use flybridge_ui::{Cell, Column, Mark, Record, Role};
use jiff::Timestamp;

use super::{ListRow, ObjectRef, RowEnv, age_cell, ratio_cell};

/// What the console keeps of a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WorkloadRow {
    pub(crate) id: String,
    pub(crate) cluster: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) ready: u32,
    pub(crate) desired: u32,
    pub(crate) updated: u32,
    pub(crate) available: u32,
    pub(crate) images: String,
    pub(crate) created: Option<Timestamp>,
}

/// The id of a member object's row.
pub(crate) fn member_id(cluster: &str, kind: &str, namespace: &str, name: &str) -> String {
    format!("{cluster}/{kind}/{namespace}/{name}")
}

impl Record for WorkloadRow {
    type Env = RowEnv;

    const COLUMNS: &'static [Column] = &[
        Column::text("cluster", "CLUSTER", 0, 8, 20),
        Column::text("namespace", "NAMESPACE", 1, 9, 20),
        Column::text("name", "NAME", 0, 16, 36).growing(),
        Column::text("kind", "KIND", 1, 6, 12),
        Column::number("ready", "READY", 0, 5),
        Column::number("updated", "UP-TO-DATE", 3, 10),
        Column::number("available", "AVAILABLE", 3, 9),
        Column::text("images", "IMAGES", 4, 12, 40).growing(),
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
            3 => Cell::new(self.kind.as_str(), Role::Kind),
            4 => ratio_cell(self.ready, self.desired, env),
            5 => Cell::new(self.updated.to_string(), Role::Text),
            6 => Cell::new(self.available.to_string(), Role::Text),
            7 => Cell::new(self.images.as_str(), Role::Dim),
            _ => age_cell(self.created, env),
        }
    }

    fn compare(&self, other: &Self, column: usize) -> Ordering {
        match column {
            0 => self.cluster.cmp(&other.cluster),
            1 => self.namespace.cmp(&other.namespace),
            2 => self.name.cmp(&other.name),
            3 => self.kind.cmp(&other.kind),
            4 => self
                .mark()
                .cmp(&other.mark())
                .reverse()
                .then_with(|| self.ready.cmp(&other.ready)),
            5 => self.updated.cmp(&other.updated),
            6 => self.available.cmp(&other.available),
            7 => self.images.cmp(&other.images),
            _ => other.created.cmp(&self.created),
        }
    }

    fn mark(&self) -> Mark {
        match self.ready {
            ready if ready >= self.desired && self.updated >= self.desired => Mark::Ok,
            ready if ready >= self.desired => Mark::Moving,
            0 => Mark::Bad,
            _ => Mark::Attention,
        }
    }
}

impl ListRow for WorkloadRow {
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
            4 => Some(f64::from(self.ready)),
            5 => Some(f64::from(self.updated)),
            6 => Some(f64::from(self.available)),
            _ => None,
        }
    }

    fn created(&self) -> Option<Timestamp> {
        self.created
    }

    fn object(&self) -> ObjectRef {
        ObjectRef {
            cluster: Some(self.cluster.clone()),
            group: if self.kind == "Job" { "batch" } else { "apps" }.to_owned(),
            version: "v1".to_owned(),
            kind: self.kind.clone(),
            plural: format!("{}s", self.kind.to_ascii_lowercase()),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }
}
