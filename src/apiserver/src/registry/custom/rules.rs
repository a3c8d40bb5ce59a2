//! What a CustomResourceDefinition must satisfy.

use flybridge_machinery::{FieldError, names, object};
use flybridge_schema::Schema;
use serde_json::{Value, json};

use super::text;

/// Names of the versions that objects are stored in; a valid CRD has one.
pub(super) fn storage_versions(crd: &Value) -> Vec<String> {
    let versions = object::path_list(crd, &["spec", "versions"]);
    let stored = versions
        .iter()
        .filter(|version| version["storage"] == json!(true));
    stored.map(|version| text(&version["name"])).collect()
}

/// Violations of a CRD by itself.
pub(super) fn violations(crd: &Value) -> Vec<FieldError> {
    let spec = &crd["spec"];
    let mut errors = Vec::new();
    let expected = format!(
        "{}.{}",
        text(&spec["names"]["plural"]),
        text(&spec["group"])
    );
    if object::name(crd) != expected {
        let detail = "must be spec.names.plural+\".\"+spec.group";
        errors.push(FieldError::invalid(
            "metadata.name",
            object::name(crd),
            detail,
        ));
    }
    let group = text(&spec["group"]);
    if group.is_empty() {
        errors.push(FieldError::required("spec.group", ""));
    } else if !group.contains('.') {
        errors.push(FieldError::invalid(
            "spec.group",
            group.as_str(),
            "should be a domain with at least one dot",
        ));
    }
    match spec["scope"].as_str().unwrap_or_default() {
        "Cluster" | "Namespaced" => {}
        "" => errors.push(FieldError::required("spec.scope", "")),
        other => errors.push(FieldError::not_supported(
            "spec.scope",
            other,
            &["Cluster", "Namespaced"],
        )),
    }
    let protected = group == "k8s.io"
        || group == "kubernetes.io"
        || group.ends_with(".k8s.io")
        || group.ends_with(".kubernetes.io");
    let approval = "api-approved.kubernetes.io";
    if protected && object::annotation(crd, approval).is_none() {
        let detail =
            "protected groups must have approval annotation \"api-approved.kubernetes.io\"";
        errors.push(FieldError::required(
            format!("metadata.annotations[{approval}]"),
            detail,
        ));
    }
    names_violations(&spec["names"], &mut errors);
    if storage_versions(crd).len() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.push(FieldError::invalid(
            "spec.versions",
            spec["versions"].clone(),
            detail,
        ));
    }
    if crd["status"].is_object() && object::path_list(crd, &["status", "storedVersions"]).is_empty()
    {
        let detail = "must have at least one stored version";
        errors.push(FieldError::invalid(
            "status.storedVersions",
            Value::Null,
            detail,
        ));
    }
    schema_violations(crd, &mut errors);
    errors
}

fn names_violations(given: &Value, errors: &mut Vec<FieldError>) {
    for name in ["plural", "singular", "kind", "listKind"] {
        let value = text(&given[name]);
        let path = format!("spec.names.{name}");
        if value.is_empty() {
            errors.push(FieldError::required(path, ""));
            continue;
        }
        let cased = if name.to_lowercase().ends_with("kind") {
            value.to_lowercase()
        } else {
            value.clone()
        };
        let complaints = names::dns1035_label(&cased);
        errors.extend(
            complaints
                .iter()
                .map(|why| FieldError::invalid(path.clone(), value.as_str(), why)),
        );
    }
    let (kind, list_kind) = (text(&given["kind"]), text(&given["listKind"]));
    if !kind.is_empty() && kind == list_kind {
        errors.push(FieldError::invalid(
            "spec.names.listKind",
            list_kind,
            "kind and listKind may not be the same",
        ));
    }
}

fn schema_violations(crd: &Value, errors: &mut Vec<FieldError>) {
    let versions = object::path_list(crd, &["spec", "versions"]);
    let mut seen: Vec<&Value> = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let path = format!("spec.versions[{index}]");
        let name = text(&version["name"]);
        let complaints = names::dns1035_label(&name);
        errors.extend(
            complaints
                .iter()
                .map(|why| FieldError::invalid(format!("{path}.name"), name.as_str(), why)),
        );
        if seen.contains(&&version["name"]) {
            errors.push(FieldError::duplicate(
                format!("{path}.name"),
                version["name"].clone(),
            ));
        }
        seen.push(&version["name"]);
        // Upstream speaks of the one version of a CRD as if it had been written the old way.
        let below = if versions.len() == 1 {
            "spec.validation.openAPIV3Schema".to_owned()
        } else {
            format!("{path}.schema.openAPIV3Schema")
        };
        match &version["schema"]["openAPIV3Schema"] {
            Value::Null => errors.push(FieldError::required(
                format!("{path}.schema.openAPIV3Schema"),
                "",
            )),
            schema => {
                if let Err(found) = Schema::from_crd(schema) {
                    errors.extend(found.into_iter().map(|error| error.below(&below)));
                }
            }
        }
    }
}

/// Violations of a change of a CRD.
pub(super) fn change_violations(old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let paths = [
        &["spec", "group"][..],
        &["spec", "scope"],
        &["spec", "names", "kind"],
        &["spec", "names", "plural"],
    ];
    for path in paths {
        let value = object::get_path(new, path).cloned().unwrap_or_default();
        if object::get_path(old, path) != Some(&value) {
            errors.push(FieldError::immutable(path.join("."), value));
        }
    }
    let versions = object::path_list(new, &["spec", "versions"]);
    for stored in object::path_list(new, &["status", "storedVersions"]) {
        if !versions.iter().any(|version| version["name"] == *stored) {
            let detail = "missing from spec.versions; it holds stored objects";
            errors.push(FieldError::invalid(
                "status.storedVersions",
                stored.clone(),
                detail,
            ));
        }
    }
    errors
}
