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
