//! The verbs on objects: one generic engine for every resource.

pub(crate) mod addresses;
pub(crate) mod collection;
pub(crate) mod convert;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod eviction;
pub(crate) mod list;
pub(crate) mod metadata;
pub(crate) mod patch;
pub(crate) mod pipeline;
pub(crate) mod pods;
pub(crate) mod read;
pub(crate) mod scale;
pub(crate) mod shape;
pub(crate) mod strategy;
pub(crate) mod update;
pub(crate) mod watch;

use std::sync::Arc;

use bytes::Bytes;
use flybridge_machinery::{Gvr, Reason, Status, object};
use flybridge_store::{Key, Record, Snapshot, Value as Stored};
use serde_json::Value;

use crate::record;
use crate::registry::Definition;
use crate::request::{Answer, User};
use crate::server::ApiServer;

/// Tries of a read-modify-write that the client did not pin to a version.
pub(crate) const TRIES: usize = 8;

/// One request about one resource.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) server: ApiServer,
    pub(crate) definition: Arc<Definition>,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) user: User,
}

/// What a write or a read of one object gives.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// A stored object.
    Stored(Arc<Record>),
    /// An object that is not stored (dry run, last state of a deleted one, subresource).
    Shown(Value),
    /// A deletion that is done.
    Deleted(Box<Status>),
}

/// An outcome with the warnings that go with it.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) outcome: Outcome,
    pub(crate) warnings: Vec<String>,
    /// The object was created, not changed.
    pub(crate) created: bool,
}

impl Done {
    pub(crate) fn changed(outcome: Outcome) -> Self {
        Self {
            outcome,
            warnings: Vec::new(),
            created: false,
        }
    }
}

impl Outcome {
    /// The object as JSON bytes.
    pub(crate) fn bytes(&self) -> Answer<Bytes> {
        let encoded = match self {
            Self::Stored(record) => return Ok(record.value.clone()),
            Self::Shown(value) => serde_json::to_vec(value),
            Self::Deleted(status) => serde_json::to_value(status).and_then(|mut status| {
                // Clients are told the code by HTTP; upstream leaves it out of these.
                object::remove_path(&mut status, &["code"]);
                serde_json::to_vec(&status)
            }),
        };
        encoded
            .map(Bytes::from)
            .map_err(|error| Box::new(Status::internal_error(error)))
    }
}

impl Call {
    pub(crate) fn gvr(&self) -> Gvr {
        self.definition.gvr()
    }

    pub(crate) fn key(&self) -> Key {
        let name = self.definition.record_name(&self.namespace, &self.name);
        Key::new(Arc::clone(&self.definition.bucket), name)
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.server.inner.store.snapshot()
    }

    /// The object, or 404.
    pub(crate) fn existing(&self) -> Answer<Arc<Record>> {
        let key = self.key();
        self.snapshot()
            .get(&key.bucket, &key.name)
            .ok_or_else(|| self.not_found())
    }

    /// A stored object as the request's version shows it.
    pub(crate) fn read(&self, record: &Record) -> Answer<Value> {
        convert::read(&self.definition, record)
    }

    /// An object of the request's version as it is stored.
    pub(crate) fn encode(&self, value: &Value) -> Answer<Stored> {
        if convert::is_stored_as_shown(&self.definition) {
            return record::encode(value);
        }
        let mut value = value.clone();
        convert::store(&self.definition, &mut value);
        record::encode(&value)
    }

    pub(crate) fn not_found(&self) -> Box<Status> {
        Box::new(Status::not_found(&self.gvr(), &self.name))
    }

    pub(crate) fn attributes<'a>(
        &'a self,
        gvk: &'a flybridge_machinery::Gvk,
        dry_run: bool,
    ) -> crate::admission::Attributes<'a> {
        crate::admission::Attributes {
            gvk,
            namespace: &self.namespace,
            user: &self.user,
            dry_run,
        }
    }
}

/// A failure of the server that upstream answers without reason and details.
pub(crate) fn bare_failure(message: impl Into<String>) -> Box<Status> {
    let mut status = Status::failure(Reason::Unknown, message);
    status.code = 500;
    Box::new(status)
}

/// A store failure in the words of the API.
pub(crate) fn store_failure(error: &flybridge_store::Error) -> Box<Status> {
    Box::new(Status::internal_error(flybridge_base::report(error)))
}
