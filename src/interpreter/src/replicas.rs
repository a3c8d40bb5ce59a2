//! How many replicas an object asks for and what one of them needs; setting the number.

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Pod, PodSpec, PodTemplateSpec};
use serde_json::Value;

use crate::operation::{not_handled, type_of};
use crate::pod_template::requirements;
use crate::{Error, Operation, Result, decode};

/// The replicas an object asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replicas {
    /// Their number.
    pub count: i64,
    /// `ReplicaRequirements` as JSON; nothing if a replica needs nothing particular.
    pub requirements: Option<Value>,
}

impl Replicas {
    fn of_template(count: Option<i32>, template: Option<&PodTemplateSpec>) -> Result<Self> {
        Self::of_spec(
            count.unwrap_or_default(),
            template.and_then(|t| t.spec.as_ref()),
        )
    }

    fn of_spec(count: i32, spec: Option<&PodSpec>) -> Result<Self> {
        Ok(Self {
            count: i64::from(count),
            requirements: spec.map(requirements).transpose()?.flatten(),
        })
    }
}

/// Reads the replicas of an object.
///
/// # Errors
/// No rule for the kind, or the object does not have its shape.
pub fn get_replicas(object: &Value) -> Result<Replicas> {
    match type_of(object) {
        ("apps/v1", "Deployment") => {
            let spec = decode::object::<Deployment>(object)?.spec;
            Replicas::of_template(spec.replicas, Some(&spec.template))
        }
        ("apps/v1", "ReplicaSet") => {
            let spec = decode::object::<ReplicaSet>(object)?.spec;
            Replicas::of_template(spec.replicas, spec.template.as_ref())
        }
        ("apps/v1", "StatefulSet") => {
            let spec = decode::object::<StatefulSet>(object)?.spec;
            Replicas::of_template(spec.replicas, Some(&spec.template))
        }
        ("batch/v1", "Job") => {
            let spec = decode::object::<Job>(object)?.spec.unwrap_or_default();
            let parallel = spec.parallelism.unwrap_or_default();
            let count = parallel.min(spec.completions.unwrap_or(parallel));
            Replicas::of_template(Some(count), Some(&spec.template))
        }
        ("v1", "Pod") => {
            let pod = decode::object::<Pod>(object)?;
            Replicas::of_spec(1, pod.spec.as_ref())
        }
        _ => not_handled(object, Operation::InterpretReplica),
    }
}

/// Sets the replicas of an object, where it already states them.
///
/// # Errors
/// No rule for the kind, or what it states is no number.
pub fn revise_replica(object: &mut Value, count: i64) -> Result<()> {
    let field = match type_of(object) {
        ("apps/v1", "Deployment" | "ReplicaSet" | "StatefulSet") => "replicas",
        ("batch/v1", "Job") => "parallelism",
        _ => return not_handled(object, Operation::ReviseReplica),
    };
    if let Some(stated) = object.get_mut("spec").and_then(|spec| spec.get_mut(field)) {
        if !stated.is_i64() {
            return Err(Error::invalid(format!("spec.{field} is no whole number")));
        }
        *stated = Value::from(count);
    }
    Ok(())
}
