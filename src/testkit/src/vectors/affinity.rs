//! Cluster affinities and taints as the scheduler sees them.

use flybridge_apis::matching::cluster_matches;
use flybridge_apis::{Cluster, ClusterAffinity};
use flybridge_scheduler::taints::first_untolerated;
use k8s_openapi::api::core::v1::Toleration;
use serde_json::{Value, json};

use super::{Verdict, part, same};

pub(super) fn run(case: &Value) -> anyhow::Result<Verdict> {
    let input = &case["input"];
    let cluster: Cluster = part(input, "cluster")?;
    let affinity: ClusterAffinity = part(input, "affinity")?;
    let tolerations: Vec<Toleration> = part(input, "tolerations")?;
    let untolerated = first_untolerated(&cluster.spec.taints, &tolerations);
    let mut got = json!({
        "matches": cluster_matches(&cluster, &affinity),
        "tolerated": untolerated.is_none(),
    });
    if let Some(taint) = untolerated {
        got["untoleratedTaint"] = serde_json::to_value(taint)?;
    }
    same(&got, &case["output"])
}
