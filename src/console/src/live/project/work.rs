//! From Works to rows.

use flybridge_apis::Work;
use flybridge_apis::names::cluster_of_execution_namespace;
use flybridge_apis::work::{APPLIED, ResourceHealth};
use serde_json::Value;

use super::{created, in_short, name, namespace, text};
use crate::rows::{Tri, WorkRow, path};

/// A row of the list of Works.
pub(in crate::live) fn work(work: &Work) -> WorkRow {
    let place = (namespace(&work.metadata), name(&work.metadata));
    let status = work.status.as_ref();
    let applied = status.and_then(|s| s.conditions.iter().find(|c| c.type_ == APPLIED));
    let state = applied.map_or(Tri::Unknown, |c| Tri::parse(&c.status));
    let reports = status.map_or(&[][..], |s| s.manifest_statuses.as_slice());
    let manifests = &work.spec.workload.manifests;
    let first = manifests.first().unwrap_or(&Value::Null);
    let field = |value: &Value| text(value.as_str().unwrap_or_default());
    let message = match (state, applied) {
        (Tri::True, _) => reports
            .iter()
            .filter_map(|report| report.status.as_ref())
            .map(in_short)
            .find(|text| !text.is_empty())
            .unwrap_or_default(),
        (_, Some(condition)) => text(&condition.message),
        (_, None) => String::new(),
    };
    let cluster = cluster_of_execution_namespace(&place.0).unwrap_or(&place.0);
    WorkRow {
        id: path(&place.0, &place.1),
        cluster: cluster.to_owned(),
        kind: field(&first["kind"]),
        namespace: field(&first["metadata"]["namespace"]),
        name: field(&first["metadata"]["name"]),
        more: manifests.len().saturating_sub(1),
        applied: state,
        healthy: least(reports.iter().map(|report| report.health)),
        suspended: work.spec.suspend_dispatching == Some(true),
        message,
        created: created(&work.metadata),
        place,
    }
}

/// Unhealthy if one is, healthy if all are.
fn least(reports: impl Iterator<Item = Option<ResourceHealth>>) -> Tri {
    reports
        .map(|health| match health {
            Some(ResourceHealth::Healthy) => Tri::True,
            Some(ResourceHealth::Unhealthy) => Tri::False,
            Some(ResourceHealth::Unknown) | None => Tri::Unknown,
        })
        .reduce(|a, b| match (a, b) {
            (Tri::False, _) | (_, Tri::False) => Tri::False,
            (Tri::True, Tri::True) => Tri::True,
            _ => Tri::Unknown,
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use flybridge_ui::{Mark, Record};
    use serde_json::json;

    use super::*;

    fn row(applied: &str, message: &str, health: &[&str]) -> WorkRow {
        let reports: Vec<Value> = health
            .iter()
            .enumerate()
            .map(|(ordinal, health)| {
                json!({
                    "identifier": {"ordinal": ordinal, "version": "v1", "kind": "Deployment",
                        "resource": "", "name": "web"},
                    "health": health,
                    "status": {"replicas": 3, "readyReplicas": 2},
                })
            })
            .collect();
        let object: Work = serde_json::from_value(json!({
            "metadata": {"namespace": "karmada-es-m1", "name": "web-1234"},
            "spec": {"workload": {"manifests": [
                {"kind": "Deployment", "metadata": {"namespace": "shop", "name": "web\u{1b}"}},
                {"kind": "Service", "metadata": {"namespace": "shop", "name": "web"}},
            ]}},
            "status": {
                "conditions": [{"type": "Applied", "status": applied, "reason": "R",
                    "message": message, "lastTransitionTime": "2026-01-01T00:00:00Z"}],
                "manifestStatuses": reports,
            },
        }))
        .unwrap();
        work(&object)
    }

    #[test]
    fn a_work_is_told_by_its_first_manifest_and_its_member() {
        let row = row("True", "applied", &["Healthy", "Healthy"]);
        assert_eq!(
            (row.cluster.as_str(), row.kind.as_str()),
            ("m1", "Deployment")
        );
        assert_eq!(path(&row.namespace, &row.name), "shop/web\u{241b}");
        assert_eq!((row.more, row.message.as_str()), (1, "ready 2/3"));
        assert_eq!(row.mark(), Mark::Ok);
        assert_eq!(row.id, "karmada-es-m1/web-1234");
    }

    #[test]
    fn the_least_health_and_the_refusal_count() {
        let unwell = row("True", "", &["Healthy", "Unhealthy"]);
        assert_eq!(
            (unwell.healthy, unwell.mark()),
            (Tri::False, Mark::Attention)
        );
        let refused = row("False", "quota\nexceeded", &[]);
        assert_eq!((refused.healthy, refused.mark()), (Tri::Unknown, Mark::Bad));
        assert_eq!(refused.message, "quota exceeded");
    }
}
