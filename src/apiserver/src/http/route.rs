//! One request from its path to its answer.

use std::sync::Arc;

use bytes::Bytes;
use flybridge_machinery::Status;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::Value;

use crate::body::ApiBody;
use crate::connect::ConnectRequest;
use crate::discovery;
use crate::http::negotiate::{self, Shape, Wanted};
use crate::http::present::Presenter;
use crate::http::{decode, respond};
use crate::options::{DeleteOptions, ListOptions, Query, WriteOptions};
use crate::request::{Answer, Path, Target, User, read_path};
use crate::rest::pipeline::Part;
use crate::rest::{Call, Done, Outcome, collection, create, delete, eviction, list, patch, read, scale, strategy, update, watch};
use crate::reviews;
use crate::server::ApiServer;

/// A read request.
struct Incoming {
    target: Target,
    query: Query,
    headers: HeaderMap,
    body: ApiBody,
}

/// Answers a request; failures become Status answers.
pub(crate) async fn answer(
    server: ApiServer,
    user: User,
    request: Request<ApiBody>,
) -> Response<ApiBody> {
    match handle(&server, user, request).await {
        Ok(response) => response,
        Err(status) => respond::failure(&status),
    }
}

async fn handle(
    server: &ApiServer,
    user: User,
    request: Request<ApiBody>,
) -> Answer<Response<ApiBody>> {
    let path = request.uri().path().to_owned();
    let read = read_path(&path);
    authorize(&user, &path, &read, request.method())?;
    match read {
        Path::Resource(target) => resource(server, user, *target, request).await,
        Path::Version(group, version) => discovery::version(server, &group, &version),
        Path::Group(group) => discovery::group(server, &group),
        Path::Other => discovery::other(server, request.method(), &path, request.headers(), &Query::parse(request.uri().query().unwrap_or_default())),
    }
}

/// Everything is allowed to masters; strangers may look whether the server is there.
///
/// Role-based access control is not evaluated yet, so other users are refused.
fn authorize(user: &User, path: &str, read: &Path, method: &Method) -> Answer<()> {
    let public = matches!(path, "/version" | "/healthz" | "/livez" | "/readyz");
    if user.is_master() || (public && method == Method::GET) {
        return Ok(());
    }
    let Path::Resource(target) = read else {
        let text = format!("User \"{}\" cannot {} path \"{path}\"", user.name, method.as_str().to_lowercase());
        return Err(Box::new(Status::forbidden(&flybridge_machinery::Gvr::new("", "", ""), "", &text)));
    };
    let verb = verb_of(method, target, false);
    let place = if target.namespace.is_empty() {
        "at the cluster scope".to_owned()
    } else {
        format!("in the namespace \"{}\"", target.namespace)
    };
    let why = format!(
        "User \"{}\" cannot {verb} resource \"{}\" in API group \"{}\" {place}",
        user.name, target.gvr.resource, target.gvr.group
    );
    Err(Box::new(Status::forbidden(&target.gvr, &target.name, &why)))
}

fn verb_of(method: &Method, target: &Target, watch: bool) -> &'static str {
    match (method.as_str(), target.name.is_empty()) {
        ("GET", _) if watch || target.watch_prefix => "watch",
        ("GET", true) => "list",
        ("GET", false) => "get",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "deletecollection",
        ("DELETE", false) => "delete",
        _ => "",
    }
}

async fn resource(
    server: &ApiServer,
    user: User,
    target: Target,
    request: Request<ApiBody>,
) -> Answer<Response<ApiBody>> {
    let registry = server.registry();
    let gvr = &target.gvr;
    let Some(definition) = registry.find(&gvr.group, &gvr.version, &gvr.resource) else {
        if !registry.has_version(&gvr.group, &gvr.version) {
            return Ok(respond::text(StatusCode::NOT_FOUND, "404 page not found\n"));
        }
        return Err(Box::new(Status::unknown_resource()));
    };
    if !definition.is_namespaced() && !target.namespace.is_empty() {
        return Ok(respond::text(StatusCode::NOT_FOUND, "404 page not found\n"));
    }
    let definition = Arc::clone(definition);
    let query = Query::parse(request.uri().query().unwrap_or_default());
    let connect = (gvr.group.clone(), gvr.resource.clone(), target.subresource.clone());
    if let Some(handler) = server.inner.connects.get(&connect) {
        let request = ConnectRequest { target, query, user, request };
        return handler.connect(request).await;
    }
    let (parts, body) = request.into_parts();
    let call = Call {
        server: server.clone(),
        definition,
        namespace: target.namespace.clone(),
        name: target.name.clone(),
        user,
    };
    let incoming = Incoming { target, query, headers: parts.headers, body };
    if !incoming.target.subresource.is_empty() {
        return subresource(call, &parts.method, incoming).await;
    }
    if call.definition.kind == "Binding" && parts.method == Method::POST {
        return bind_named(call, incoming).await;
    }
    if !call.definition.is_stored() {
        return review(&call, &parts.method, incoming).await;
    }
    let watching = incoming.query.flag("watch") && parts.method == Method::GET;
    let verb = verb_of(&parts.method, &incoming.target, watching);
    if !call.definition.takes(verb) || !reaches(&call, verb) {
        return Err(Box::new(Status::method_unknown()));
    }
    match verb {
        "get" => get(&call, &incoming),
        "list" => list_page(&call, &incoming),
        "watch" => watch_stream(&call, &incoming),
        "create" => post(&call, incoming).await,
        "update" => put(&call, incoming, Part::Main).await,
        "patch" => patch_object(&call, incoming, Part::Main).await,
        "delete" => delete_object(&call, incoming).await,
        _ => delete_collection(&call, incoming).await,
    }
}

