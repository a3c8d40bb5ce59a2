//! Terminating namespaces: their content goes first, then they go.

use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_machinery::{conditions, object};
use serde_json::{Value, json};

use super::{open, remove};
use crate::options::{Propagation, WriteOptions};
use crate::record::Header;
use crate::registry::Definition;
use crate::request::Answer;
use crate::rest::pipeline::Part;
use crate::rest::{Call, update};
use crate::server::ApiServer;

/// Whether a namespace is being deleted.
pub(super) fn is_terminating(server: &ApiServer, name: &str) -> bool {
    let record = server.inner.store.snapshot().get("namespaces", name);
    record.is_some_and(|record| Header::of(&record).deletion_timestamp.is_some())
}

/// What keeps a namespace: objects by resource, and their finalizers.
#[derive(Debug, Default)]
struct Left {
    resources: BTreeMap<String, usize>,
    finalizers: BTreeMap<String, usize>,
}

impl Left {
    fn count(&mut self, call: &Call, object: &Value) {
        let resource = format!("{}.{}", call.definition.plural, call.definition.group);
        *self.resources.entry(resource).or_default() += 1;
        for finalizer in object::finalizers(object) {
            *self.finalizers.entry(finalizer.to_owned()).or_default() += 1;
        }
    }

    fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    fn texts(&self) -> (String, String) {
        let resources = self
            .resources
            .iter()
            .map(|(name, count)| format!("{name} has {count} resource instances"));
        let finalizers = self
            .finalizers
            .iter()
            .map(|(name, count)| format!("{name} in {count} resource instances"));
        (
            resources.collect::<Vec<_>>().join(", "),
            finalizers.collect::<Vec<_>>().join(", "),
        )
    }
}

/// Writes into the namespace what it waits for.
async fn tell(call: &Call, left: &Left) -> Answer<()> {
    let (resources, finalizers) = left.texts();
    let remaining = format!("Some resources are remaining: {resources}");
    let held = format!("Some content in the namespace has finalizers remaining: {finalizers}");
    let finalizing = if finalizers.is_empty() {
        (
            "False",
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished",
        )
    } else {
        ("True", "SomeFinalizersRemain", held.as_str())
    };
    let all = [
        (
            "NamespaceDeletionDiscoveryFailure",
            (
                "False",
                "ResourcesDiscovered",
                "All resources successfully discovered",
            ),
        ),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            (
                "False",
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
            ),
        ),
        (
            "NamespaceDeletionContentFailure",
            (
                "False",
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
        ),
        (
            "NamespaceContentRemaining",
            ("True", "SomeResourcesRemain", remaining.as_str()),
        ),
        ("NamespaceFinalizersRemaining", finalizing),
    ];
    let now = call.server.inner.clock.now();
    let change = |old: &Value| {
        let mut new = old.clone();
        for (kind, (status, reason, message)) in all {
            conditions::set_on(
                &mut new,
                conditions::new(kind, status, reason, message),
                now,
            );
        }
        Ok(new)
    };
    match update::modify(call, Part::Status, &WriteOptions::default(), change).await {
        Err(status) if status.code != 404 => Err(status),
        _ => Ok(()),
    }
}

/// Deletes what is left in a terminating namespace; once nothing is, lets the namespace go.
pub(super) async fn finish(server: &ApiServer, name: &str) -> Answer<()> {
    let bucket = Definition::bucket_of("", "namespaces");
    let Some((call, namespace)) = open(server, &bucket, name) else {
        return Ok(());
    };
    if !object::is_terminating(&namespace) {
        return Ok(());
    }
    let mut left = Left::default();
    let prefix = format!("{name}/");
    for definition in server.registry().storage() {
        if !definition.is_namespaced() {
            continue;
        }
        let snapshot = server.inner.store.snapshot();
        let names: Vec<Arc<str>> = snapshot
            .range(&definition.bucket, &prefix, None)
            .map(|(name, _)| Arc::clone(name))
            .collect();
        for name in names {
            let Some((call, object)) = open(server, &definition.bucket, &name) else {
                continue;
            };
            if !object::is_terminating(&object) {
                remove(&call, Propagation::Background, None).await?;
            }
            if let Some((call, object)) = open(server, &definition.bucket, &name) {
                left.count(&call, &object);
            }
        }
    }
    if !left.is_empty() {
        // Each removal comes back as an event, and the last of them finds nothing left.
        return tell(&call, &left).await;
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
