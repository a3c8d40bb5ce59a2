//! Kubernetes protobuf bodies: magic, `Unknown` envelope, then the message of the kind.

mod special;
mod wire;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flybridge_machinery::Gvk;
use serde_json::{Map, Value};

use crate::catalog::{FieldKind, MessageField, Messages};
use crate::{Catalog, DecodeError};
use wire::{Reader, Wire};

const MAGIC: &[u8] = b"k8s\0";

/// Messages deeper than this are refused.
const MAX_DEPTH: usize = 100;

/// Reads an enveloped message.
pub(super) fn decode(bytes: &[u8]) -> Result<Value, DecodeError> {
    let body = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| DecodeError::Protobuf {
            message: "the bytes do not start with the Kubernetes protobuf prefix".to_owned(),
            offset: 0,
        })?;
    let envelope = Envelope::read(body)?;
    let unknown = || DecodeError::UnknownKind {
        api_version: envelope.api_version.clone(),
        kind: envelope.kind.clone(),
    };
    let gvk = Gvk::from_api_version(&envelope.api_version, envelope.kind.as_str())
        .map_err(|_error| unknown())?;
    let messages = Catalog::builtin().messages();
    let message = Catalog::builtin()
        .definition_of_kind(&gvk)
        .and_then(|name| messages.find(name))
        .ok_or_else(unknown)?;
    let mut fields = Map::new();
    let decoder = Decoder { messages };
    decoder.fields(message, envelope.raw, &mut fields, 0)?;
    fields.insert("apiVersion".to_owned(), envelope.api_version.into());
    fields.insert("kind".to_owned(), envelope.kind.into());
    Ok(Value::Object(fields))
}

/// `runtime.Unknown`.
#[derive(Default)]
struct Envelope<'a> {
    api_version: String,
    kind: String,
    raw: &'a [u8],
}

impl<'a> Envelope<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut envelope = Self::default();
        let mut reader = Reader::new(bytes);
        while let Some((tag, wire)) = reader.next()? {
            match (tag, wire) {
                (1, Wire::Bytes(bytes)) => {
                    let mut meta = Reader::new(bytes);
                    while let Some((tag, wire)) = meta.next()? {
                        match (tag, wire) {
                            (1, Wire::Bytes(bytes)) => envelope.api_version = meta.text(bytes)?,
                            (2, Wire::Bytes(bytes)) => envelope.kind = meta.text(bytes)?,
                            _ => {}
                        }
                    }
                }
                (2, Wire::Bytes(bytes)) => envelope.raw = bytes,
                (3, Wire::Bytes(encoding)) if !encoding.is_empty() => {
                    return Err(reader.fail("the content of the envelope is encoded"));
                }
                _ => {}
            }
        }
        Ok(envelope)
    }
}

/// Reads messages by the tag table.
struct Decoder<'a> {
    messages: &'a Messages,
}

