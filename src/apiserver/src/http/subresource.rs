//! Subresources, and resources that are answered without being stored.

use std::sync::Arc;

use flybridge_machinery::{Reason, Status};
use http::{Method, Response, StatusCode};
use serde_json::Value;

use super::verbs::{
    Incoming, content_type, finish, get, object, patch_object, presenter, put, write_options,
};
use crate::body::ApiBody;
use crate::http::negotiate::{self, Encoding, Shape};
use crate::http::{decode, present, respond, route};
use crate::options::DeleteOptions;
use crate::request::Answer;
use crate::rest::pipeline::Part;
use crate::rest::{Call, Done, Outcome, eviction, scale, strategy, update};
use crate::reviews;

pub(super) async fn subresource(
    call: Call,
    method: &Method,
    incoming: Incoming,
) -> Answer<Response<ApiBody>> {
    let name = incoming.target.subresource.clone();
    let verb = route::verb_of(method, &incoming.target, false);
    let known = call.definition.subresource(&name).cloned();
    let Some(known) = known else {
        return Err(Box::new(Status::unknown_resource()));
    };
    if !known.verbs.iter().any(|served| served == verb) {
        return Err(Box::new(Status::method_unknown()));
    }
    match (name.as_str(), verb) {
        ("status", "get") => get(&call, &incoming),
        ("status", "update") => put(&call, incoming, Part::Status).await,
        ("status", "patch") => patch_object(&call, incoming, Part::Status).await,
        ("scale", _) => scale_object(&call, verb, incoming).await,
        ("finalize", "update") => finalize(&call, incoming).await,
        ("binding", "create") => bind(&call, incoming).await,
        ("eviction", "create") => evict(&call, incoming).await,
        _ => {
            call.existing()?;
            let text = format!(
                "the subresource {name} of {} is not served here",
                call.definition.plural
            );
            Err(Box::new(Status::service_unavailable(text)))
        }
    }
}

pub(super) async fn scale_object(
    call: &Call,
    verb: &str,
    incoming: Incoming,
) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "UpdateOptions")?;
    let media = content_type(&incoming.headers);
    let done = match verb {
        "get" => Done::changed(scale::get(call)?),
        "patch" => {
            let bytes = decode::read(incoming.body).await?;
            scale::patch(call, &media, &bytes, &options).await?
        }
        _ => {
            let bytes = decode::read(incoming.body).await?;
            let (body, _) = decode::object(&media, &bytes, None, options.field_validation)?;
            let named = body["metadata"]["name"].as_str().unwrap_or_default();
            if named != call.name {
                return Err(Box::new(Status::bad_request(format!(
                    "the name of the object ({named}) does not match the name on the URL ({})",
                    call.name
                ))));
            }
            scale::replace(call, &body, &options).await?
        }
    };
    let mut response = respond::json(StatusCode::OK, done.outcome.bytes()?, wanted.encoding);
    respond::warn(&mut response, &done.warnings);
    Ok(response)
}

pub(super) async fn finalize(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "UpdateOptions")?;
    let presenter = presenter(call, &incoming, wanted)?;
    let (body, warnings) = object(call, incoming, &options).await?;
    let change = |old: &Value| Ok(strategy::finalize_namespace(old, &body));
    let done = update::modify(call, Part::Both, &options, change).await?;
    finish(&presenter, wanted, done, warnings)
}

pub(super) async fn bind(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let options = write_options(&incoming, "CreateOptions")?;
    let media = content_type(&incoming.headers);
    let bytes = decode::read(incoming.body).await?;
    let (body, _) = decode::object(&media, &bytes, None, options.field_validation)?;
    update::modify(call, Part::Both, &options, |old| {
        strategy::bind_pod(call, old, &body)
    })
    .await?;
    created()
}

/// POST of a Binding object: the body says which pod.
pub(super) async fn bind_named(call: Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let options = write_options(&incoming, "CreateOptions")?;
    let (body, _) = object(&call, incoming, &options).await?;
    let registry = call.server.registry();
    let pods = registry
        .find("", "v1", "pods")
        .ok_or_else(|| Box::new(Status::unknown_resource()))?;
    let name = body["metadata"]["name"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let call = Call {
        definition: Arc::clone(pods),
        name,
        ..call
    };
    update::modify(&call, Part::Both, &options, |old| {
        strategy::bind_pod(&call, old, &body)
    })
    .await?;
    created()
}

pub(super) async fn evict(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let media = content_type(&incoming.headers);
    let query = incoming.query.clone();
    let bytes = decode::read(incoming.body).await?;
    let decoded =
        flybridge_schema::decode(&media, &bytes, None).map_err(|error| decode::failure(&error))?;
    let named = decoded.value["metadata"]["name"]
        .as_str()
        .unwrap_or_default();
    if named != call.name {
        return Err(Box::new(Status::bad_request(
            "name in URL does not match name in Eviction object",
        )));
    }
    let mut options = DeleteOptions::read(&query, Some(&decoded.value["deleteOptions"]))?;
    options.dry_run |= query.get("dryRun").is_some();
    eviction::evict(call, &options).await?;
    created()
}

pub(super) fn created() -> Answer<Response<ApiBody>> {
    let mut status = Status::failure(Reason::Unknown, "");
    status.status = "Success".to_owned();
    status.code = StatusCode::CREATED.as_u16();
    let body = present::encode(&status)?;
    Ok(respond::json(StatusCode::CREATED, body, Encoding::Json))
}

pub(super) async fn review(
    call: &Call,
    method: &Method,
    incoming: Incoming,
) -> Answer<Response<ApiBody>> {
    if method != Method::POST || !call.definition.takes("create") {
        return Err(Box::new(Status::method_unknown()));
    }
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "CreateOptions")?;
    let (body, warnings) = object(call, incoming, &options).await?;
    let answered = reviews::answer(call, body)?;
    let done = Done {
        outcome: Outcome::Shown(answered),
        warnings,
        created: true,
    };
    let body = done.outcome.bytes()?;
    Ok(respond::json(StatusCode::CREATED, body, wanted.encoding))
}
