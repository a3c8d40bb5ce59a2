//! Protobuf and JSON bodies.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flybridge_machinery::Gvk;
use flybridge_schema::{Catalog, DecodeError, Schema, decode};
use serde_json::{Value, json};

use crate::records;

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

fn schema(api_version: &str, kind: &str) -> Schema {
    let gvk = Gvk::from_api_version(api_version, kind).unwrap();
    Catalog::builtin().schema_for(&gvk).unwrap()
}

/// Leaves out what Go prints for fields nobody set.
fn without_zeros(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            // A port that was not given is 0 to Go, and not given to us.
            let fields = fields
                .into_iter()
                .filter(|(key, value)| !(key == "targetPort" && *value == 0))
                .map(|(key, value)| (key, without_zeros(value)))
                .filter(|(_, value)| !is_zero(value));
            Value::Object(fields.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_zeros).collect()),
        other => other,
    }
}

fn is_zero(value: &Value) -> bool {
    *value == Value::Null || *value == json!({}) || *value == json!([])
}

#[test]
fn protobuf_bodies_decode_to_what_go_decodes() {
    let rows = records::lines("protobuf.jsonl");
    let mut failures = Vec::new();
    for row in &rows {
        let bytes = STANDARD.decode(row["base64"].as_str().unwrap()).unwrap();
        let kind = row["kind"].as_str().unwrap();
        let schema = schema(row["apiVersion"].as_str().unwrap(), kind);
        match decode(PROTOBUF, &bytes, Some(&schema)) {
            Ok(decoded) => {
                let ours = without_zeros(decoded.value);
                let theirs = without_zeros(row["decoded"].clone());
                if ours != theirs || !decoded.unknown.is_empty() {
                    failures.push(format!("{} {kind}\n  {ours}\n  {theirs}", row["id"]));
                }
            }
            Err(error) => failures.push(format!("{} {kind}: {error}", row["id"])),
        }
    }
    records::report(rows.len(), 40, &failures);
}

#[test]
fn every_cut_of_a_protobuf_body_is_an_answer() {
    for row in records::lines("protobuf.jsonl").iter().take(8) {
        let bytes = STANDARD.decode(row["base64"].as_str().unwrap()).unwrap();
        for end in 0..bytes.len() {
            if let Err(error) = decode(PROTOBUF, &bytes[..end], None) {
                assert!(
                    matches!(
                        error,
                        DecodeError::Protobuf { .. } | DecodeError::UnknownKind { .. }
                    ),
                    "{error}"
                );
            }
        }
    }
}

/// `Unknown{typeMeta{apiVersion, kind}, raw}` behind the magic.
fn envelope(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let part = |tag: u8, bytes: &[u8]| {
        let mut part = vec![tag << 3 | 2, u8::try_from(bytes.len()).unwrap()];
        part.extend_from_slice(bytes);
        part
    };
    let meta = [part(1, api_version.as_bytes()), part(2, kind.as_bytes())].concat();
    [b"k8s\0".to_vec(), part(1, &meta), part(2, raw)].concat()
}

#[test]
fn options_and_reviews_decode_too() {
    // gracePeriodSeconds: 0, propagationPolicy: Background
    let raw = [&[0x08, 0x00, 0x22, 0x0a][..], b"Background"].concat();
    let decoded = decode(PROTOBUF, &envelope("v1", "DeleteOptions", &raw), None).unwrap();
    assert_eq!(
        decoded.value,
        json!({"apiVersion": "v1", "kind": "DeleteOptions",
            "gracePeriodSeconds": 0, "propagationPolicy": "Background"})
    );
    // spec: {resourceAttributes: {verb: "get"}, user: "u", extra: {"k": ["v"]}}
    let extra = [&[0x0a, 0x01][..], b"k", &[0x12, 0x03, 0x0a, 0x01], b"v"].concat();
    let spec = [
        &[0x0a, 0x05, 0x12, 0x03][..],
        b"get",
        &[0x1a, 0x01],
        b"u",
        &[0x2a, 0x08],
        &extra,
    ]
    .concat();
    let raw = [&[0x12, u8::try_from(spec.len()).unwrap()][..], &spec].concat();
    let body = envelope("authorization.k8s.io/v1", "SubjectAccessReview", &raw);
    let decoded = decode(PROTOBUF, &body, None).unwrap();
    assert_eq!(
        decoded.value["spec"],
        json!({"resourceAttributes": {"verb": "get"}, "user": "u", "extra": {"k": ["v"]}})
    );
    let body = envelope("v1", "Nothing", &[]);
    assert!(matches!(
        decode(PROTOBUF, &body, None),
        Err(DecodeError::UnknownKind { .. })
    ));
}

#[test]
fn unknown_and_duplicate_fields_have_paths_in_gos_style() {
    let body = br#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1,"replicas":2,
        "selector":{"matchLabels":{"a":"b"}},
        "template":{"spec":{"containers":[{"name":"c","imag":"x"}]}}},"extra":{}}"#;
    let schema = schema("apps/v1", "Deployment");
    let decoded = decode("application/json; charset=utf-8", body, Some(&schema)).unwrap();
    assert_eq!(
        decoded.complaints(),
        [
            "unknown field \"extra\"",
            "unknown field \"spec.template.spec.containers[0].imag\"",
            "duplicate field \"spec.replicas\"",
        ]
    );
    assert_eq!(decoded.value["spec"]["replicas"], 2);
}

#[test]
fn wrong_kinds_of_values_are_told_as_go_tells_them() {
    for (spec, text) in [
        (
            json!({"replicas": "1"}),
            "cannot unmarshal string into Go struct field spec.replicas of type int32",
        ),
        (
            json!({"replicas": 3_000_000_000_i64}),
            "cannot unmarshal number into Go struct field spec.replicas of type int32",
        ),
        (
            json!({"paused": 1}),
            "cannot unmarshal number into Go struct field spec.paused of type bool",
        ),
        (
            json!({"template": {"spec": {"containers": {}}}}),
            "of type []v1.Container",
        ),
    ] {
        let body = json!({"spec": spec}).to_string();
        let schema = schema("apps/v1", "Deployment");
        let error = decode("application/json", body.as_bytes(), Some(&schema)).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
    let fine = json!({"spec": {"replicas": null, "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}}}});
    let body = fine.to_string();
    decode("", body.as_bytes(), Some(&schema("apps/v1", "Deployment"))).unwrap();
}

#[test]
fn malformed_text_is_located_and_other_media_refused() {
    let error = decode("application/json", b"{\n  \"a\": x\n}", None).unwrap_err();
    let DecodeError::Json { line, column, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((line, column > 0), (2, true));
    assert!(matches!(
        decode("application/json", b"{} {}", None),
        Err(DecodeError::Json { .. })
    ));
    assert!(matches!(
        decode("text/csv", b"", None),
        Err(DecodeError::Media(_))
    ));
}
