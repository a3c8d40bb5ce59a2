//! Compute resources: names and quantities.

use flybridge_machinery::{Quantity, names};

use super::findings::{At, Findings};

const COMPUTE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Whether a name is not one of the compute resources that may be overcommitted.
fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.starts_with("kubernetes.io/")
}

fn is_huge_pages(name: &str) -> bool {
    name.starts_with("hugepages-")
}

fn quantity(at: &At<'_>) -> Option<Quantity> {
    Quantity::from_json(at.value).ok()
}

/// The name of a resource that a container may ask for.
fn container_resource(name: &str, at: &At<'_>, findings: &mut Findings) {
    let told = serde_json::Value::from(name);
    let place = At {
        value: &told,
        path: at.path.clone(),
    };
    for complaint in names::qualified_name(name) {
        findings.invalid(&place, &complaint);
    }
    if !name.contains('/') && !COMPUTE.contains(&name) && !is_huge_pages(name) {
        findings.invalid(
            &place,
            "must be a standard resource type or fully qualified",
        );
    }
}

/// A quantity that may not be negative.
pub(super) fn non_negative(at: &At<'_>, findings: &mut Findings) {
    if quantity(at).is_some_and(|amount| amount.is_negative()) {
        findings.invalid(at, "must be greater than or equal to 0");
    }
}

/// A list of resources as containers use them.
pub(super) fn amounts(list: &At<'_>, findings: &mut Findings) {
    for (name, amount) in list.entries() {
        container_resource(name, &amount, findings);
        non_negative(&amount, findings);
        let Some(value) = quantity(&amount) else {
            continue;
        };
        if is_extended(name) && value.milli_value() % 1000 != 0 {
            findings.invalid(&amount, "must be an integer");
        }
        if let Some(page) = name
            .strip_prefix("hugepages-")
            .and_then(|size| Quantity::parse(size).ok())
            && (value.is_zero() || page.is_zero() || value.value() % page.value().max(1) != 0)
        {
            findings.invalid(
                &amount,
                &format!("is not positive integer multiple of {name}"),
            );
        }
    }
}

/// Requests and limits of a container.
pub(super) fn requirements(resources: &At<'_>, findings: &mut Findings) {
    let (limits, requests) = (resources.get("limits"), resources.get("requests"));
    amounts(&limits, findings);
    amounts(&requests, findings);
    for (name, request) in requests.entries() {
        let Some(asked) = quantity(&request) else {
            continue;
        };
        match quantity(&limits.entry(name)) {
            Some(limit) => compare(name, &asked, &limit, &request, &requests, findings),
            None if is_extended(name) || is_huge_pages(name) => {
                findings.required(
                    &limits,
                    "Limit must be set for non overcommitable resources",
                );
            }
            None => {}
        }
    }
    let named = |list: &At<'_>, wanted: fn(&str) -> bool| {
        list.entries().iter().any(|(name, _)| wanted(name))
    };
    let compute = |name: &str| matches!(name, "cpu" | "memory");
    let huge = named(&limits, is_huge_pages) || named(&requests, is_huge_pages);
    if huge && !named(&limits, compute) && !named(&requests, compute) {
        findings.forbidden(resources, "HugePages require cpu or memory");
    }
}

fn compare(
    name: &str,
    asked: &Quantity,
    limit: &Quantity,
    request: &At<'_>,
    requests: &At<'_>,
    findings: &mut Findings,
) {
    let told = request.told_as(requests.path.clone());
    if asked > limit {
        findings.invalid(
            &told,
            &format!("must be less than or equal to {name} limit of {limit}"),
        );
    } else if asked != limit && (is_extended(name) || is_huge_pages(name)) {
        findings.invalid(&told, &format!("must be equal to {name} limit of {limit}"));
    }
}
