//! What the server decides of an object's metadata, and the rules clients' metadata must obey.

use flybridge_machinery::{FieldError, Status, names, object};
use serde_json::{Value, json};

use super::{Call, bare_failure, pipeline};
use crate::registry::Origin;
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
    if body.is_null() {
        *body = json!({});
    }
    if !body.is_object() {
        return bad("the body must be one object".to_owned());
    }
    let wanted = definition.api_version();
    let (api_version, kind) = (object::api_version(body), object::kind(body));
    if (!api_version.is_empty() && api_version != wanted)
        || (!kind.is_empty() && kind != definition.kind)
    {
        if definition.origin != Origin::BuiltIn && api_version == wanted {
            let why = format!("must be {}", definition.kind);
            let error = FieldError::invalid("kind", kind, &why);
            return Err(Box::new(Status::invalid(
                &definition.group,
                kind,
                object::name(body),
                &[error],
            )));
        }
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
    let version = object::resource_version(body).and_then(|version| version.parse::<u64>().ok());
    if version.is_some_and(|version| version > 0) {
        return Err(bare_failure(
            "resourceVersion should not be set on objects to be created",
        ));
    }
    for field in [
        "uid",
        "selfLink",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "resourceVersion",
        "managedFields",
    ] {
        object::remove_path(body, &["metadata", field]);
    }
    let server = &call.server.inner;
    if object::name(body).is_empty()
        && let Some(base) = object::generate_name(body).filter(|base| !base.is_empty())
    {
        let base: String = base.chars().take(MAX_GENERATED_BASE).collect();
        let name = format!("{base}{}", server.ids.suffix(SUFFIX));
        object::set_name(body, &name);
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
    let mut errors = Vec::new();
    for field in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let sent = object::get_path(new, &["metadata", field])
            .filter(|value| !value.is_null() && *value != "");
        if let Some(sent) = sent
            && Some(sent) != object::get_path(old, &["metadata", field])
        {
            errors.push(FieldError::immutable(
                format!("metadata.{field}"),
                sent.clone(),
            ));
        }
    }
    pipeline::refuse(call, new, &twice(errors))?;
    for field in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "resourceVersion",
    ] {
        match object::get_path(old, &["metadata", field]) {
            Some(value) => object::set_path(new, &["metadata", field], value.clone()),
            None => {
                object::remove_path(new, &["metadata", field]);
            }
        }
    }
    object::remove_path(new, &["metadata", "selfLink"]);
    object::remove_path(new, &["metadata", "managedFields"]);
    Ok(())
}

/// The incarnation a PUT names must be the stored one.
pub(crate) fn check_uid(call: &Call, old: &Value, new: &Value) -> Answer<()> {
    let stored = object::uid(old).unwrap_or_default();
    match object::uid(new) {
        Some(uid) if !uid.is_empty() && uid != stored => {
            let why = format!(
                "Precondition failed: UID in precondition: {uid}, UID in object meta: {stored}"
            );
            Err(Box::new(Status::conflict(&call.gvr(), &call.name, &why)))
        }
        _ => Ok(()),
    }
}

/// Upstream looks at the metadata of an update in two places and tells both findings.
fn twice(errors: Vec<FieldError>) -> Vec<FieldError> {
    let again = errors.clone();
    errors.into_iter().chain(again).collect()
}

/// Drops owners that are named twice and warns of them.
pub(crate) fn dedupe_owners(new: &mut Value) -> Option<String> {
    let references = object::path_list(new, &["metadata", "ownerReferences"]);
    let mut kept: Vec<Value> = Vec::with_capacity(references.len());
    let mut repeated: Vec<&str> = Vec::new();
    for owner in references {
        let uid = owner["uid"].as_str().unwrap_or_default();
        if kept.iter().any(|seen| seen["uid"] == uid) {
            repeated.push(uid);
        }
        if !kept.contains(owner) {
            kept.push(owner.clone());
        }
    }
    if repeated.is_empty() {
        return None;
    }
    let warning = format!(
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, \
         and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
        repeated.join(", ")
    );
    object::set_path(new, &["metadata", "ownerReferences"], Value::Array(kept));
    Some(warning)
}

/// Violations in the metadata of an object that is to be stored.
pub(crate) fn validate(call: &Call, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    match old {
        Some(old) => {
            let mut errors = fields(call, new);
            added_finalizers(old, new, &mut errors);
            twice(errors)
        }
        None => {
            let mut errors = own_names(call, new);
            errors.extend(fields(call, new));
            errors
        }
    }
}

