//! What happens to a workload when it, or its cluster, fails.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Failover behaviour of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailoverBehavior {
    /// When the application is unhealthy; absent means no failover.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<ApplicationFailoverBehavior>,
    /// When the cluster fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterFailoverBehavior>,
}

/// Failover of an unhealthy application.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplicationFailoverBehavior {
    /// When to act.
    pub decision_conditions: DecisionConditions,
    /// How the old copy goes away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Gracefully"))]
    pub purge_mode: Option<PurgeMode>,
    /// Seconds to wait for the new copy before the old one goes; only with `Gracefully`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_period_seconds: Option<i32>,
    /// State carried over to the new copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_preservation: Option<StatePreservation>,
}

/// When an unhealthy application is moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionConditions {
    /// Seconds an unhealthy application is tolerated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 300))]
    pub toleration_seconds: Option<i32>,
}

/// Failover of a failed cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterFailoverBehavior {
    /// How the old copy goes away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "Gracefully", "enum" = ["Directly", "Gracefully"]))]
    pub purge_mode: Option<PurgeMode>,
    /// State carried over to the new copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_preservation: Option<StatePreservation>,
}

words! {
    /// How the copy in a failed cluster goes away.
    PurgeMode {
        /// At once, before the new copy starts.
        Directly = "Directly",
        /// After the new copy is healthy, or after the grace period.
        #[default]
        Gracefully = "Gracefully",
        /// Not at all, unless an operator confirms.
        Never = "Never",
    }
}

/// State carried from the old copy to the new one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatePreservation {
    /// What to carry.
    pub rules: Vec<StatePreservationRule>,
}

/// One value carried over as a label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatePreservationRule {
    /// Label that carries the value.
    pub alias_label_name: String,
    /// Where the value is in the status.
    pub json_path: String,
}

/// Label values preserved from a former copy.
pub type PreservedLabelState = BTreeMap<String, String>;
