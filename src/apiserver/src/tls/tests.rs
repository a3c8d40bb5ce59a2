//! Keeping the authority, and handshakes with what it signs.

use std::os::unix::fs::PermissionsExt;

use rustls::pki_types::ServerName;
use rustls::pki_types::pem::PemObject;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::*;

/// Certificates are checked against the machine's time.
fn now() -> Timestamp {
    flybridge_base::Clock::system().now()
}

fn pki(dir: &Path) -> Pki {
    Pki::load_or_create(dir, &[], now()).unwrap()
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn the_authority_is_kept_and_private() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("state").join("pki");
    let first = pki(&dir);
    let second = Pki::load_or_create(&dir, &["10.1.2.3".to_owned()], now()).unwrap();
    assert_eq!(first.authority_pem(), second.authority_pem());
    assert_ne!(first.serving.certificate(), second.serving.certificate());
    assert_eq!(mode(&dir), 0o700);
    for file in ["ca.crt", "ca.key"] {
        assert_eq!(mode(&dir.join(file)), 0o600, "{file}");
    }
}

#[test]
fn an_authority_that_would_end_before_what_it_signs_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let at = |time: &str| {
        let pki = Pki::load_or_create(dir.path(), &[], time.parse().unwrap()).unwrap();
        pki.authority_pem().to_owned()
    };
    let first = at("2026-01-01T00:00:00Z");
    assert_eq!(at("2034-11-01T00:00:00Z"), first);
    let second = at("2034-12-20T00:00:00Z");
    assert_ne!(second, first);
    assert_eq!(at("2034-12-21T00:00:00Z"), second);
}

#[test]
fn a_damaged_authority_is_reported_and_not_replaced() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    pki(dir.path());
    pki(other.path());
    let (certificate, key) = (dir.path().join("ca.crt"), dir.path().join("ca.key"));
    let (good, good_key) = (
        std::fs::read(&certificate).unwrap(),
        std::fs::read(&key).unwrap(),
    );
    let leaf = pki(other.path()).admin.certificate_pem().to_owned();
    let foreign = std::fs::read(other.path().join("ca.key")).unwrap();
    let cases = [
        (
            &certificate,
            b"junk".to_vec(),
            "ca.crt is not a certificate",
        ),
        (
            &certificate,
            leaf.into_bytes(),
            "ca.crt is not an authority's",
        ),
        (&key, b"junk".to_vec(), "ca.key is not a key"),
        (&key, foreign, "ca.crt and ca.key do not belong together"),
    ];
    for (path, damage, expected) in cases {
        std::fs::write(path, &damage).unwrap();
        match Pki::load_or_create(dir.path(), &[], now()) {
            Err(Error::Authority { reason, .. }) => assert_eq!(reason, expected),
            other => panic!("{expected}: {other:?}"),
        }
        assert_eq!(std::fs::read(path).unwrap(), damage);
        std::fs::write(&certificate, &good).unwrap();
        std::fs::write(&key, &good_key).unwrap();
    }
    std::fs::remove_file(&certificate).unwrap();
    assert_ne!(
        pki(dir.path()).authority_pem().as_bytes(),
        good,
        "a key alone is made anew"
    );
}

#[test]
fn certificates_name_users_and_groups() {
    let dir = tempfile::tempdir().unwrap();
    let pki = pki(dir.path());
    let named = |credentials: &Credentials| identity(credentials.certificate()).unwrap();
    let groups = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        named(&pki.admin),
        (ADMIN.to_owned(), groups(&["system:masters"]))
    );
    let none = pki.client("jane", &[], now()).unwrap();
    assert_eq!(named(&none), ("jane".to_owned(), groups(&[])));
    let two = pki.client("jane", &["dev", "ops"], now()).unwrap();
    assert_eq!(named(&two), ("jane".to_owned(), groups(&["dev", "ops"])));
    let three = pki.client("jane", &["a", "b", "c"], now());
    assert!(matches!(
        three,
        Err(Error::TooManyGroups { asked: 3, most: 2 })
    ));
    assert!(!format!("{two:?}").contains("PRIVATE"));
    assert_eq!(identity(&CertificateDer::from(vec![1, 2, 3])), None);
    let nameless = pki.client("", &["dev"], now()).unwrap();
    assert_eq!(identity(nameless.certificate()), None);
}

fn private_key(pem: &str) -> PrivateKeyDer<'static> {
    PrivateKeyDer::from_pem_slice(pem.as_bytes()).unwrap()
}

