//! Services: a cluster address, a load balancer's address, and the EndpointSlice of the pods behind it.
//!
//! Source: upstream's endpointslice controller, one slice a service; names and addresses follow from
//! the seed instead of an allocator.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{LoadBalancerIngress, LoadBalancerStatus, Pod, Service};
use k8s_openapi::api::discovery::v1::{Endpoint, EndpointConditions, EndpointPort, EndpointSlice};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::json;

use crate::object::{Kind, is_deleting, label, name, owner_reference, uid};
use crate::plan::{Action, Plan, key, reference};
use crate::pods;
use crate::seed::Seed;

/// Names the service of a slice.
const SERVICE_NAME: &str = "kubernetes.io/service-name";
/// Names who keeps a slice.
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
/// Who keeps these.
const MANAGER: &str = "endpointslice-controller.k8s.io";

/// Plans one step for `service`, whose own slices are `slices`; `candidates` are the pods of its
/// namespace.
pub fn plan(
    service: &Service,
    slices: &[Arc<EndpointSlice>],
    candidates: &[Arc<Pod>],
    seed: Seed,
) -> Plan {
    let mut plan = Plan::idle();
    if is_deleting(&service.metadata) {
        return plan;
    }
    addresses(service, seed, &mut plan);
    if selector(service).is_none() {
        return plan;
    }
    let wanted = slice(service, candidates, seed);
    match slices.first() {
        None => plan.push(Action::Create(wanted.into())),
        Some(present) if contents(present) != contents(&wanted) => {
            plan.push(Action::Patch {
                key: key(Kind::EndpointSlice, &present.metadata),
                patch: json!({
                    "metadata": {"uid": present.metadata.uid},
                    "endpoints": wanted.endpoints,
                    "ports": wanted.ports,
                }),
            });
        }
        Some(_) => {}
    }
    plan
}

/// What a slice says; a missing list is an empty one.
fn contents(slice: &EndpointSlice) -> (&[Endpoint], &[EndpointPort]) {
    (
        slice.endpoints.as_deref().unwrap_or_default(),
        slice.ports.as_deref().unwrap_or_default(),
    )
}

/// Whether a service's selector takes in a pod.
pub(crate) fn selects(service: &Service, pod: &Pod) -> bool {
    service.metadata.namespace == pod.metadata.namespace
        && selector(service).is_some_and(|selector| {
            let mut pairs = selector.iter();
            pairs.all(|(key, value)| label(&pod.metadata, key) == Some(value))
        })
}

fn selector(service: &Service) -> Option<&std::collections::BTreeMap<String, String>> {
    let selector = service.spec.as_ref()?.selector.as_ref()?;
    (!selector.is_empty()).then_some(selector)
}

/// Gives the service the addresses its type calls for, unless it has them.
fn addresses(service: &Service, seed: Seed, plan: &mut Plan) {
    let spec = service.spec.clone().unwrap_or_default();
    let type_ = spec.type_.as_deref().unwrap_or("ClusterIP");
    let seed = seed.of(&["service", uid(&service.metadata)]);
    let external = type_ == "ExternalName";
    if !external && spec.cluster_ip.is_none_or(|ip| ip.is_empty()) {
        let ip = format!(
            "10.96.{}.{}",
            seed.at(0).below(256),
            1 + seed.at(1).below(254)
        );
        plan.push(Action::Patch {
            key: key(Kind::Service, &service.metadata),
            patch: json!({
                "metadata": {"uid": service.metadata.uid},
                "spec": {"clusterIP": ip, "clusterIPs": [ip]},
            }),
        });
    }
    let status = service.status.clone().unwrap_or_default();
    let balancer = status
        .load_balancer
        .as_ref()
        .and_then(|b| b.ingress.as_ref());
    if type_ == "LoadBalancer" && balancer.is_none_or(Vec::is_empty) {
        let ip = format!("203.0.113.{}", 1 + seed.at(2).below(254));
        let mut written = service.clone();
        written.status.get_or_insert_default().load_balancer = Some(LoadBalancerStatus {
            ingress: Some(vec![LoadBalancerIngress {
                ip: Some(ip),
                ip_mode: Some("VIP".to_owned()),
                ..LoadBalancerIngress::default()
            }]),
        });
        plan.push(Action::Status(written.into()));
    }
}

fn slice(service: &Service, candidates: &[Arc<Pod>], seed: Seed) -> EndpointSlice {
    let service_name = name(&service.metadata);
    let suffix = seed.of(&["slice", uid(&service.metadata)]).suffix(5);
    let behind: Vec<&Pod> = candidates
        .iter()
        .map(Arc::as_ref)
        .filter(|pod| selects(service, pod) && !pods::is_finished(pod))
        .collect();
    let mut labels = service.metadata.labels.clone().unwrap_or_default();
    labels.insert(SERVICE_NAME.to_owned(), service_name.to_owned());
    labels.insert(MANAGED_BY.to_owned(), MANAGER.to_owned());
    EndpointSlice {
        metadata: ObjectMeta {
            name: Some(format!("{service_name}-{suffix}")),
            namespace: service.metadata.namespace.clone(),
            labels: Some(labels),
            owner_references: Some(vec![owner_reference("v1", "Service", &service.metadata)]),
            ..ObjectMeta::default()
        },
        address_type: "IPv4".to_owned(),
        endpoints: Some(behind.iter().filter_map(|pod| endpoint(pod)).collect()),
        ports: Some(ports(service, behind.first().copied())),
    }
}

