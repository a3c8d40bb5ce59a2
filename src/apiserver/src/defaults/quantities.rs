//! Quantities in their canonical form.

use flybridge_machinery::Quantity;
use serde_json::{Map, Value};

use super::fill::visit;
use super::pod_template_path;

/// Lists of resources of a pod spec.
const POD_LISTS: &[&str] = &[
    "overhead",
    "resources.limits",
    "resources.requests",
    "containers[].resources.limits",
    "containers[].resources.requests",
    "initContainers[].resources.limits",
    "initContainers[].resources.requests",
    "ephemeralContainers[].resources.limits",
    "ephemeralContainers[].resources.requests",
    "volumes[].ephemeral.volumeClaimTemplate.spec.resources.limits",
    "volumes[].ephemeral.volumeClaimTemplate.spec.resources.requests",
];

/// Single quantities of a pod spec.
const POD_SINGLES: &[&str] = &[
    "volumes[].emptyDir.sizeLimit",
    "containers[].env[].valueFrom.resourceFieldRef.divisor",
    "initContainers[].env[].valueFrom.resourceFieldRef.divisor",
    "volumes[].downwardAPI.items[].resourceFieldRef.divisor",
    "volumes[].projected.sources[].downwardAPI.items[].resourceFieldRef.divisor",
];

fn lists(kind: (&str, &str)) -> &'static [&'static str] {
    match kind {
        ("", "Node") => &["status.capacity", "status.allocatable"],
        ("", "PersistentVolume") => &["spec.capacity"],
        ("", "PersistentVolumeClaim") => &[
            "spec.resources.limits",
            "spec.resources.requests",
            "status.capacity",
            "status.allocatedResources",
        ],
        ("", "ResourceQuota") => &["spec.hard", "status.hard", "status.used"],
        ("", "LimitRange") => &[
            "spec.limits[].max",
            "spec.limits[].min",
            "spec.limits[].default",
            "spec.limits[].defaultRequest",
            "spec.limits[].maxLimitRequestRatio",
        ],
        ("apps", "StatefulSet") => &[
            "spec.volumeClaimTemplates[].spec.resources.limits",
            "spec.volumeClaimTemplates[].spec.resources.requests",
        ],
        ("node.k8s.io", "RuntimeClass") => &["overhead.podFixed"],
        _ => &[],
    }
}

/// Rewrites every quantity of an object; malformed ones are left for validation.
pub(super) fn canonicalize(kind: (&str, &str), object: &mut Value) {
    for path in lists(kind) {
        visit(object, path, &mut canonical_list);
    }
    let spec = match (kind, pod_template_path(kind)) {
        (("", "Pod"), _) => object.get_mut("spec"),
        (_, Some(path)) => super::at_mut(object, path).and_then(|found| found.get_mut("spec")),
        _ => None,
    };
    if let Some(spec) = spec {
        for path in POD_LISTS {
            visit(spec, path, &mut canonical_list);
        }
        for path in POD_SINGLES {
            visit(spec, path, &mut |value| canonical(value, false));
        }
    }
    if kind == ("autoscaling", "HorizontalPodAutoscaler") {
        canonicalize_metrics(object);
    }
}

fn canonicalize_metrics(autoscaler: &mut Value) {
    for source in [
        "resource",
        "containerResource",
        "pods",
        "object",
        "external",
    ] {
        for field in ["value", "averageValue"] {
            let path = format!("spec.metrics[].{source}.target.{field}");
            visit(autoscaler, &path, &mut |value| canonical(value, false));
        }
    }
}

fn canonical_list(list: &mut Value) {
    for (_, value) in list.as_object_mut().into_iter().flatten() {
        canonical(value, true);
    }
}

/// Lists of resources are rounded up to thousandths, single quantities are not.
fn canonical(value: &mut Value, rounded: bool) {
    let Ok(quantity) = Quantity::from_json(value) else {
        return;
    };
    let quantity = if rounded {
        quantity.rounded_to_milli()
    } else {
        quantity
    };
    *value = quantity.to_string().into();
}

/// Limits of containers stand in for their missing defaults.
pub(super) fn default_limit_range(range: &mut Value) {
    visit(range, "spec.limits[]", &mut |limit| {
        if limit.get("type").and_then(Value::as_str) != Some("Container") {
            return;
        }
        inherit(limit, "default", "max");
        inherit(limit, "defaultRequest", "default");
        inherit(limit, "defaultRequest", "min");
    });
}

fn inherit(limit: &mut Value, to: &str, from: &str) {
    let source = limit
        .get(from)
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    if source.is_empty() {
        return;
    }
    let Some(map) = limit.as_object_mut() else {
        return;
    };
    let target = map.entry(to).or_insert_with(|| Value::Object(Map::new()));
    let Some(target) = target.as_object_mut() else {
        return;
    };
    for (resource, value) in source {
        target.entry(resource).or_insert(value);
    }
}
