//! Rows of the cluster list.

use std::cmp::Ordering;

use flybridge_ui::{Cell, Column, Mark, Record, Role};
use jiff::Timestamp;

use super::{ListRow, ObjectRef, RowEnv, Tri, age_cell, share_cell};

/// An amount out of what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    /// Requested by pods.
    pub(crate) used: f64,
    /// Allocatable.
    pub(crate) total: f64,
}

impl Usage {
    /// The used part, if anything is known.
    pub(crate) fn fraction(self) -> Option<f64> {
        (self.total > 0.0).then(|| self.used / self.total)
    }
}

/// A condition as panels show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ConditionRow {
    /// Type.
    pub(crate) kind: String,
    /// Status.
    pub(crate) status: Tri,
    /// Reason.
    pub(crate) reason: String,
    /// Message.
    pub(crate) message: String,
    /// Last transition.
    pub(crate) since: Option<Timestamp>,
}

/// What the console keeps of a Cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClusterRow {
    pub(crate) name: String,
    pub(crate) ready: Tri,
    pub(crate) mode: String,
    pub(crate) version: String,
    pub(crate) region: String,
    pub(crate) zone: String,
    pub(crate) provider: String,
    pub(crate) endpoint: String,
    pub(crate) nodes_ready: u32,
    pub(crate) nodes: u32,
    pub(crate) cpu: Usage,
    /// In bytes.
    pub(crate) memory: Usage,
    pub(crate) pods: Usage,
    /// As `key=value:Effect`.
    pub(crate) taints: Vec<String>,
    pub(crate) conditions: Vec<ConditionRow>,
    /// API group versions it serves.
    pub(crate) apis: u32,
    pub(crate) deleting: bool,
    pub(crate) created: Option<Timestamp>,
}

impl ClusterRow {
    /// The Ready condition.
    pub(crate) fn ready_condition(&self) -> Option<&ConditionRow> {
        self.conditions.iter().find(|c| c.kind == "Ready")
    }
}

const NODES: usize = 6;
const CPU: usize = 7;
const MEM: usize = 8;

impl Record for ClusterRow {
    type Env = RowEnv;

    const COLUMNS: &'static [Column] = &[
        Column::text("name", "NAME", 0, 12, 32).growing(),
        Column::text("ready", "READY", 0, 5, 12),
        Column::text("mode", "MODE", 2, 4, 5),
        Column::text("version", "VERSION", 2, 7, 12),
        Column::text("region", "REGION", 3, 6, 16),
        Column::text("provider", "PROVIDER", 4, 8, 14),
        Column::number("nodes", "NODES", 1, 5),
        Column::number("cpu", "CPU", 1, 4),
        Column::number("mem", "MEM", 1, 4),
        Column::text("taints", "TAINTS", 5, 6, 40).growing(),
        Column::number("age", "AGE", 1, 4),
    ];

    fn id(&self) -> &str {
        &self.name
    }

    fn cell<'a>(&'a self, column: usize, env: &RowEnv) -> Cell<'a> {
        let or_none = |text: &'a str, role: Role| {
            if text.is_empty() {
                Cell::new(env.glyphs.none, Role::Faint)
            } else {
                Cell::new(text, role)
            }
        };
        match column {
            0 => Cell::new(self.name.as_str(), Role::Strong),
            1 if self.deleting => Cell::new("Deleting", Role::StateMoving),
            1 => Cell::new(
                self.ready.text(),
                match self.ready {
                    Tri::True => Role::StateOk,
                    Tri::False => Role::StateBad,
                    Tri::Unknown => Role::StateUnknown,
                },
            ),
            2 => or_none(&self.mode, Role::Dim),
            3 => or_none(&self.version, Role::Dim),
            4 => or_none(&self.region, Role::Text),
            5 => or_none(&self.provider, Role::Dim),
            NODES if self.nodes == 0 => Cell::new(env.glyphs.none, Role::Faint),
            NODES => {
                let role = if self.nodes_ready < self.nodes {
                    Role::StateWarn
                } else {
                    Role::Text
                };
                Cell::new(format!("{}/{}", self.nodes_ready, self.nodes), role)
            }
            CPU => share_cell(self.cpu.fraction(), env),
            MEM => share_cell(self.memory.fraction(), env),
            9 if self.taints.is_empty() => Cell::new(env.glyphs.none, Role::Faint),
            9 => {
                // The prefix of Karmada's own taints says nothing in a column this narrow.
                let taints = self.taints.join(" ").replace("cluster.karmada.io/", "");
                Cell::new(taints, Role::StateWarn)
            }
            _ => age_cell(self.created, env),
        }
    }

    fn compare(&self, other: &Self, column: usize) -> Ordering {
        let number = |row: &Self| row.number(column).unwrap_or(-1.0);
        match column {
            0 => self.name.cmp(&other.name),
            // What needs a look comes first.
            1 => other
                .ready
                .cmp(&self.ready)
                .then_with(|| self.mark().cmp(&other.mark()).reverse()),
            2 => self.mode.cmp(&other.mode),
            3 => self.version.cmp(&other.version),
            4 => self.region.cmp(&other.region),
            5 => self.provider.cmp(&other.provider),
            9 => self.taints.len().cmp(&other.taints.len()).reverse(),
            10 => other.created.cmp(&self.created),
            _ => number(self).total_cmp(&number(other)),
        }
    }

    fn mark(&self) -> Mark {
        if self.deleting {
            return Mark::Moving;
        }
        match self.ready {
            Tri::False => Mark::Bad,
            Tri::Unknown => Mark::Unknown,
            Tri::True if !self.taints.is_empty() || self.nodes_ready < self.nodes => {
                Mark::Attention
            }
            Tri::True => Mark::Ok,
        }
    }
}

impl ListRow for ClusterRow {
    fn namespace(&self) -> &str {
        ""
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn touches(&self, text: &str) -> bool {
        self.name.contains(text)
    }

    fn number(&self, column: usize) -> Option<f64> {
        match column {
            NODES => Some(f64::from(self.nodes)),
            CPU => self.cpu.fraction().map(|f| f * 100.0),
            MEM => self.memory.fraction().map(|f| f * 100.0),
            _ => None,
        }
    }

    fn created(&self) -> Option<Timestamp> {
        self.created
    }

    fn object(&self) -> ObjectRef {
        ObjectRef {
            group: "cluster.karmada.io".to_owned(),
            version: "v1alpha1".to_owned(),
            kind: "Cluster".to_owned(),
            plural: "clusters".to_owned(),
            name: self.name.clone(),
            ..ObjectRef::default()
        }
    }
}
