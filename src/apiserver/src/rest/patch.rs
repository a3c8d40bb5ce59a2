//! PATCH: JSON patch, merge patch and strategic merge patch on the stored object.

use flybridge_machinery::{FieldError, Status, object};
use flybridge_patch::{json_patch, merge_patch, strategic_merge};
use serde_json::Value;

use super::pipeline::Part;
use super::{Call, Done, update};
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
    let patch: Value = serde_json::from_slice(body)
        .map_err(|error| Box::new(Status::bad_request(format!("error decoding patch: {error}"))))?;
    let mut warnings = Vec::new();
    if kind != Kind::Json {
        warnings = check_fields(call, &patch, options)?;
    }
    let mut done = update::modify(call, part, options, |old| apply(call, kind, old, &patch)).await?;
    done.warnings.splice(0..0, warnings);
    Ok(done)
}

/// Reads a patch for something that is not itself stored, such as a Scale.
pub(crate) fn reader(content_type: &str, body: &[u8]) -> Answer<impl Fn(&Value) -> Answer<Value>> {
    let json = media_type(content_type) == JSON;
    let patch: Value = serde_json::from_slice(body)
        .map_err(|error| Box::new(Status::bad_request(format!("error decoding patch: {error}"))))?;
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
            Err(Box::new(Status::unsupported_media_type(&accepted)))
        }
    }
}

/// A patch may name only fields the type has.
fn check_fields(call: &Call, patch: &Value, options: &WriteOptions) -> Answer<Vec<String>> {
    let Some(schema) = &call.definition.schema else { return Ok(Vec::new()) };
    let unknown: Vec<String> = schema
        .unknown_fields(patch)
        .into_iter()
        .filter(|path| !path.contains('$'))
        .map(|path| format!("unknown field \"{path}\""))
        .collect();
    decode::judge(unknown, options.field_validation).map_err(|text| {
        let error = FieldError::invalid("patch", patch.to_string(), &text);
        let (group, kind) = (&call.definition.group, &call.definition.kind);
        Box::new(Status::invalid(group, kind, &call.name, &[error]))
    })
}

fn apply(call: &Call, kind: Kind, old: &Value, patch: &Value) -> Answer<Value> {
    let mut new = old.clone();
    match kind {
        Kind::Json => json_patch(&mut new, patch).map_err(|error| Box::new(error.to_status()))?,
        Kind::Merge => merge_patch(&mut new, patch),
        Kind::Strategic => {
            let topology = call.definition.strategic_schema().ok_or_else(|| {
                Box::new(Status::unsupported_media_type(&[JSON, MERGE]))
            })?;
            new = strategic_merge(old, patch, topology)
                .map_err(|error| Box::new(error.to_status()))?;
        }
    }
    check_result(call, old, &new)?;
    Ok(new)
}

/// A patch may not turn an object into another one, nor into something that is no object.
fn check_result(call: &Call, old: &Value, new: &Value) -> Answer<()> {
    let definition = &call.definition;
    let wrong_type = if new["metadata"].is_object() {
        let schema = definition.schema.as_ref();
        schema.and_then(|schema| schema.check_types(new).err()).map(|error| error.to_string())
    } else {
        Some("metadata must be an object".to_owned())
    };
    if let Some(text) = wrong_type {
        let error = FieldError::invalid("patch", "", &text);
        let status = Status::invalid(&definition.group, &definition.kind, &call.name, &[error]);
        return Err(Box::new(status));
    }
    let same = object::name(new) == object::name(old)
        && object::namespace(new) == object::namespace(old)
        && object::kind(new) == object::kind(old);
    if !same {
        return Err(Box::new(Status::bad_request(
            "the name, namespace and kind of an object cannot be changed by a patch",
        )));
    }
    Ok(())
}