/// A client that trusts an authority and may have a certificate.
fn client(trusted: &Pki, credentials: Option<&Credentials>, alpn: &[&str]) -> TlsConnector {
    let mut roots = rustls::RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(trusted.authority_pem().as_bytes()).unwrap();
    roots.add(authority).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match credentials {
        Some(held) => {
            let chain = vec![held.certificate().clone()];
            builder
                .with_client_auth_cert(chain, private_key(&held.key_pem()))
                .unwrap()
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    TlsConnector::from(Arc::new(config))
}

/// What a server learns of a client after a byte went each way: identity and protocol.
type Met = (Option<(String, Vec<String>)>, Option<String>);

async fn meet(server: &Pki, client: TlsConnector, host: &str) -> io::Result<Met> {
    let acceptor = TlsAcceptor::from(server.server_config().unwrap());
    let (near, far) = tokio::io::duplex(64 << 10);
    let served = async {
        let mut stream = acceptor.accept(near).await?;
        let connection = stream.get_ref().1;
        let leaf = connection.peer_certificates().and_then(<[_]>::first);
        let user = leaf.and_then(identity);
        let protocol = connection.alpn_protocol().map(<[u8]>::to_vec);
        let byte = stream.read_u8().await?;
        stream.write_u8(byte).await?;
        stream.flush().await?;
        Ok((user, protocol.map(|name| String::from_utf8(name).unwrap())))
    };
    let asked = async {
        let name = ServerName::try_from(host.to_owned()).unwrap();
        let mut stream = client.connect(name, far).await?;
        stream.write_u8(7).await?;
        stream.flush().await?;
        stream.read_u8().await
    };
    let (met, answer) = tokio::try_join!(served, asked)?;
    assert_eq!(answer, 7);
    Ok(met)
}

#[tokio::test]
async fn a_client_certificate_becomes_the_user_and_none_is_accepted_too() {
    let dir = tempfile::tempdir().unwrap();
    let pki = pki(dir.path());
    let admin = client(&pki, Some(&pki.admin), &["h2", "http/1.1"]);
    let (user, protocol) = meet(&pki, admin, "localhost").await.unwrap();
    let expected = (ADMIN.to_owned(), vec![ADMIN_GROUP.to_owned()]);
    assert_eq!((user, protocol.as_deref()), (Some(expected), Some("h2")));
    let anonymous = client(&pki, None, &["http/1.1"]);
    let (user, protocol) = meet(&pki, anonymous, "127.0.0.1").await.unwrap();
    assert_eq!((user, protocol.as_deref()), (None, Some("http/1.1")));
}

#[tokio::test]
async fn the_server_is_trusted_under_its_names_only() {
    let dir = tempfile::tempdir().unwrap();
    let extra = [
        "fleet.example.org".to_owned(),
        "10.1.2.3".to_owned(),
        "localhost".to_owned(),
    ];
    let pki = Pki::load_or_create(dir.path(), &extra, now()).unwrap();
    let names = HOSTS_TO_TRY
        .iter()
        .copied()
        .chain(extra.iter().map(String::as_str));
    for host in names {
        let met = meet(&pki, client(&pki, None, &[]), host).await;
        assert!(met.is_ok(), "{host}: {met:?}");
    }
    for host in ["example.org", "10.1.2.4", "kubernetes.default.svc.other"] {
        let met = meet(&pki, client(&pki, None, &[]), host).await;
        assert!(met.is_err(), "{host} was trusted");
    }
}

const HOSTS_TO_TRY: [&str; 6] = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "127.0.0.1",
    "::1",
];

#[tokio::test]
async fn another_authority_is_trusted_by_neither_side() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (ours, theirs) = (pki(dir.path()), pki(other.path()));
    let forged = client(&ours, Some(&theirs.admin), &[]);
    assert!(
        meet(&ours, forged, "localhost").await.is_err(),
        "a foreign client was let in"
    );
    let astray = client(&theirs, None, &[]);
    assert!(
        meet(&ours, astray, "localhost").await.is_err(),
        "a foreign server was trusted"
    );
    let serving_as_client = client(&ours, Some(&ours.serving), &[]);
    assert!(
        meet(&ours, serving_as_client, "localhost").await.is_err(),
        "a wrong purpose"
    );
}

#[tokio::test]
async fn certificates_of_an_earlier_start_stay_good() {
    let dir = tempfile::tempdir().unwrap();
    let before = pki(dir.path());
    let after = pki(dir.path());
    let (user, _) = meet(
        &after,
        client(&before, Some(&before.admin), &[]),
        "localhost",
    )
    .await
    .unwrap();
    assert_eq!(user.unwrap().0, ADMIN);
}

#[test]
fn a_kubeconfig_reads_as_what_was_put_in() {
    let text = kubeconfig_yaml("https://[::1]:6443", "ca", "cert", "key", "yes: #1 \"x\"");
    let parsed: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    let context = "yes: #1 \"x\"";
    let expected = serde_json::json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": context, "cluster": {
            "server": "https://[::1]:6443", "certificate-authority-data": "Y2E=" } }],
        "users": [{ "name": format!("{context}-admin"), "user": {
            "client-certificate-data": "Y2VydA==", "client-key-data": "a2V5" } }],
        "contexts": [{ "name": context, "context": {
            "cluster": context, "user": format!("{context}-admin") } }],
        "current-context": context,
    });
    assert_eq!(parsed, expected);
}

#[test]
fn the_admin_kubeconfig_holds_working_credentials() {
    let dir = tempfile::tempdir().unwrap();
    let pki = pki(dir.path());
    let text = pki.admin_kubeconfig("https://127.0.0.1:6443", "flybridge");
    let parsed: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    let field = |pointer: &str| {
        use base64::Engine;
        let encoded = parsed
            .pointer(pointer)
            .and_then(|value| value.as_str())
            .unwrap();
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(encoded)
            .unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let authority = field("/clusters/0/cluster/certificate-authority-data");
    assert_eq!(authority, pki.authority_pem());
    let certificate = field("/users/0/user/client-certificate-data");
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
    assert_eq!(identity(&certificate).unwrap().0, ADMIN);
    private_key(&field("/users/0/user/client-key-data"));
}
