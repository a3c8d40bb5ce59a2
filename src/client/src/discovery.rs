//! What an API serves, learnt by discovery and kept until something unknown is asked for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use http::header::ACCEPT;
use kube::Client;
use kube::core::discovery::v2::ACCEPT_AGGREGATED_DISCOVERY_V2;
use kube::core::{ApiResource, GroupVersionKind};
use parking_lot::RwLock;
use serde_json::Value;
use tokio::time::Instant;

use crate::{Error, Result};

/// The shortest time between two refreshes caused by misses.
const MISS_REFRESH: Duration = Duration::from_secs(2);

/// One served resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Where it is served.
    pub resource: ApiResource,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// The verbs it takes.
    pub verbs: Vec<String>,
    /// Names of its subresources.
    pub subresources: Vec<String>,
    /// Whether its version is the preferred one of its group.
    pub preferred: bool,
}

impl Mapping {
    /// Its group, version and kind.
    pub fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::gvk(
            &self.resource.group,
            &self.resource.version,
            &self.resource.kind,
        )
    }

    /// Whether every one of `verbs` is taken.
    pub fn takes(&self, verbs: &[&str]) -> bool {
        verbs
            .iter()
            .all(|verb| self.verbs.iter().any(|have| have == verb))
    }
}

/// Everything served, with what could not be learnt.
#[derive(Clone, Debug, Default)]
pub struct Served {
    /// Resources by group, version and kind, in order.
    pub mappings: Vec<Mapping>,
    /// Group versions whose resources could not be read.
    pub failed: Vec<String>,
}

/// Maps kinds to resources; clones share one cache.
#[derive(Clone)]
pub struct RestMapper {
    client: Client,
    cache: Arc<RwLock<Cache>>,
    refreshing: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Default)]
struct Cache {
    served: Arc<Served>,
    by_kind: BTreeMap<(String, String), Mapping>,
    refreshed: Option<Instant>,
}

impl RestMapper {
    /// A mapper that has learnt nothing yet.
    pub fn new(client: &Client) -> Self {
        Self {
            client: client.clone(),
            cache: Arc::default(),
            refreshing: Arc::default(),
        }
    }

    /// The resource that serves `kind` of `api_version`; asks the API if it is not known.
    ///
    /// # Errors
    /// Discovery failed, or nothing serves the kind.
    pub async fn lookup(&self, api_version: &str, kind: &str) -> Result<Mapping> {
        if let Some(found) = self.cached(api_version, kind) {
            return Ok(found);
        }
        self.refresh_older_than(MISS_REFRESH).await?;
        self.cached(api_version, kind)
            .ok_or_else(|| Error::NoMatch {
                api_version: api_version.to_owned(),
                kind: kind.to_owned(),
            })
    }

    /// The resource that serves `kind`, from what is already known.
    pub fn cached(&self, api_version: &str, kind: &str) -> Option<Mapping> {
        let key = (api_version.to_owned(), kind.to_owned());
        self.cache.read().by_kind.get(&key).cloned()
    }

    /// Asks the API again and returns everything it serves.
    ///
    /// # Errors
    /// Discovery failed altogether; single failing groups are listed in [`Served::failed`].
    pub async fn refresh(&self) -> Result<Arc<Served>> {
        self.refresh_older_than(Duration::ZERO).await
    }

    async fn refresh_older_than(&self, age: Duration) -> Result<Arc<Served>> {
        let _one = self.refreshing.lock().await;
        {
            let cache = self.cache.read();
            if let Some(at) = cache.refreshed
                && at.elapsed() < age
            {
                return Ok(Arc::clone(&cache.served));
            }
        }
        let served = Arc::new(discover(&self.client).await?);
        let by_kind = served
            .mappings
            .iter()
            .map(|mapping| {
                let resource = &mapping.resource;
                let key = (resource.api_version.clone(), resource.kind.clone());
                (key, mapping.clone())
            })
            .collect();
        *self.cache.write() = Cache {
            served: Arc::clone(&served),
            by_kind,
            refreshed: Some(Instant::now()),
        };
        Ok(served)
    }
}

/// Asks an API for everything it serves: two aggregated requests, or one a group version.
///
/// # Errors
/// Neither form is answered.
pub async fn discover(client: &Client) -> Result<Served> {
    let mut served = Served::default();
    for root in ["/api", "/apis"] {
        let document = get(client, root).await.map_err(failed)?;
        if document["kind"] == "APIGroupDiscoveryList" {
            read_aggregated(&document, &mut served);
        } else {
            for (group_version, preferred) in legacy_versions(&document) {
                let path = format!("{root}/{group_version}");
                match get(client, &path).await {
                    Ok(list) => read_legacy(&list, &group_version, preferred, &mut served),
                    Err(error) => {
                        tracing::debug!(%error, group_version, "discovery of a group failed");
                        served.failed.push(group_version);
                    }
                }
            }
        }
    }
    served.mappings.sort_by(|a, b| {
        let key = |m: &Mapping| (m.resource.group.clone(), m.resource.version.clone());
        key(a)
            .cmp(&key(b))
            .then_with(|| a.resource.plural.cmp(&b.resource.plural))
    });
    Ok(served)
}

fn failed(error: kube::Error) -> Error {
    Error::Discovery(Box::new(error))
}

async fn get(client: &Client, path: &str) -> kube::Result<Value> {
    let request = Request::get(path)
        .header(ACCEPT, ACCEPT_AGGREGATED_DISCOVERY_V2)
        .body(Vec::new())
        .map_err(kube::Error::HttpError)?;
    client.request(request).await
}

