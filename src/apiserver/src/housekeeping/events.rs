//! Events are kept for an hour.

use std::sync::Arc;
use std::time::Duration;

use flybridge_machinery::time;
use flybridge_store::{Expect, Key, Op};

use crate::record::Header;
use crate::registry::Definition;
use crate::server::ApiServer;

const LIFETIME: Duration = Duration::from_secs(3600);

/// Deletes the events that are too old.
pub(super) async fn expire(server: &ApiServer) {
    let bucket = Definition::bucket_of("", "events");
    let snapshot = server.inner.store.snapshot();
    let mut ops = Vec::new();
    for (name, record) in snapshot.range(&bucket, "", None) {
        let header = Header::of(record);
        let created = header
            .creation_timestamp
            .as_deref()
            .and_then(|text| time::parse(text).ok());
        if created.is_some_and(|created| server.inner.clock.since(created) > LIFETIME) {
            let key = Key::new(Arc::clone(&bucket), Arc::clone(name));
            ops.push(Op::Delete {
                key,
                expect: Expect::Any,
                value: None,
            });
        }
    }
    if ops.is_empty() {
        return;
    }
    if let Err(error) = server.inner.store.commit(ops).await {
        tracing::warn!(%error, "expired events could not be deleted");
    }
}
