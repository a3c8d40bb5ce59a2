//! Objects as the store keeps them: final wire bytes with the resource version already inside, and
//! the few fields that selectors and controllers ask for.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use flybridge_machinery::object::OwnerReference;
use flybridge_machinery::{Status, object};
use flybridge_store::{Record, Value as Stored};
use serde::Deserialize;
use serde_json::Value;

use crate::request::Answer;

/// Encodes an object so that the store inserts the revision it assigns as its resource version.
///
/// # Errors
/// 500 if the object cannot be encoded, which only maps with odd keys could cause.
pub fn encode(object: &Value) -> Answer<Stored> {
    let mut split = Split::default();
    split.map(object, Level::Object)?;
    Ok(Stored::with_revision(split.head, split.tail))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Object,
    Metadata,
}

/// Bytes before and after the place of the resource version.
#[derive(Default)]
struct Split {
    head: Vec<u8>,
    tail: Vec<u8>,
    passed: bool,
}

impl Split {
    fn out(&mut self) -> &mut Vec<u8> {
        if self.passed {
            &mut self.tail
        } else {
            &mut self.head
        }
    }

    fn map(&mut self, value: &Value, level: Level) -> Answer<()> {
        let empty = serde_json::Map::new();
        let fields = value.as_object().unwrap_or(&empty);
        self.out().push(b'{');
        let mut first = true;
        for (name, value) in fields {
            if level == Level::Metadata && name == "resourceVersion" {
                continue;
            }
            self.name(name, &mut first)?;
            if level == Level::Object && name == "metadata" {
                self.map(value, Level::Metadata)?;
            } else {
                write(self.out(), value)?;
            }
        }
        if level == Level::Metadata {
            self.name("resourceVersion", &mut first)?;
            self.head.push(b'"');
            self.passed = true;
            self.tail.push(b'"');
        }
        self.out().push(b'}');
        Ok(())
    }

    fn name(&mut self, name: &str, first: &mut bool) -> Answer<()> {
        let out = self.out();
        if !std::mem::take(first) {
            out.push(b',');
        }
        write(out, name)?;
        out.push(b':');
        Ok(())
    }
}

fn write<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Answer<()> {
    serde_json::to_writer(out, value).map_err(|error| Box::new(Status::internal_error(error)))
}

/// Decodes stored bytes.
///
/// # Errors
/// 500 if they are not the object they should be.
pub fn decode(bytes: &Bytes) -> Answer<Value> {
    serde_json::from_slice(bytes).map_err(|error| {
        Box::new(Status::internal_error(format!(
            "a stored object is unreadable: {error}"
        )))
    })
}

/// The fields of an object's metadata that are asked for often.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Header {
    /// Name.
    pub name: String,
    /// Namespace; empty beside namespaces.
    pub namespace: String,
    /// Unique over time.
    pub uid: String,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Owners.
    pub owner_references: Vec<OwnerReference>,
    /// When deletion was asked for.
    pub deletion_timestamp: Option<String>,
    /// What must happen before the object may go.
    pub finalizers: Vec<String>,
    /// Creation time.
    pub creation_timestamp: Option<String>,
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    metadata: Header,
}

impl Header {
    /// The header of a record, parsed once and kept with it.
    pub fn of(record: &Record) -> Arc<Self> {
        record.memo(Self::parse)
    }

    fn parse(bytes: &Bytes) -> Self {
        serde_json::from_slice::<Envelope>(bytes)
            .map(|envelope| envelope.metadata)
            .unwrap_or_default()
    }
}

/// The text of a field for a field selector; absent fields are empty.
pub fn field_text(object: &Value, path: &[String]) -> String {
    let mut value = object;
    for name in path {
        match value.get(name) {
            Some(inner) => value = inner,
            None => return String::new(),
        }
    }
    flybridge_machinery::jsonpath::text_of(value)
}

/// An object's name for messages: `namespace/name` or `name`.
pub fn display_name(value: &Value) -> String {
    object::namespaced_name(value)
}

#[cfg(test)]
mod tests {
    use flybridge_store::{Expect, Key, Op, Store};
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn the_store_inserts_the_resource_version() {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a", "uid": "u", "resourceVersion": "stale", "labels": {"x": "y"}},
            "data": {"resourceVersion": "mine", "metadata": "kept"},
        });
        let store = Store::memory();
        let value = encode(&object).unwrap();
        let op = Op::Put {
            key: Key::new("configmaps", "d/a"),
            expect: Expect::Absent,
            value,
        };
        let committed = store.commit(vec![op]).await.unwrap();
        let stored = decode(&committed.events[0].record.value).unwrap();
        assert_eq!(stored["metadata"]["resourceVersion"], json!("1"));
        assert_eq!(stored["data"], object["data"]);
        let header = Header::of(&committed.events[0].record);
        assert_eq!(
            (header.name.as_str(), header.labels["x"].as_str()),
            ("a", "y")
        );
    }
}