fn items<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn strings(value: &Value) -> Vec<String> {
    value
        .as_array()
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

fn api_resource(group: &str, version: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural)
}

fn read_aggregated(document: &Value, served: &mut Served) {
    for group in items(document, "items") {
        let group_name = text(&group["metadata"]["name"]);
        for (index, version) in items(group, "versions").iter().enumerate() {
            let version_name = text(&version["version"]);
            if text(&version["freshness"]) == "Stale" && items(version, "resources").is_empty() {
                served.failed.push(format!("{group_name}/{version_name}"));
            }
            for resource in items(version, "resources") {
                let kind = text(&resource["responseKind"]["kind"]);
                let plural = text(&resource["resource"]);
                if kind.is_empty() || plural.is_empty() {
                    continue;
                }
                served.mappings.push(Mapping {
                    resource: api_resource(group_name, version_name, kind, plural),
                    namespaced: text(&resource["scope"]) == "Namespaced",
                    verbs: strings(&resource["verbs"]),
                    subresources: items(resource, "subresources")
                        .iter()
                        .map(|sub| text(&sub["subresource"]).to_owned())
                        .collect(),
                    preferred: index == 0,
                });
            }
        }
    }
}

/// Group versions of an `APIVersions` or `APIGroupList`, and whether each is preferred.
fn legacy_versions(document: &Value) -> Vec<(String, bool)> {
    if document["kind"] == "APIVersions" {
        return strings(&document["versions"])
            .into_iter()
            .map(|version| (version, true))
            .collect();
    }
    let mut versions = Vec::new();
    for group in items(document, "groups") {
        let preferred = text(&group["preferredVersion"]["groupVersion"]);
        for version in items(group, "versions") {
            let group_version = text(&version["groupVersion"]);
            versions.push((group_version.to_owned(), group_version == preferred));
        }
    }
    versions
}

fn read_legacy(list: &Value, group_version: &str, preferred: bool, served: &mut Served) {
    let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
    let resources = items(list, "resources");
    for resource in resources {
        let plural = text(&resource["name"]);
        if plural.contains('/') {
            continue;
        }
        let prefix = format!("{plural}/");
        served.mappings.push(Mapping {
            resource: api_resource(group, version, text(&resource["kind"]), plural),
            namespaced: resource["namespaced"].as_bool().unwrap_or_default(),
            verbs: strings(&resource["verbs"]),
            subresources: resources
                .iter()
                .filter_map(|other| text(&other["name"]).strip_prefix(&prefix))
                .map(str::to_owned)
                .collect(),
            preferred,
        });
    }
}

#[cfg(test)]
mod tests {
    use http::Response;
    use kube::client::Body;
    use serde_json::json;
    use tower::BoxError;

    use super::*;

    fn serving(documents: Vec<(&'static str, Value)>) -> Client {
        crate::in_process(tower::service_fn(move |request: Request<Body>| {
            let path = request.uri().path().to_owned();
            let found = documents.iter().find(|(known, _)| *known == path);
            let body = found.map(|(_, document)| document.to_string());
            async move {
                let mut response = Response::new(Body::empty());
                match body {
                    Some(body) => *response.body_mut() = Body::from(body.into_bytes()),
                    None => *response.status_mut() = http::StatusCode::NOT_FOUND,
                }
                Ok::<_, BoxError>(response)
            }
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn reads_the_aggregated_form() {
        let client = serving(vec![
            (
                "/api",
                json!({"kind": "APIGroupDiscoveryList", "items": []}),
            ),
            (
                "/apis",
                json!({"kind": "APIGroupDiscoveryList", "items": [{
                    "metadata": {"name": "apps"},
                    "versions": [{"version": "v1", "resources": [{
                        "resource": "deployments",
                        "responseKind": {"group": "apps", "version": "v1", "kind": "Deployment"},
                        "scope": "Namespaced", "verbs": ["get", "list"],
                        "subresources": [{"subresource": "scale"}],
                    }]}],
                }]}),
            ),
        ]);
        let mapper = RestMapper::new(&client);
        let found = mapper.lookup("apps/v1", "Deployment").await.unwrap();
        assert_eq!(found.resource.plural, "deployments");
        assert!(found.namespaced && found.preferred && found.takes(&["get", "list"]));
        assert_eq!(found.subresources, ["scale"]);
        assert!(matches!(
            mapper.lookup("apps/v1", "Nothing").await,
            Err(Error::NoMatch { .. })
        ));
    }

    #[tokio::test(start_paused = true)]
    async fn falls_back_to_the_legacy_form_and_reports_failed_groups() {
        let client = serving(vec![
            ("/api", json!({"kind": "APIVersions", "versions": ["v1"]})),
            (
                "/api/v1",
                json!({"resources": [
                    {"name": "pods", "kind": "Pod", "namespaced": true, "verbs": ["get"]},
                    {"name": "pods/log", "kind": "Pod", "namespaced": true, "verbs": ["get"]},
                ]}),
            ),
            (
                "/apis",
                json!({"kind": "APIGroupList", "groups": [{
                    "name": "broken.example", "versions": [{"groupVersion": "broken.example/v1"}],
                    "preferredVersion": {"groupVersion": "broken.example/v1"},
                }]}),
            ),
        ]);
        let served = discover(&client).await.unwrap();
        assert_eq!(served.mappings.len(), 1);
        assert_eq!(served.mappings[0].subresources, ["log"]);
        assert_eq!(served.failed, ["broken.example/v1"]);
    }
}
