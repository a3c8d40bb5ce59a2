//! Objects, lists and watch frames in the form the client asked for.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use flybridge_base::Clock;
use flybridge_machinery::Status;
use flybridge_machinery::table::{ColumnDefinition, Row, Table};
use flybridge_store::{Event, Record};
use serde_json::{Value, json};

use crate::http::negotiate::Form;
use crate::options::Query;
use crate::printers;
use crate::record;
use crate::registry::{Definition, Origin};
use crate::request::Answer;
use crate::rest::list::Page;
use crate::rest::watch::{Kind, frame, shared_frame};
use crate::rest::{Outcome, convert};

/// What goes beside the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Include {
    None,
    Metadata,
    Object,
}

/// Renders one resource for one client.
#[derive(Clone, Debug)]
pub(crate) struct Presenter {
    definition: Arc<Definition>,
    form: Form,
    include: Include,
    clock: Clock,
    /// A Table watch shows its columns in the first frame only.
    columns_shown: bool,
    /// Stored bytes are what the version shows.
    as_stored: bool,
    /// Stored bytes need no look at all.
    plain: bool,
}

impl Presenter {
    /// # Errors
    /// 400 if a table is to include what it cannot.
    pub(crate) fn new(
        definition: &Arc<Definition>,
        form: Form,
        query: &Query,
        clock: Clock,
    ) -> Answer<Self> {
        let include = match query.get("includeObject") {
            Some("None") => Include::None,
            Some("Object") => Include::Object,
            None | Some("Metadata") => Include::Metadata,
            Some(other) if form == Form::Table => {
                return Err(Box::new(Status::bad_request(format!(
                    "Unable to convert to Table as requested: includeObject: Invalid value: {other:?}: \
                     must be 'Metadata', 'Object', 'None', or empty"
                ))));
            }
            Some(_) => Include::Metadata,
        };
        let as_stored = convert::is_stored_as_shown(definition);
        let plain = as_stored && !matches!(definition.origin, Origin::Custom { .. });
        Ok(Self {
            definition: Arc::clone(definition),
            form,
            include,
            clock,
            columns_shown: false,
            as_stored,
            plain,
        })
    }

    fn shown(&self, bytes: &Bytes) -> Answer<Bytes> {
        if self.as_stored {
            Ok(bytes.clone())
        } else {
            convert::show_bytes(&self.definition, bytes)
        }
    }

    fn decoded(&self, bytes: &Bytes) -> Answer<Value> {
        let mut value = record::decode(bytes)?;
        if !self.as_stored {
            convert::show(&self.definition, &mut value);
        }
        Ok(value)
    }

    /// What a write or a read of one object gave.
    pub(crate) fn outcome(&self, outcome: &Outcome) -> Answer<Bytes> {
        match outcome {
            Outcome::Stored(record) => self.object(convert::read_bytes(&self.definition, record)?),
            other => self.object(other.bytes()?),
        }
    }

    /// One object.
    pub(crate) fn object(&self, bytes: Bytes) -> Answer<Bytes> {
        let bytes = self.shown(&bytes)?;
        if self.form == Form::Object {
            return Ok(bytes);
        }
        let object = record::decode(&bytes)?;
        if object["kind"] == "Status" {
            return Ok(bytes);
        }
        match self.form {
            Form::Table => {
                let row = self.row(&object);
                let mut table = Table::new(self.columns(), vec![row]);
                let version = object["metadata"]["resourceVersion"].clone();
                table.metadata["resourceVersion"] = version;
                encode(&table)
            }
            Form::Metadata => encode(&metadata_only(&object)),
            Form::Object => Ok(bytes),
        }
    }

    /// A page of a list.
    pub(crate) fn list(&self, page: &Page) -> Answer<Bytes> {
        let mut metadata = serde_json::Map::new();
        metadata.insert(
            "resourceVersion".to_owned(),
            json!(page.revision.to_string()),
        );
        if let Some(token) = &page.continue_token {
            metadata.insert("continue".to_owned(), json!(token));
        } else if matches!(self.definition.origin, Origin::Custom { .. })
            && self.form == Form::Object
        {
            // Upstream's lists of custom resources always have one.
            metadata.insert("continue".to_owned(), json!(""));
        }
        if let Some(remaining) = page.remaining {
            metadata.insert("remainingItemCount".to_owned(), json!(remaining));
        }
        match self.form {
            Form::Object => self.joined(&Value::Object(metadata), &page.items),
            Form::Table => {
                let rows = page
                    .items
                    .iter()
                    .map(|record| Ok(self.row(&convert::read(&self.definition, record)?)));
                let mut table = Table::new(self.columns(), rows.collect::<Answer<Vec<Row>>>()?);
                table.metadata = Value::Object(metadata);
                encode(&table)
            }
            Form::Metadata => {
                let items = page
                    .items
                    .iter()
                    .map(|record| Ok(metadata_only(&record::decode(&record.value)?)));
                encode(&json!({
                    "kind": "PartialObjectMetadataList",
                    "apiVersion": "meta.k8s.io/v1",
                    "metadata": metadata,
                    "items": items.collect::<Answer<Vec<Value>>>()?,
                }))
            }
        }
    }

