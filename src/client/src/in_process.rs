//! A client whose transport is a tower service of this process: no socket, no TLS, no copy of bodies.

use bytes::Bytes;
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use tower::{BoxError, Service};

/// Wraps an API server's service.
///
/// Must be called inside a tokio runtime. The service sees path-only URIs, and its bodies stream.
pub fn in_process<S, B>(service: S) -> Client
where
    S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    Client::new(service, "default")
}

#[cfg(test)]
mod tests {
    use http_body_util::Full;

    use super::*;

    #[tokio::test]
    async fn requests_reach_the_service_with_their_path() {
        let service = tower::service_fn(|request: Request<Body>| async move {
            let text = format!("\"{} {}\"", request.method(), request.uri());
            Ok::<_, BoxError>(Response::new(Full::new(Bytes::from(text))))
        });
        let client = in_process(service);
        let request = Request::get("/api/v1/pods?limit=1")
            .body(Vec::new())
            .unwrap();
        let answer: String = client.request(request).await.unwrap();
        assert_eq!(answer, "GET /api/v1/pods?limit=1");
    }
}
