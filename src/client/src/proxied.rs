//! A member cluster through the control plane's `clusters/<name>/proxy` subresource.

use http::Uri;
use http::uri::PathAndQuery;
use kube::Client;
use kube::client::Body;
use tower::BoxError;

/// The path under which the control plane forwards to `cluster`, without a final slash.
pub fn proxy_prefix(cluster: &str) -> String {
    format!("/apis/cluster.karmada.io/v1alpha1/clusters/{cluster}/proxy")
}

/// A client of `cluster` that goes through `client`, the control plane's.
///
/// It inherits the transport, the credentials and any seal of `client`.
pub fn via_proxy(client: &Client, cluster: &str) -> Client {
    let inner = client.clone();
    let prefix = proxy_prefix(cluster);
    let service = tower::service_fn(move |mut request: http::Request<Body>| {
        let inner = inner.clone();
        let uri = prefixed(&prefix, request.uri());
        async move {
            *request.uri_mut() = uri?;
            Ok::<_, BoxError>(inner.send(request).await?)
        }
    });
    Client::new(service, "default")
}

fn prefixed(prefix: &str, uri: &Uri) -> Result<Uri, BoxError> {
    let rest = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    Ok(format!("{prefix}{rest}").parse()?)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{Request, Response};
    use http_body_util::Full;

    use super::*;

    #[tokio::test]
    async fn paths_are_prefixed_and_queries_kept() {
        let plane = crate::in_process(tower::service_fn(|request: Request<Body>| async move {
            let text = format!("\"{}\"", request.uri());
            Ok::<_, BoxError>(Response::new(Full::new(Bytes::from(text))))
        }));
        let member = via_proxy(&plane, "m1");
        let request = Request::get("/api/v1/pods?watch=true")
            .body(Vec::new())
            .unwrap();
        let seen: String = member.request(request).await.unwrap();
        assert_eq!(
            seen,
            "/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/api/v1/pods?watch=true"
        );
    }
}
