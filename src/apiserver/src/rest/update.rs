//! Read, modify, write: the way of PUT, PATCH and every subresource that writes its object.

use std::sync::Arc;

use flybridge_machinery::{FieldError, Status, object};
use flybridge_store::{Error, Expect, Op, Record};
use serde_json::Value;

use super::pipeline::{self, Part};
use super::{Call, Done, Outcome, TRIES, metadata, store_failure, strategy};
use crate::options::WriteOptions;
use crate::registry::{Origin, custom};
use crate::request::Answer;

/// PUT of an object or of its status.
pub(crate) async fn replace(
    call: &Call,
    mut body: Value,
    part: Part,
    options: &WriteOptions,
) -> Answer<Done> {
    metadata::identify(call, &mut body)?;
    let name = object::name(&body);
    if name.is_empty() {
        return Err(Box::new(Status::bad_request(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.name
        ))));
    }
    if name != call.name {
        return Err(Box::new(Status::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            call.name
        ))));
    }
    let pinned = object::resource_version(&body).is_some_and(|version| !version.is_empty());
    let key = call.key();
    if call.snapshot().get(&key.bucket, &key.name).is_none() {
        if call.definition.traits.create_on_update && part == Part::Main {
            object::remove_path(&mut body, &["metadata", "resourceVersion"]);
            return super::create::create(call, body, options).await;
        }
        return Err(call.not_found());
    }
    if !pinned && !call.definition.traits.unconditional_update {
        let error = FieldError::invalid(
            "metadata.resourceVersion",
            0,
            "must be specified for an update",
        );
        let definition = &call.definition;
        let status = Status::invalid(&definition.group, &definition.plural, &call.name, &[error]);
        return Err(Box::new(status));
    }
    modify(call, part, options, |old| {
        metadata::check_uid(call, old, &body)?;
        let mut new = body.clone();
        if part == Part::Status {
            // Differs: writers of a status may hold an old object, so its metadata does not count.
            let version = body["metadata"]["resourceVersion"].clone();
            new["metadata"] = old["metadata"].clone();
            if !version.is_null() {
                new["metadata"]["resourceVersion"] = version;
            }
        }
        Ok(new)
    })
    .await
}

/// Applies `change` to the stored object and stores the result; tries again when somebody else was
/// faster, unless the change names a version.
pub(crate) async fn modify(
    call: &Call,
    part: Part,
    options: &WriteOptions,
    change: impl Fn(&Value) -> Answer<Value>,
) -> Answer<Done> {
    let mut tries = 0;
    loop {
        tries += 1;
        let record = call.existing()?;
        let old = call.read(&record)?;
        let changed = change(&old)?;
        let pinned = object::resource_version(&changed) != object::resource_version(&old)
            && object::resource_version(&changed).is_some_and(|version| !version.is_empty());
        match write(call, &record, &old, changed, part, options).await {
            Err(status) if is_race(&status) && !pinned && tries < TRIES => {}
            other => return other,
        }
    }
}

fn is_race(status: &Status) -> bool {
    status.code == 409 && status.is(flybridge_machinery::Reason::Conflict)
}

async fn write(
    call: &Call,
    record: &Arc<Record>,
    old: &Value,
    mut new: Value,
    part: Part,
    options: &WriteOptions,
) -> Answer<Done> {
    metadata::on_update(call, old, &mut new)?;
    keep_other_part(call, old, &mut new, part);
    custom::prepare_update(call, &mut new);
    let warnings = pipeline::run(call, Some(old), &mut new, part, options.dry_run)?;
    let _reservation = strategy::reserve(call, Some(old), &mut new)?;
    let counts = call.definition.traits.generation && part == Part::Main;
    if counts && strategy::desired_state_changed(call, old, &new) {
        object::set_generation(&mut new, object::generation(old) + 1);
    }
    let gone = object::is_terminating(&new) && strategy::is_finalized(call, &new);
    let unchanged = new == *old;
    if options.dry_run {
        return Ok(Done {
            outcome: Outcome::Shown(new),
            warnings,
            created: false,
        });
    }
    if unchanged && !gone {
        return Ok(Done {
            outcome: Outcome::Stored(Arc::clone(record)),
            warnings,
            created: false,
        });
    }
    let (key, expect) = (call.key(), Expect::Revision(record.mod_revision));
    let op = if gone {
        // Watchers see the object as it was stored last.
        Op::Delete {
            key,
            expect,
            value: Some(call.encode(old)?),
        }
    } else {
        Op::Put {
            key,
            expect,
            value: call.encode(&new)?,
        }
    };
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
    if gone {
        return Ok(Done {
            outcome: Outcome::Shown(new),
            warnings,
            created: false,
        });
    }
    let Some(event) = committed.events.first() else {
        return Err(call.not_found());
    };
    Ok(Done {
        outcome: Outcome::Stored(Arc::clone(&event.record)),
        warnings,
        created: false,
    })
}

/// A write of the object leaves the status alone and the other way round.
fn keep_other_part(call: &Call, old: &Value, new: &mut Value, part: Part) {
    match part {
        Part::Main if call.definition.traits.status => {
            strategy::keep_finalizers(call, old, new);
            match old.get("status") {
                Some(status) => new["status"] = status.clone(),
                None => {
                    object::remove_path(new, &["status"]);
                }
            }
        }
        Part::Main | Part::Both => {}
        Part::Status => {
            let status = new.get("status").cloned();
            let metadata = new.get("metadata").cloned();
            *new = old.clone();
            if call.definition.origin == Origin::BuiltIn {
                strategy::keep_metadata(call, new, metadata);
            }
            match status {
                Some(status) => new["status"] = status,
                None => {
                    object::remove_path(new, &["status"]);
                }
            }
        }
    }
}
