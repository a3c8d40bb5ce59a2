//! Custom resources: CRD objects to definitions, and what the server writes into CRD objects.

use std::sync::Arc;

use flybridge_machinery::{FieldError, Gvk, Status, object};
use flybridge_schema::Schema;
use flybridge_store::Snapshot;
use serde_json::{Value, json};

use super::definition::{Definition, Origin, ScalePaths, Scope, Subresource, Traits};
use crate::printers::CustomPrinter;
use crate::record;
use crate::request::Answer;
use crate::rest::{Call, pipeline};

const BUCKET: &str = "apiextensions.k8s.io/customresourcedefinitions";
/// Holds a CRD until its objects are gone.
pub(crate) const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";
/// In the order upstream lists them.
const VERBS: [&str; 8] =
    ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/// The resources that the CRD objects of a snapshot define; unreadable ones are left out.
pub(crate) fn definitions(snapshot: &Snapshot) -> Vec<Definition> {
    let mut found = Vec::new();
    for (name, record) in snapshot.range(BUCKET, "", None) {
        match record::decode(&record.value) {
            Ok(crd) => found.extend(of_crd(&crd)),
            Err(error) => tracing::error!(%name, %error, "a stored CRD is unreadable"),
        }
    }
    found
}

fn of_crd(crd: &Value) -> Vec<Definition> {
    let versions = object::path_list(crd, &["spec", "versions"]);
    let served = versions.iter().filter(|version| version["served"] == json!(true));
    served.filter_map(|version| of_version(crd, version)).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

fn of_version(crd: &Value, version: &Value) -> Option<Definition> {
    let (spec, names) = (&crd["spec"], &crd["spec"]["names"]);
    let (group, plural, kind) = (text(&spec["group"]), text(&names["plural"]), text(&names["kind"]));
    let name = text(&version["name"]);
    let schema = Schema::from_crd(&version["schema"]["openAPIV3Schema"]).ok()?;
    let subresources = &version["subresources"];
    let status = !subresources["status"].is_null();
    let scale = scale_paths(&subresources["scale"]);
    let gvk = Gvk::new(&group, &name, &kind);
    let bucket = Definition::bucket_of(&group, &plural);
    Some(Definition {
        singular: match text(&names["singular"]) {
            singular if singular.is_empty() => kind.to_lowercase(),
            singular => singular,
        },
        list_kind: match text(&names["listKind"]) {
            list_kind if list_kind.is_empty() => format!("{kind}List"),
            list_kind => list_kind,
        },
        short_names: texts(&names["shortNames"]),
        categories: texts(&names["categories"]),
        scope: if spec["scope"] == "Namespaced" { Scope::Namespaced } else { Scope::Cluster },
        verbs: VERBS.iter().map(|verb| (*verb).to_owned()).collect(),
        subresources: declared_subresources(&gvk, status, scale.is_some()),
        traits: Traits { status, generation: true, ..Traits::default() },
        field_paths: selectable(&version["selectableFields"]),
        printer: Some(Arc::new(CustomPrinter::new(object::path_list(
            version,
            &["additionalPrinterColumns"],
        )))),
        scale,
        schema: Some(schema),
        origin: Origin::Custom,
        group,
        version: name,
        plural,
        kind,
        bucket,
    })
}

/// The subresources of a custom or embedded resource.
pub fn declared_subresources(gvk: &Gvk, status: bool, scale: bool) -> Vec<Subresource> {
    let verbs = || vec!["get".to_owned(), "patch".to_owned(), "update".to_owned()];
    let mut found = Vec::new();
    if scale {
        let gvk = Gvk::new("autoscaling", "v1", "Scale");
        found.push(Subresource { name: "scale".to_owned(), gvk, verbs: verbs() });
    }
    if status {
        found.push(Subresource { name: "status".to_owned(), gvk: gvk.clone(), verbs: verbs() });
    }
    found
}

fn split_path(path: &Value) -> Vec<String> {
    let text = path.as_str().unwrap_or_default();
    text.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn scale_paths(scale: &Value) -> Option<ScalePaths> {
    if scale.is_null() {
        return None;
    }
    let selector = split_path(&scale["labelSelectorPath"]);
    Some(ScalePaths {
        spec_replicas: split_path(&scale["specReplicasPath"]),
        status_replicas: split_path(&scale["statusReplicasPath"]),
        label_selector: (!selector.is_empty()).then_some(selector),
    })
}

fn selectable(fields: &Value) -> Vec<(String, Vec<String>)> {
    let read = |field: &Value| {
        let path = split_path(&field["jsonPath"]);
        (path.join("."), path)
    };
    fields.as_array().into_iter().flatten().map(read).collect()
}

fn is_crd(call: &Call) -> bool {
    call.definition.group == "apiextensions.k8s.io"
        && call.definition.plural == "customresourcedefinitions"
}

/// Completes and checks a new CRD; other objects are left alone.
pub(crate) fn prepare_create(call: &Call, new: &mut Value) -> Answer<()> {
    if !is_crd(call) {
        return Ok(());
    }
    pipeline::refuse(call, new, &violations(new))?;
    object::add_finalizer(new, CLEANUP_FINALIZER);
    let now = crate::rest::metadata::now_text(call);
    let condition = |kind: &str, reason: &str, message: &str| {
        json!({
            "type": kind, "status": "True", "reason": reason, "message": message,
            "lastTransitionTime": now,
        })
    };
    new["status"] = json!({
        "acceptedNames": new["spec"]["names"],
        "storedVersions": storage_versions(new),
        "conditions": [
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        ],
    });
    Ok(())
}

/// Checks a changed CRD and keeps its status in step; other objects are left alone.
pub(crate) fn prepare_update(call: &Call, old: &Value, new: &mut Value) -> Answer<()> {
    if !is_crd(call) {
        return Ok(());
    }
    let mut errors = violations(new);
    for path in [&["spec", "group"][..], &["spec", "scope"], &["spec", "names", "plural"]] {
        let value = object::get_path(new, path).cloned().unwrap_or_default();
        if object::get_path(old, path) != Some(&value) {
            errors.push(FieldError::immutable(path.join("."), value));
        }
    }
    pipeline::refuse(call, new, &errors)?;
    let mut stored = texts(&old["status"]["storedVersions"]);
    for version in storage_versions(new) {
        if !stored.contains(&version) {
            stored.push(version);
        }
    }
    if new["status"].is_object() && new["spec"] != old["spec"] {
        new["status"]["storedVersions"] = json!(stored);
        new["status"]["acceptedNames"] = new["spec"]["names"].clone();
    }
    Ok(())
}

fn storage_versions(crd: &Value) -> Vec<String> {
    let versions = object::path_list(crd, &["spec", "versions"]);
    versions.iter().filter(|version| version["storage"] == json!(true)).map(|version| text(&version["name"])).collect()
}

fn violations(crd: &Value) -> Vec<FieldError> {
    let spec = &crd["spec"];
    let mut errors = Vec::new();
    for path in ["group", "scope"] {
        if text(&spec[path]).is_empty() {
            errors.push(FieldError::required(format!("spec.{path}"), ""));
        }
    }
    for name in ["plural", "kind"] {
        if text(&spec["names"][name]).is_empty() {
            errors.push(FieldError::required(format!("spec.names.{name}"), ""));
        }
    }
    let expected = format!("{}.{}", text(&spec["names"]["plural"]), text(&spec["group"]));
    if object::name(crd) != expected {
        let detail = "must be spec.names.plural+\".\"+spec.group";
        errors.push(FieldError::invalid("metadata.name", object::name(crd), detail));
    }
    if storage_versions(crd).len() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.push(FieldError::invalid("spec.versions", spec["versions"].clone(), detail));
    }
    for (index, version) in object::path_list(crd, &["spec", "versions"]).iter().enumerate() {
        let base = format!("spec.versions[{index}].schema.openAPIV3Schema");
        match &version["schema"]["openAPIV3Schema"] {
            Value::Null => errors.push(FieldError::required(base, "schemas are required")),
            schema => {
                if let Err(found) = Schema::from_crd(schema) {
                    errors.extend(found.into_iter().map(|error| error.below(&base)));
                }
            }
        }
    }
    errors
}

/// The failure of a resource that is served no longer.
pub(crate) fn gone() -> Box<Status> {
    Box::new(Status::unknown_resource())
}