fn endpoint(pod: &Pod) -> Option<Endpoint> {
    let ip = pod.status.as_ref()?.pod_ip.clone()?;
    let ready = pods::is_ready(pod);
    let terminating = is_deleting(&pod.metadata);
    let mut target = reference("v1", "Pod", &pod.metadata);
    (target.api_version, target.resource_version) = (None, None);
    Some(Endpoint {
        addresses: vec![ip],
        conditions: Some(EndpointConditions {
            ready: Some(ready && !terminating),
            serving: Some(ready),
            terminating: Some(terminating),
        }),
        node_name: pods::node_name(pod).map(str::to_owned),
        target_ref: Some(target),
        ..Endpoint::default()
    })
}

fn ports(service: &Service, pod: Option<&Pod>) -> Vec<EndpointPort> {
    let spec = service.spec.as_ref();
    spec.and_then(|spec| spec.ports.as_ref())
        .into_iter()
        .flatten()
        .map(|port| EndpointPort {
            name: Some(port.name.clone().unwrap_or_default()),
            protocol: Some(port.protocol.clone().unwrap_or_else(|| "TCP".to_owned())),
            port: match &port.target_port {
                Some(IntOrString::Int(number)) if *number > 0 => Some(*number),
                Some(IntOrString::String(wanted)) => pod.and_then(|pod| named_port(pod, wanted)),
                _ => Some(port.port),
            },
            app_protocol: port.app_protocol.clone(),
        })
        .collect()
}

fn named_port(pod: &Pod, wanted: &str) -> Option<i32> {
    let containers = pod.spec.as_ref()?.containers.iter();
    let mut ports = containers.flat_map(|container| container.ports.iter().flatten());
    let port = ports.find(|port| port.name.as_deref() == Some(wanted))?;
    Some(port.container_port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Object;
    use crate::testing::{at, decode, pod};

    fn service(type_: &str) -> Service {
        decode(json!({
            "metadata": {"name": "web", "namespace": "default", "uid": "uid-svc"},
            "spec": {
                "type": type_,
                "selector": {"app": "web"},
                "ports": [{"name": "http", "port": 80, "targetPort": "http"}],
            },
        }))
    }

    fn serving(name: &str, ip: &str) -> Pod {
        let mut pod = pod(name).on("n1").ready().build();
        pod.status.as_mut().unwrap().pod_ip = Some(ip.to_owned());
        pod.spec.as_mut().unwrap().containers[0].ports =
            Some(decode(json!([{"name": "http", "containerPort": 8080}])));
        pod
    }

    fn created(plan: &Plan) -> EndpointSlice {
        let slice = plan.actions.iter().find_map(|action| match action {
            Action::Create(Object::EndpointSlice(slice)) => Some(slice.as_ref().clone()),
            _ => None,
        });
        slice.unwrap()
    }

    #[test]
    fn the_slice_lists_the_selected_pods_and_their_named_port() {
        let mut leaving = serving("b", "10.0.0.3");
        leaving.metadata.deletion_timestamp = Some(crate::time::time(at(30)));
        let other = pod("c").label("app", "db").build();
        let pods = [serving("a", "10.0.0.2"), leaving, other, pod("d").build()].map(Arc::new);
        let slice = created(&plan(&service("ClusterIP"), &[], &pods, Seed::new(1)));
        assert_eq!(label(&slice.metadata, SERVICE_NAME), Some("web"));
        let endpoints: Vec<_> = slice
            .endpoints
            .iter()
            .flatten()
            .map(|e| {
                (
                    e.addresses[0].as_str(),
                    e.conditions.as_ref().unwrap().ready.unwrap(),
                )
            })
            .collect();
        assert_eq!(endpoints, [("10.0.0.2", true), ("10.0.0.3", false)]);
        assert_eq!(slice.ports.as_ref().unwrap()[0].port, Some(8080));
        let again = plan(
            &service("ClusterIP"),
            &[Arc::new(slice)],
            &pods,
            Seed::new(1),
        );
        assert!(
            again.actions.iter().all(
                |a| !matches!(a, Action::Patch { key, .. } if key.kind == Kind::EndpointSlice)
            )
        );
    }

    #[test]
    fn addresses_follow_the_type_and_are_given_once() {
        let balanced = plan(&service("LoadBalancer"), &[], &[], Seed::new(1));
        let [
            Action::Patch { patch, .. },
            Action::Status(Object::Service(written)),
            Action::Create(_),
        ] = balanced.actions.as_slice()
        else {
            panic!("{:?}", balanced.actions);
        };
        assert!(
            patch["spec"]["clusterIP"]
                .as_str()
                .unwrap()
                .starts_with("10.96.")
        );
        let mut settled = service("LoadBalancer");
        settled.status.clone_from(&written.status);
        settled.spec.as_mut().unwrap().cluster_ip = Some("10.96.0.9".to_owned());
        let again = plan(&settled, &[], &[], Seed::new(1));
        assert!(matches!(again.actions.as_slice(), [Action::Create(_)]));
        let mut headless = service("ClusterIP");
        headless.spec.as_mut().unwrap().cluster_ip = Some("None".to_owned());
        let plan = plan(&headless, &[], &[], Seed::new(1));
        assert!(matches!(plan.actions.as_slice(), [Action::Create(_)]));
    }
}
