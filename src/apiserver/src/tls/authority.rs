//! The certificate authority in its folder.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use jiff::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose, PublicKeyData,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use x509_parser::parse_x509_certificate;

use super::issue::{self, Credentials, LEAF_YEARS};
use super::{Error, Result};

const CERTIFICATE: &str = "ca.crt";
const KEY: &str = "ca.key";
const NAME: &str = "flybridge-ca";
const YEARS: i64 = 10;
const DAY_SECONDS: i64 = 24 * 3600;
/// An authority that is over within this is replaced: it has to outlive what it signs, and a month.
const RENEW_BEFORE_SECONDS: i64 = (LEAF_YEARS * 366 + 30) * DAY_SECONDS;

/// A certificate authority that can sign.
pub(super) struct Authority {
    certificate: CertificateDer<'static>,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(super) fn load_or_create(dir: &Path, now: Timestamp) -> Result<Self> {
        make_private_dir(dir).map_err(|source| Error::File {
            path: dir.to_owned(),
            source,
        })?;
        match read(dir, CERTIFICATE)?.zip(read(dir, KEY)?) {
            Some((pem, key)) => {
                let (authority, end) = Self::parse(dir, pem, &key)?;
                if end > now.as_second() + RENEW_BEFORE_SECONDS {
                    return Ok(authority);
                }
                tracing::warn!(dir = %dir.display(), "replacing a certificate authority near its end");
                Self::create(dir, now)
            }
            // The certificate is written last: without it nobody has seen the key's work.
            None => Self::create(dir, now),
        }
    }

    /// The authority of two files, and the second in which it ends.
    fn parse(dir: &Path, pem: String, key: &str) -> Result<(Self, i64)> {
        let unusable = |reason| Error::Authority {
            path: dir.to_owned(),
            reason,
        };
        let certificate = CertificateDer::from_pem_slice(pem.as_bytes())
            .map_err(|_unparsable| unusable("ca.crt is not a certificate"))?;
        let key = KeyPair::from_pem(key).map_err(|_unparsable| unusable("ca.key is not a key"))?;
        let end = {
            let (_, parsed) = parse_x509_certificate(&certificate)
                .map_err(|_unparsable| unusable("ca.crt is not a certificate"))?;
            if !parsed.is_ca() {
                return Err(unusable("ca.crt is not an authority's"));
            }
            if parsed.public_key().raw != key.subject_public_key_info() {
                return Err(unusable("ca.crt and ca.key do not belong together"));
            }
            parsed.validity().not_after.timestamp()
        };
        let issuer = Issuer::from_ca_cert_der(&certificate, key)?;
        Ok((
            Self {
                certificate,
                pem,
                issuer,
            },
            end,
        ))
    }

    fn create(dir: &Path, now: Timestamp) -> Result<Self> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::CrlSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        params.distinguished_name = issue::subject(NAME, &[])?;
        issue::set_validity(&mut params, now, YEARS);
        let certificate = params.self_signed(&key)?;
        let pem = certificate.pem();
        // A key without its certificate is made anew, one with another's is not.
        remove(dir, CERTIFICATE)?;
        write(dir, KEY, &key.serialize_pem())?;
        write(dir, CERTIFICATE, &pem)?;
        let certificate = certificate.der().clone();
        Ok(Self {
            certificate,
            pem,
            issuer: Issuer::new(params, key),
        })
    }

    pub(super) fn pem(&self) -> &str {
        &self.pem
    }

    pub(super) fn certificate(&self) -> &CertificateDer<'static> {
        &self.certificate
    }

    pub(super) fn sign(&self, params: CertificateParams) -> Result<Credentials> {
        Credentials::signed(&params, &self.issuer)
    }
}

fn make_private_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    fs::set_permissions(dir, Permissions::from_mode(0o700))
}

fn read(dir: &Path, name: &str) -> Result<Option<String>> {
    let path = dir.join(name);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::File { path, source }),
    }
}

fn remove(dir: &Path, name: &str) -> Result<()> {
    let path = dir.join(name);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::File { path, source }),
        _ => Ok(()),
    }
}

/// Writes a new file that only its owner can read, durably; one that is there is replaced whole.
fn write(dir: &Path, name: &str, text: &str) -> Result<()> {
    let (path, fresh) = (dir.join(name), dir.join(format!("{name}.new")));
    let written = || {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&fresh)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&fresh, &path)?;
        fs::File::open(dir)?.sync_all()
    };
    written().map_err(|source| Error::File {
        path: path.clone(),
        source,
    })
}
