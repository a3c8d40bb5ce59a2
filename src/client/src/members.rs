//! Clients of member clusters, by cluster name.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Config};
use parking_lot::Mutex;
use serde_json::Value;

use crate::{Error, Objects, Result};

/// What is needed to reach a member over HTTPS.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct MemberSpec {
    /// The cluster's name.
    pub name: String,
    /// `spec.apiEndpoint`.
    pub api_endpoint: String,
    /// The bearer token of the Secret that `spec.secretRef` names.
    pub token: String,
    /// The CA bundle of that Secret, as PEM text; empty for the system's roots.
    pub ca_bundle: String,
    /// `spec.insecureSkipTLSVerification`.
    pub insecure: bool,
    /// `spec.proxyURL`.
    pub proxy_url: Option<String>,
    /// `spec.proxyHeader`, sent with each request.
    pub proxy_header: BTreeMap<String, String>,
}

impl std::fmt::Debug for MemberSpec {
    /// Leaves the token out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemberSpec")
            .field("name", &self.name)
            .field("api_endpoint", &self.api_endpoint)
            .field("insecure", &self.insecure)
            .field("proxy_url", &self.proxy_url)
            .finish_non_exhaustive()
    }
}

impl MemberSpec {
    /// What a Cluster object says by itself, without its Secret.
    pub fn of_cluster(cluster: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let spec = &cluster["spec"];
        let headers = spec["proxyHeader"].as_object().into_iter().flatten();
        Self {
            name: text(&cluster["metadata"]["name"]),
            api_endpoint: text(&spec["apiEndpoint"]),
            insecure: spec["insecureSkipTLSVerification"] == true,
            proxy_url: spec["proxyURL"]
                .as_str()
                .filter(|url| !url.is_empty())
                .map(str::to_owned),
            proxy_header: headers
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
            ..Self::default()
        }
    }

    /// What a Cluster object says, with the credentials of its Secret, read through `plane`.
    ///
    /// # Errors
    /// As the control plane answers to the reading of the Secret.
    pub async fn read(plane: &Client, cluster: &Value) -> kube::Result<Self> {
        let mut spec = Self::of_cluster(cluster);
        let reference = &cluster["spec"]["secretRef"];
        if let Some(name) = reference["name"].as_str() {
            let namespace = reference["namespace"].as_str().unwrap_or_default();
            let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Secret"));
            let secret = Objects::new(plane, &resource, namespace).get(name).await?;
            let decoded = |field: &str| {
                let text = secret["data"][field].as_str().unwrap_or_default();
                let bytes = STANDARD.decode(text).unwrap_or_default();
                String::from_utf8(bytes).unwrap_or_default()
            };
            spec.token = decoded("token");
            spec.ca_bundle = decoded("caBundle");
        }
        Ok(spec)
    }
}

/// Hands out clients of member clusters; clones share their state.
///
/// A cluster registered in process always answers with that client. Any other is built from its
/// [`MemberSpec`] once and rebuilt when the spec changes, which covers rotated tokens.
#[derive(Clone, Default)]
pub struct MemberClients {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    registered: HashMap<String, Client>,
    built: HashMap<String, (MemberSpec, Client)>,
}

impl MemberClients {
    /// No members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes `client` the way to reach `name`.
    pub fn register(&self, name: &str, client: Client) {
        self.state.lock().registered.insert(name.to_owned(), client);
    }

    /// Forgets everything about `name`.
    pub fn unregister(&self, name: &str) {
        let mut state = self.state.lock();
        state.registered.remove(name);
        state.built.remove(name);
    }

    /// The client registered in process for `name`, if any.
    pub fn registered(&self, name: &str) -> Option<Client> {
        self.state.lock().registered.get(name).cloned()
    }

    /// A client for the member that `spec` describes.
    ///
    /// # Errors
    /// The member is not registered and its spec does not make a client.
    pub fn get(&self, spec: &MemberSpec) -> Result<Client> {
        let mut state = self.state.lock();
        if let Some(client) = state.registered.get(&spec.name) {
            return Ok(client.clone());
        }
        if let Some((known, client)) = state.built.get(&spec.name)
            && known == spec
        {
            return Ok(client.clone());
        }
        let client = build(spec)?;
        state
            .built
            .insert(spec.name.clone(), (spec.clone(), client.clone()));
        Ok(client)
    }
}

