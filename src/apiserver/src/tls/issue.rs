//! What the authority signs: serving and client certificates.

use std::net::IpAddr;

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, Issuer, KeyPair,
    KeyUsagePurpose, SanType, date_time_ymd,
};
use rustls::pki_types::CertificateDer;

use super::{Error, Result};

/// Names and addresses under which a client may reach the server, beside the ones it is given.
const HOSTS: [&str; 6] = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "127.0.0.1",
    "::1",
];
pub(super) const LEAF_YEARS: i64 = 1;
/// The object identifier of an organization. The certificate library keeps one value for each
/// attribute type, and takes this for another type than its own.
const ORGANIZATION: [u64; 4] = [2, 5, 4, 10];
const MOST_GROUPS: usize = 2;

/// A certificate with its private key.
pub struct Credentials {
    certificate: CertificateDer<'static>,
    certificate_pem: String,
    key: KeyPair,
}

impl Credentials {
    pub(super) fn signed(params: &CertificateParams, issuer: &Issuer<'_, KeyPair>) -> Result<Self> {
        let key = KeyPair::generate()?;
        let signed = params.signed_by(&key, issuer)?;
        Ok(Self {
            certificate: signed.der().clone(),
            certificate_pem: signed.pem(),
            key,
        })
    }

    /// The certificate.
    pub fn certificate(&self) -> &CertificateDer<'static> {
        &self.certificate
    }

    /// The certificate in PEM.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// The key in PEM (PKCS #8).
    pub fn key_pem(&self) -> String {
        self.key.serialize_pem()
    }

    pub(super) fn key_der(&self) -> Vec<u8> {
        self.key.serialize_der()
    }
}

impl std::fmt::Debug for Credentials {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("certificate", &self.certificate_pem)
            .finish_non_exhaustive()
    }
}

/// A certificate for the server under all its names.
pub(super) fn serving(hosts: &[String], now: Timestamp) -> Result<CertificateParams> {
    let mut params = leaf(ExtendedKeyUsagePurpose::ServerAuth, now);
    params.distinguished_name = subject("kube-apiserver", &[])?;
    for host in HOSTS
        .iter()
        .copied()
        .chain(hosts.iter().map(String::as_str))
    {
        let name = match host.parse::<IpAddr>() {
            Ok(address) => SanType::IpAddress(address),
            Err(_not_an_address) => SanType::DnsName(host.try_into()?),
        };
        if !params.subject_alt_names.contains(&name) {
            params.subject_alt_names.push(name);
        }
    }
    Ok(params)
}

/// A certificate for a user in groups.
pub(super) fn client(user: &str, groups: &[&str], now: Timestamp) -> Result<CertificateParams> {
    let mut params = leaf(ExtendedKeyUsagePurpose::ClientAuth, now);
    params.distinguished_name = subject(user, groups)?;
    Ok(params)
}

fn leaf(purpose: ExtendedKeyUsagePurpose, now: Timestamp) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![purpose];
    // Strict clients refuse a certificate that does not say whose key signed it.
    params.use_authority_key_identifier_extension = true;
    set_validity(&mut params, now, LEAF_YEARS);
    params
}

/// A user as its common name, groups as organizations.
pub(super) fn subject(name: &str, groups: &[&str]) -> Result<DistinguishedName> {
    if groups.len() > MOST_GROUPS {
        return Err(Error::TooManyGroups {
            asked: groups.len(),
            most: MOST_GROUPS,
        });
    }
    let mut subject = DistinguishedName::new();
    let types = [
        DnType::OrganizationName,
        DnType::CustomDnType(ORGANIZATION.to_vec()),
    ];
    for (kind, group) in types.into_iter().zip(groups) {
        subject.push(kind, *group);
    }
    subject.push(DnType::CommonName, name);
    Ok(subject)
}

/// From yesterday, so that clocks may differ, for `years`.
pub(super) fn set_validity(params: &mut CertificateParams, now: Timestamp, years: i64) {
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
