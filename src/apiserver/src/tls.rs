//! Keys and certificates: a certificate authority that is kept, and what it signs at each start.
//!
//! Only the authority is stored (folder 0700, key 0600). Serving and client certificates are made
//! anew at every start, so a changed address or a near expiry needs no attention; kubeconfig files
//! handed out earlier stay valid for as long as their certificate does.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, SanType, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use x509_parser::parse_x509_certificate;

/// Names under which a client may reach the server, beside the ones it is given.
const NAMES: [&str; 4] =
    ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
const LOOPBACK: [&str; 2] = ["127.0.0.1", "::1"];
const AUTHORITY_YEARS: i64 = 10;
const LEAF_YEARS: i64 = 1;
/// An authority that is over within this is replaced.
const RENEW_BEFORE_DAYS: i64 = 30;

/// Keys or certificates could not be made, read or used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the authority could not be read or written.
    #[error("used the file {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A key or certificate could not be made or does not parse.
    #[error("made a certificate")]
    Certificate(#[from] rcgen::Error),
    /// The TLS library refused the certificates.
    #[error("configured TLS")]
    Tls(#[from] rustls::Error),
    /// The clients' certificates could not be checked against the authority.
    #[error("configured client certificates")]
    Verifier(#[from] rustls::server::VerifierBuilderError),
}

/// The result of working with certificates.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A certificate with its key, in PEM.
#[derive(Debug)]
struct Signed {
    certificate: CertificateDer<'static>,
    certificate_pem: String,
    key: KeyPair,
}

/// The authority and the certificates of this start.
#[derive(Debug)]
pub struct Pki {
    authority: CertificateDer<'static>,
    authority_pem: String,
    serving: Signed,
    admin: Signed,
}

impl Pki {
    /// Reads the authority in `dir` or makes one, and signs what this start needs.
    ///
    /// `hosts` are further names and addresses of the server.
    ///
    /// # Errors
    /// If the files cannot be used or do not hold an authority.
    pub fn load_or_create(dir: &Path, hosts: &[String], now: Timestamp) -> Result<Self> {
        fs::create_dir_all(dir).map_err(|source| Error::File { path: dir.to_owned(), source })?;
        let (authority_pem, key) = authority(dir, now)?;
        let authority = der_of(&authority_pem)?;
        let issuer = Issuer::from_ca_cert_pem(&authority_pem, key)?;
        let serving = sign(&issuer, serving_params(hosts, now)?)?;
        let admin = sign(&issuer, client_params("kubernetes-admin", &["system:masters"], now)?)?;
        Ok(Self { authority, authority_pem, serving, admin })
    }

    /// TLS that asks clients for a certificate but does not insist.
    ///
    /// # Errors
    /// If the TLS library refuses the certificates.
    pub fn server_config(&self) -> Result<Arc<rustls::ServerConfig>> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = rustls::RootCertStore::empty();
        roots.add(self.authority.clone())?;
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .allow_unauthenticated()
                .build()?;
        let key = PrivatePkcs8KeyDer::from(self.serving.key.serialize_der());
        let chain = vec![self.serving.certificate.clone(), self.authority.clone()];
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, PrivateKeyDer::Pkcs8(key))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// A kubeconfig that makes its holder the administrator. Keep it private.
    pub fn admin_kubeconfig(&self, server: &str, context: &str) -> String {
        let authority = STANDARD.encode(&self.authority_pem);
        let certificate = STANDARD.encode(&self.admin.certificate_pem);
        let key = STANDARD.encode(self.admin.key.serialize_pem());
        format!(
            "apiVersion: v1
kind: Config
clusters:
- name: {context}
  cluster:
    server: {server}
    certificate-authority-data: {authority}
users:
- name: {context}-admin
  user:
    client-certificate-data: {certificate}
    client-key-data: {key}
contexts:
- name: {context}
  context:
    cluster: {context}
    user: {context}-admin
current-context: {context}
"
        )
    }
}

/// The user and groups that a client certificate names: its common name and organizations.
pub fn identity(certificate: &CertificateDer<'_>) -> Option<(String, Vec<String>)> {
    let (_, parsed) = parse_x509_certificate(certificate).ok()?;
    let subject = parsed.subject();
    let name = subject.iter_common_name().next()?.as_str().ok()?.to_owned();
    let groups = subject.iter_organization().filter_map(|part| part.as_str().ok());
    Some((name, groups.map(str::to_owned).collect()))
}

fn authority(dir: &Path, now: Timestamp) -> Result<(String, KeyPair)> {
    let (certificate_path, key_path) = (dir.join("ca.crt"), dir.join("ca.key"));
    let read = |path: &PathBuf| fs::read_to_string(path);
    if let (Ok(certificate), Ok(key)) = (read(&certificate_path), read(&key_path)) {
        let soon = now.as_second() + RENEW_BEFORE_DAYS * 24 * 3600;
        if expires_at(&certificate).is_some_and(|end| end > soon) {
            return Ok((certificate, KeyPair::from_pem(&key)?));
        }
    }
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::CrlSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    params.distinguished_name = subject("flybridge-ca", &[]);
    set_validity(&mut params, now, AUTHORITY_YEARS);
    let pem = params.self_signed(&key)?.pem();
    write_private(&key_path, &key.serialize_pem())?;
    write_private(&certificate_path, &pem)?;
    Ok((pem, key))
}

fn write_private(path: &Path, text: &str) -> Result<()> {
    let failed = |source| Error::File { path: path.to_owned(), source };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.sync_all().map_err(failed)
}

fn der_of(pem: &str) -> Result<CertificateDer<'static>> {
    use rustls::pki_types::pem::PemObject;
    CertificateDer::from_pem_slice(pem.as_bytes())
        .map_err(|_error| Error::Certificate(rcgen::Error::CouldNotParseCertificate))
}

