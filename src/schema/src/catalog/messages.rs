//! The tag table of Kubernetes' protobuf messages.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

const TABLE: &[u8] = include_bytes!("../../../../assets/schema/protobuf-1.36.json.zst");

const REPEATED: u8 = 1;
const MAP: u8 = 2;
const KEEP_ZERO: u8 = 4;
const INLINE: u8 = 8;

/// How one value of a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// UTF-8 text.
    String,
    /// A varint that is 0 or 1.
    Bool,
    /// A signed varint.
    Integer,
    /// Eight bytes.
    Double,
    /// Bytes, base64 in JSON.
    Bytes,
    /// A message, by index.
    Message(usize),
}

/// One field of a message.
#[derive(Debug)]
pub(crate) struct MessageField {
    pub(crate) tag: u32,
    pub(crate) name: Box<str>,
    pub(crate) kind: FieldKind,
    flags: u8,
}

impl MessageField {
    /// A list.
    pub(crate) fn is_repeated(&self) -> bool {
        self.flags & REPEATED != 0
    }

    /// A map from text.
    pub(crate) fn is_map(&self) -> bool {
        self.flags & MAP != 0
    }

    /// A zero on the wire was meant, or JSON shows it anyway.
    pub(crate) fn keeps_zero(&self) -> bool {
        self.flags & KEEP_ZERO != 0
    }

    /// The fields of the message belong to the parent.
    pub(crate) fn is_inline(&self) -> bool {
        self.flags & INLINE != 0
    }
}

/// All messages.
#[derive(Debug)]
pub(crate) struct Messages {
    names: Vec<Box<str>>,
    index: BTreeMap<Box<str>, usize>,
    fields: Vec<Vec<MessageField>>,
}

/// Tag, JSON name, kind, flags and message.
type Row = (u32, Box<str>, Box<str>, u8, Option<usize>);

#[derive(Deserialize)]
struct RawTable {
    messages: Vec<Box<str>>,
    fields: Vec<Vec<Row>>,
}

impl Messages {
    /// The built-in table, decoded on first use.
    pub(crate) fn builtin() -> &'static Self {
        static TABLES: OnceLock<Messages> = OnceLock::new();
        TABLES.get_or_init(|| Self::from_raw(super::read_asset(TABLE)))
    }

    fn from_raw(raw: RawTable) -> Self {
        let index = raw
            .messages
            .iter()
            .enumerate()
            .map(|(index, name)| (name.clone(), index))
            .collect();
        let fields = raw
            .fields
            .into_iter()
            .map(|rows| rows.into_iter().filter_map(field).collect())
            .collect();
        Self {
            names: raw.messages,
            index,
            fields,
        }
    }

    /// The message of a definition.
    pub(crate) fn find(&self, definition: &str) -> Option<usize> {
        self.index.get(definition).copied()
    }

    /// The last part of a message's name, such as `Quantity`.
    pub(crate) fn short_name(&self, index: usize) -> &str {
        let name = self.names.get(index).map_or("", AsRef::as_ref);
        name.rsplit('.').next().unwrap_or(name)
    }

    /// The field of a tag.
    pub(crate) fn field(&self, message: usize, tag: u32) -> Option<&MessageField> {
        self.fields
            .get(message)?
            .iter()
            .find(|field| field.tag == tag)
    }

    /// The message beside another, in the same package.
    pub(crate) fn sibling(&self, message: usize, short: &str) -> Option<usize> {
        let (package, _) = self.names.get(message)?.rsplit_once('.')?;
        self.find(&format!("{package}.{short}"))
    }
}

fn field((tag, name, kind, flags, message): Row) -> Option<MessageField> {
    let kind = match kind.as_ref() {
        "s" => FieldKind::String,
        "b" => FieldKind::Bool,
        "i" => FieldKind::Integer,
        "d" => FieldKind::Double,
        "y" => FieldKind::Bytes,
        _ => FieldKind::Message(message?),
    };
    Some(MessageField {
        tag,
        name,
        kind,
        flags,
    })
}
