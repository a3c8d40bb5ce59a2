//! One Work for every target of the made-up bindings.

use std::sync::Arc;

use flybridge_apis::names::execution_namespace;
use jiff::Timestamp;

use super::bindings;
use crate::rows::{Rows, WorkRow, path};

pub(super) fn rows(now: Timestamp) -> Rows<WorkRow> {
    let mut rows = Vec::new();
    for binding in bindings::rows(now).iter() {
        for target in &binding.targets {
            let place = (execution_namespace(&target.cluster), binding.name.clone());
            rows.push(Arc::new(WorkRow {
                id: path(&place.0, &path(&binding.namespace, &place.1)),
                cluster: target.cluster.clone(),
                kind: binding.kind.clone(),
                namespace: binding.namespace.clone(),
                name: binding.resource.clone(),
                more: 0,
                applied: target.applied,
                healthy: target.healthy,
                suspended: binding.suspended,
                message: if target.applied_message.is_empty() {
                    target.status.clone()
                } else {
                    target.applied_message.clone()
                },
                created: binding.created,
                place,
            }));
        }
    }
    Arc::new(rows)
}
