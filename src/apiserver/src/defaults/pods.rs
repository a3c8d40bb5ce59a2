//! Pod specs, in pods and in templates.

use flybridge_machinery::Quantity;
use flybridge_machinery::object::{ensure_path, path_bool, path_list};
use serde_json::{Map, Value};

use super::fill::Fill::{Bool, Map as EmptyMap, NonZero, Text};
use super::fill::{Fill, fill, fill_all, visit};
use super::volumes;

const SPEC: &[(&str, Fill)] = &[
    ("dnsPolicy", Text("ClusterFirst")),
    ("restartPolicy", Text("Always")),
    ("securityContext", EmptyMap),
    ("schedulerName", Text("default-scheduler")),
    ("terminationGracePeriodSeconds", Fill::Int(30)),
];

const CONTAINER: &[(&str, Fill)] = &[
    ("terminationMessagePath", Text("/dev/termination-log")),
    ("terminationMessagePolicy", Text("File")),
    ("resources", EmptyMap),
    ("ports[].protocol", Text("TCP")),
    ("env[].valueFrom.fieldRef.apiVersion", Text("v1")),
    ("env[].valueFrom.resourceFieldRef.divisor", Text("0")),
    ("lifecycle.postStart.httpGet.path", Text("/")),
    ("lifecycle.postStart.httpGet.scheme", Text("HTTP")),
    ("lifecycle.preStop.httpGet.path", Text("/")),
    ("lifecycle.preStop.httpGet.scheme", Text("HTTP")),
];

const PROBE: &[(&str, Fill)] = &[
    ("timeoutSeconds", NonZero(1)),
    ("periodSeconds", NonZero(10)),
    ("successThreshold", NonZero(1)),
    ("failureThreshold", NonZero(3)),
    ("httpGet.path", Text("/")),
    ("httpGet.scheme", Text("HTTP")),
    ("grpc.service", Fill::EmptyText),
];

const CONTAINER_LISTS: [&str; 3] = ["containers[]", "initContainers[]", "ephemeralContainers[]"];

/// Fills in a pod spec, wherever it stands.
pub(super) fn default_spec(spec: &mut Value) {
    fill_all(spec, SPEC);
    mirror_service_account(spec);
    for list in CONTAINER_LISTS {
        visit(spec, list, &mut default_container);
    }
    visit(spec, "volumes[]", &mut volumes::default_volume);
}

/// The deprecated field and its successor always agree.
fn mirror_service_account(spec: &mut Value) {
    let Some(map) = spec.as_object_mut() else {
        return;
    };
    let name = |map: &Map<String, Value>, key: &str| {
        map.get(key)
            .and_then(Value::as_str)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    };
    let account = name(map, "serviceAccountName").or_else(|| name(map, "serviceAccount"));
    if let Some(account) = account {
        map.insert("serviceAccountName".to_owned(), account.as_str().into());
        map.insert("serviceAccount".to_owned(), account.into());
    }
}

fn default_container(container: &mut Value) {
    fill_all(container, CONTAINER);
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        visit(container, probe, &mut |probe| fill_all(probe, PROBE));
    }
    let image = container
        .get("image")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let policy = pull_policy(image);
    fill(container, "imagePullPolicy", Text(policy));
}

/// `Always` for the tag `latest`, given or implied; `IfNotPresent` otherwise.
pub(super) fn pull_policy(image: &str) -> &'static str {
    let (name, digest) = image
        .split_once('@')
        .map_or((image, None), |(name, d)| (name, Some(d)));
    let last = name.rsplit('/').next().unwrap_or(name);
    let tag = last.split_once(':').map(|(_, tag)| tag);
    match (tag, digest) {
        (Some("latest"), _) | (None, None) => "Always",
        _ => "IfNotPresent",
    }
}

/// Fills in what only pods have.
pub(super) fn default_pod(pod: &mut Value) {
    let Some(spec) = pod.get_mut("spec").filter(|spec| spec.is_object()) else {
        return;
    };
    default_spec(spec);
    fill(spec, "enableServiceLinks", Bool(true));
    for list in ["containers[]", "initContainers[]"] {
        visit(spec, list, &mut requests_from_limits);
    }
    pod_level_requests(spec);
    if path_bool(spec, &["hostNetwork"]) == Some(true) {
        for list in ["containers[].ports[]", "initContainers[].ports[]"] {
            visit(spec, list, &mut |port| {
                let number = port
                    .get("containerPort")
                    .and_then(Value::as_i64)
                    .unwrap_or_default();
                fill(port, "hostPort", NonZero(number));
            });
        }
    }
}

/// What is limited is requested, unless said otherwise.
fn requests_from_limits(container: &mut Value) {
    let limits = container
        .pointer("/resources/limits")
        .and_then(Value::as_object)
        .cloned();
    let Some(limits) = limits.filter(|limits| !limits.is_empty()) else {
        return;
    };
    let requests = ensure_path(container, &["resources", "requests"]);
    for (resource, limit) in limits {
        requests.entry(resource).or_insert(limit);
    }
}

/// A limit of the whole pod requests what its containers request together, or itself.
fn pod_level_requests(spec: &mut Value) {
    let limits = spec
        .pointer("/resources/limits")
        .and_then(Value::as_object)
        .cloned();
    let Some(limits) = limits.filter(|limits| !limits.is_empty()) else {
        return;
    };
    for (resource, limit) in limits {
        let mut sum: Option<Quantity> = None;
        for container in path_list(spec, &["containers"]) {
            let request = container
                .get("resources")
                .and_then(|resources| resources.get("requests")?.get(&resource))
                .and_then(|request| Quantity::from_json(request).ok());
            if let Some(request) = request {
                sum = Some(sum.unwrap_or_default() + request);
            }
        }
        let request = sum.map_or(limit, |sum| sum.to_string().into());
        ensure_path(spec, &["resources", "requests"])
            .entry(resource)
            .or_insert(request);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulls_always_only_what_may_move() {
        for (image, policy) in [
            ("app", "Always"),
            ("app:latest", "Always"),
            ("reg.test:5000/app", "Always"),
            ("reg.test:5000/app:1", "IfNotPresent"),
            ("app@sha256:abc", "IfNotPresent"),
            ("app:latest@sha256:abc", "Always"),
        ] {
            assert_eq!(pull_policy(image), policy, "{image}");
        }
    }
}
