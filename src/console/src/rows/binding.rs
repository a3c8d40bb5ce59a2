//! Rows of the binding list.

use std::cmp::Ordering;

use flybridge_ui::{Cell, Column, Mark, Record, Role};
use jiff::Timestamp;

use super::{ListRow, ObjectRef, RowEnv, Tri, age_cell, path, ratio_cell};

/// A cluster a binding goes to, or is leaving.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Target {
    pub(crate) cluster: String,
    /// Replicas assigned; 0 for resources without any.
    pub(crate) replicas: i32,
    pub(crate) applied: Tri,
    pub(crate) applied_message: String,
    pub(crate) healthy: Tri,
    /// What the member reports, in short: `ready 3/4`.
    pub(crate) status: String,
    pub(crate) evicting: bool,
    /// Why it is leaving.
    pub(crate) reason: String,
}

/// What the console keeps of a ResourceBinding or ClusterResourceBinding.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BindingRow {
    pub(crate) id: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// Kind of the resource it binds.
    pub(crate) kind: String,
    pub(crate) api_version: String,
    /// Name of the resource it binds.
    pub(crate) resource: String,
    pub(crate) replicas: i32,
    pub(crate) scheduled: Tri,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) scheduled_at: Option<Timestamp>,
    /// Generation seen by the scheduler and the present one.
    pub(crate) generations: (i64, i64),
    pub(crate) targets: Vec<Target>,
    pub(crate) suspended: bool,
    pub(crate) policy: String,
    pub(crate) created: Option<Timestamp>,
}

impl BindingRow {
    /// Targets that stay, how many of them are applied, and how many healthy.
    pub(crate) fn counts(&self) -> (u32, u32, u32) {
        let mut counts = (0, 0, 0);
        for target in self.targets.iter().filter(|t| !t.evicting) {
            counts.0 += 1;
            counts.1 += u32::from(target.applied == Tri::True);
            counts.2 += u32::from(target.healthy == Tri::True);
        }
        counts
    }

    /// Whether some cluster is being left.
    pub(crate) fn evicting(&self) -> bool {
        self.targets.iter().any(|t| t.evicting)
    }

    /// One line on what is wrong, if something is.
    pub(crate) fn trouble(&self) -> Option<String> {
        let (want, applied, healthy) = self.counts();
        if self.scheduled == Tri::False {
            return Some(format!("not scheduled: {}", self.message));
        }
        if let Some(target) = self.targets.iter().find(|t| t.applied == Tri::False) {
            return Some(format!(
                "not applied in {}: {}",
                target.cluster, target.applied_message
            ));
        }
        if applied < want {
            return Some(format!("applied in {applied} of {want} clusters"));
        }
        if let Some(target) = self
            .targets
            .iter()
            .find(|t| t.healthy == Tri::False && !t.evicting)
        {
            return Some(format!(
                "unhealthy in {}: {}",
                target.cluster, target.status
            ));
        }
        (healthy < want).then(|| format!("healthy in {healthy} of {want} clusters"))
    }

    fn clusters<'a>(&'a self, env: &RowEnv) -> Cell<'a> {
        if self.targets.is_empty() {
            return Cell::new(env.glyphs.none, Role::Faint);
        }
        let mut cell = Cell::default();
        for (i, target) in self.targets.iter().enumerate() {
            if i > 0 {
                cell = cell.then(" ", Role::Dim);
            }
            let role = if target.evicting {
                Role::StateMoving
            } else {
                Role::Cluster
            };
            cell = cell.then(target.cluster.as_str(), role);
            if target.replicas > 0 {
                cell = cell.then(format!(":{}", target.replicas), Role::Number);
            }
            if target.evicting {
                cell = cell.then("(leaving)", Role::StateMoving);
            }
        }
        cell
    }
}

/// The id of a binding's row.
pub(crate) fn binding_id(namespace: &str, name: &str) -> String {
    path(namespace, name)
}

impl Record for BindingRow {
    type Env = RowEnv;

