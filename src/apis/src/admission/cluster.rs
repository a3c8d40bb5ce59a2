//! Canonical form and validation of Cluster.

use std::collections::BTreeSet;

use flybridge_machinery::{FieldError, Quantity, names, time};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::cluster_endpoint;
use crate::cluster::{Cluster, ClusterSpec, LocalSecretReference, ResourceModel};
use crate::names::cluster_name_complaints;

/// The upper bound of the last grade.
const INFINITE: &str = "9223372036854775807";
const CPU_BOUNDS: [&str; 10] = ["0", "1", "2", "4", "8", "16", "32", "64", "128", INFINITE];
const MEMORY_BOUNDS: [&str; 10] = [
    "0", "4Gi", "16Gi", "32Gi", "64Gi", "128Gi", "256Gi", "512Gi", "1Ti", INFINITE,
];

/// The nine grades a cluster gets when it brings none.
pub fn default_resource_models() -> Value {
    let range = |name: &str, bounds: &[&str; 10], grade: usize| json!({ "name": name, "min": bounds[grade], "max": bounds[grade + 1] });
    (0..CPU_BOUNDS.len() - 1)
        .map(|grade| {
            json!({
                "grade": grade,
                "ranges": [
                    range("cpu", &CPU_BOUNDS, grade),
                    range("memory", &MEMORY_BOUNDS, grade),
                ],
            })
        })
        .collect()
}

/// Stamps NoExecute taints, moves the one zone to the list of zones, and completes the resource models.
pub fn canonicalize(cluster: &mut Value, creating: bool, now: Timestamp) {
    let Some(spec) = cluster.get_mut("spec").and_then(Value::as_object_mut) else {
        return;
    };
    let taints = spec.get_mut("taints").and_then(Value::as_array_mut);
    for taint in taints.into_iter().flatten() {
        if taint.get("effect").and_then(Value::as_str) == Some("NoExecute")
            && taint.get("timeAdded").is_none_or(Value::is_null)
        {
            taint["timeAdded"] = time::format(now).into();
        }
    }
    let zone = spec.get("zone").and_then(Value::as_str).unwrap_or_default();
    let has_zones = spec
        .get("zones")
        .and_then(Value::as_array)
        .is_some_and(|zones| !zones.is_empty());
    if !zone.is_empty() && !has_zones {
        let zones = json!([zone]);
        spec.remove("zone");
        spec.insert("zones".to_owned(), zones);
    }
    match spec.get_mut("resourceModels").and_then(Value::as_array_mut) {
        Some(models) if !models.is_empty() => standardize(models),
        _ if creating => {
            spec.insert("resourceModels".to_owned(), default_resource_models());
        }
        _ => {}
    }
}

/// Sorts by grade; the first grade starts at 0 and the last has no end.
fn standardize(models: &mut [Value]) {
    models.sort_by_key(|model| model.get("grade").and_then(Value::as_i64).unwrap_or(0));
    if let Some(first) = models.first_mut() {
        set_bound(first, "min", "0");
    }
    if let Some(last) = models.last_mut() {
        set_bound(last, "max", INFINITE);
    }
}

fn set_bound(model: &mut Value, bound: &str, value: &str) {
    let ranges = model.get_mut("ranges").and_then(Value::as_array_mut);
    for range in ranges.into_iter().flatten() {
        if let Some(range) = range.as_object_mut() {
            range.insert(bound.to_owned(), value.into());
        }
    }
}

/// Complaints about a cluster in canonical form.
pub(super) fn validate(cluster: &Cluster) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = cluster_name_complaints(cluster.name())
        .into_iter()
        .map(|complaint| FieldError::invalid("metadata.name", cluster.name(), &complaint))
        .collect();
    let spec = &cluster.spec;
    errors.extend(access(spec));
    errors.extend(location(spec));
    errors.extend(taints(spec));
    errors.extend(models(&spec.resource_models, "spec.resourceModels"));
    errors
}

fn access(spec: &ClusterSpec) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if !spec.api_endpoint.is_empty() {
        errors.extend(cluster_endpoint::api_endpoint(
            &spec.api_endpoint,
            "spec.apiEndpoint",
        ));
    }
    if !spec.proxy_url.is_empty() {
        errors.extend(cluster_endpoint::proxy_url(
            &spec.proxy_url,
            "spec.proxyURL",
        ));
    }
    for (reference, path) in [
        (&spec.secret_ref, "spec.secretRef"),
        (&spec.impersonator_secret_ref, "spec.impersonatorSecretRef"),
    ] {
        errors.extend(secret_reference(reference.as_ref(), path));
    }
    errors
}

