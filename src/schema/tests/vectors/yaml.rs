//! YAML bodies mean what Kubernetes takes them to mean.

use flybridge_machinery::Gvk;
use flybridge_schema::{Catalog, DecodeError, decode};
use serde_json::{Value, json};

fn read(text: &str) -> Value {
    decode("application/yaml", text.as_bytes(), None)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .value
}

#[test]
fn words_of_yaml_1_1_are_booleans_unless_quoted() {
    for (word, value) in [
        ("y", true),
        ("Y", true),
        ("yes", true),
        ("Yes", true),
        ("YES", true),
        ("on", true),
        ("ON", true),
        ("true", true),
        ("True", true),
        ("TRUE", true),
        ("n", false),
        ("N", false),
        ("no", false),
        ("off", false),
        ("False", false),
    ] {
        assert_eq!(read(&format!("a: {word}")), json!({"a": value}), "{word}");
        for quoted in [
            format!("a: \"{word}\""),
            format!("a: '{word}'"),
            format!("a: !!str {word}"),
        ] {
            assert_eq!(read(&quoted), json!({"a": word}), "{quoted}");
        }
    }
    for word in ["t", "T", "f", "F", "yess", "nULL", "<<", "="] {
        assert_eq!(read(&format!("a: {word}")), json!({"a": word}), "{word}");
    }
}

#[test]
fn numbers_and_nulls() {
    let mut failures = Vec::new();
    for (text, value) in [
        ("1", json!(1)),
        ("-7", json!(-7)),
        ("+1", json!(1)),
        ("-0", json!(0)),
        ("0x1F", json!(31)),
        ("-0x1F", json!(-31)),
        ("0o17", json!(15)),
        ("0b11", json!(3)),
        ("0755", json!(493)),
        ("0_7", json!(7)),
        ("08", json!(8)),
        ("1_000", json!(1000)),
        ("1.5", json!(1.5)),
        ("1.", json!(1)),
        (".5", json!(0.5)),
        ("1e3", json!(1000)),
        ("1E3", json!(1000)),
        ("0.1e2", json!(10)),
        ("2.0", json!(2)),
        ("!!float 3", json!(3)),
        ("!!int '3'", json!(3)),
        ("~", Value::Null),
        ("null", Value::Null),
        ("Null", Value::Null),
        ("", Value::Null),
        ("1.2.3", json!("1.2.3")),
        ("0o8", json!("0o8")),
        ("0x", json!("0x")),
        ("_1", json!("_1")),
        ("1,000", json!("1,000")),
        ("2021-01-01", json!("2021-01-01")),
        ("2021-01-01T00:00:00Z", json!("2021-01-01T00:00:00Z")),
        ("12:30", json!("12:30")),
        ("190:20:30", json!("190:20:30")),
        ("50%", json!("50%")),
        ("100m", json!("100m")),
        ("'1'", json!("1")),
        ("!!binary aGk=", json!("hi")),
        ("!foo bar", json!("bar")),
        ("9223372036854775807", json!(i64::MAX)),
        ("18446744073709551615", json!(u64::MAX)),
        (
            "18446744073709551616",
            json!(18_446_744_073_709_552_000_f64),
        ),
    ] {
        let decoded = decode("application/yaml", format!("a: {text}").as_bytes(), None);
        let ours = decoded.map(|decoded| decoded.value);
        let expected = json!({"a": value});
        if ours.as_ref().ok() != Some(&expected) {
            failures.push(format!("{text}: {ours:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for text in ["a: .nan", "a: .inf", "a: +.inf"] {
        assert!(
            decode("application/yaml", text.as_bytes(), None).is_err(),
            "{text}"
        );
    }
}

#[test]
fn keys_become_text() {
    assert_eq!(
        read("1: a\ntrue: b\n1.5: c\nn: d\n0755: e\n"),
        json!({"1": "a", "true": "b", "1.5": "c", "false": "d", "493": "e"})
    );
    assert_eq!(
        read("\"y\": a\n'0755': b\n"),
        json!({"y": "a", "0755": "b"})
    );
    assert!(decode("application/yaml", b"? [1]\n: x\n", None).is_err());
}

#[test]
fn anchors_merges_and_blocks() {
    let text = "base: &b {x: 1, z: 2}\nuse:\n  <<: *b\n  z: 3\ncopy: *b\ntext: |\n  one\n  two\nfold: >-\n  a\n  b\n";
    assert_eq!(
        read(text),
        json!({"base": {"x": 1, "z": 2}, "use": {"x": 1, "z": 3}, "copy": {"x": 1, "z": 2},
            "text": "one\ntwo\n", "fold": "a b"})
    );
}

#[test]
fn json_is_yaml_and_documents_may_open_with_dashes() {
    assert_eq!(
        read("{\"a\": [1, \"b\", null]}"),
        json!({"a": [1, "b", null]})
    );
    assert_eq!(read("---\na: 1\n"), json!({"a": 1}));
    assert_eq!(read("# only a comment\na: 1 # one\n"), json!({"a": 1}));
}

#[test]
fn duplicates_and_unknown_fields_are_noted() {
    let gvk = Gvk::new("", "v1", "ConfigMap");
    let schema = Catalog::builtin().schema_for(&gvk).unwrap();
    let text = "data:\n  a: x\n  a: z\ndta: {}\nmetadata:\n  name: x\n  name: m\n";
    let decoded = decode("application/yaml", text.as_bytes(), Some(&schema)).unwrap();
    assert_eq!(decoded.duplicates, ["data.a", "metadata.name"]);
    assert_eq!(decoded.unknown, ["dta"]);
    assert_eq!(decoded.value["data"]["a"], "z");
}

#[test]
fn malformed_text_is_located() {
    for text in [
        "a: [1, 2\nb: 3\n",
        "a: b: c\n",
        "a:\n\t- b\n",
        "a: *nowhere\n",
    ] {
        match decode("application/yaml", text.as_bytes(), None) {
            Err(DecodeError::Yaml { line, .. }) => assert!(line > 0, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn nested_aliases_do_not_explode() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = level - 1;
        let aliases = vec![format!("*a{below}"); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert!(matches!(
        decode("application/yaml", text.as_bytes(), None),
        Err(DecodeError::Yaml { .. })
    ));
}
