//! What the server decides of an object's metadata, and the rules clients' metadata must obey.

use flybridge_machinery::{FieldError, Status, names, object, time};
use serde_json::{Value, json};

use super::Call;
use crate::request::Answer;

/// Annotations may be this long altogether, in bytes.
const MAX_ANNOTATIONS: usize = 256 * 1024;
/// Characters of a generated name before its suffix.
const MAX_GENERATED_BASE: usize = 58;
const SUFFIX: usize = 5;

/// Checks apiVersion, kind, namespace and name of a body against the path, and fills in what is missing.
pub(crate) fn identify(call: &Call, body: &mut Value) -> Answer<()> {
    let definition = &call.definition;
    let bad = |text: String| Err(Box::new(Status::bad_request(text)));
    if !body.is_object() {
        return bad("the body must be one object".to_owned());
    }
    let wanted = definition.api_version();
    let (api_version, kind) = (object::api_version(body), object::kind(body));
    let same_family = definition.plural == "events" && matches!(api_version, "v1" | "events.k8s.io/v1");
    if (!api_version.is_empty() && api_version != wanted && !same_family)
        || (!kind.is_empty() && kind != definition.kind)
    {
        return bad(format!(
            "the object provided is unrecognized (must be of type {}): {kind} of {api_version} is not {} of {wanted}",
            definition.kind, definition.kind
        ));
    }
    object::set_gvk(body, &definition.gvk());
    if !body["metadata"].is_object() {
        body["metadata"] = json!({});
    }
    let namespace = object::namespace(body).unwrap_or_default();
    if definition.is_namespaced() {
        if !namespace.is_empty() && namespace != call.namespace {
            return bad("the namespace of the provided object does not match the namespace sent on the request".to_owned());
        }
        object::set_namespace(body, &call.namespace);
    } else if !namespace.is_empty() {
        object::remove_path(body, &["metadata", "namespace"]);
    }
    Ok(())
}

/// Prepares the metadata of a new object: server fields, generated name.
pub(crate) fn on_create(call: &Call, body: &mut Value) -> Answer<()> {
    if object::resource_version(body).is_some_and(|version| !version.is_empty()) {
        return Err(Box::new(Status::internal_error(
            "resourceVersion should not be set on objects to be created",
        )));
    }
    for field in ["uid", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion"] {
        object::remove_path(body, &["metadata", field]);
    }
    let server = &call.server.inner;
    if object::name(body).is_empty() {
        if let Some(base) = object::generate_name(body).filter(|base| !base.is_empty()) {
            let base: String = base.chars().take(MAX_GENERATED_BASE).collect();
            let name = format!("{base}{}", server.ids.suffix(SUFFIX));
            object::set_name(body, &name);
        }
    }
    object::set_uid(body, &server.ids.uid());
    object::set_creation_timestamp(body, server.clock.now());
    if call.definition.traits.generation {
        object::set_generation(body, 1);
    }
    Ok(())
}

/// Puts back what an update may not change, and checks the version and the incarnation it names.
pub(crate) fn on_update(call: &Call, old: &Value, new: &mut Value) -> Answer<()> {
    let sent = object::resource_version(new).unwrap_or_default().to_owned();
    let stored = object::resource_version(old).unwrap_or_default();
    if !sent.is_empty() && sent != stored {
        return Err(Box::new(Status::stale(&call.gvr(), &call.name)));
    }
    if let Some(uid) = object::uid(new).filter(|uid| !uid.is_empty())
        && Some(uid) != object::uid(old)
    {
        let why = format!(
            "Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
            object::uid(old).unwrap_or_default()
        );
        return Err(Box::new(Status::conflict(&call.gvr(), &call.name, &why)));
    }
    for field in ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion", "generateName"] {
        match object::get_path(old, &["metadata", field]) {
            Some(value) => object::set_path(new, &["metadata", field], value.clone()),
            None => {
                object::remove_path(new, &["metadata", field]);
            }
        }
    }
    object::remove_path(new, &["metadata", "selfLink"]);
    Ok(())
}

/// Violations in the metadata of an object that is to be stored.
pub(crate) fn validate(call: &Call, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let name = object::name(new);
    if name.is_empty() {
        errors.push(FieldError::required("metadata.name", "name or generateName is required"));
    } else {
        let complaints = name_complaints(call, name);
        errors.extend(complaints.iter().map(|text| FieldError::invalid("metadata.name", name, text)));
    }
    for (key, value) in object::labels(new) {
        let wrong_key = names::label_key(key);
        errors.extend(wrong_key.iter().map(|text| FieldError::invalid("metadata.labels", key, text)));
        let wrong = names::label_value(value);
        errors.extend(wrong.iter().map(|text| FieldError::invalid("metadata.labels", value, text)));
    }
    let mut bytes = 0;
    for (key, value) in object::annotations(new) {
        bytes += key.len() + value.len();
        let wrong_key = names::label_key(&key.to_lowercase());
        errors.extend(wrong_key.iter().map(|text| FieldError::invalid("metadata.annotations", key, text)));
    }
    if bytes > MAX_ANNOTATIONS {
        errors.push(FieldError::too_long("metadata.annotations", MAX_ANNOTATIONS));
    }
    for finalizer in object::finalizers(new) {
        let wrong = names::finalizer(finalizer);
        errors.extend(wrong.iter().map(|text| FieldError::invalid("metadata.finalizers", finalizer, text)));
    }
    owners(new, &mut errors);
    if let Some(old) = old {
        added_finalizers(old, new, &mut errors);
    }
    errors
}

fn owners(new: &Value, errors: &mut Vec<FieldError>) {
    let references = object::path_list(new, &["metadata", "ownerReferences"]);
    for (index, owner) in references.iter().enumerate() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner[field].as_str().unwrap_or_default().is_empty() {
                let path = format!("metadata.ownerReferences[{index}].{field}");
                errors.push(FieldError::invalid(path, "", &format!("{field} must not be empty")));
            }
        }
    }
    if references.iter().filter(|owner| owner["controller"] == json!(true)).count() > 1 {
        errors.push(FieldError::invalid(
            "metadata.ownerReferences",
            Value::Array(references.to_vec()),
            "Only one reference can have Controller set to true",
        ));
    }
}

fn added_finalizers(old: &Value, new: &Value, errors: &mut Vec<FieldError>) {
    if !object::is_terminating(old) {
        return;
    }
    let added: Vec<&str> =
        object::finalizers(new).filter(|finalizer| !object::has_finalizer(old, finalizer)).collect();
    if !added.is_empty() {
        let why = format!("no new finalizers can be added if the object is being deleted, found new finalizers {added:?}");
        errors.push(FieldError::forbidden("metadata.finalizers", &why));
    }
}

fn name_complaints(call: &Call, name: &str) -> Vec<String> {
    match (call.definition.group.as_str(), call.definition.plural.as_str()) {
        ("", "namespaces") => names::dns1123_label(name),
        ("", "services") => names::dns1035_label(name),
        ("rbac.authorization.k8s.io", _) | ("apiregistration.k8s.io", _) => names::path_segment(name),
        _ => names::dns1123_subdomain(name),
    }
}

/// The text of the present second, as the API writes times.
pub(crate) fn now_text(call: &Call) -> String {
    time::format(call.server.inner.clock.now())
}