/// The second in which a certificate ends.
fn expires_at(pem: &str) -> Option<i64> {
    let der = der_of(pem).ok()?;
    let (_, parsed) = parse_x509_certificate(&der).ok()?;
    Some(parsed.validity().not_after.timestamp())
}

fn subject(name: &str, organizations: &[&str]) -> DistinguishedName {
    let mut subject = DistinguishedName::new();
    for organization in organizations {
        subject.push(DnType::OrganizationName, *organization);
    }
    subject.push(DnType::CommonName, name);
    subject
}

/// From yesterday, so that clocks may differ, for `years`.
fn set_validity(params: &mut CertificateParams, now: Timestamp, years: i64) {
    let date = now.to_zoned(TimeZone::UTC).date();
    let from = date.checked_sub(Span::new().days(1)).unwrap_or(date);
    let until = date.checked_add(Span::new().years(years)).unwrap_or(date);
    let convert = |date: jiff::civil::Date| {
        let (month, day) = (date.month().unsigned_abs(), date.day().unsigned_abs());
        date_time_ymd(i32::from(date.year()), month, day)
    };
    params.not_before = convert(from);
    params.not_after = convert(until);
}

fn serving_params(hosts: &[String], now: Timestamp) -> Result<CertificateParams> {
    let mut params = CertificateParams::default();
    params.distinguished_name = subject("flybridge", &[]);
    let all = NAMES.iter().chain(&LOOPBACK).map(|host| (*host).to_owned()).chain(hosts.iter().cloned());
    for host in all {
        params.subject_alt_names.push(match host.parse::<IpAddr>() {
            Ok(address) => SanType::IpAddress(address),
            Err(_) => SanType::DnsName(host.try_into()?),
        });
    }
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    set_validity(&mut params, now, LEAF_YEARS);
    Ok(params)
}

fn client_params(name: &str, groups: &[&str], now: Timestamp) -> Result<CertificateParams> {
    let mut params = CertificateParams::default();
    params.distinguished_name = subject(name, groups);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    set_validity(&mut params, now, LEAF_YEARS);
    Ok(params)
}

fn sign(issuer: &Issuer<'_, KeyPair>, params: CertificateParams) -> Result<Signed> {
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, issuer)?;
    Ok(Signed { certificate: certificate.der().clone(), certificate_pem: certificate.pem(), key })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const NOW: &str = "2026-01-01T00:00:00Z";

    #[test]
    fn the_authority_is_kept_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let now: Timestamp = NOW.parse().unwrap();
        let first = Pki::load_or_create(dir.path(), &[], now).unwrap();
        let second = Pki::load_or_create(dir.path(), &["10.1.2.3".to_owned()], now).unwrap();
        assert_eq!(first.authority, second.authority);
        let mode = dir.path().join("ca.key").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        second.server_config().unwrap();
    }

    #[test]
    fn an_authority_close_to_its_end_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let first = Pki::load_or_create(dir.path(), &[], NOW.parse().unwrap()).unwrap();
        let later = "2035-12-20T00:00:00Z".parse().unwrap();
        let second = Pki::load_or_create(dir.path(), &[], later).unwrap();
        assert_ne!(first.authority, second.authority);
    }

    #[test]
    fn the_admin_certificate_names_a_master() {
        let dir = tempfile::tempdir().unwrap();
        let pki = Pki::load_or_create(dir.path(), &[], NOW.parse().unwrap()).unwrap();
        let (name, groups) = identity(&pki.admin.certificate).unwrap();
        assert_eq!((name.as_str(), groups.as_slice()), ("kubernetes-admin", &["system:masters".to_owned()][..]));
        let text = pki.admin_kubeconfig("https://127.0.0.1:1", "fleet");
        assert!(text.contains("server: https://127.0.0.1:1") && text.contains("client-key-data: "));
    }
}
