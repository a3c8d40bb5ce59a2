//! Terminating namespaces: their content goes first, then they go.

use std::sync::Arc;

use flybridge_machinery::object;
use serde_json::{Value, json};

use super::{open, remove};
use crate::options::{Propagation, WriteOptions};
use crate::record::Header;
use crate::registry::Definition;
use crate::request::Answer;
use crate::rest::pipeline::Part;
use crate::rest::update;
use crate::server::ApiServer;

/// Whether a namespace is being deleted.
pub(super) fn is_terminating(server: &ApiServer, name: &str) -> bool {
    let record = server.inner.store.snapshot().get("namespaces", name);
    record.is_some_and(|record| Header::of(&record).deletion_timestamp.is_some())
}

/// Deletes what is left in a terminating namespace; once nothing is, lets the namespace go.
pub(super) async fn finish(server: &ApiServer, name: &str) -> Answer<()> {
    let bucket = Definition::bucket_of("", "namespaces");
    let Some((call, namespace)) = open(server, &bucket, name) else { return Ok(()) };
    if !object::is_terminating(&namespace) {
        return Ok(());
    }
    let mut left = 0;
    let prefix = format!("{name}/");
    for definition in server.registry().storage() {
        if !definition.is_namespaced() {
            continue;
        }
        let snapshot = server.inner.store.snapshot();
        let names: Vec<Arc<str>> =
            snapshot.range(&definition.bucket, &prefix, None).map(|(name, _)| Arc::clone(name)).collect();
        for name in names {
            let Some((call, object)) = open(server, &definition.bucket, &name) else { continue };
            left += 1;
            if !object::is_terminating(&object) {
                remove(&call, Propagation::Background, None).await?;
            }
        }
    }
    if left > 0 {
        // Each removal comes back as an event, and the last of them finds nothing left.
        return Ok(());
    }
    let change = |old: &Value| {
        let mut new = old.clone();
        object::set_path(&mut new, &["spec", "finalizers"], json!([]));
        Ok(new)
    };
    match update::modify(&call, Part::Both, &WriteOptions::default(), change).await {
        Err(status) if status.code != 404 => Err(status),
        _ => Ok(()),
    }
}