    /// A list put together from stored bytes, without decoding any item.
    fn joined(&self, metadata: &Value, items: &[Arc<Record>]) -> Answer<Bytes> {
        let size: usize = items.iter().map(|record| record.value.len() + 1).sum();
        let mut bytes = BytesMut::with_capacity(size + 256);
        let head = json!({
            "kind": self.definition.list_kind,
            "apiVersion": self.definition.api_version(),
            "metadata": metadata,
        });
        let head = encode(&head)?;
        bytes.put_slice(&head[..head.len() - 1]);
        bytes.put_slice(b",\"items\":[");
        for (index, record) in items.iter().enumerate() {
            if index > 0 {
                bytes.put_u8(b',');
            }
            if self.plain {
                bytes.put_slice(&record.value);
            } else {
                bytes.put_slice(&convert::read_bytes(&self.definition, record)?);
            }
        }
        bytes.put_slice(b"]}");
        Ok(bytes.freeze())
    }

    /// A frame for an object that is there when a watch begins.
    pub(crate) fn record_frame(&mut self, kind: Kind, record: &Record) -> Option<Bytes> {
        if self.form == Form::Object {
            return Some(frame(
                kind.name(),
                &convert::read_bytes(&self.definition, record).ok()?,
            ));
        }
        self.other_frame(kind, &record.value)
    }

    /// A frame for a change.
    pub(crate) fn event_frame(&mut self, kind: Kind, event: &Event) -> Option<Bytes> {
        if self.form == Form::Object && self.as_stored {
            return Some(shared_frame(event, kind));
        }
        if self.form == Form::Object {
            return Some(frame(kind.name(), &self.shown(&event.record.value).ok()?));
        }
        self.other_frame(kind, &event.record.value)
    }

    /// A frame for the former state of an object, at the revision of a later change.
    pub(crate) fn former_frame(
        &mut self,
        kind: Kind,
        record: &Record,
        revision: u64,
    ) -> Option<Bytes> {
        let mut object = record::decode(&record.value).ok()?;
        object["metadata"]["resourceVersion"] = json!(revision.to_string());
        let bytes = self.shown(&encode(&object).ok()?).ok()?;
        if self.form == Form::Object {
            return Some(frame(kind.name(), &bytes));
        }
        self.other_frame(kind, &bytes)
    }

    fn other_frame(&mut self, kind: Kind, bytes: &Bytes) -> Option<Bytes> {
        let object = self.decoded(bytes).ok()?;
        let shown = match self.form {
            Form::Table => {
                let mut table = Table::new(self.columns(), vec![self.row(&object)]);
                let version = object["metadata"]["resourceVersion"].clone();
                table.metadata["resourceVersion"] = version;
                let mut table = serde_json::to_value(&table).ok()?;
                if std::mem::replace(&mut self.columns_shown, true) {
                    table["columnDefinitions"] = Value::Null;
                }
                table
            }
            Form::Metadata | Form::Object => metadata_only(&object),
        };
        Some(frame(kind.name(), &encode(&shown).ok()?))
    }

    /// A frame that tells how far the client has seen everything.
    pub(crate) fn bookmark(&self, revision: u64, end_of_initial: bool) -> Bytes {
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        if end_of_initial {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let object = match self.form {
            Form::Object => json!({
                "kind": self.definition.kind,
                "apiVersion": self.definition.api_version(),
                "metadata": metadata,
            }),
            Form::Table => json!({
                "kind": "Table", "apiVersion": "meta.k8s.io/v1",
                "metadata": {"resourceVersion": revision.to_string()},
                "columnDefinitions": null,
                "rows": [{"cells": [], "object": {
                    "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
                }}],
            }),
            Form::Metadata => json!({
                "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
            }),
        };
        frame("BOOKMARK", object.to_string().as_bytes())
    }

    fn columns(&self) -> Vec<ColumnDefinition> {
        match &self.definition.printer {
            Some(printer) => printer.columns(),
            None => self.builtin().columns(),
        }
    }

    fn builtin(&self) -> &'static printers::Printer {
        printers::printer(&self.definition.group, &self.definition.plural)
    }

    fn row(&self, object: &Value) -> Row {
        let embedded = match self.include {
            Include::None => Value::Null,
            Include::Metadata => metadata_only(object),
            Include::Object => object.clone(),
        };
        let now = self.clock.now();
        match &self.definition.printer {
            Some(printer) if self.definition.origin != Origin::BuiltIn => {
                printer.row(object, embedded, now)
            }
            _ => self.builtin().row(object, embedded, now),
        }
    }
}

fn metadata_only(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": object["metadata"],
    })
}

/// JSON bytes of an answer.
pub(crate) fn encode<T: serde::Serialize>(value: &T) -> Answer<Bytes> {
    serde_json::to_vec(value)
        .map(Bytes::from)
        .map_err(|error| Box::new(Status::internal_error(error)))
}
