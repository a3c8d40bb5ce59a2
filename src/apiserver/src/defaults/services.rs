//! Services and network policies.

use flybridge_machinery::object::{get_path, path_list, path_str};
use serde_json::{Value, json};

use super::fill::Fill::{Bool, Int, Map, Text};
use super::fill::{fill, visit};

fn has_selector(service: &Value) -> bool {
    get_path(service, &["spec", "selector"])
        .and_then(Value::as_object)
        .is_some_and(|selector| !selector.is_empty())
}

pub(super) fn default_service(service: &mut Value) {
    fill(service, "spec.sessionAffinity", Text("None"));
    if path_str(service, &["spec", "sessionAffinity"]) == Some("ClientIP") {
        fill(service, "spec.sessionAffinityConfig", Map);
        fill(service, "spec.sessionAffinityConfig.clientIP", Map);
        fill(
            service,
            "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
            Int(10800),
        );
    }
    fill(service, "spec.type", Text("ClusterIP"));
    fill(service, "spec.ports[].protocol", Text("TCP"));
    visit(service, "spec.ports[]", &mut |port| {
        let unset = match port.get("targetPort") {
            None | Some(Value::Null) => true,
            Some(target) => target.as_i64() == Some(0) || target.as_str() == Some(""),
        };
        if unset && let Some(number) = port.get("port").cloned() {
            port["targetPort"] = number;
        }
    });
    let kind = path_str(service, &["spec", "type"])
        .unwrap_or_default()
        .to_owned();
    let exposed = matches!(kind.as_str(), "NodePort" | "LoadBalancer");
    if exposed || kind == "ClusterIP" && !path_list(service, &["spec", "externalIPs"]).is_empty() {
        fill(service, "spec.externalTrafficPolicy", Text("Cluster"));
    }
    if exposed || kind == "ClusterIP" {
        fill(service, "spec.internalTrafficPolicy", Text("Cluster"));
    }
    if kind == "LoadBalancer" {
        fill(service, "spec.allocateLoadBalancerNodePorts", Bool(true));
    }
}

/// The address families of a new service, in a cluster of one IPv4 family.
pub(super) fn prepare_families(service: &mut Value) {
    if path_str(service, &["spec", "type"]) == Some("ExternalName") {
        return;
    }
    let cluster_ip = path_str(service, &["spec", "clusterIP"])
        .unwrap_or_default()
        .to_owned();
    let any_family = cluster_ip == "None" && !has_selector(service);
    let Some(spec) = service.get_mut("spec").and_then(Value::as_object_mut) else {
        return;
    };
    if !cluster_ip.is_empty() {
        spec.entry("clusterIPs")
            .or_insert_with(|| json!([cluster_ip]));
    }
    let (families, policy) = if any_family {
        (json!(["IPv4", "IPv6"]), "RequireDualStack")
    } else {
        (json!(["IPv4"]), "SingleStack")
    };
    spec.entry("ipFamilies").or_insert(families);
    spec.entry("ipFamilyPolicy")
        .or_insert_with(|| policy.into());
}

pub(super) fn default_network_policy(policy: &mut Value) {
    fill(policy, "spec.ingress[].ports[].protocol", Text("TCP"));
    fill(policy, "spec.egress[].ports[].protocol", Text("TCP"));
    let egress = !path_list(policy, &["spec", "egress"]).is_empty();
    visit(policy, "spec", &mut |spec| {
        if path_list(spec, &["policyTypes"]).is_empty() {
            spec["policyTypes"] = if egress {
                json!(["Ingress", "Egress"])
            } else {
                json!(["Ingress"])
            };
        }
    });
}
