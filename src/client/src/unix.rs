//! HTTP/1.1 over a unix socket, with connections kept for reuse.
//!
//! A connection whose last answer still streams (a watch, a log) is not ready and is passed over;
//! an upgraded one is closed to further requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use flybridge_base::Tasks;
use http::header::{HOST, HeaderValue};
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use tokio::net::UnixStream;
use tower::BoxError;

/// How many idle connections are kept.
const IDLE: usize = 16;

/// A client that talks to the API server listening on the socket at `path`.
///
/// Connects lazily: a missing socket shows as an error of the first request.
pub fn over_unix(path: &Path) -> Client {
    let pool = Arc::new(Pool {
        path: path.to_owned(),
        tasks: Tasks::new(),
        connections: Mutex::default(),
    });
    let service = tower::service_fn(move |request| {
        let pool = Arc::clone(&pool);
        async move { pool.send(request).await }
    });
    Client::new(service, "default")
}

struct Pool {
    path: PathBuf,
    tasks: Tasks,
    connections: Mutex<Vec<SendRequest<Body>>>,
}

impl Pool {
    async fn send(&self, mut request: Request<Body>) -> Result<Response<Incoming>, BoxError> {
        request
            .headers_mut()
            .entry(HOST)
            .or_insert(HeaderValue::from_static("localhost"));
        let mut connection = match self.take_ready() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        let response = connection.send_request(request).await?;
        self.keep(connection);
        Ok(response)
    }

    fn take_ready(&self) -> Option<SendRequest<Body>> {
        let mut connections = self.connections.lock();
        connections.retain(|connection| !connection.is_closed());
        let ready = connections.iter().position(SendRequest::is_ready)?;
        Some(connections.swap_remove(ready))
    }

    fn keep(&self, connection: SendRequest<Body>) {
        let mut connections = self.connections.lock();
        if connections.len() < IDLE && !connection.is_closed() {
            connections.push(connection);
        }
    }

    async fn connect(&self) -> Result<SendRequest<Body>, BoxError> {
        let stream = UnixStream::connect(&self.path).await?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        self.tasks.spawn("unix connection", async move {
            if let Err(error) = connection.with_upgrades().await {
                tracing::debug!(%error, "unix connection ended");
            }
        });
        Ok(sender)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.tasks.shutdown().trigger();
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;
    use futures::StreamExt;
    use http_body::Frame;
    use http_body_util::{BodyExt, StreamBody};
    use hyper::server::conn::http1 as server;
    use hyper::service::service_fn;
    use tokio::net::UnixListener;

    use super::*;

    /// Serves a watch that never ends and anything else at once; counts connections.
    fn serve(listener: UnixListener, tasks: &Tasks) -> Arc<AtomicUsize> {
        let connections = Arc::new(AtomicUsize::new(0));
        let (counter, inner) = (Arc::clone(&connections), tasks.clone());
        tasks.spawn("server", async move {
            while let Ok((stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                let service = service_fn(|request: Request<Incoming>| async move {
                    let first = futures::stream::iter([Bytes::from_static(b"\"first\"\n")]);
                    let endless = request.uri().path() == "/watch";
                    let rest = if endless {
                        futures::stream::pending().boxed()
                    } else {
                        futures::stream::empty().boxed()
                    };
                    let frames = first
                        .chain(rest)
                        .map(|b| Ok::<_, Infallible>(Frame::data(b)));
                    Ok::<_, Infallible>(Response::new(BodyExt::boxed_unsync(StreamBody::new(
                        frames,
                    ))))
                });
                inner.spawn("connection", async move {
                    let served = server::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                    drop(served);
                });
            }
        });
        connections
    }

    #[tokio::test]
    async fn connections_are_reused_and_streams_do_not_block_others() {
        let directory = std::env::temp_dir().join(format!("fb-unix-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("api.sock");
        drop(std::fs::remove_file(&path));
        let tasks = Tasks::new();
        let connections = serve(UnixListener::bind(&path).unwrap(), &tasks);
        let client = over_unix(&path);
        let get = |path: &str| Request::get(path).body(Vec::new()).unwrap();
        for _ in 0..3 {
            let text: String = client.request(get("/plain")).await.unwrap();
            assert_eq!(text, "first");
        }
        assert_eq!(connections.load(Ordering::SeqCst), 1);
        let watch = client.send(get("/watch").map(Body::from)).await.unwrap();
        let mut watch = watch.into_body().into_data_stream();
        assert_eq!(watch.next().await.unwrap().unwrap(), "\"first\"\n");
        let text: String = client.request(get("/plain")).await.unwrap();
        assert_eq!(text, "first");
        assert_eq!(connections.load(Ordering::SeqCst), 2);
        std::fs::remove_dir_all(&directory).unwrap();
        tasks.shutdown().trigger();
    }

    #[tokio::test]
    async fn a_missing_socket_is_an_error_of_the_request() {
        let client = over_unix(Path::new("/nonexistent/api.sock"));
        let request = Request::get("/").body(Vec::new()).unwrap();
        assert!(client.request_text(request).await.is_err());
    }
}
