//! Keys and certificates: a certificate authority that is kept, and what it signs at each start.
//!
//! Only the authority is stored (folder 0700, files 0600). Serving and client certificates are made
//! anew at every start, so a changed address or a near expiry needs no attention; kubeconfig files
//! handed out earlier stay valid for as long as their certificate does.

mod authority;
mod issue;
mod kubeconfig;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use x509_parser::parse_x509_certificate;

use authority::Authority;
pub use issue::Credentials;
pub use kubeconfig::kubeconfig_yaml;

/// Who the administrator's certificate names.
const ADMIN: &str = "kubernetes-admin";
const ADMIN_GROUP: &str = "system:masters";

/// Keys or certificates could not be made, read or used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the authority could not be read or written.
    #[error("failed to use the file {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The files of the authority are damaged or do not belong together.
    #[error("the certificate authority in {} is unusable: {reason}", path.display())]
    Authority {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A certificate cannot name that many groups.
    #[error("a certificate can name {most} groups at most, not {asked}")]
    TooManyGroups {
        /// How many were asked for.
        asked: usize,
        /// How many are possible.
        most: usize,
    },
    /// A key or certificate could not be made or does not parse.
    #[error("failed to make a certificate")]
    Certificate(#[from] rcgen::Error),
    /// The TLS library refused the certificates.
    #[error("failed to configure TLS")]
    Tls(#[from] rustls::Error),
    /// The clients' certificates could not be checked against the authority.
    #[error("failed to configure client certificates")]
    Verifier(#[from] rustls::server::VerifierBuilderError),
}

/// The result of working with certificates.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The authority and the certificates of this start.
pub struct Pki {
    authority: Authority,
    serving: Credentials,
    admin: Credentials,
}

impl Pki {
    /// Reads the authority in `dir` or makes one, and signs what this start needs.
    ///
    /// `hosts` are further names and addresses of the server. An authority that ends before the
    /// certificates it would sign is replaced.
    ///
    /// # Errors
    /// If the files cannot be used or are not an authority: replacing one that is there would shut
    /// out everybody who trusts it.
    pub fn load_or_create(dir: &Path, hosts: &[String], now: Timestamp) -> Result<Self> {
        let authority = Authority::load_or_create(dir, now)?;
        let serving = authority.sign(issue::serving(hosts, now)?)?;
        let admin = authority.sign(issue::client(ADMIN, &[ADMIN_GROUP], now)?)?;
        Ok(Self {
            authority,
            serving,
            admin,
        })
    }

    /// The authority's certificate in PEM, for clients to trust.
    pub fn authority_pem(&self) -> &str {
        self.authority.pem()
    }

    /// A client certificate for a user in groups, valid for a year.
    ///
    /// # Errors
    /// [`Error::TooManyGroups`], or if signing fails.
    pub fn client(&self, user: &str, groups: &[&str], now: Timestamp) -> Result<Credentials> {
        self.authority.sign(issue::client(user, groups, now)?)
    }

    /// TLS that asks clients for a certificate but does not insist.
    ///
    /// # Errors
    /// If the TLS library refuses the certificates.
    pub fn server_config(&self) -> Result<Arc<rustls::ServerConfig>> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = rustls::RootCertStore::empty();
        roots.add(self.authority.certificate().clone())?;
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .allow_unauthenticated()
                .build()?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.serving.key_der()));
        let authority = self.authority.certificate().clone();
        let chain = vec![self.serving.certificate().clone(), authority];
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// A kubeconfig that makes its holder the administrator. Keep it private.
    pub fn admin_kubeconfig(&self, server: &str, context: &str) -> String {
        let (certificate, key) = (self.admin.certificate_pem(), self.admin.key_pem());
        kubeconfig_yaml(server, self.authority_pem(), certificate, &key, context)
    }
}

impl std::fmt::Debug for Pki {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pki").finish_non_exhaustive()
    }
}

/// The user and groups that a client certificate names: its common name and organizations.
pub fn identity(certificate: &CertificateDer<'_>) -> Option<(String, Vec<String>)> {
    let (_, parsed) = parse_x509_certificate(certificate).ok()?;
    let subject = parsed.subject();
    let name = subject.iter_common_name().next()?.as_str().ok()?.to_owned();
    if name.is_empty() {
        return None;
    }
    let groups = subject
        .iter_organization()
        .filter_map(|part| part.as_str().ok());
    Some((name, groups.map(str::to_owned).collect()))
}

#[cfg(test)]
mod tests;
