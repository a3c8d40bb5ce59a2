//! GET of one object.

use flybridge_machinery::Status;

use super::{Call, Outcome};
use crate::options::{Query, unreadable_version};
use crate::request::Answer;

/// The object; with `resourceVersion=N` at least as new as N.
pub(crate) fn get(call: &Call, query: &Query) -> Answer<Outcome> {
    if let Some(text) = query.get("resourceVersion") {
        let wanted: u64 = text
            .parse()
            .map_err(|_error| unreadable_version(text, true))?;
        refuse_future(call, wanted)?;
    }
    call.existing().map(Outcome::Stored)
}

/// One process has one present, so every read is as new as can be; only the future is refused.
pub(crate) fn refuse_future(call: &Call, wanted: u64) -> Answer<()> {
    let present = call.server.inner.store.revision();
    if wanted > present {
        return Err(Box::new(Status::too_large_resource_version(
            wanted, present,
        )));
    }
    Ok(())
}
