//! DELETE: finalizers, grace, propagation, and the two answers it can give.

use std::sync::Arc;

use flybridge_machinery::{Gvr, Status, object};
use flybridge_store::{Error, Expect, Op, Record};
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{Call, Done, Outcome, TRIES, store_failure, strategy};
use crate::options::{DeleteOptions, Propagation};
use crate::request::Answer;

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

pub(crate) async fn delete(call: &Call, options: &DeleteOptions) -> Answer<Done> {
    let mut tries = 0;
    loop {
        tries += 1;
        let record = call.existing()?;
        let old = call.read(&record)?;
        check_preconditions(call, &old, options)?;
        strategy::admit_deletion(call, &old)?;
        let gvk = call.definition.gvk();
        let attributes = call.attributes(&gvk, options.dry_run);
        if let Some(why) = call
            .server
            .inner
            .admission
            .refuse_deletion(&attributes, &old)
        {
            return Err(Box::new(Status::forbidden(&call.gvr(), &call.name, &why)));
        }
        match attempt(call, &record, old, options).await {
            Err(status) if status.code == 409 && tries < TRIES => {}
            other => return other,
        }
    }
}

fn check_preconditions(call: &Call, old: &Value, options: &DeleteOptions) -> Answer<()> {
    let checks = [
        ("UID", options.uid.as_deref(), object::uid(old)),
        (
            "ResourceVersion",
            options.resource_version.as_deref(),
            object::resource_version(old),
        ),
    ];
    for (what, wanted, found) in checks {
        if let Some(wanted) = wanted
            && Some(wanted) != found
        {
            let why = format!(
                "Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {}",
                found.unwrap_or_default()
            );
            let definition = &call.definition;
            // Upstream names the kind here, not the resource.
            let kind = Gvr::new(&definition.group, &definition.version, &definition.kind);
            return Err(Box::new(Status::conflict(&kind, &call.name, &why)));
        }
    }
    Ok(())
}

async fn attempt(
    call: &Call,
    record: &Arc<Record>,
    old: Value,
    options: &DeleteOptions,
) -> Answer<Done> {
    let mut new = old.clone();
    set_propagation_finalizer(call, &mut new, options);
    crate::registry::custom::prepare_delete(call, &mut new);
    let grace = strategy::grace_seconds(call, &old, options);
    // Marked first: a pod that still had time left may have none any more.
    mark(call, &mut new, grace);
    // A namespace is always marked first; the one who finalizes it looks for what is in it.
    let first = strategy::is_marked_first(call) && !object::is_terminating(&old);
    if grace == 0 && !first && strategy::is_finalized(call, &new) {
        return remove(call, record, &old, &new, options).await;
    }
    strategy::on_deletion_marked(call, &mut new);
    if options.dry_run {
        return Ok(Done::changed(Outcome::Shown(new)));
    }
    if new == old {
        return Ok(Done::changed(Outcome::Stored(Arc::clone(record))));
    }
    let value = call.encode(&new)?;
    let op = Op::Put {
        key: call.key(),
        expect: Expect::Revision(record.mod_revision),
        value,
    };
    let event = commit(call, op).await?;
    let warnings = strategy::deletion_warnings(call, options);
    Ok(Done {
        warnings,
        ..Done::changed(Outcome::Stored(event))
    })
}

async fn remove(
    call: &Call,
    record: &Arc<Record>,
    old: &Value,
    marked: &Value,
    options: &DeleteOptions,
) -> Answer<Done> {
    let outcome = if strategy::is_graceful(call) {
        Outcome::Shown(marked.clone())
    } else if strategy::shows_deleted_object(call) {
        Outcome::Shown(old.clone())
    } else {
        let uid = object::uid(old).unwrap_or_default();
        Outcome::Deleted(Box::new(Status::success(&call.gvr(), &call.name, uid)))
    };
    if !options.dry_run {
        let value = Some(call.encode(old)?);
        let op = Op::Delete {
            key: call.key(),
            expect: Expect::Revision(record.mod_revision),
            value,
        };
        commit(call, op).await?;
    }
    let warnings = strategy::deletion_warnings(call, options);
    Ok(Done {
        warnings,
        ..Done::changed(outcome)
    })
}

async fn commit(call: &Call, op: Op) -> Answer<Arc<Record>> {
    let committed =
        call.server
            .inner
            .store
            .commit(vec![op])
            .await
            .map_err(|error| match error {
                Error::Conflict { current: None, .. } => call.not_found(),
                Error::Conflict { .. } => Box::new(Status::stale(&call.gvr(), &call.name)),
                other => store_failure(&other),
            })?;
    call.server.after_write(call).await?;
    committed
        .events
        .first()
        .map(|event| Arc::clone(&event.record))
        .ok_or_else(|| call.not_found())
}

fn set_propagation_finalizer(call: &Call, new: &mut Value, options: &DeleteOptions) {
    let fallback = if call.definition.traits.orphan_by_default {
        Propagation::Orphan
    } else {
        Propagation::Background
    };
    let already = object::is_terminating(new);
    let wanted = match (options.propagation, already) {
        (None, true) => return,
        (given, _) => given.unwrap_or(fallback),
    };
    let (add, drop) = match wanted {
        Propagation::Foreground => (Some(FOREGROUND), [ORPHAN, ""]),
        Propagation::Orphan => (Some(ORPHAN), [FOREGROUND, ""]),
        Propagation::Background => (None, [FOREGROUND, ORPHAN]),
    };
    for finalizer in drop {
        object::remove_finalizer(new, finalizer);
    }
    if let Some(finalizer) = add {
        object::add_finalizer(new, finalizer);
    }
}

/// Marks an object for deletion; a second deletion may only shorten the grace.
fn mark(call: &Call, new: &mut Value, grace: i64) {
    let earlier = object::path_i64(new, &["metadata", "deletionGracePeriodSeconds"]);
    if object::is_terminating(new) && earlier.is_none_or(|earlier| earlier <= grace) {
        return;
    }
    let now = call.server.inner.clock.now();
    let at = now
        .checked_add(SignedDuration::from_secs(grace))
        .unwrap_or(now);
    let first = !object::is_terminating(new);
    object::set_deletion_timestamp(new, at);
    if strategy::has_grace(call) {
        object::set_path(
            new,
            &["metadata", "deletionGracePeriodSeconds"],
            json!(grace),
        );
    }
    if first && call.definition.traits.generation && object::generation(new) > 0 {
        let next = object::generation(new) + 1;
        object::set_generation(new, next);
    }
}
