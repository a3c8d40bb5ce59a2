//! Which way replicas are divided.

use std::fmt;

use flybridge_apis::ResourceBindingSpec;
use flybridge_apis::placement::{
    Placement, ReplicaDivisionPreference, ReplicaScheduling, ReplicaSchedulingType,
};
use serde::Serialize;

/// How the replicas of a binding are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Strategy {
    /// All of them in every cluster.
    #[default]
    Duplicated,
    /// In as few clusters as have room.
    Aggregated,
    /// By fixed weights.
    StaticWeight,
    /// By the room clusters have.
    DynamicWeight,
    /// The combination of fields means nothing.
    Unsupported,
}

impl Strategy {
    /// The strategy of a placement; an absent one duplicates.
    pub fn of(scheduling: Option<&ReplicaScheduling>) -> Self {
        let Some(scheduling) = scheduling else {
            return Self::Duplicated;
        };
        match scheduling.replica_scheduling_type {
            Some(ReplicaSchedulingType::Duplicated) => return Self::Duplicated,
            Some(ReplicaSchedulingType::Divided) => {}
            None => return Self::Unsupported,
        }
        match scheduling.replica_division_preference {
            Some(ReplicaDivisionPreference::Aggregated) => Self::Aggregated,
            Some(ReplicaDivisionPreference::Weighted) => {
                let dynamic = scheduling
                    .weight_preference
                    .as_ref()
                    .is_some_and(|weights| weights.dynamic_weight.is_some());
                if dynamic {
                    Self::DynamicWeight
                } else {
                    Self::StaticWeight
                }
            }
            None => Self::Unsupported,
        }
    }

    /// Its name as users know it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Duplicated => "Duplicated",
            Self::Aggregated => "Divided, Aggregated",
            Self::StaticWeight => "Divided, static weights",
            Self::DynamicWeight => "Divided, dynamic weights",
            Self::Unsupported => "unsupported",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Whether spread constraints have no say because weights are fixed.
///
/// An empty but present weight preference does not count as fixed weights.
pub(crate) fn ignores_spread(placement: &Placement) -> bool {
    let Some(scheduling) = &placement.replica_scheduling else {
        return false;
    };
    if Strategy::of(Some(scheduling)) != Strategy::StaticWeight {
        return false;
    }
    scheduling
        .weight_preference
        .as_ref()
        .is_none_or(|weights| !weights.static_weight_list.is_empty())
}

/// Whether the binding's replicas are divided at all; otherwise every selected cluster is a plain target.
pub(crate) fn has_replicas(spec: &ResourceBindingSpec) -> bool {
    (spec.replicas > 0 || spec.replica_requirements.is_some()) && spec.components.len() <= 1
}
