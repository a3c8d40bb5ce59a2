//! What is served: discovery in both forms, OpenAPI, version and health.
//!
//! Documents are made on first use and forgotten when the registry changes.

mod aggregated;
mod legacy;
pub(crate) mod openapi;

use std::collections::BTreeMap;

use bytes::Bytes;
use flybridge_machinery::Status;
use http::header::{ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use sha2::{Digest, Sha512};

use crate::body::ApiBody;
use crate::http::negotiate::{self, Encoding, Shape};
use crate::http::{present, respond};
use crate::options::Query;
use crate::registry::Origin;
use crate::request::Answer;
use crate::server::ApiServer;

/// A finished document with its hash.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) bytes: Bytes,
    pub(crate) hash: String,
}

impl Document {
    pub(crate) fn of(bytes: Bytes) -> Self {
        let digest = Sha512::digest(&bytes);
        let hash = digest.iter().map(|byte| format!("{byte:02X}")).collect();
        Self { bytes, hash }
    }
}

/// Documents by name.
#[derive(Debug, Default)]
pub(crate) struct Documents(Mutex<BTreeMap<String, Document>>);

impl Documents {
    /// Forgets everything; the registry has changed.
    pub(crate) fn forget(&self) {
        self.0.lock().clear();
    }

    /// The document of a name, made if need be.
    pub(crate) fn get(&self, name: &str, make: impl FnOnce() -> Answer<Bytes>) -> Answer<Document> {
        if let Some(document) = self.0.lock().get(name) {
            return Ok(document.clone());
        }
        let document = Document::of(make()?);
        self.0.lock().insert(name.to_owned(), document.clone());
        Ok(document)
    }
}

/// A document with its ETag, or 304 if the client has it.
pub(crate) fn tagged(
    document: &Document,
    content_type: &str,
    headers: &HeaderMap,
) -> Response<ApiBody> {
    let tag = format!("\"{}\"", document.hash);
    let known = headers
        .get(IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok());
    let mut response = if known == Some(tag.as_str()) {
        respond::bytes(StatusCode::NOT_MODIFIED, content_type, Bytes::new())
    } else {
        respond::bytes(StatusCode::OK, content_type, document.bytes.clone())
    };
    if let Ok(value) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, value);
    }
    response
        .headers_mut()
        .insert(VARY, HeaderValue::from_static("Accept"));
    response
}

/// `/apis/<group>/<version>` and `/api/v1`.
pub(crate) fn version(server: &ApiServer, group: &str, version: &str) -> Answer<Response<ApiBody>> {
    let registry = server.registry();
    if !registry.has_version(group, version) {
        let known = registry
            .all()
            .any(|other| other.group == group && other.origin == Origin::BuiltIn);
        return if known {
            Err(Box::new(Status::unknown_resource()))
        } else {
            Ok(not_found())
        };
    }
    let body = present::encode(&legacy::resources(&registry, group, version))?;
    Ok(respond::json(StatusCode::OK, body, Encoding::Json))
}

/// `/apis/<group>`.
pub(crate) fn group(server: &ApiServer, group: &str) -> Answer<Response<ApiBody>> {
    let registry = server.registry();
    match registry.groups().iter().find(|(name, _)| name == group) {
        Some((name, versions)) => {
            let body = present::encode(&legacy::group(name, versions, true))?;
            Ok(respond::json(StatusCode::OK, body, Encoding::Json))
        }
        None => Ok(not_found()),
    }
}

