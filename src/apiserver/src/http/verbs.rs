//! The verbs over HTTP: bodies and options in, objects and streams out.

use bytes::Bytes;
use flybridge_machinery::Status;
use flybridge_machinery::fields::FieldSelector;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, Response, StatusCode};
use serde_json::Value;

use crate::body::ApiBody;
use crate::http::negotiate::{self, Shape, Wanted};
use crate::http::present::Presenter;
use crate::http::{decode, respond};
use crate::options::{DeleteOptions, ListOptions, Query, WriteOptions};
use crate::request::{Answer, Target};
use crate::rest::pipeline::Part;
use crate::rest::{Call, Done, collection, create, delete, list, patch, read, update, watch};

/// A read request.
pub(super) struct Incoming {
    pub(super) target: Target,
    pub(super) query: Query,
    pub(super) headers: HeaderMap,
    pub(super) body: ApiBody,
}

pub(super) fn presenter(call: &Call, incoming: &Incoming, wanted: Wanted) -> Answer<Presenter> {
    Presenter::new(
        &call.definition,
        wanted.form,
        &incoming.query,
        call.server.inner.clock,
    )
}

pub(super) fn get(call: &Call, incoming: &Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let outcome = read::get(call, &incoming.query)?;
    let body = presenter(call, incoming, wanted)?.outcome(&outcome)?;
    Ok(respond::json(StatusCode::OK, body, wanted.encoding))
}

pub(super) fn list_page(call: &Call, incoming: &Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::List)?;
    let options = ListOptions::read(&incoming.query)?;
    let page = list::list(call, &options)?;
    let body = presenter(call, incoming, wanted)?.list(&page)?;
    Ok(respond::json(StatusCode::OK, body, wanted.encoding))
}

pub(super) fn watch_stream(call: &Call, incoming: &Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Watch)?;
    let mut options = ListOptions::read(&incoming.query)?;
    options.watch = true;
    if !incoming.target.name.is_empty() {
        call.existing()?;
        let named = FieldSelector::equals("metadata.name", &incoming.target.name);
        options.fields = named;
    }
    let frames = watch::watch(call, &options, presenter(call, incoming, wanted)?)?;
    let mut response = respond::json(StatusCode::OK, Bytes::new(), wanted.encoding);
    *response.body_mut() = ApiBody::stream(frames);
    Ok(response)
}

pub(super) fn content_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

/// The options of a write; without a field manager the client's program name is one.
pub(super) fn write_options(incoming: &Incoming, kind: &str) -> Answer<WriteOptions> {
    let mut options = WriteOptions::read(&incoming.query, kind)?;
    if options.field_manager.is_empty() {
        let agent = incoming
            .headers
            .get(USER_AGENT)
            .and_then(|value| value.to_str().ok());
        let product = agent
            .unwrap_or_default()
            .split('/')
            .next()
            .unwrap_or_default();
        options.field_manager = product.to_owned();
    }
    Ok(options)
}

pub(super) async fn post(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "CreateOptions")?;
    let presenter = presenter(call, &incoming, wanted)?;
    let (body, warnings) = object(call, incoming, &options).await?;
    let done = create::create(call, body, &options).await?;
    finish(&presenter, wanted, done, warnings)
}

pub(super) async fn put(call: &Call, incoming: Incoming, part: Part) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "UpdateOptions")?;
    let presenter = presenter(call, &incoming, wanted)?;
    let (body, warnings) = object(call, incoming, &options).await?;
    let done = update::replace(call, body, part, &options).await?;
    finish(&presenter, wanted, done, warnings)
}

pub(super) async fn patch_object(
    call: &Call,
    incoming: Incoming,
    part: Part,
) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "PatchOptions")?;
    let presenter = presenter(call, &incoming, wanted)?;
    let media = content_type(&incoming.headers);
    let bytes = decode::read(incoming.body).await?;
    let done = patch::patch(call, &media, &bytes, part, &options).await?;
    finish(&presenter, wanted, done, Vec::new())
}

pub(super) async fn object(
    call: &Call,
    incoming: Incoming,
    options: &WriteOptions,
) -> Answer<(Value, Vec<String>)> {
    let media = content_type(&incoming.headers);
    let bytes = decode::read(incoming.body).await?;
    decode::object(
        &media,
        &bytes,
        call.definition.schema.as_ref(),
        options.field_validation,
    )
}

pub(super) fn finish(
    presenter: &Presenter,
    wanted: Wanted,
    done: Done,
    mut warnings: Vec<String>,
) -> Answer<Response<ApiBody>> {
    let code = if done.created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let body = presenter.outcome(&done.outcome)?;
    let mut response = respond::json(code, body, wanted.encoding);
    warnings.extend(done.warnings);
    respond::warn(&mut response, &warnings);
    Ok(response)
}

pub(super) async fn delete_options(incoming: Incoming) -> Answer<DeleteOptions> {
    let media = content_type(&incoming.headers);
    let bytes = decode::read(incoming.body).await?;
    let body = if bytes.is_empty() {
        None
    } else {
        let decoded = flybridge_schema::decode(&media, &bytes, None);
        let value = decoded.map_err(|error| decode::failure(&error))?.value;
        let kind = value["kind"].as_str().unwrap_or("DeleteOptions");
        if kind != "DeleteOptions" {
            let text = format!(
                "no kind {kind:?} is registered for version {}",
                value["apiVersion"]
            );
            return Err(Box::new(Status::bad_request(text)));
        }
        Some(value)
    };
    DeleteOptions::read(&incoming.query, body.as_ref())
}

pub(super) async fn delete_object(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let presenter = presenter(call, &incoming, wanted)?;
    let options = delete_options(incoming).await?;
    let done = delete::delete(call, &options).await?;
    finish(&presenter, wanted, done, Vec::new())
}

pub(super) async fn delete_collection(
    call: &Call,
    incoming: Incoming,
) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::List)?;
    let presenter = presenter(call, &incoming, wanted)?;
    let list_options = ListOptions::read(&incoming.query)?;
    let options = delete_options(incoming).await?;
    let page = collection::delete_matching(call, &list_options, &options).await?;
    Ok(respond::json(
        StatusCode::OK,
        presenter.list(&page)?,
        wanted.encoding,
    ))
}