    const COLUMNS: &'static [Column] = &[
        Column::text("namespace", "NAMESPACE", 1, 9, 20),
        Column::text("name", "NAME", 0, 16, 24).growing(),
        Column::text("kind", "KIND", 3, 6, 16),
        Column::text("scheduled", "SCHEDULED", 0, 9, 16),
        Column::number("applied", "APPLIED", 2, 7),
        Column::number("healthy", "HEALTHY", 1, 7),
        Column::text("clusters", "CLUSTERS", 0, 12, 18).growing(),
        Column::number("age", "AGE", 2, 4),
    ];

    fn id(&self) -> &str {
        &self.id
    }

    fn cell<'a>(&'a self, column: usize, env: &RowEnv) -> Cell<'a> {
        let (want, applied, healthy) = self.counts();
        match column {
            0 if self.namespace.is_empty() => Cell::new(env.glyphs.none, Role::Faint),
            0 => Cell::new(self.namespace.as_str(), Role::Namespace),
            1 => Cell::new(self.name.as_str(), Role::Strong),
            2 => Cell::new(self.kind.as_str(), Role::Kind),
            3 if self.suspended => Cell::new("Suspended", Role::StateMoving),
            3 => match self.scheduled {
                Tri::True => Cell::new("True", Role::StateOk),
                Tri::Unknown => Cell::new("Pending", Role::StateUnknown),
                Tri::False if self.reason.is_empty() => Cell::new("False", Role::StateBad),
                Tri::False => Cell::new(self.reason.as_str(), Role::StateBad),
            },
            4 => ratio_cell(applied, want, env),
            5 => ratio_cell(healthy, want, env),
            6 => self.clusters(env),
            _ => age_cell(self.created, env),
        }
    }

    fn compare(&self, other: &Self, column: usize) -> Ordering {
        let missing = |row: &Self, healthy: bool| {
            let counts = row.counts();
            counts.0 - if healthy { counts.2 } else { counts.1 }
        };
        match column {
            0 => self.namespace.cmp(&other.namespace),
            1 => self.name.cmp(&other.name),
            2 => self.kind.cmp(&other.kind),
            3 => self.mark().cmp(&other.mark()).reverse(),
            4 => missing(other, false).cmp(&missing(self, false)),
            5 => missing(other, true).cmp(&missing(self, true)),
            6 => self.targets.len().cmp(&other.targets.len()),
            _ => other.created.cmp(&self.created),
        }
    }

    fn mark(&self) -> Mark {
        let (want, applied, healthy) = self.counts();
        if self.scheduled == Tri::False || self.targets.iter().any(|t| t.applied == Tri::False) {
            Mark::Bad
        } else if self.suspended || self.evicting() {
            Mark::Moving
        } else if self.scheduled == Tri::Unknown {
            Mark::Unknown
        } else if applied < want || healthy < want {
            Mark::Attention
        } else {
            Mark::Ok
        }
    }
}

impl ListRow for BindingRow {
    fn namespace(&self) -> &str {
        &self.namespace
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn touches(&self, text: &str) -> bool {
        self.targets.iter().any(|t| t.cluster.contains(text))
    }

    fn number(&self, column: usize) -> Option<f64> {
        let (_, applied, healthy) = self.counts();
        match column {
            4 => Some(f64::from(applied)),
            5 => Some(f64::from(healthy)),
            6 => Some(f64::from(
                u32::try_from(self.targets.len()).unwrap_or(u32::MAX),
            )),
            _ => None,
        }
    }

    fn created(&self) -> Option<Timestamp> {
        self.created
    }

    fn object(&self) -> ObjectRef {
        let (kind, plural) = if self.namespace.is_empty() {
            ("ClusterResourceBinding", "clusterresourcebindings")
        } else {
            ("ResourceBinding", "resourcebindings")
        };
        ObjectRef {
            group: "work.karmada.io".to_owned(),
            version: "v1alpha2".to_owned(),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            ..ObjectRef::default()
        }
    }

    fn is(&self, word: &str) -> bool {
        match word {
            "unscheduled" => self.scheduled != Tri::True,
            "evicting" => self.evicting(),
            "attention" => matches!(self.mark(), Mark::Attention | Mark::Bad | Mark::Unknown),
            "bad" => self.mark() == Mark::Bad,
            "ok" => self.mark() == Mark::Ok,
            "moving" => self.mark() == Mark::Moving,
            _ => false,
        }
    }
}
