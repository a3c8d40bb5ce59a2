//! `ConfigMap`s and Secrets: keys, size, and what `immutable` freezes.

use flybridge_machinery::{FieldError, names};
use serde_json::Value;

use super::findings::{At, Findings};

const MAX_BYTES: usize = 1024 * 1024;
const FROZEN: &str = "field is immutable when `immutable` is set";

/// Keys of a map of data; gives the bytes of its values.
fn keys(data: &At<'_>, findings: &mut Findings) -> usize {
    let mut bytes = 0;
    for (key, value) in data.entries() {
        for complaint in names::config_map_key(key) {
            let told = Value::from(key);
            findings.invalid(
                &At {
                    value: &told,
                    path: value.path.clone(),
                },
                &complaint,
            );
        }
        bytes += value.text().len();
    }
    bytes
}

/// A `ConfigMap`.
pub(super) fn config_map(object: &At<'_>, findings: &mut Findings) {
    let (data, binary) = (object.get("data"), object.get("binaryData"));
    let size = keys(&data, findings) + decoded(keys(&binary, findings));
    for (key, value) in binary.entries() {
        if data.entry(key).is_set() {
            let told = Value::from(key);
            findings.invalid(
                &At {
                    value: &told,
                    path: value.path,
                },
                "duplicate of key present in data",
            );
        }
    }
    if size > MAX_BYTES {
        findings.extend(vec![FieldError::too_long("", MAX_BYTES)]);
    }
}

/// Bytes behind that many of base64, rounded down.
const fn decoded(encoded: usize) -> usize {
    encoded / 4 * 3
}

/// A Secret, with what its type promises.
pub(super) fn secret(object: &At<'_>, findings: &mut Findings) {
    let data = object.get("data");
    let size = decoded(keys(&data, findings));
    if size > MAX_BYTES {
        findings.extend(vec![FieldError::too_long("data", MAX_BYTES)]);
    }
    let promised: &[&str] = match object.text_of("type") {
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        _ => &[],
    };
    for key in promised {
        let entry = data.entry(key);
        if !entry.is_set() {
            findings.required(&entry, "");
        }
    }
    if object.text_of("type") == "kubernetes.io/service-account-token" {
        findings.require(
            &object
                .path(&["metadata", "annotations"])
                .entry("kubernetes.io/service-account.name"),
        );
    }
    if object.text_of("type") == "kubernetes.io/basic-auth" {
        let given = |key: &str| data.entry(key).is_set();
        if !given("username") && !given("password") {
            findings.required(&data.entry("username"), "");
            findings.required(&data.entry("password"), "");
        }
    }
}

/// What an immutable object keeps; a Secret always keeps its type.
pub(super) fn changed(old: &At<'_>, new: &At<'_>, findings: &mut Findings) {
    findings.fixed(&old.get("type"), &new.get("type"));
    if !old.get("immutable").is_true() {
        return;
    }
    if !new.get("immutable").is_true() {
        findings.forbidden(&new.get("immutable"), FROZEN);
    }
    for field in ["data", "binaryData"] {
        if !old.get(field).same(&new.get(field)) {
            findings.forbidden(&new.get(field), FROZEN);
        }
    }
}
