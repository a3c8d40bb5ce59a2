//! Front ends with a socket: TLS with client certificates, and an owner-only unix socket.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use flybridge_base::{Shutdown, Tasks};
use http::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio_rustls::TlsAcceptor;

use crate::body::ApiBody;
use crate::request::User;
use crate::server::ApiServer;
use crate::tls;

/// A client that does not finish its handshake holds a place no longer than this.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);
/// Streams one HTTP/2 connection may have; a busy informer client has one a resource.
const MAX_STREAMS: u32 = 1000;
/// After a failed accept (out of descriptors), a moment's rest.
const ACCEPT_REST: Duration = Duration::from_millis(50);

impl ApiServer {
    /// Serves HTTPS on a bound listener until `tasks` are stopped.
    ///
    /// The user is who the client certificate names; without one, `system:anonymous`.
    pub fn serve_tls(
        &self,
        listener: TcpListener,
        config: Arc<rustls::ServerConfig>,
        tasks: &Tasks,
    ) {
        let (server, group) = (self.clone(), tasks.clone());
        let acceptor = TlsAcceptor::from(config);
        tasks.spawn_until_shutdown("https listener", async move {
            loop {
                let Ok((stream, peer)) = listener.accept().await else {
                    tokio::time::sleep(ACCEPT_REST).await;
                    continue;
                };
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "a client left before its first byte");
                }
                let (server, acceptor) = (server.clone(), acceptor.clone());
                let shutdown = group.shutdown().clone();
                group.spawn("https connection", async move {
                    let handshake = tokio::time::timeout(HANDSHAKE_LIMIT, acceptor.accept(stream));
                    match shutdown.race(handshake).await {
                        Some(Ok(Ok(stream))) => {
                            let user = user_of(&stream.get_ref().1.peer_certificates());
                            server.converse(stream, user, shutdown).await;
                        }
                        Some(Ok(Err(error))) => refused(peer, &error),
                        Some(Err(_)) | None => {}
                    }
                });
            }
        });
    }

    /// Serves HTTP on an owner-only unix socket until `tasks` are stopped; everyone there is `user`.
    pub fn serve_unix(&self, listener: UnixListener, user: User, tasks: &Tasks) {
        let (server, group) = (self.clone(), tasks.clone());
        tasks.spawn_until_shutdown("unix listener", async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(ACCEPT_REST).await;
                    continue;
                };
                let (server, user) = (server.clone(), user.clone());
                let shutdown = group.shutdown().clone();
                group.spawn("unix connection", async move {
                    server.converse(stream, user, shutdown).await;
                });
            }
        });
    }

    /// Answers the requests of one connection until it ends or the server stops.
    async fn converse<S>(&self, stream: S, user: User, shutdown: Shutdown)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = hyper::service::service_fn(|request: Request<Incoming>| {
            let (server, user) = (self.clone(), user.clone());
            let request = request.map(ApiBody::wrap);
            async move { Ok::<_, std::convert::Infallible>(server.answer(user, request).await) }
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http2().max_concurrent_streams(MAX_STREAMS);
        let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
        if let Some(Err(error)) = shutdown.race(connection).await {
            tracing::debug!(%error, "a connection broke off");
        }
    }
}

fn user_of(certificates: &Option<&[rustls::pki_types::CertificateDer<'_>]>) -> User {
    let leaf = certificates.and_then(<[_]>::first);
    match leaf.and_then(|leaf| tls::identity(leaf)) {
        Some((name, mut groups)) => {
            groups.push("system:authenticated".to_owned());
            User { name, groups }
        }
        None => User::anonymous(),
    }
}

fn refused(peer: SocketAddr, error: &std::io::Error) {
    tracing::debug!(%peer, %error, "a TLS handshake failed");
}