fn secret_reference(reference: Option<&LocalSecretReference>, path: &str) -> Vec<FieldError> {
    let Some(reference) = reference else {
        return Vec::new();
    };
    [
        ("namespace", &reference.namespace),
        ("name", &reference.name),
    ]
    .into_iter()
    .filter(|(_, value)| value.is_empty())
    .map(|(member, _)| FieldError::required(format!("{path}.{member}"), ""))
    .collect()
}

fn location(spec: &ClusterSpec) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut check = |path: String, value: &str| {
        for complaint in names::label_value(value) {
            errors.push(FieldError::invalid(path.as_str(), value, &complaint));
        }
    };
    check("spec.provider".to_owned(), &spec.provider);
    check("spec.region".to_owned(), &spec.region);
    for (index, zone) in spec.zones.iter().enumerate() {
        check(format!("spec.zones[{index}]"), zone);
    }
    if !spec.zone.is_empty() && !spec.zones.is_empty() {
        errors.push(FieldError::invalid(
            "spec.zones",
            spec.zones.join(","),
            "zone and zones cannot be set together",
        ));
    }
    errors
}

fn taints(spec: &ClusterSpec) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, taint) in spec.taints.iter().enumerate() {
        let path = format!("spec.taints[{index}]");
        let value = taint.value.as_deref().unwrap_or_default();
        for complaint in names::qualified_name(&taint.key) {
            errors.push(FieldError::invalid(
                format!("{path}.key"),
                taint.key.as_str(),
                &complaint,
            ));
        }
        for complaint in names::label_value(value) {
            errors.push(FieldError::invalid(
                format!("{path}.value"),
                value,
                &complaint,
            ));
        }
        if !matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute") {
            errors.push(FieldError::not_supported(
                format!("{path}.effect"),
                taint.effect.as_str(),
                &["NoSchedule", "NoExecute"],
            ));
        }
        if !seen.insert((&taint.key, &taint.effect)) {
            errors.push(FieldError::duplicate(
                path,
                format!("{}:{}", taint.key, taint.effect),
            ));
        }
    }
    errors
}

fn models(models: &[ResourceModel], path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, model) in models.iter().enumerate() {
        let at = format!("{path}[{index}]");
        if index > 0 {
            errors.extend(neighbours(&models[index - 1], model, &at));
        }
        for (position, range) in model.ranges.iter().enumerate() {
            let (min, max) = (quantity(&range.min.0), quantity(&range.max.0));
            let at = format!("{at}.ranges[{position}]");
            if max <= min {
                errors.push(FieldError::invalid(
                    at.as_str(),
                    range.max.0.as_str(),
                    "max must be greater than min",
                ));
            }
            if index == 0 && !min.is_zero() {
                errors.push(FieldError::invalid(
                    at.as_str(),
                    range.min.0.as_str(),
                    "the first grade must start at 0",
                ));
            }
            if index + 1 == models.len() && max != quantity(INFINITE) {
                errors.push(FieldError::invalid(
                    at,
                    range.max.0.as_str(),
                    "the last grade must end at the greatest integer",
                ));
            }
        }
    }
    errors
}

fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).unwrap_or_else(|_| Quantity::units(0))
}

