//! One request from its path to its answer.

use std::sync::Arc;

use flybridge_machinery::Status;
use http::{Method, Request, Response, StatusCode};

use crate::body::ApiBody;
use crate::connect::ConnectRequest;
use crate::discovery;
use crate::http::respond;
use crate::http::subresource::{bind_named, review, subresource};
use crate::http::verbs::{
    Incoming, delete_collection, delete_object, get, list_page, patch_object, post, put,
    watch_stream,
};
use crate::options::Query;
use crate::request::{Answer, Path, Target, User, read_path};
use crate::rest::Call;
use crate::rest::pipeline::Part;
use crate::server::ApiServer;

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
        Path::Other => discovery::other(
            server,
            request.method(),
            &path,
            request.headers(),
            &Query::parse(request.uri().query().unwrap_or_default()),
        ),
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
        let text = format!(
            "User \"{}\" cannot {} path \"{path}\"",
            user.name,
            method.as_str().to_lowercase()
        );
        return Err(Box::new(Status::forbidden(
            &flybridge_machinery::Gvr::new("", "", ""),
            "",
            &text,
        )));
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

pub(super) fn verb_of(method: &Method, target: &Target, watch: bool) -> &'static str {
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
    let connect = (
        gvr.group.clone(),
        gvr.resource.clone(),
        target.subresource.clone(),
    );
    if let Some(handler) = server.inner.connects.get(&connect) {
        let request = ConnectRequest {
            target,
            query,
            user,
            request,
        };
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
    let incoming = Incoming {
        target,
        query,
        headers: parts.headers,
        body,
    };
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
