//! The choice of a policy and of overrides.

use flybridge_apis::matching::{Template, applied_overrides, best_policy, implicit_priority};
use flybridge_apis::{
    Cluster, ClusterOverridePolicy, ClusterPropagationPolicy, OverridePolicy, PropagationPolicy,
};
use serde_json::{Value, json};

use super::{Verdict, part, same};

pub(super) fn run(case: &Value) -> anyhow::Result<Verdict> {
    let input = &case["input"];
    let object = &input["object"];
    let template = Template::of(object);
    let namespaced: Vec<PropagationPolicy> = part(input, "propagationPolicies")?;
    let global: Vec<ClusterPropagationPolicy> = part(input, "clusterPropagationPolicies")?;
    let mut got = json!({
        "implicitPriorities": priorities(&namespaced, &global, &template),
    });
    if let Some(selected) = selected(&namespaced, &global, &template) {
        got["selected"] = selected;
    }
    let cluster: Cluster = part(input, "cluster")?;
    let overrides: Vec<OverridePolicy> = part(input, "overridePolicies")?;
    let cluster_overrides: Vec<ClusterOverridePolicy> = part(input, "clusterOverridePolicies")?;
    let local = overrides
        .iter()
        .filter(|policy| policy.metadata.namespace.as_deref() == Some(template.namespace));
    got["appliedOverrides"] = applied_overrides(local, &template, &cluster)
        .iter()
        .map(|applied| applied.policy)
        .collect();
    got["appliedClusterOverrides"] = applied_overrides(&cluster_overrides, &template, &cluster)
        .iter()
        .map(|applied| applied.policy)
        .collect();
    let mut want = case["output"].clone();
    if want.get("selected").is_some_and(Value::is_null) {
        want.as_object_mut()
            .map(|members| members.remove("selected"));
    }
    same(&got, &want)
}

fn selected(
    namespaced: &[PropagationPolicy],
    global: &[ClusterPropagationPolicy],
    template: &Template<'_>,
) -> Option<Value> {
    let local = namespaced.iter().filter(|policy| {
        !template.namespace.is_empty()
            && policy.metadata.namespace.as_deref() == Some(template.namespace)
    });
    if let Some(policy) = best_policy(local, template) {
        return Some(json!({
            "kind": "PropagationPolicy",
            "namespace": policy.metadata.namespace,
            "name": policy.metadata.name,
        }));
    }
    best_policy(global, template)
        .map(|policy| json!({ "kind": "ClusterPropagationPolicy", "name": policy.metadata.name }))
}

fn priorities(
    namespaced: &[PropagationPolicy],
    global: &[ClusterPropagationPolicy],
    template: &Template<'_>,
) -> Value {
    let mut priorities = json!({});
    for policy in namespaced {
        let key = format!(
            "PropagationPolicy/{}/{}",
            policy.metadata.namespace.as_deref().unwrap_or_default(),
            policy.metadata.name.as_deref().unwrap_or_default()
        );
        priorities[key] =
            json!(implicit_priority(&policy.spec.resource_selectors, template) as i32);
    }
    for policy in global {
        let key = format!(
            "ClusterPropagationPolicy/{}",
            policy.metadata.name.as_deref().unwrap_or_default()
        );
        priorities[key] =
            json!(implicit_priority(&policy.spec.resource_selectors, template) as i32);
    }
    priorities
}