/// Paths that are no resources.
pub(crate) fn other(
    server: &ApiServer,
    method: &Method,
    path: &str,
    headers: &HeaderMap,
    query: &Query,
) -> Answer<Response<ApiBody>> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return Err(Box::new(Status::method_unknown()));
    }
    match path.trim_end_matches('/') {
        "/api" => root(server, true, headers),
        "/apis" => root(server, false, headers),
        "/version" => {
            let body = present::encode(&version_info(&server.inner.version))?;
            Ok(respond::json(StatusCode::OK, body, Encoding::Json))
        }
        "/healthz" | "/livez" | "/readyz" => Ok(health(path, query)),
        "/metrics" => Ok(metrics(server)),
        checked if is_check(checked) => Ok(respond::text(StatusCode::OK, "ok")),
        "" => {
            let paths = json!({"paths": ["/api", "/apis", "/healthz", "/livez", "/metrics", "/openapi/v3", "/readyz", "/version"]});
            Ok(respond::json(
                StatusCode::OK,
                present::encode(&paths)?,
                Encoding::Json,
            ))
        }
        path if path.starts_with("/openapi/") => openapi::answer(server, path, headers, query),
        _ => Ok(not_found()),
    }
}

fn root(server: &ApiServer, core: bool, headers: &HeaderMap) -> Answer<Response<ApiBody>> {
    let wanted = negotiate::accepts_kind(headers, "APIGroupDiscoveryList", "apidiscovery.k8s.io");
    let registry = server.registry();
    let Some(version) = wanted else {
        // A client that asks for nothing but another version of aggregated discovery gets neither.
        negotiate::accept(headers, Shape::Object)?;
        let value = if core {
            legacy::core_versions()
        } else {
            legacy::groups(&registry)
        };
        return Ok(respond::json(
            StatusCode::OK,
            present::encode(&value)?,
            Encoding::Json,
        ));
    };
    let name = format!("discovery/{core}/{version}");
    let document = server.inner.documents.get(&name, || {
        present::encode(&aggregated::groups(&registry, core, version))
    })?;
    let content_type =
        format!("application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList");
    Ok(tagged(&document, &content_type, headers))
}

fn version_info(version: &str) -> Value {
    let mut numbers = version.trim_start_matches('v').split('.');
    json!({
        "major": numbers.next().unwrap_or("1"),
        "minor": numbers.next().unwrap_or_default(),
        "gitVersion": version,
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        // Clients know Go's words for compilers and machines.
        "compiler": "gc",
        "platform": format!("{}/{}", std::env::consts::OS, machine()),
    })
}

fn machine() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// Single checks behind a health endpoint; `etcd` is what probes call the store.
fn is_check(path: &str) -> bool {
    let Some((endpoint, check)) = path.rsplit_once('/') else {
        return false;
    };
    matches!(endpoint, "/healthz" | "/livez" | "/readyz")
        && matches!(check, "ping" | "store" | "etcd")
}

/// Figures of the store in the text format of Prometheus.
fn metrics(server: &ApiServer) -> Response<ApiBody> {
    let stats = server.inner.store.stats();
    let figures = [
        (
            "flybridge_store_revision",
            "The present revision.",
            stats.revision,
        ),
        (
            "flybridge_store_oldest_revision",
            "The oldest revision a watch may start after.",
            stats.oldest,
        ),
        (
            "flybridge_store_file_bytes",
            "Bytes on disk.",
            stats.file_bytes,
        ),
    ];
    let counts = [
        (
            "flybridge_store_records",
            "Records in all buckets.",
            stats.records,
        ),
        (
            "flybridge_store_events",
            "Events kept for watchers.",
            stats.events,
        ),
    ];
    let mut text = String::new();
    let counts =
        counts.map(|(name, help, count)| (name, help, u64::try_from(count).unwrap_or(u64::MAX)));
    for (name, help, figure) in figures.into_iter().chain(counts) {
        text.push_str(&format!(
            "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {figure}\n"
        ));
    }
    let content_type = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
    respond::bytes(StatusCode::OK, content_type, text)
}

fn health(path: &str, query: &Query) -> Response<ApiBody> {
    if query.flag("verbose") {
        let name = path.trim_matches('/');
        return respond::text(
            StatusCode::OK,
            format!("[+]ping ok\n[+]store ok\n{name} check passed\n"),
        );
    }
    respond::text(StatusCode::OK, "ok")
}

fn not_found() -> Response<ApiBody> {
    respond::text(StatusCode::NOT_FOUND, "404 page not found\n")
}