fn own_names(call: &Call, new: &Value) -> Vec<FieldError> {
    let name = object::name(new);
    if name.is_empty() {
        return vec![FieldError::required(
            "metadata.name",
            "name or generateName is required",
        )];
    }
    let mut errors = Vec::new();
    if let Some(base) = object::generate_name(new).filter(|base| !base.is_empty()) {
        // Whatever follows the base is fine, so only the base is looked at.
        let complaints = name_complaints(call, &format!("{}0", base.trim_end_matches(['-', '.'])));
        errors.extend(
            complaints
                .iter()
                .map(|text| FieldError::invalid("metadata.generateName", base, text)),
        );
    }
    let complaints = name_complaints(call, name);
    errors.extend(
        complaints
            .iter()
            .map(|text| FieldError::invalid("metadata.name", name, text)),
    );
    errors
}

fn fields(call: &Call, new: &Value) -> Vec<FieldError> {
    // Only the core rules ask finalizers for a domain; custom resources and CRDs may go without.
    let core_rules = call.definition.origin == Origin::BuiltIn
        && call.definition.group != "apiextensions.k8s.io";
    let mut errors = Vec::new();
    for (key, value) in object::labels(new) {
        let wrong_key = names::label_key(key);
        errors.extend(
            wrong_key
                .iter()
                .map(|text| FieldError::invalid("metadata.labels", key, text)),
        );
        let wrong = names::label_value(value);
        errors.extend(
            wrong
                .iter()
                .map(|text| FieldError::invalid("metadata.labels", value, text)),
        );
    }
    let mut bytes = 0;
    for (key, value) in object::annotations(new) {
        bytes += key.len() + value.len();
        let wrong_key = names::label_key(&key.to_lowercase());
        errors.extend(
            wrong_key
                .iter()
                .map(|text| FieldError::invalid("metadata.annotations", key, text)),
        );
    }
    if bytes > MAX_ANNOTATIONS {
        errors.push(FieldError::too_long(
            "metadata.annotations",
            MAX_ANNOTATIONS,
        ));
    }
    for (index, finalizer) in object::finalizers(new).enumerate() {
        let wrong = names::finalizer(finalizer);
        if core_rules
            && wrong.is_empty()
            && !finalizer.contains('/')
            && !names::is_standard_finalizer(finalizer)
        {
            let path = format!("metadata.finalizers[{index}]");
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(FieldError::invalid(path, finalizer, why));
        }
        errors.extend(
            wrong
                .iter()
                .map(|text| FieldError::invalid("metadata.finalizers", finalizer, text)),
        );
    }
    owners(new, &mut errors);
    errors
}

fn owners(new: &Value, errors: &mut Vec<FieldError>) {
    let references = object::path_list(new, &["metadata", "ownerReferences"]);
    for owner in references {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner[field].as_str().unwrap_or_default().is_empty() {
                let path = format!("metadata.ownerReferences.{field}");
                errors.push(FieldError::invalid(path, "", "must not be empty"));
            }
        }
        if owner["kind"] == "Event"
            && matches!(
                owner["apiVersion"].as_str(),
                Some("v1" | "events.k8s.io/v1")
            )
        {
            let why = "/v1, Kind=Event is disallowed from being an owner";
            errors.push(FieldError::invalid(
                "metadata.ownerReferences",
                owner.clone(),
                why,
            ));
        }
    }
    if references
        .iter()
        .filter(|owner| owner["controller"] == json!(true))
        .count()
        > 1
    {
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
    let added: Vec<&str> = object::finalizers(new)
        .filter(|finalizer| !object::has_finalizer(old, finalizer))
        .collect();
    if !added.is_empty() {
        let why = format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers {added:?}"
        );
        errors.push(FieldError::forbidden("metadata.finalizers", &why));
    }
}

fn name_complaints(call: &Call, name: &str) -> Vec<String> {
    match (
        call.definition.group.as_str(),
        call.definition.plural.as_str(),
    ) {
        ("", "namespaces") => names::dns1123_label(name),
        ("", "services") => names::dns1123_label(name),
        ("rbac.authorization.k8s.io", _) | ("apiregistration.k8s.io", _) => {
            names::path_segment(name)
        }
        _ => names::dns1123_subdomain(name),
    }
}
