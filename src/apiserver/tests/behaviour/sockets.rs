//! The front ends with sockets: who is who, and how they stop.

use std::sync::Arc;
use std::time::Duration;

use flybridge_apiserver::User;
use flybridge_apiserver::tls::Pki;
use flybridge_base::{Clock, Tasks};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_rustls::TlsConnector;

use crate::rig::builder;

/// One request over HTTP/1.1; the status line of the answer.
async fn ask(mut stream: impl AsyncRead + AsyncWrite + Unpin, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A peer that closes without saying goodbye has still answered.
    if let Err(error) = stream.read_to_end(&mut answer).await {
        assert!(!answer.is_empty(), "{error}");
    }
    let text = String::from_utf8_lossy(&answer);
    text.lines().next().unwrap_or_default().to_owned()
}

fn pki(directory: &std::path::Path) -> Pki {
    Pki::load_or_create(directory, &["localhost".to_owned()], Clock::system().now()).unwrap()
}

fn connector(pki: &Pki, user: Option<(&str, &[&str])>) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(pki.authority_pem().as_bytes()).unwrap())
        .unwrap();
    let builder = rustls::ClientConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_root_certificates(roots);
    let config = match user {
        None => builder.with_no_client_auth(),
        Some((name, groups)) => {
            let credentials = pki.client(name, groups, Clock::system().now()).unwrap();
            let chain = vec![
                CertificateDer::from_pem_slice(credentials.certificate_pem().as_bytes()).unwrap(),
            ];
            let key = PrivateKeyDer::from_pem_slice(credentials.key_pem().as_bytes()).unwrap();
            builder.with_client_auth_cert(chain, key).unwrap()
        }
    };
    TlsConnector::from(Arc::new(config))
}

#[tokio::test]
async fn certificates_say_who_asks() {
    let directory = tempfile::tempdir().unwrap();
    let pki = pki(directory.path());
    let server = builder().build();
    server.bootstrap().await.unwrap();
    let tasks = Tasks::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    server.serve_tls(listener, pki.server_config().unwrap(), &tasks);
    let name = ServerName::try_from("localhost").unwrap();
    let nodes = "/api/v1/nodes";
    for (user, path, wanted) in [
        (
            Some(("root", &["system:masters"][..])),
            nodes,
            "HTTP/1.1 200 OK",
        ),
        (
            Some(("carol", &["ops"][..])),
            nodes,
            "HTTP/1.1 403 Forbidden",
        ),
        (None, nodes, "HTTP/1.1 403 Forbidden"),
        (None, "/version", "HTTP/1.1 200 OK"),
        (None, "/readyz", "HTTP/1.1 200 OK"),
    ] {
        let stream = TcpStream::connect(address).await.unwrap();
        let stream = connector(&pki, user)
            .connect(name.clone(), stream)
            .await
            .unwrap();
        assert_eq!(ask(stream, path).await, wanted, "{user:?} {path}");
    }
    assert!(tasks.stop(Duration::from_secs(5)).await);
    assert!(
        TcpStream::connect(address).await.is_err(),
        "the listener is gone"
    );
}

#[tokio::test]
async fn whoever_reaches_the_socket_file_is_its_user() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("api.sock");
    let server = builder().build();
    let tasks = Tasks::new();
    server.serve_unix(UnixListener::bind(&path).unwrap(), User::admin(), &tasks);
    let stream = UnixStream::connect(&path).await.unwrap();
    assert_eq!(ask(stream, "/api/v1/namespaces").await, "HTTP/1.1 200 OK");
    assert!(tasks.stop(Duration::from_secs(5)).await);
}