impl Decoder<'_> {
    /// Reads the fields of a message into an object. Unknown tags are skipped.
    fn fields(
        &self,
        message: usize,
        bytes: &[u8],
        fields: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), DecodeError> {
        let mut reader = Reader::new(bytes);
        if depth > MAX_DEPTH {
            return Err(reader.fail("messages are nested too deep"));
        }
        while let Some((tag, wire)) = reader.next()? {
            let Some(field) = self.messages.field(message, tag) else {
                continue;
            };
            self.field(&reader, field, &wire, fields, depth)?;
        }
        Ok(())
    }

    fn field(
        &self,
        reader: &Reader<'_>,
        field: &MessageField,
        wire: &Wire<'_>,
        fields: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), DecodeError> {
        if field.is_inline() {
            if let (FieldKind::Message(message), Wire::Bytes(bytes)) = (field.kind, wire) {
                self.fields(message, bytes, fields, depth + 1)?;
            }
        } else if field.is_map() {
            let (key, value) = self.entry(reader, field, wire, depth)?;
            if let Value::Object(entries) = slot(fields, field, Value::Object(Map::new())) {
                entries.insert(key, value);
            }
        } else if field.is_repeated() {
            let items = self.items(reader, field, wire, depth)?;
            if let Value::Array(list) = slot(fields, field, Value::Array(Vec::new())) {
                list.extend(items);
            }
        } else {
            let value = self.value(reader, field.kind, wire, depth)?;
            if field.keeps_zero() && !value.is_null() || !is_zero(&value) {
                fields.insert(field.name.to_string(), value);
            }
        }
        Ok(())
    }

    /// The items of a repeated field: one, or many when numbers are packed.
    fn items(
        &self,
        reader: &Reader<'_>,
        field: &MessageField,
        wire: &Wire<'_>,
        depth: usize,
    ) -> Result<Vec<Value>, DecodeError> {
        match (field.kind, wire) {
            (FieldKind::Integer, Wire::Bytes(bytes)) => {
                let mut packed = Reader::new(bytes);
                let mut items = Vec::new();
                while !packed.is_empty() {
                    items.push(packed.varint()?.cast_signed().into());
                }
                Ok(items)
            }
            _ => Ok(vec![self.value(reader, field.kind, wire, depth)?]),
        }
    }

    fn entry(
        &self,
        reader: &Reader<'_>,
        field: &MessageField,
        wire: &Wire<'_>,
        depth: usize,
    ) -> Result<(String, Value), DecodeError> {
        let Wire::Bytes(bytes) = wire else {
            return Err(reader.fail("a map entry is not a message"));
        };
        let mut key = String::new();
        let mut value = self.value(reader, field.kind, &empty(field.kind), depth)?;
        let mut entry = Reader::new(bytes);
        while let Some((tag, wire)) = entry.next()? {
            match (tag, &wire) {
                (1, Wire::Bytes(bytes)) => key = entry.text(bytes)?,
                (2, wire) => value = self.value(&entry, field.kind, wire, depth)?,
                _ => {}
            }
        }
        Ok((key, value))
    }

    fn value(
        &self,
        reader: &Reader<'_>,
        kind: FieldKind,
        wire: &Wire<'_>,
        depth: usize,
    ) -> Result<Value, DecodeError> {
        match (kind, wire) {
            (FieldKind::String, Wire::Bytes(bytes)) => Ok(reader.text(bytes)?.into()),
            (FieldKind::Bytes, Wire::Bytes(bytes)) => Ok(STANDARD.encode(bytes).into()),
            (FieldKind::Bool, Wire::Varint(number)) => Ok((*number != 0).into()),
            (FieldKind::Integer, Wire::Varint(number)) => Ok(number.cast_signed().into()),
            (FieldKind::Double, Wire::Fixed64(bits)) => Ok(f64::from_bits(*bits).into()),
            (FieldKind::Message(message), Wire::Bytes(bytes)) => {
                match self.special(message, bytes, depth)? {
                    Some(value) => Ok(value),
                    None => {
                        let mut fields = Map::new();
                        self.fields(message, bytes, &mut fields, depth + 1)?;
                        Ok(Value::Object(fields))
                    }
                }
            }
            _ => Err(reader.fail("a field has the wrong wire type")),
        }
    }
}

fn slot<'a>(
    fields: &'a mut Map<String, Value>,
    field: &MessageField,
    empty: Value,
) -> &'a mut Value {
    fields.entry(field.name.as_ref()).or_insert(empty)
}

/// What a map entry without a value holds.
fn empty(kind: FieldKind) -> Wire<'static> {
    match kind {
        FieldKind::Bool | FieldKind::Integer => Wire::Varint(0),
        FieldKind::Double => Wire::Fixed64(0),
        FieldKind::String | FieldKind::Bytes | FieldKind::Message(_) => Wire::Bytes(&[]),
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}
