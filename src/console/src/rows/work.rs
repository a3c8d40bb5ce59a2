//! Rows of the list of Works: what each member has been given, and what became of it.

use std::cmp::Ordering;

use flybridge_ui::{Cell, Column, Mark, Record, Role};
use jiff::Timestamp;

use super::{ListRow, ObjectRef, RowEnv, Tri, age_cell};

/// What the console keeps of a Work.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WorkRow {
    pub(crate) id: String,
    /// The execution namespace, and the name of the Work in it.
    pub(crate) place: (String, String),
    pub(crate) cluster: String,
    /// Kind, namespace and name of the first manifest.
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// Manifests besides the first.
    pub(crate) more: usize,
    pub(crate) applied: Tri,
    /// The least health of its manifests.
    pub(crate) healthy: Tri,
    /// Whether nothing is sent to the member.
    pub(crate) suspended: bool,
    /// Why it is not applied, or what the member reports.
    pub(crate) message: String,
    pub(crate) created: Option<Timestamp>,
}

impl Record for WorkRow {
    type Env = RowEnv;

    const COLUMNS: &'static [Column] = &[
        Column::text("cluster", "CLUSTER", 0, 7, 20),
        Column::text("namespace", "NAMESPACE", 3, 9, 20),
        Column::text("name", "NAME", 0, 10, 16).growing(),
        Column::text("kind", "KIND", 1, 6, 16),
        Column::text("applied", "APPLIED", 0, 7, 9),
        Column::text("health", "HEALTH", 0, 7, 9),
        Column::text("message", "MESSAGE", 0, 8, 12).growing(),
        Column::number("age", "AGE", 2, 4),
    ];

    fn id(&self) -> &str {
        &self.id
    }

    fn cell<'a>(&'a self, column: usize, env: &RowEnv) -> Cell<'a> {
        match column {
            0 => Cell::new(self.cluster.as_str(), Role::Cluster),
            1 if self.namespace.is_empty() => Cell::new(env.glyphs.none, Role::Faint),
            1 => Cell::new(self.namespace.as_str(), Role::Namespace),
            2 if self.more > 0 => Cell::new(self.name.as_str(), Role::Strong)
                .then(format!(" and {} more", self.more), Role::Dim),
            2 => Cell::new(self.name.as_str(), Role::Strong),
            3 => Cell::new(self.kind.as_str(), Role::Kind),
            4 if self.suspended => Cell::new("Suspended", Role::StateMoving),
            4 => match self.applied {
                Tri::True => Cell::new("True", Role::StateOk),
                Tri::False => Cell::new("False", Role::StateBad),
                Tri::Unknown => Cell::new("Pending", Role::StateUnknown),
            },
            5 => match self.healthy {
                Tri::True => Cell::new("Healthy", Role::StateOk),
                Tri::False => Cell::new("Unhealthy", Role::StateWarn),
                Tri::Unknown => Cell::new("Unknown", Role::StateUnknown),
            },
            6 if self.message.is_empty() => Cell::new(env.glyphs.none, Role::Faint),
            6 => Cell::new(
                self.message.as_str(),
                match self.applied {
                    Tri::False => Role::StateBad,
                    _ => Role::Dim,
                },
            ),
            _ => age_cell(self.created, env),
        }
    }

    fn compare(&self, other: &Self, column: usize) -> Ordering {
        match column {
            0 => self.cluster.cmp(&other.cluster),
            1 => self.namespace.cmp(&other.namespace),
            2 => self.name.cmp(&other.name),
            3 => self.kind.cmp(&other.kind),
            4 => self.mark().cmp(&other.mark()).reverse(),
            5 => self.healthy.cmp(&other.healthy).reverse(),
            6 => self.message.cmp(&other.message),
            _ => other.created.cmp(&self.created),
        }
    }

    fn mark(&self) -> Mark {
        match (self.applied, self.healthy) {
            (Tri::False, _) => Mark::Bad,
            _ if self.suspended => Mark::Moving,
            (Tri::Unknown, _) => Mark::Unknown,
            (Tri::True, Tri::False) => Mark::Attention,
            (Tri::True, Tri::Unknown) => Mark::None,
            (Tri::True, Tri::True) => Mark::Ok,
        }
    }
}

impl ListRow for WorkRow {
    fn namespace(&self) -> &str {
        &self.namespace
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn touches(&self, text: &str) -> bool {
        self.cluster.contains(text)
    }

    fn number(&self, _column: usize) -> Option<f64> {
        None
    }

    fn created(&self) -> Option<Timestamp> {
        self.created
    }

    fn object(&self) -> ObjectRef {
        ObjectRef {
            group: "work.karmada.io".to_owned(),
            version: "v1alpha1".to_owned(),
            kind: "Work".to_owned(),
            plural: "works".to_owned(),
            namespace: self.place.0.clone(),
            name: self.place.1.clone(),
            ..ObjectRef::default()
        }
    }
}