/// Whether a verb is about one object, or a collection, as its path is.
fn reaches(call: &Call, verb: &str) -> bool {
    let inside = !call.definition.is_namespaced() || !call.namespace.is_empty();
    match verb {
        "get" | "update" | "patch" | "delete" => inside && !call.name.is_empty(),
        "create" | "deletecollection" => inside && call.name.is_empty(),
        _ => true,
    }
}

fn presenter(call: &Call, incoming: &Incoming, wanted: Wanted) -> Answer<Presenter> {
    Presenter::new(&call.definition, wanted.form, &incoming.query, call.server.inner.clock)
}

fn get(call: &Call, incoming: &Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let outcome = read::get(call, &incoming.query)?;
    let body = presenter(call, incoming, wanted)?.outcome(&outcome)?;
    Ok(respond::json(StatusCode::OK, body, wanted.encoding))
}

fn list_page(call: &Call, incoming: &Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::List)?;
    let options = ListOptions::read(&incoming.query)?;
    let page = list::list(call, &options)?;
    let body = presenter(call, incoming, wanted)?.list(&page)?;
    Ok(respond::json(StatusCode::OK, body, wanted.encoding))
}

fn watch_stream(call: &Call, incoming: &Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Watch)?;
    let mut options = ListOptions::read(&incoming.query)?;
    options.watch = true;
    if !incoming.target.name.is_empty() {
        call.existing()?;
        let named = flybridge_machinery::fields::FieldSelector::equals("metadata.name", &incoming.target.name);
        options.fields = named;
    }
    let frames = watch::watch(call, &options, presenter(call, incoming, wanted)?)?;
    let mut response = respond::json(StatusCode::OK, Bytes::new(), wanted.encoding);
    *response.body_mut() = ApiBody::stream(frames);
    Ok(response)
}

fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

/// The options of a write; without a field manager the client's program name is one.
fn write_options(incoming: &Incoming, kind: &str) -> Answer<WriteOptions> {
    let mut options = WriteOptions::read(&incoming.query, kind)?;
    if options.field_manager.is_empty() {
        let agent = incoming.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
        let product = agent.unwrap_or_default().split('/').next().unwrap_or_default();
        options.field_manager = product.to_owned();
    }
    Ok(options)
}

async fn post(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "CreateOptions")?;
    let presenter = presenter(call, &incoming, wanted)?;
    let (body, warnings) = object(call, incoming, &options).await?;
    let done = create::create(call, body, &options).await?;
    finish(&presenter, wanted, done, warnings)
}

async fn put(call: &Call, incoming: Incoming, part: Part) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "UpdateOptions")?;
    let presenter = presenter(call, &incoming, wanted)?;
    let (body, warnings) = object(call, incoming, &options).await?;
    let done = update::replace(call, body, part, &options).await?;
    finish(&presenter, wanted, done, warnings)
}

async fn patch_object(call: &Call, incoming: Incoming, part: Part) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "PatchOptions")?;
    let presenter = presenter(call, &incoming, wanted)?;
    let media = content_type(&incoming.headers);
    let bytes = decode::read(incoming.body).await?;
    let done = patch::patch(call, &media, &bytes, part, &options).await?;
    finish(&presenter, wanted, done, Vec::new())
}

async fn object(
    call: &Call,
    incoming: Incoming,
    options: &WriteOptions,
) -> Answer<(Value, Vec<String>)> {
    let media = content_type(&incoming.headers);
    let bytes = decode::read(incoming.body).await?;
    decode::object(&media, &bytes, call.definition.schema.as_ref(), options.field_validation)
}

fn finish(
    presenter: &Presenter,
    wanted: Wanted,
    done: Done,
    mut warnings: Vec<String>,
) -> Answer<Response<ApiBody>> {
    let code = if done.created { StatusCode::CREATED } else { StatusCode::OK };
    let body = presenter.outcome(&done.outcome)?;
    let mut response = respond::json(code, body, wanted.encoding);
    warnings.extend(done.warnings);
    respond::warn(&mut response, &warnings);
    Ok(response)
}

