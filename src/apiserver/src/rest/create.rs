//! POST: a new object.

use flybridge_machinery::{Status, object};
use flybridge_store::{Error, Expect, Op};
use serde_json::Value;

use super::pipeline::{self, Part};
use super::{Call, Done, Outcome, metadata, store_failure, strategy};
use crate::options::WriteOptions;
use crate::registry::{Origin, custom};
use crate::request::Answer;

/// A generated name that is taken is tried again with another suffix.
const NAME_TRIES: usize = 8;

pub(crate) async fn create(call: &Call, body: Value, options: &WriteOptions) -> Answer<Done> {
    let mut tries = 0;
    loop {
        tries += 1;
        let outcome = attempt(call, body.clone(), options).await;
        match outcome {
            Err(status)
                if tries < NAME_TRIES && status.code == 409 && object::name(&body).is_empty() => {}
            other => return other,
        }
    }
}

async fn attempt(call: &Call, mut new: Value, options: &WriteOptions) -> Answer<Done> {
    metadata::identify(call, &mut new)?;
    metadata::on_create(call, &mut new)?;
    let mut call = call.clone();
    call.name = object::name(&new).to_owned();
    if call.definition.traits.status {
        object::remove_path(&mut new, &["status"]);
    }
    strategy::admit_namespace(&call)?;
    if matches!(call.definition.origin, Origin::Custom { .. }) && custom::is_terminating(&call) {
        return Err(Box::new(Status::method_not_allowed(&call.gvr(), "create")));
    }
    let mut warnings: Vec<String> = metadata::dedupe_owners(&mut new).into_iter().collect();
    warnings.extend(pipeline::run(
        &call,
        None,
        &mut new,
        Part::Main,
        options.dry_run,
    )?);
    let _reservation = strategy::reserve(&call, None, &mut new)?;
    let key = call.key();
    if options.dry_run {
        if call.snapshot().get(&key.bucket, &key.name).is_some() {
            return Err(Box::new(Status::already_exists(&call.gvr(), &call.name)));
        }
        return Ok(Done {
            outcome: Outcome::Shown(new),
            warnings,
            created: true,
        });
    }
    strategy::complete_stored(&call, &mut new);
    let value = call.encode(&new)?;
    let op = Op::Put {
        key,
        expect: Expect::Absent,
        value,
    };
    let committed =
        call.server
            .inner
            .store
            .commit(vec![op])
            .await
            .map_err(|error| match error {
                Error::Conflict { .. } => Box::new(Status::already_exists(&call.gvr(), &call.name)),
                other => store_failure(&other),
            })?;
    call.server.after_write(&call).await?;
    let Some(event) = committed.events.first() else {
        return Err(Box::new(Status::internal_error("a create changed nothing")));
    };
    let outcome = Outcome::Stored(std::sync::Arc::clone(&event.record));
    Ok(Done {
        outcome,
        warnings,
        created: true,
    })
}
