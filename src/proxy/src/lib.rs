//! The aggregated cluster proxy: `clusters/<name>/proxy/<path>` answered by the member itself.
//!
//! Answers stream through; request bodies are read whole first, at most [`MAX_BODY`] bytes.

use std::sync::{Arc, OnceLock};

use flybridge_apis::Cluster;
use flybridge_apiserver::ApiBody;
use flybridge_apiserver::connect::{Connect, ConnectFuture, ConnectRequest};
use flybridge_apiserver::request::Answer;
use flybridge_base::report;
use flybridge_client::{MemberClients, MemberSpec, Objects, is_not_found};
use flybridge_machinery::{Gvr, Status};
use http::header::{AUTHORIZATION, CONNECTION, COOKIE, HOST, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderMap, Request, Response, Uri};
use http_body_util::{BodyExt, Limited};
use kube::Client;
use kube::client::Body;
use kube::core::ApiResource;

/// The largest request body that is passed on.
pub const MAX_BODY: usize = 16 * 1024 * 1024;

/// Passes requests on to member clusters; clones share their members.
#[derive(Clone)]
pub struct ClusterProxy {
    members: MemberClients,
    plane: Arc<OnceLock<Client>>,
}

impl ClusterProxy {
    /// A proxy to the members registered in process.
    pub fn new(members: MemberClients) -> Self {
        Self {
            members,
            plane: Arc::default(),
        }
    }

    /// Lets the proxy look up other members in the control plane that `client` reaches.
    ///
    /// Separate from [`new`](Self::new), because the server is built with its proxy. Only the
    /// first call counts.
    pub fn attach(&self, client: Client) {
        if self.plane.set(client).is_err() {
            tracing::debug!("the proxy is attached already");
        }
    }

    async fn member(&self, name: &str) -> Answer<Client> {
        if let Some(client) = self.members.registered(name) {
            return Ok(client);
        }
        let Some(plane) = self.plane.get() else {
            return Err(not_found(name));
        };
        let clusters = Objects::new(plane, &ApiResource::erase::<Cluster>(&()), "");
        let cluster = clusters.get(name).await.map_err(|error| match error {
            error if is_not_found(&error) => not_found(name),
            error => unavailable(name, &report(&error)),
        })?;
        let spec = MemberSpec::read(plane, &cluster).await;
        let spec = spec.map_err(|error| unavailable(name, &report(&error)))?;
        self.members
            .get(&spec)
            .map_err(|error| unavailable(name, &report(&error)))
    }

    async fn forward(self, connect: ConnectRequest) -> Answer<Response<ApiBody>> {
        let name = connect.target.name;
        let client = self.member(&name).await?;
        let (mut parts, body) = connect.request.into_parts();
        parts.uri = member_uri(&connect.target.rest, &parts.uri)
            .map_err(|error| Box::new(Status::bad_request(error.to_string())))?;
        strip(&mut parts.headers);
        let body = Limited::new(body, MAX_BODY).collect().await;
        let body = body.map_err(|error| Box::new(Status::bad_request(error.to_string())))?;
        let request = Request::from_parts(parts, Body::from(body.to_bytes()));
        match client.send(request).await {
            Ok(mut response) => {
                strip(response.headers_mut());
                Ok(response.map(ApiBody::wrap))
            }
            Err(error) => Err(unavailable(&name, &report(&error))),
        }
    }
}

impl Connect for ClusterProxy {
    fn connect(&self, request: ConnectRequest) -> ConnectFuture {
        Box::pin(self.clone().forward(request))
    }
}

fn not_found(name: &str) -> Box<Status> {
    let clusters = Gvr::new("cluster.karmada.io", "v1alpha1", "clusters");
    Box::new(Status::not_found(&clusters, name))
}

fn unavailable(name: &str, why: &str) -> Box<Status> {
    Box::new(Status::service_unavailable(format!(
        "cluster {name} cannot be reached: {why}"
    )))
}

/// The path behind the proxy, with the query of the request.
fn member_uri(rest: &str, original: &Uri) -> Result<Uri, http::uri::InvalidUri> {
    match original.query() {
        Some(query) => format!("/{rest}?{query}").parse(),
        None => format!("/{rest}").parse(),
    }
}

/// Takes out what concerns only this hop, and the caller's credentials: the member gets its own.
fn strip(headers: &mut HeaderMap) {
    for name in [
        AUTHORIZATION,
        CONNECTION,
        COOKIE,
        HOST,
        TRANSFER_ENCODING,
        UPGRADE,
    ] {
        headers.remove(name);
    }
    let impersonation: Vec<_> = headers
        .keys()
        .filter(|name| name.as_str().starts_with("impersonate-"))
        .cloned()
        .collect();
    for name in impersonation {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use flybridge_apiserver::options::Query;
    use flybridge_apiserver::request::{Path, User, read_path};
    use flybridge_client::in_process;
    use tower::BoxError;

    use super::*;

    const PREFIX: &str = "/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy";

    fn request(path: &str, body: &str) -> ConnectRequest {
        let request = Request::post(format!("{PREFIX}{path}"))
            .header(AUTHORIZATION, "Bearer secret")
            .header("impersonate-user", "root")
            .body(ApiBody::full(body.to_owned()))
            .unwrap();
        let Path::Resource(target) = read_path(request.uri().path()) else {
            panic!("the path names a cluster");
        };
        ConnectRequest {
            target: *target,
            query: Query::default(),
            user: User::admin(),
            request,
        }
    }

    /// A member that tells what it was asked.
    fn echo() -> Client {
        in_process(tower::service_fn(|request: Request<Body>| async move {
            let (parts, body) = request.into_parts();
            let secrets = parts.headers.contains_key(AUTHORIZATION)
                || parts.headers.contains_key("impersonate-user");
            let body = body.collect().await?.to_bytes();
            let body = String::from_utf8_lossy(&body);
            let text = format!("{} {} {body} {secrets}", parts.method, parts.uri);
            Ok::<_, BoxError>(Response::new(Body::from(text.into_bytes())))
        }))
    }

    #[tokio::test]
    async fn members_see_the_path_behind_the_proxy_and_no_credentials() {
        let members = MemberClients::new();
        members.register("m1", echo());
        let proxy = ClusterProxy::new(members);
        let answer = proxy
            .connect(request("/api/v1/pods?limit=1", "hi"))
            .await
            .unwrap();
        let text = answer.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(text, "POST /api/v1/pods?limit=1 hi false");
    }

    #[tokio::test]
    async fn unknown_members_are_not_found() {
        let proxy = ClusterProxy::new(MemberClients::new());
        let failure = proxy.connect(request("/api", "")).await.unwrap_err();
        assert_eq!(failure.code, 404);
    }

    #[tokio::test]
    async fn a_broken_member_is_unavailable() {
        let members = MemberClients::new();
        let broken = tower::service_fn(|_request: Request<Body>| async move {
            Err::<Response<Body>, BoxError>("connection refused".into())
        });
        members.register("m1", in_process(broken));
        let failure = ClusterProxy::new(members)
            .connect(request("/api", ""))
            .await
            .unwrap_err();
        assert_eq!(failure.code, 503);
    }
}
