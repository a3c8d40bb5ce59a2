//! The operations, and which kinds have a native rule for which.

use serde_json::Value;

use crate::{Error, Result};

/// One question that can be asked about a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// How many replicas it asks for.
    InterpretReplica,
    /// Which components it has.
    InterpretComponent,
    /// How to set its replicas.
    ReviseReplica,
    /// What to keep of the member's copy.
    Retain,
    /// What of its status to report.
    InterpretStatus,
    /// How to merge the members' status.
    AggregateStatus,
    /// Whether it is healthy.
    InterpretHealth,
    /// What it depends on.
    InterpretDependency,
}

impl Operation {
    /// The name used in customizations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InterpretReplica => "InterpretReplica",
            Self::InterpretComponent => "InterpretComponent",
            Self::ReviseReplica => "ReviseReplica",
            Self::Retain => "Retain",
            Self::InterpretStatus => "InterpretStatus",
            Self::AggregateStatus => "AggregateStatus",
            Self::InterpretHealth => "InterpretHealth",
            Self::InterpretDependency => "InterpretDependency",
        }
    }
}

/// Whether a rule exists for the kind.
pub fn hook_enabled(api_version: &str, kind: &str, operation: Operation) -> bool {
    match operation {
        Operation::InterpretStatus => true,
        Operation::InterpretComponent => false,
        Operation::InterpretReplica => matches!(
            (api_version, kind),
            ("apps/v1", "Deployment" | "ReplicaSet" | "StatefulSet")
                | ("batch/v1", "Job")
                | ("v1", "Pod")
        ),
        Operation::ReviseReplica => matches!(
            (api_version, kind),
            ("apps/v1", "Deployment" | "ReplicaSet" | "StatefulSet") | ("batch/v1", "Job")
        ),
        Operation::Retain => matches!(
            (api_version, kind),
            ("apps/v1", "Deployment")
                | ("batch/v1", "Job")
                | (
                    "v1",
                    "Pod"
                        | "Service"
                        | "ServiceAccount"
                        | "Secret"
                        | "PersistentVolume"
                        | "PersistentVolumeClaim"
                )
        ),
        Operation::AggregateStatus => matches!(
            (api_version, kind),
            (
                "apps/v1",
                "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet"
            ) | ("batch/v1", "Job" | "CronJob")
                | (
                    "v1",
                    "Pod" | "Service" | "PersistentVolume" | "PersistentVolumeClaim"
                )
                | ("networking.k8s.io/v1", "Ingress")
                | ("policy/v1", "PodDisruptionBudget")
                | ("autoscaling/v2", "HorizontalPodAutoscaler")
        ),
        Operation::InterpretHealth => matches!(
            (api_version, kind),
            (
                "apps/v1",
                "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet"
            ) | ("v1", "Pod" | "Service" | "PersistentVolumeClaim")
                | ("networking.k8s.io/v1", "Ingress")
                | ("policy/v1", "PodDisruptionBudget")
        ),
        Operation::InterpretDependency => matches!(
            (api_version, kind),
            (
                "apps/v1",
                "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet"
            ) | ("batch/v1", "Job" | "CronJob")
                | ("v1", "Pod")
                | ("networking.k8s.io/v1", "Ingress")
                | ("multicluster.x-k8s.io/v1alpha1", "ServiceImport")
        ),
    }
}

/// The apiVersion and kind of an object, for dispatch.
pub(crate) fn type_of(object: &Value) -> (&str, &str) {
    (
        object["apiVersion"].as_str().unwrap_or_default(),
        object["kind"].as_str().unwrap_or_default(),
    )
}

pub(crate) fn not_handled<T>(object: &Value, operation: Operation) -> Result<T> {
    let (api_version, kind) = type_of(object);
    Err(Error::NotHandled {
        operation: operation.name(),
        kind: format!("{api_version}, Kind={kind}"),
    })
}
