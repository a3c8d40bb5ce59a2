//! OpenAPI v3: an index, and one document a group and version.

use bytes::Bytes;
use flybridge_machinery::Status;
use flybridge_schema::openapi::{Endpoint, v3_document};
use http::header::LOCATION;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use serde_json::{Map, Value, json};

use super::{Document, not_found, tagged};
use crate::body::ApiBody;
use crate::http::present;
use crate::options::Query;
use crate::registry::Registry;
use crate::request::Answer;
use crate::server::ApiServer;

const ROOT: &str = "/openapi/v3";
const V2: &str = "/openapi/v2";
const V2_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/// `Document{swagger: "2.0", info{title, version}, paths{}, definitions{}}`.
const V2_DOCUMENT: &[u8] = b"\x0a\x032.0\x12\x15\x0a\x0aKubernetes\x12\x07v1.36.2\x42\x00\x4a\x00";

pub(super) fn answer(
    server: &ApiServer,
    path: &str,
    headers: &HeaderMap,
    query: &Query,
) -> Answer<Response<ApiBody>> {
    let registry = server.registry();
    if path == ROOT {
        let document = server.inner.documents.get("openapi/v3", || {
            let mut paths = Map::new();
            for (group, versions) in registry.groups() {
                for version in versions {
                    let name = name_of(group, version);
                    let document = document(server, &registry, group, version)?;
                    let url = format!("{ROOT}/{name}?hash={}", document.hash);
                    paths.insert(name, json!({"serverRelativeURL": url}));
                }
            }
            present::encode(&json!({"paths": paths}))
        })?;
        // Upstream's index goes out with this type, too.
        return Ok(tagged(&document, "text/plain; charset=utf-8", headers));
    }
    if path == V2 {
        return Ok(version_2(headers));
    }
    let Some((group, version)) = path.strip_prefix(ROOT).and_then(read) else {
        return Ok(not_found());
    };
    if !registry.has_version(group, version) {
        return Ok(not_found());
    }
    let document = document(server, &registry, group, version)?;
    if query.get("hash").is_some_and(|hash| hash != document.hash) {
        let mut response = tagged(&document, "application/json", headers);
        *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
        *response.body_mut() = ApiBody::empty();
        let url = format!("{ROOT}/{}?hash={}", name_of(group, version), document.hash);
        let value =
            HeaderValue::from_str(&url).map_err(|error| Box::new(Status::internal_error(error)))?;
        response.headers_mut().insert(LOCATION, value);
        return Ok(response);
    }
    Ok(tagged(&document, "application/json", headers))
}

/// Version 2, without types: clients that know version 3 ask for it only to learn that it does not
/// know a kind either. Clients that need its types are not served yet.
fn version_2(headers: &HeaderMap) -> Response<ApiBody> {
    let accept = headers
        .get(http::header::ACCEPT)
        .and_then(|value| value.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("proto-openapi.spec.v2")) {
        let document = Document::of(Bytes::from_static(V2_DOCUMENT));
        return tagged(&document, V2_PROTOBUF, headers);
    }
    let document = json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "v1.36.2"},
        "paths": {},
        "definitions": {},
    });
    tagged(
        &Document::of(Bytes::from(document.to_string())),
        "application/json",
        headers,
    )
}

fn name_of(group: &str, version: &str) -> String {
    if group.is_empty() {
        format!("api/{version}")
    } else {
        format!("apis/{group}/{version}")
    }
}

fn read(path: &str) -> Option<(&str, &str)> {
    match path
        .trim_start_matches('/')
        .split('/')
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["api", version] => Some(("", *version)),
        ["apis", group, version] => Some((*group, *version)),
        _ => None,
    }
}

fn document(
    server: &ApiServer,
    registry: &Registry,
    group: &str,
    version: &str,
) -> Answer<Document> {
    let name = format!("openapi/v3/{}", name_of(group, version));
    server
        .inner
        .documents
        .get(&name, || present::encode(&make(registry, group, version)))
}

fn make(registry: &Registry, group: &str, version: &str) -> Value {
    let endpoints: Vec<Endpoint<'_>> = registry
        .of_version(group, version)
        .map(|definition| Endpoint {
            plural: &definition.plural,
            gvk: definition.gvk(),
            namespaced: definition.is_namespaced(),
            verbs: &definition.verbs,
            subresources: definition
                .subresources
                .iter()
                .map(|sub| (sub.name.as_str(), sub.gvk.clone(), sub.verbs.as_slice()))
                .collect(),
            schema: definition.schema.as_ref(),
            strategic: definition.strategic_schema().is_some(),
        })
        .collect();
    v3_document(group, version, &endpoints)
}
