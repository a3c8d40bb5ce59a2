//! What the fleet pane shows, worked out when data arrives.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_ui::{Mark, Record};
use jiff::Timestamp;

use crate::panes::bindings;
use crate::rows::{BindingRow, ClusterRow, Tri, Usage};
use crate::scroll::Scroll;
use crate::state::State;

/// The fleet in numbers, and what needs a look.
#[derive(Debug, Default)]
pub(crate) struct FleetState {
    /// The worst first.
    pub(crate) attention: Vec<Item>,
    pub(crate) scroll: Scroll,
    /// By region and provider.
    pub(super) groups: Vec<Group>,
    pub(super) total: Group,
    /// How many clusters and bindings are in each state.
    pub(crate) clusters: BTreeMap<Mark, u64>,
    pub(crate) bindings: BTreeMap<Mark, u64>,
}

/// One thing that needs a look.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Cluster(Arc<ClusterRow>),
    Binding(Arc<BindingRow>),
}

impl Item {
    /// Name of the cluster or path of the binding.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Cluster(row) => &row.name,
            Self::Binding(row) => &row.id,
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        match self {
            Self::Cluster(row) => row.mark(),
            Self::Binding(row) => row.mark(),
        }
    }

    /// Since when it is so, as far as that is known.
    pub(crate) fn since(&self) -> Option<Timestamp> {
        match self {
            Self::Cluster(row) => row.ready_condition().and_then(|c| c.since).or(row.created),
            Self::Binding(row) => row.created,
        }
    }

    /// What is the matter.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Cluster(row) => cluster_text(row),
            Self::Binding(row) => bindings::summary(row),
        }
    }

    /// Whether both are about the same thing.
    fn is(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::Cluster(_), Self::Cluster(_)) | (Self::Binding(_), Self::Binding(_))
        ) && self.name() == other.name()
    }
}

fn cluster_text(row: &ClusterRow) -> String {
    match (row.ready, row.ready_condition()) {
        _ if row.deleting => "leaving the fleet".to_owned(),
        (Tri::True, _) if row.nodes_ready < row.nodes => {
            format!("{} of {} nodes are ready", row.nodes_ready, row.nodes)
        }
        (Tri::True, _) => format!("tainted {}", row.taints.join(" ")),
        (_, Some(condition)) if condition.message.is_empty() => {
            format!("not ready: {}", condition.reason)
        }
        (_, Some(condition)) => format!("not ready: {} {}", condition.reason, condition.message),
        (_, None) => "nothing has been heard of it".to_owned(),
    }
}

/// Clusters of one region and provider.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    pub(super) region: String,
    pub(super) provider: String,
    pub(super) marks: Vec<Mark>,
    /// Ready ones and all.
    pub(super) nodes: (u32, u32),
    pub(super) cpu: Usage,
    pub(super) memory: Usage,
}

impl Group {
    fn add(&mut self, row: &ClusterRow) {
        self.marks.push(row.mark());
        self.nodes.0 += row.nodes_ready;
        self.nodes.1 += row.nodes;
        for (sum, part) in [(&mut self.cpu, row.cpu), (&mut self.memory, row.memory)] {
            sum.used += part.used;
            sum.total += part.total;
        }
    }
}

/// Works everything out again; the cursor stays on its item.
pub(crate) fn recompute(state: &mut State) {
    let mut groups: BTreeMap<(&str, &str), Group> = BTreeMap::new();
    let mut total = Group::default();
    let mut attention = Vec::new();
    let mut counts: [BTreeMap<Mark, u64>; 2] = Default::default();
    for row in state.clusters.table.rows().iter() {
        let group = groups
            .entry((&row.region, &row.provider))
            .or_insert_with(|| Group {
                region: row.region.clone(),
                provider: row.provider.clone(),
                ..Group::default()
            });
        group.add(row);
        total.add(row);
        *counts[0].entry(row.mark()).or_default() += 1;
        if row.mark() != Mark::Ok {
            attention.push(Item::Cluster(Arc::clone(row)));
        }
    }
    for row in state.bindings.table.rows().iter() {
        let mark = row.mark();
        *counts[1].entry(mark).or_default() += 1;
        if mark != Mark::Ok {
            attention.push(Item::Binding(Arc::clone(row)));
        }
    }
    // Clusters come before bindings, because they are often the cause.
    attention.sort_by_key(|item| (Reverse(item.mark()), matches!(item, Item::Binding(_))));
    let groups = groups.into_values().collect();
    let fleet = &mut state.fleet;
    let kept = fleet
        .attention
        .get(fleet.scroll.at)
        .and_then(|before| attention.iter().position(|item| item.is(before)));
    fleet.attention = attention;
    fleet.groups = groups;
    fleet.total = total;
    [fleet.clusters, fleet.bindings] = counts;
    let to = kept.unwrap_or(fleet.scroll.at);
    fleet.scroll.jump(to, fleet.attention.len());
}