async fn delete_options(incoming: Incoming) -> Answer<DeleteOptions> {
    let media = content_type(&incoming.headers);
    let bytes = decode::read(incoming.body).await?;
    let body = if bytes.is_empty() {
        None
    } else {
        let decoded = flybridge_schema::decode(&media, &bytes, None);
        let value = decoded.map_err(|error| decode::failure(&error))?.value;
        let kind = value["kind"].as_str().unwrap_or("DeleteOptions");
        if kind != "DeleteOptions" {
            let text = format!("no kind {kind:?} is registered for version {}", value["apiVersion"]);
            return Err(Box::new(Status::bad_request(text)));
        }
        Some(value)
    };
    DeleteOptions::read(&incoming.query, body.as_ref())
}

async fn delete_object(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let presenter = presenter(call, &incoming, wanted)?;
    let options = delete_options(incoming).await?;
    let done = delete::delete(call, &options).await?;
    finish(&presenter, wanted, done, Vec::new())
}

async fn delete_collection(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::List)?;
    let presenter = presenter(call, &incoming, wanted)?;
    let list_options = ListOptions::read(&incoming.query)?;
    let options = delete_options(incoming).await?;
    let page = collection::delete_matching(call, &list_options, &options).await?;
    Ok(respond::json(StatusCode::OK, presenter.list(&page)?, wanted.encoding))
}

async fn subresource(
    call: Call,
    method: &Method,
    incoming: Incoming,
) -> Answer<Response<ApiBody>> {
    let name = incoming.target.subresource.clone();
    let verb = verb_of(method, &incoming.target, false);
    let known = call.definition.subresource(&name).cloned();
    let Some(known) = known else { return Err(Box::new(Status::unknown_resource())) };
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
            let text = format!("the subresource {name} of {} is not served here", call.definition.plural);
            Err(Box::new(Status::service_unavailable(text)))
        }
    }
}

async fn scale_object(call: &Call, verb: &str, incoming: Incoming) -> Answer<Response<ApiBody>> {
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

async fn finalize(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "UpdateOptions")?;
    let presenter = presenter(call, &incoming, wanted)?;
    let (body, warnings) = object(call, incoming, &options).await?;
    let change = |old: &Value| Ok(strategy::finalize_namespace(old, &body));
    let done = update::modify(call, Part::Both, &options, change).await?;
    finish(&presenter, wanted, done, warnings)
}

async fn bind(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let options = write_options(&incoming, "CreateOptions")?;
    let media = content_type(&incoming.headers);
    let bytes = decode::read(incoming.body).await?;
    let (body, _) = decode::object(&media, &bytes, None, options.field_validation)?;
    update::modify(call, Part::Both, &options, |old| strategy::bind_pod(call, old, &body)).await?;
    created()
}

/// POST of a Binding object: the body says which pod.
async fn bind_named(call: Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let options = write_options(&incoming, "CreateOptions")?;
    let (body, _) = object(&call, incoming, &options).await?;
    let registry = call.server.registry();
    let pods = registry.find("", "v1", "pods").ok_or_else(|| Box::new(Status::unknown_resource()))?;
    let name = body["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let call = Call { definition: Arc::clone(pods), name, ..call };
    update::modify(&call, Part::Both, &options, |old| strategy::bind_pod(&call, old, &body)).await?;
    created()
}

async fn evict(call: &Call, incoming: Incoming) -> Answer<Response<ApiBody>> {
    let media = content_type(&incoming.headers);
    let query = incoming.query.clone();
    let bytes = decode::read(incoming.body).await?;
    let decoded = flybridge_schema::decode(&media, &bytes, None).map_err(|error| decode::failure(&error))?;
    let named = decoded.value["metadata"]["name"].as_str().unwrap_or_default();
    if named != call.name {
        return Err(Box::new(Status::bad_request("name in URL does not match name in Eviction object")));
    }
    let mut options = DeleteOptions::read(&query, Some(&decoded.value["deleteOptions"]))?;
    options.dry_run |= query.get("dryRun").is_some();
    eviction::evict(call, &options).await?;
    created()
}

fn created() -> Answer<Response<ApiBody>> {
    let mut status = Status::failure(flybridge_machinery::Reason::Unknown, "");
    status.status = "Success".to_owned();
    status.code = StatusCode::CREATED.as_u16();
    let body = crate::http::present::encode(&status)?;
    Ok(respond::json(StatusCode::CREATED, body, negotiate::Encoding::Json))
}

async fn review(call: &Call, method: &Method, incoming: Incoming) -> Answer<Response<ApiBody>> {
    if method != Method::POST || !call.definition.takes("create") {
        return Err(Box::new(Status::method_unknown()));
    }
    let wanted = negotiate::accept(&incoming.headers, Shape::Object)?;
    let options = write_options(&incoming, "CreateOptions")?;
    let (body, warnings) = object(call, incoming, &options).await?;
    let answered = reviews::answer(call, body)?;
    let done = Done { outcome: Outcome::Shown(answered), warnings, created: true };
    let body = done.outcome.bytes()?;
    Ok(respond::json(StatusCode::CREATED, body, wanted.encoding))
}

