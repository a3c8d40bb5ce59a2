//! The read-only seal: a transport that lets reads through and answers everything else itself.
//!
//! What counts as a read is decided from the request alone, so the seal holds whatever the caller
//! is permitted to do at the server. Streams into containers (exec, attach, port-forward) and the
//! proxies of nodes, pods and services act on their target even with GET; they are refused.

use http::header::{CONTENT_TYPE, HeaderValue, UPGRADE};
use http::{Method, Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use serde_json::json;
use tower::BoxError;

/// Reviews that ask about oneself: a POST that writes nothing.
const SELF_REVIEWS: [&str; 3] = [
    "selfsubjectaccessreviews",
    "selfsubjectrulesreviews",
    "selfsubjectreviews",
];

/// A client like `client` through which nothing can be changed.
///
/// A refused request is answered with a `Forbidden` status and never reaches the transport.
/// A dry run counts as a write: whether it stays dry is up to the server.
pub fn read_only(client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let service = tower::service_fn(move |request: Request<Body>| {
        let client = client.clone();
        async move {
            match refusal(&request) {
                Some(reason) => Ok::<_, BoxError>(forbidden(&request, reason)),
                None => Ok(client.send(request).await?),
            }
        }
    });
    Client::new(service, namespace)
}

/// Why a request may not pass, or nothing if it may.
fn refusal<B>(request: &Request<B>) -> Option<&'static str> {
    let segments = target_segments(request.uri().path());
    match *request.method() {
        Method::GET | Method::HEAD | Method::OPTIONS => {
            if request.headers().contains_key(UPGRADE) || acts_on_read(&segments) {
                return Some("streams into workloads are writes");
            }
            None
        }
        Method::POST if is_self_review(&segments) => None,
        _ => Some("this session is read-only"),
    }
}

/// The path's segments below any cluster proxy prefixes.
fn target_segments(path: &str) -> Vec<&str> {
    let mut segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    while let [
        "apis",
        "cluster.karmada.io",
        _,
        "clusters",
        _,
        "proxy",
        rest @ ..,
    ] = segments.as_slice()
    {
        segments = rest.to_vec();
    }
    segments
}

/// Whether even a GET of this path reaches into a workload or a node.
fn acts_on_read(segments: &[&str]) -> bool {
    let below = match segments {
        [
            "api",
            "v1",
            "namespaces",
            _,
            resource @ ("pods" | "services"),
            _,
            below @ ..,
        ] => Some((*resource, below)),
        ["api", "v1", "nodes", _, below @ ..] => Some(("nodes", below)),
        _ => None,
    };
    matches!(
        below,
        Some((_, ["proxy", ..])) | Some(("pods", ["exec" | "attach" | "portforward", ..]))
    )
}

fn is_self_review(segments: &[&str]) -> bool {
    matches!(
        segments,
        ["apis", "authorization.k8s.io" | "authentication.k8s.io", _, resource]
            if SELF_REVIEWS.contains(resource)
    )
}

fn forbidden<B>(request: &Request<B>, reason: &str) -> Response<Body> {
    let message = format!(
        "{} {} is forbidden: {reason}",
        request.method(),
        request.uri().path()
    );
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": "Forbidden", "code": 403,
    });
    let mut response = Response::new(Body::from(status.to_string().into_bytes()));
    *response.status_mut() = StatusCode::FORBIDDEN;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(method: &str, path: &str) -> bool {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .body(())
            .unwrap();
        refusal(&request).is_some()
    }

    #[test]
    fn reads_and_self_reviews_pass() {
        assert!(!refused("GET", "/api/v1/pods?watch=true"));
        assert!(!refused("GET", "/api/v1/namespaces/a/pods/p/log"));
        assert!(!refused(
            "POST",
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        ));
        assert!(!refused(
            "POST",
            "/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
        ));
        assert!(!refused(
            "GET",
            "/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/api/v1/pods"
        ));
    }

    #[test]
    fn writes_are_refused_everywhere() {
        for method in ["POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE"] {
            assert!(refused(method, "/api/v1/namespaces/a/pods"), "{method}");
        }
        assert!(refused("POST", "/api/v1/namespaces/a/pods?dryRun=All"));
        assert!(refused(
            "POST",
            "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        ));
        assert!(refused(
            "DELETE",
            "/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/api/v1/namespaces/a/pods/p"
        ));
    }

    #[test]
    fn streams_into_workloads_are_refused_though_they_are_gets() {
        assert!(refused(
            "GET",
            "/api/v1/namespaces/a/pods/p/exec?command=sh"
        ));
        assert!(refused("GET", "/api/v1/namespaces/a/pods/p/portforward"));
        assert!(refused("GET", "/api/v1/nodes/n/proxy/run/a/p/c"));
        assert!(refused(
            "GET",
            "/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/api/v1/namespaces/a/pods/p/attach"
        ));
        let upgrade = Request::get("/anything")
            .header(UPGRADE, "websocket")
            .body(())
            .unwrap();
        assert!(refusal(&upgrade).is_some());
    }

    #[tokio::test]
    async fn a_refusal_is_a_typed_status_and_never_reaches_the_transport() {
        let transport = tower::service_fn(|_request: Request<Body>| async move {
            Err::<Response<Body>, BoxError>("reached the transport".into())
        });
        let sealed = read_only(crate::in_process(transport));
        let request = Request::delete("/api/v1/namespaces/a")
            .body(Vec::new())
            .unwrap();
        let error = sealed.request_text(request).await.unwrap_err();
        assert!(matches!(error, kube::Error::Api(status) if status.is_forbidden()));
    }
}
