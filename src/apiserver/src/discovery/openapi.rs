//! OpenAPI: version 3 has an index and one document a group and version, version 2 one document.

use flybridge_machinery::Status;
use flybridge_schema::openapi::{Endpoint, v2_document, v2_protobuf, v3_document};
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
        return version_2(server, &registry, headers);
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

/// Version 2: one document for everything, as JSON or as protobuf.
fn version_2(
    server: &ApiServer,
    registry: &Registry,
    headers: &HeaderMap,
) -> Answer<Response<ApiBody>> {
    let accept = headers
        .get(http::header::ACCEPT)
        .and_then(|value| value.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("proto-openapi.spec.v2")) {
        let document = server.inner.documents.get("openapi/v2 protobuf", || {
            Ok(v2_protobuf(&make_all(registry)).into())
        })?;
        return Ok(tagged(&document, V2_PROTOBUF, headers));
    }
    let make = || present::encode(&make_all(registry));
    let document = server.inner.documents.get("openapi/v2", make)?;
    Ok(tagged(&document, "application/json", headers))
}

fn make_all(registry: &Registry) -> Value {
    let versions: Vec<(&str, &str, Vec<Endpoint<'_>>)> = registry
        .groups()
        .iter()
        .flat_map(|(group, versions)| versions.iter().map(move |version| (group, version)))
        .map(|(group, version)| {
            let served = endpoints(registry, group, version);
            (group.as_str(), version.as_str(), served)
        })
        .collect();
    let groups: Vec<(&str, &str, &[Endpoint<'_>])> = versions
        .iter()
        .map(|(group, version, served)| (*group, *version, served.as_slice()))
        .collect();
    v2_document(&groups)
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
    v3_document(group, version, &endpoints(registry, group, version))
}

fn endpoints<'a>(registry: &'a Registry, group: &'a str, version: &'a str) -> Vec<Endpoint<'a>> {
    registry
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
        .collect()
}
