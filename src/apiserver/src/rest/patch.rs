//! PATCH: JSON patch, merge patch and strategic merge patch on the stored object.

use flybridge_machinery::{FieldError, Status, StatusDetails, object};
use flybridge_patch::{json_patch, merge_patch, strategic_merge};
use parking_lot::Mutex;
use serde_json::Value;

use super::pipeline::Part;
use super::{Call, Done, shape, update};
use crate::http::decode;
use crate::options::WriteOptions;
use crate::request::Answer;

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// How a patch is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Json,
    Merge,
    Strategic,
}

pub(crate) async fn patch(
    call: &Call,
    content_type: &str,
    body: &[u8],
    part: Part,
    options: &WriteOptions,
) -> Answer<Done> {
    let kind = kind_of(call, content_type)?;
    if options.force.is_some() {
        let error = FieldError::forbidden("force", "may not be specified for non-apply patch");
        return Err(Box::new(Status::invalid_options("PatchOptions", &[error])));
    }
    let patch = decode_patch(kind, body)?;
    let warnings = Mutex::new(Vec::new());
    let change = |old: &Value| {
        let (new, complaints) = apply(call, kind, old, &patch, options)?;
        *warnings.lock() = complaints;
        Ok(new)
    };
    let mut done = update::modify(call, part, options, change).await?;
    done.warnings.splice(0..0, warnings.into_inner());
    Ok(done)
}

/// Patches are JSON: operations in a list, or an object that is merged.
fn decode_patch(kind: Kind, body: &[u8]) -> Answer<Value> {
    let bad = |text: String| Box::new(Status::bad_request(format!("error decoding patch: {text}")));
    let patch: Value = serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
    match kind {
        Kind::Json if !patch.is_array() => {
            Err(bad("a JSON patch is a list of operations".to_owned()))
        }
        Kind::Merge | Kind::Strategic if !patch.is_object() => {
            Err(bad("a merge patch is an object".to_owned()))
        }
        Kind::Json | Kind::Merge | Kind::Strategic => Ok(patch),
    }
}

/// Reads a patch for something that is not itself stored, such as a Scale.
pub(crate) fn reader(content_type: &str, body: &[u8]) -> Answer<impl Fn(&Value) -> Answer<Value>> {
    let media = media_type(content_type);
    let json = media == JSON;
    // A Scale has no lists, so merging it is the same in both ways.
    if !json && media != MERGE && media != STRATEGIC {
        return Err(Box::new(Status::unsupported_media_type(&[
            JSON, MERGE, STRATEGIC,
        ])));
    }
    let patch = decode_patch(if json { Kind::Json } else { Kind::Merge }, body)?;
    Ok(move |old: &Value| {
        let mut new = old.clone();
        if json {
            json_patch(&mut new, &patch).map_err(|error| Box::new(error.to_status()))?;
        } else {
            merge_patch(&mut new, &patch);
        }
        Ok(new)
    })
}

fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

fn kind_of(call: &Call, content_type: &str) -> Answer<Kind> {
    let media = media_type(content_type);
    let strategic = call.definition.strategic_schema().is_some();
    match media {
        JSON => Ok(Kind::Json),
        MERGE => Ok(Kind::Merge),
        STRATEGIC if strategic => Ok(Kind::Strategic),
        _ => {
            let mut accepted = vec![JSON, MERGE];
            if strategic {
                accepted.push(STRATEGIC);
            }
            let status = Status::unsupported_media_type(&accepted);
            Err(Box::new(if strategic {
                status.with_details(StatusDetails::default())
            } else {
                status
            }))
        }
    }
}

/// A patch whose result is no object of the type; upstream does not say of which kind and name.
fn refused(text: &str) -> Box<Status> {
    Box::new(Status::invalid(
        "",
        "",
        "",
        &[FieldError::invalid("patch", "", text)],
    ))
}

/// The patched object, and complaints about fields the type does not have.
fn apply(
    call: &Call,
    kind: Kind,
    old: &Value,
    patch: &Value,
    options: &WriteOptions,
) -> Answer<(Value, Vec<String>)> {
    let mut new = old.clone();
    match kind {
        Kind::Json => json_patch(&mut new, patch).map_err(|error| Box::new(error.to_status()))?,
        Kind::Merge => merge_patch(&mut new, patch),
        Kind::Strategic => {
            let topology = call
                .definition
                .strategic_schema()
                .ok_or_else(|| Box::new(Status::unsupported_media_type(&[JSON, MERGE])))?;
            new = strategic_merge(old, patch, topology)
                .map_err(|error| Box::new(error.to_status()))?;
        }
    }
    check_identity(call, old, &mut new)?;
    let Some(schema) = &call.definition.schema else {
        return Ok((new, Vec::new()));
    };
    schema
        .check_types(&new)
        .map_err(|error| refused(&error.to_string()))?;
    let unknown = schema.prune(&mut new);
    let unknown = unknown
        .into_iter()
        .map(|path| format!("unknown field \"{path}\""))
        .collect();
    let complaints = decode::judge(unknown, options.field_validation)
        .map_err(|text| refused(&format!("strict decoding error: {text}")))?;
    shape::settle(schema, &mut new).map_err(|text| refused(&text))?;
    Ok((new, complaints))
}

/// A patch may not turn an object into another one, nor into something that is no object.
fn check_identity(call: &Call, old: &Value, new: &mut Value) -> Answer<()> {
    let bad = |text: String| Err(Box::new(Status::bad_request(text)));
    if !new["metadata"].is_object() || object::name(new).is_empty() {
        return bad(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.name
        ));
    }
    let name = object::name(new);
    if name != object::name(old) {
        return bad(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            call.name
        ));
    }
    if object::namespace(new).is_some_and(|namespace| Some(namespace) != object::namespace(old)) {
        return bad(
            "the namespace of the provided object does not match the namespace sent on the request"
                .to_owned(),
        );
    }
    for field in ["apiVersion", "kind"] {
        match new.get(field) {
            None | Some(Value::Null) => new[field] = old[field].clone(),
            Some(value) if *value != old[field] => {
                return Err(refused(&format!(
                    "{field} {value} is not that of the stored object"
                )));
            }
            Some(_) => {}
        }
    }
    Ok(())
}
