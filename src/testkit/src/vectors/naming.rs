//! Derived names.

use anyhow::bail;
use flybridge_apis::names;
use serde_json::{Value, json};

use super::{Verdict, part, same};

pub(super) fn run(case: &Value) -> anyhow::Result<Verdict> {
    let input = &case["input"];
    let args: Vec<String> = part(input, "args")?;
    let argument = |index: usize| args.get(index).map(String::as_str).unwrap_or_default();
    let (first, second, third) = (argument(0), argument(1), argument(2));
    let function: String = part(input, "function")?;
    let got = match function.split('(').next().unwrap_or_default() {
        "bindingReferenceKey" => json!(names::binding_reference_key(first, second)),
        "bindingName" => json!(names::binding_name(first, second)),
        "workName" => json!(names::work_name(first, second, third)),
        "policyName" => json!(names::promotion_policy_name(first, second, third)),
        "executionSpaceName" => json!(names::execution_namespace(first)),
        "clusterNameFromExecutionSpace" => names::cluster_of_execution_namespace(first)
            .map_or_else(|| json!({ "error": true }), |cluster| json!(cluster)),
        "serviceAccountName" => json!(names::service_account(first)),
        "roleName" => json!(names::cluster_role(first)),
        "endpointSliceName" => json!(names::imported_endpoint_slice(first, second)),
        "derivedServiceName" => json!(names::derived_service(first)),
        "estimatorServiceName" => json!(names::estimator_service(first, second)),
        "estimatorDeploymentName" => json!(names::estimator_deployment(first)),
        "isReservedNamespace" => json!(names::is_reserved_namespace(first)),
        "impersonationSecretName" => json!(names::impersonation_secret(first)),
        "namespacedKey" => json!(names::namespaced_key(first, second)),
        other => bail!("unknown function {other}"),
    };
    same(&got, &case["output"])
}