/// Complaints about two grades that follow each other.
fn neighbours(before: &ResourceModel, model: &ResourceModel, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if before.grade == model.grade {
        errors.push(FieldError::duplicate(format!("{path}.grade"), model.grade));
    }
    if before.ranges.len() != model.ranges.len() {
        errors.push(FieldError::invalid(
            format!("{path}.ranges"),
            model.ranges.len(),
            "every grade must have the same resources",
        ));
        return errors;
    }
    for (position, (low, high)) in before.ranges.iter().zip(&model.ranges).enumerate() {
        let at = format!("{path}.ranges[{position}]");
        if low.name != high.name {
            errors.push(FieldError::invalid(
                format!("{at}.name"),
                high.name.as_str(),
                "every grade must have the same resources in the same order",
            ));
        } else if quantity(&low.max.0) != quantity(&high.min.0) {
            errors.push(FieldError::invalid(
                at,
                high.min.0.as_str(),
                "must start where the grade before ends",
            ));
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(mut cluster: Value, creating: bool) -> Value {
        canonicalize(&mut cluster, creating, Timestamp::UNIX_EPOCH);
        cluster
    }

    fn fields(cluster: Value) -> Vec<String> {
        let cluster: Cluster = serde_json::from_value(cluster).unwrap();
        validate(&cluster)
            .into_iter()
            .map(|error| error.field)
            .collect()
    }

    #[test]
    fn stamps_taints_that_evict_and_leaves_others_alone() {
        let cluster = canonical(
            json!({"spec": {"taints": [
                {"key": "a", "effect": "NoExecute"},
                {"key": "b", "effect": "NoSchedule"},
                {"key": "c", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"},
            ]}}),
            false,
        );
        let taints = &cluster["spec"]["taints"];
        assert_eq!(taints[0]["timeAdded"], "1970-01-01T00:00:00Z");
        assert_eq!(taints[1].get("timeAdded"), None);
        assert_eq!(taints[2]["timeAdded"], "2026-01-01T00:00:00Z");
    }

    #[test]
    fn moves_the_one_zone_to_the_list() {
        let cluster = canonical(json!({"spec": {"zone": "z1"}}), false);
        assert_eq!(cluster["spec"], json!({"zones": ["z1"]}));
    }

    #[test]
    fn gives_new_clusters_the_default_grades_and_old_ones_nothing() {
        let cluster = canonical(json!({"metadata": {"name": "m1"}, "spec": {}}), true);
        let models = cluster["spec"]["resourceModels"].as_array().unwrap();
        assert_eq!(models.len(), 9);
        assert_eq!(
            models[1]["ranges"][1],
            json!({"name": "memory", "min": "4Gi", "max": "16Gi"})
        );
        assert_eq!(fields(cluster), Vec::<String>::new());
        assert_eq!(canonical(json!({"spec": {}}), false), json!({"spec": {}}));
    }

    #[test]
    fn own_grades_are_sorted_and_opened_at_both_ends() {
        let cluster = canonical(
            json!({"spec": {"resourceModels": [
                {"grade": 2, "ranges": [{"name": "cpu", "min": "4", "max": "8"}]},
                {"grade": 1, "ranges": [{"name": "cpu", "min": "2", "max": "4"}]},
            ]}}),
            false,
        );
        assert_eq!(
            cluster["spec"]["resourceModels"],
            json!([
                {"grade": 1, "ranges": [{"name": "cpu", "min": "0", "max": "4"}]},
                {"grade": 2, "ranges": [{"name": "cpu", "min": "4", "max": INFINITE}]},
            ])
        );
    }

    #[test]
    fn complains_about_each_fault_where_it_is() {
        let cluster = json!({
            "metadata": {"name": "Member_1"},
            "spec": {
                "syncMode": "Push",
                "apiEndpoint": "https://user@host/?q#f",
                "proxyURL": "ftp://proxy",
                "secretRef": {"namespace": "karmada-cluster", "name": ""},
                "region": "not valid!",
                "taints": [
                    {"key": "a", "effect": "NoExecute"},
                    {"key": "a", "effect": "NoExecute"},
                    {"key": "a", "effect": "PreferNoSchedule"},
                ],
                "resourceModels": [
                    {"grade": 0, "ranges": [{"name": "cpu", "min": "0", "max": "2"}]},
                    {"grade": 0, "ranges": [{"name": "cpu", "min": "3", "max": INFINITE}]},
                ],
            },
        });
        assert_eq!(
            fields(cluster),
            [
                "metadata.name",
                "spec.apiEndpoint",
                "spec.apiEndpoint",
                "spec.apiEndpoint",
                "spec.proxyURL",
                "spec.secretRef.name",
                "spec.region",
                "spec.taints[1]",
                "spec.taints[2].effect",
                "spec.resourceModels[1].grade",
                "spec.resourceModels[1].ranges[0]",
            ]
        );
    }

    #[test]
    fn accepts_usual_endpoints() {
        for endpoint in [
            "https://10.0.0.1:6443",
            "https://[fd00::1]:6443/base",
            "http://kind",
        ] {
            let cluster = json!({
                "metadata": {"name": "m1"},
                "spec": {"syncMode": "Push", "apiEndpoint": endpoint},
            });
            assert_eq!(fields(cluster), Vec::<String>::new(), "{endpoint}");
        }
    }
}