fn build(spec: &MemberSpec) -> Result<Client> {
    if spec.api_endpoint.is_empty() {
        return Err(Error::NoEndpoint(spec.name.clone()));
    }
    let mut config = Config::new(parse_url("api endpoint", &spec.api_endpoint)?);
    config.accept_invalid_certs = spec.insecure;
    if !spec.insecure && !spec.ca_bundle.is_empty() {
        config.root_cert = Some(pem_certificates(spec)?);
    }
    if !spec.token.is_empty() {
        config.auth_info.token = Some(spec.token.clone().into());
    }
    if let Some(proxy) = spec.proxy_url.as_deref().filter(|url| !url.is_empty()) {
        config.proxy_url = Some(parse_url("proxy", proxy)?);
    }
    for (name, value) in &spec.proxy_header {
        let name: HeaderName = name
            .parse()
            .map_err(|_invalid| Error::ProxyHeader(name.clone()))?;
        let value: HeaderValue = value
            .parse()
            .map_err(|_invalid| Error::ProxyHeader(name.to_string()))?;
        config.headers.push((name, value));
    }
    Client::try_from(config).map_err(|error| Error::Build(Box::new(error)))
}

fn parse_url(what: &'static str, url: &str) -> Result<http::Uri> {
    url.parse().map_err(|source| Error::Url {
        what,
        url: url.to_owned(),
        source,
    })
}

/// The DER certificates of the PEM bundle.
fn pem_certificates(spec: &MemberSpec) -> Result<Vec<Vec<u8>>> {
    let fail = |reason: &str| Error::CaBundle {
        cluster: spec.name.clone(),
        reason: reason.to_owned(),
    };
    let mut certificates = Vec::new();
    for block in spec.ca_bundle.split("-----BEGIN CERTIFICATE-----").skip(1) {
        let body = block
            .split("-----END CERTIFICATE-----")
            .next()
            .unwrap_or_default();
        let text: String = body.split_whitespace().collect();
        let der = STANDARD
            .decode(text)
            .map_err(|error| fail(&error.to_string()))?;
        certificates.push(der);
    }
    if certificates.is_empty() {
        return Err(fail("it holds no certificate"));
    }
    Ok(certificates)
}

#[cfg(test)]
mod tests {
    use http::{Request, Response};
    use kube::client::Body;
    use tower::BoxError;

    use super::*;

    fn named(answer: &'static str) -> Client {
        crate::in_process(tower::service_fn(
            move |_request: Request<Body>| async move {
                Ok::<_, BoxError>(Response::new(Body::from(answer.as_bytes().to_vec())))
            },
        ))
    }

    async fn ask(client: Client) -> String {
        let request = Request::get("/").body(Vec::new()).unwrap();
        client.request_text(request).await.unwrap()
    }

    #[tokio::test]
    async fn registrations_win_and_can_be_taken_back() {
        let members = MemberClients::new();
        let spec = MemberSpec {
            name: "m1".to_owned(),
            ..MemberSpec::default()
        };
        assert!(matches!(members.get(&spec), Err(Error::NoEndpoint(_))));
        members.register("m1", named("one"));
        assert_eq!(ask(members.get(&spec).unwrap()).await, "one");
        members.unregister("m1");
        assert!(members.get(&spec).is_err());
    }

    #[tokio::test]
    async fn a_bad_bundle_is_told_from_a_bad_endpoint() {
        let members = MemberClients::new();
        let mut spec = MemberSpec {
            name: "m1".to_owned(),
            api_endpoint: "https://10.0.0.1:6443".to_owned(),
            ca_bundle: "rubbish".to_owned(),
            ..MemberSpec::default()
        };
        assert!(matches!(members.get(&spec), Err(Error::CaBundle { .. })));
        spec.insecure = true;
        assert!(members.get(&spec).is_ok());
        spec.api_endpoint = "http://[".to_owned();
        assert!(matches!(members.get(&spec), Err(Error::Url { .. })));
    }
}
