//! Messages that stand for one JSON value rather than an object.

use flybridge_machinery::{Quantity, time};
use serde_json::{Map, Value};

use super::Decoder;
use super::wire::{Reader, Wire};
use crate::DecodeError;

/// What may stand in the place of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Instead {
    Array,
    Bool,
    Strings,
}

impl Decoder<'_> {
    /// Reads a wrapper message; `None` for ordinary messages.
    pub(super) fn special(
        &self,
        message: usize,
        bytes: &[u8],
        depth: usize,
    ) -> Result<Option<Value>, DecodeError> {
        let value = match self.messages.short_name(message) {
            "Quantity" => quantity(bytes)?,
            "Time" => timestamp(bytes, false)?,
            "MicroTime" => timestamp(bytes, true)?,
            "IntOrString" => int_or_string(bytes)?,
            "FieldsV1" | "RawExtension" | "JSON" => raw_json(bytes)?,
            "JSONSchemaPropsOrArray" => self.schema_or(message, bytes, depth, Instead::Array)?,
            "JSONSchemaPropsOrBool" => self.schema_or(message, bytes, depth, Instead::Bool)?,
            "JSONSchemaPropsOrStringArray" => {
                self.schema_or(message, bytes, depth, Instead::Strings)?
            }
            "ExtraValue" | "Verbs" | "OptionalNames" => texts(bytes)?,
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn schema_or(
        &self,
        message: usize,
        bytes: &[u8],
        depth: usize,
        instead: Instead,
    ) -> Result<Value, DecodeError> {
        let schema_tag = if instead == Instead::Bool { 2 } else { 1 };
        let mut reader = Reader::new(bytes);
        let mut schema = None;
        let mut allows = false;
        let mut list = Vec::new();
        while let Some((tag, wire)) = reader.next()? {
            match (instead, wire) {
                (_, Wire::Bytes(bytes)) if tag == schema_tag => {
                    schema = Some(self.schema(message, bytes, depth)?);
                }
                (Instead::Bool, Wire::Varint(number)) => allows = number != 0,
                (Instead::Array, Wire::Bytes(bytes)) => {
                    list.push(self.schema(message, bytes, depth)?);
                }
                (Instead::Strings, Wire::Bytes(bytes)) => list.push(reader.text(bytes)?.into()),
                _ => {}
            }
        }
        Ok(match schema {
            Some(schema) => schema,
            None if instead == Instead::Bool => Value::Bool(allows),
            None if list.is_empty() => Value::Null,
            None => Value::Array(list),
        })
    }

    fn schema(&self, message: usize, bytes: &[u8], depth: usize) -> Result<Value, DecodeError> {
        let mut fields = Map::new();
        if let Some(schema) = self.messages.sibling(message, "JSONSchemaProps") {
            self.fields(schema, bytes, &mut fields, depth + 1)?;
        }
        Ok(Value::Object(fields))
    }
}

fn quantity(bytes: &[u8]) -> Result<Value, DecodeError> {
    let mut reader = Reader::new(bytes);
    let mut text = "0".to_owned();
    while let Some((tag, wire)) = reader.next()? {
        if let (1, Wire::Bytes(bytes)) = (tag, wire) {
            text = reader.text(bytes)?;
        }
    }
    let canonical = Quantity::parse(&text).map(|quantity| quantity.to_string());
    Ok(canonical.unwrap_or(text).into())
}

/// Seconds and nanoseconds; an empty message is the zero time, which is null.
fn timestamp(bytes: &[u8], micros: bool) -> Result<Value, DecodeError> {
    let mut reader = Reader::new(bytes);
    if reader.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0_i64, 0_i64);
    while let Some((tag, wire)) = reader.next()? {
        match (tag, wire) {
            (1, Wire::Varint(number)) => seconds = number.cast_signed(),
            (2, Wire::Varint(number)) => nanos = number.cast_signed(),
            _ => {}
        }
    }
    let nanos = i32::try_from(nanos).map_err(|_error| reader.fail("nanoseconds overflow"))?;
    let at = jiff::Timestamp::new(seconds, if micros { nanos } else { 0 })
        .map_err(|_error| reader.fail("a time is out of range"))?;
    Ok(if micros {
        time::format_micro(at).into()
    } else {
        time::format(at).into()
    })
}

fn int_or_string(bytes: &[u8]) -> Result<Value, DecodeError> {
    let mut reader = Reader::new(bytes);
    let (mut is_text, mut number, mut text) = (false, 0_i64, String::new());
    while let Some((tag, wire)) = reader.next()? {
        match (tag, wire) {
            (1, Wire::Varint(kind)) => is_text = kind == 1,
            (2, Wire::Varint(value)) => number = value.cast_signed(),
            (3, Wire::Bytes(bytes)) => text = reader.text(bytes)?,
            _ => {}
        }
    }
    Ok(if is_text { text.into() } else { number.into() })
}

fn raw_json(bytes: &[u8]) -> Result<Value, DecodeError> {
    let mut reader = Reader::new(bytes);
    let mut value = Value::Null;
    while let Some((tag, wire)) = reader.next()? {
        if let (1, Wire::Bytes(bytes)) = (tag, wire) {
            value = serde_json::from_slice(bytes)
                .map_err(|_error| reader.fail("embedded JSON does not parse"))?;
        }
    }
    Ok(value)
}

fn texts(bytes: &[u8]) -> Result<Value, DecodeError> {
    let mut reader = Reader::new(bytes);
    let mut items = Vec::new();
    while let Some((tag, wire)) = reader.next()? {
        if let (1, Wire::Bytes(bytes)) = (tag, wire) {
            items.push(reader.text(bytes)?.into());
        }
    }
    Ok(Value::Array(items))
}
