//! Laws that hold for every value.

use flybridge_machinery::Gvk;
use flybridge_schema::{Catalog, Schema, decode};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn schema() -> Schema {
    Schema::from_crd(&json!({
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {
                "b": {"type": "integer", "default": 3},
                "c": {"type": "array", "items": {"type": "object", "properties": {
                    "a": {"type": "string"}, "b": {"x-kubernetes-int-or-string": true},
                }}},
            }},
            "b": {"type": "object", "additionalProperties": {"type": "object", "properties": {
                "a": {"type": "boolean"},
            }}},
            "c": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
                "a": {"type": "object", "properties": {"b": {"type": "string", "nullable": true}}},
            }},
        },
    }))
    .unwrap()
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-d]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn pruned_values_have_no_unknown_fields(value in values()) {
        let schema = schema();
        let mut pruned = value.clone();
        let removed = schema.prune(&mut pruned);
        prop_assert!(schema.unknown_fields(&pruned).is_empty());
        prop_assert_eq!(removed.is_empty(), pruned == value);
        prop_assert_eq!(schema.unknown_fields(&value), removed);
    }

    #[test]
    fn defaulting_and_pruning_settle_at_once(value in values()) {
        let schema = schema();
        let mut once = value;
        schema.prune(&mut once);
        schema.default(&mut once);
        let mut twice = once.clone();
        schema.prune(&mut twice);
        schema.default(&mut twice);
        prop_assert_eq!(&once, &twice);
        prop_assert!(schema.unknown_fields(&once).is_empty());
        // Validation only looks.
        schema.validate(&once);
        prop_assert_eq!(&once, &twice);
    }

    #[test]
    fn json_and_yaml_decode_alike(value in values()) {
        let text = value.to_string();
        let json = decode("application/json", text.as_bytes(), None).unwrap();
        let yaml = decode("application/yaml", text.as_bytes(), None).unwrap();
        prop_assert_eq!(&json.value, &value);
        prop_assert_eq!(json.value, yaml.value);
    }

    #[test]
    fn any_bytes_are_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let gvk = Gvk::new("", "v1", "Pod");
        let schema = Catalog::builtin().schema_for(&gvk).unwrap();
        let mut enveloped = b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12".to_vec();
        enveloped.push(u8::try_from(bytes.len()).unwrap() | 0x80);
        enveloped.push(u8::try_from(bytes.len() >> 7).unwrap());
        enveloped.extend_from_slice(&bytes);
        let json = decode("application/json", &bytes, None);
        prop_assert_eq!(json.is_ok(), serde_json::from_slice::<Value>(&bytes).is_ok());
        if decode("application/yaml", &bytes, None).is_ok() {
            prop_assert!(std::str::from_utf8(&bytes).is_ok());
        }
        if let Ok(decoded) = decode("application/vnd.kubernetes.protobuf", &enveloped, Some(&schema)) {
            prop_assert!(decoded.unknown.is_empty());
        }
    }
}
