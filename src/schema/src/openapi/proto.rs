//! A version 2 document as the protobuf message of `openapi.v2.Document`.
//!
//! Extensions and defaults travel as YAML text; JSON is YAML, so they stay as they are.
//!
//! Source: field numbers of gnostic's `OpenAPIv2.proto`.

use serde_json::{Map, Value};

/// Encodes the document that [`super::v2_document`] makes.
pub fn encode(document: &Value) -> Vec<u8> {
    let mut message = Message::default();
    message.text(1, &document["swagger"]);
    message.nested(2, |info| {
        info.text(1, &document["info"]["title"]);
        info.text(2, &document["info"]["version"]);
    });
    message.nested(8, |paths| {
        for (path, item) in entries(&document["paths"]) {
            paths.named(2, path, |value| path_item(value, item));
        }
    });
    message.nested(9, |definitions| {
        for (name, schema) in entries(&document["definitions"]) {
            definitions.named(1, name, |value| self::schema(value, schema));
        }
    });
    message.0
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// A message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.extend((number & 0x7f | 0x80).to_le_bytes().first());
            number >>= 7;
        }
        self.0.extend(number.to_le_bytes().first());
    }

    fn key(&mut self, tag: u64, wire: u64) {
        self.varint(tag << 3 | wire);
    }

    fn bytes(&mut self, tag: u64, bytes: &[u8]) {
        self.key(tag, 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn nested(&mut self, tag: u64, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(tag, &inner.0);
    }

    /// An entry of one of the many lists of a name and a value.
    fn named(&mut self, tag: u64, name: &str, write: impl FnOnce(&mut Self)) {
        self.nested(tag, |entry| {
            entry.bytes(1, name.as_bytes());
            entry.nested(2, write);
        });
    }

    fn text(&mut self, tag: u64, value: &Value) {
        if let Some(text) = value.as_str() {
            self.bytes(tag, text.as_bytes());
        }
    }

    fn texts(&mut self, tag: u64, value: &Value) {
        for text in value.as_array().into_iter().flatten() {
            self.text(tag, text);
        }
    }

    fn flag(&mut self, tag: u64, value: &Value) {
        if value == &Value::Bool(true) {
            self.key(tag, 0);
            self.varint(1);
        }
    }

    fn integer(&mut self, tag: u64, value: &Value) {
        if let Some(number) = value.as_u64() {
            self.key(tag, 0);
            self.varint(number);
        }
    }

    fn double(&mut self, tag: u64, value: &Value) {
        if let Some(number) = value.as_f64() {
            self.key(tag, 1);
            self.0.extend_from_slice(&number.to_le_bytes());
        }
    }

    /// `Any{yaml}`.
    fn any(&mut self, tag: u64, value: &Value) {
        self.nested(tag, |any| any.bytes(2, format!("{value}\n").as_bytes()));
    }

    fn extensions(&mut self, tag: u64, value: &Value) {
        for (name, value) in entries(value).filter(|(name, _)| name.starts_with("x-")) {
            self.nested(tag, |entry| {
                entry.bytes(1, name.as_bytes());
                entry.any(2, value);
            });
        }
    }
}

fn schema(message: &mut Message, value: &Value) {
    let empty = Map::new();
    let fields = value.as_object().unwrap_or(&empty);
    let of = |keyword: &str| fields.get(keyword).unwrap_or(&Value::Null);
    for (tag, keyword) in [(1, "$ref"), (2, "format"), (3, "title"), (4, "description")] {
        message.text(tag, of(keyword));
    }
    if let Some(default) = fields.get("default") {
        message.any(5, default);
    }
    for (tag, keyword) in [(6, "multipleOf"), (7, "maximum"), (9, "minimum")] {
        message.double(tag, of(keyword));
    }
    for (tag, keyword) in [
        (8, "exclusiveMaximum"),
        (10, "exclusiveMinimum"),
        (16, "uniqueItems"),
    ] {
        message.flag(tag, of(keyword));
    }
    for (tag, keyword) in [
        (11, "maxLength"),
        (12, "minLength"),
        (14, "maxItems"),
        (15, "minItems"),
        (17, "maxProperties"),
        (18, "minProperties"),
    ] {
        message.integer(tag, of(keyword));
    }
    message.text(13, of("pattern"));
    message.texts(19, of("required"));
    for allowed in of("enum").as_array().into_iter().flatten() {
        message.any(20, allowed);
    }
    match of("additionalProperties") {
        Value::Null => {}
        Value::Bool(allowed) => message.nested(21, |item| {
            item.key(2, 0);
            item.varint(u64::from(*allowed));
        }),
        inner => message.nested(21, |item| item.nested(1, |value| schema(value, inner))),
    }
    if let Some(name) = of("type").as_str() {
        message.nested(22, |item| item.bytes(1, name.as_bytes()));
    }
    if of("items").is_object() {
        message.nested(23, |item| {
            item.nested(1, |value| schema(value, of("items")))
        });
    }
    if of("properties").is_object() {
        message.nested(25, |properties| {
            for (name, property) in entries(of("properties")) {
                properties.named(1, name, |value| schema(value, property));
            }
        });
    }
    message.extensions(31, value);
}

fn path_item(message: &mut Message, item: &Value) {
    for (tag, method) in [
        (2, "get"),
        (3, "put"),
        (4, "post"),
        (5, "delete"),
        (8, "patch"),
    ] {
        if item[method].is_object() {
            message.nested(tag, |value| operation(value, &item[method]));
        }
    }
}

fn operation(message: &mut Message, value: &Value) {
    message.texts(6, &value["produces"]);
    message.texts(7, &value["consumes"]);
    for parameter in value["parameters"].as_array().into_iter().flatten() {
        message.nested(8, |item| {
            item.nested(1, |one| self::parameter(one, parameter))
        });
    }
    message.nested(9, |responses| {
        for (code, response) in entries(&value["responses"]) {
            responses.named(1, code, |value| {
                value.nested(1, |message| {
                    message.text(1, &response["description"]);
                    message.nested(2, |item| {
                        item.nested(1, |value| schema(value, &response["schema"]));
                    });
                });
            });
        }
    });
    message.extensions(13, value);
}

fn parameter(message: &mut Message, value: &Value) {
    if value["in"] == "body" {
        message.nested(1, |body| {
            body.text(2, &value["name"]);
            body.text(3, &value["in"]);
            body.flag(4, &value["required"]);
            body.nested(5, |inner| schema(inner, &value["schema"]));
        });
        return;
    }
    message.nested(2, |any| {
        any.nested(3, |query| {
            query.text(2, &value["in"]);
            query.text(4, &value["name"]);
            query.text(6, &value["type"]);
            query.flag(20, &value["uniqueItems"]);
        });
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_types_and_extensions_lie_at_their_tags() {
        let document = json!({
            "swagger": "2.0",
            "info": {"title": "t", "version": "v"},
            "paths": {},
            "definitions": {"A": {"type": "string", "x-k": [1]}},
        });
        let schema = b"\xb2\x01\x08\x0a\x06string\xfa\x01\x0d\x0a\x03x-k\x12\x06\x12\x04[1]\n";
        let mut named = b"\x0a\x01A\x12".to_vec();
        named.push(u8::try_from(schema.len()).unwrap());
        named.extend_from_slice(schema);
        let mut expected = b"\x0a\x032.0\x12\x06\x0a\x01t\x12\x01v\x42\x00\x4a".to_vec();
        expected.push(u8::try_from(named.len() + 2).unwrap());
        expected.push(0x0a);
        expected.push(u8::try_from(named.len()).unwrap());
        expected.extend_from_slice(&named);
        assert_eq!(encode(&document), expected);
    }

    #[test]
    fn long_lengths_take_more_bytes() {
        let mut message = Message::default();
        message.varint(300);
        assert_eq!(message.0, [0xac, 0x02]);
    }
}
