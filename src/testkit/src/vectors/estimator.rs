//! Capacity estimates from cluster status.

use flybridge_apis::Cluster;
use flybridge_apis::resource_binding::{Component, ReplicaRequirements};
use flybridge_scheduler::general;
use serde_json::{Value, json};

use super::scheduler::options;
use super::{Verdict, part, same};

pub(super) fn run(case: &Value) -> anyhow::Result<Verdict> {
    let input = &case["input"];
    if input["estimator"] != "general" || input.get("assumedWorkloads").is_some() {
        return Ok(Verdict::Skipped);
    }
    let cluster: Cluster = part(input, "cluster")?;
    let components: Vec<Component> = part(input, "components")?;
    let requirements: Option<ReplicaRequirements> = part(input, "replicaRequirements")?;
    let models = options(input)?.resource_models;
    let most = if components.is_empty() {
        general::replicas(&cluster, requirements.as_ref(), models)
    } else {
        general::component_sets(&cluster, &components, models)
    };
    same(&json!({ "max": most }), &case["output"])
}
