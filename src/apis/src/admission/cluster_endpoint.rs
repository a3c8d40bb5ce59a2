//! Validation of the URLs in a Cluster.

use flybridge_machinery::FieldError;

/// The parts of a URL that matter here.
struct Url<'a> {
    scheme: &'a str,
    user: Option<&'a str>,
    host: &'a str,
    rest: &'a str,
}

fn parse(text: &str) -> Option<Url<'_>> {
    let (scheme, after) = text.split_once("://")?;
    let end = after.find(['/', '?', '#']).unwrap_or(after.len());
    let (authority, rest) = after.split_at_checked(end)?;
    let (user, place) = match authority.rsplit_once('@') {
        Some((user, place)) => (Some(user), place),
        None => (None, authority),
    };
    let host = if place.starts_with('[') {
        place.split_once(']').map_or(place, |(host, _)| host)
    } else {
        place.split_once(':').map_or(place, |(host, _)| host)
    };
    let sane = !scheme.is_empty() && !text.contains(char::is_whitespace);
    sane.then_some(Url {
        scheme,
        user,
        host,
        rest,
    })
}

/// Complaints about the URL of an API server: a host, and no user, query or fragment.
pub(super) fn api_endpoint(text: &str, path: &str) -> Vec<FieldError> {
    let Some(url) = parse(text) else {
        return vec![FieldError::invalid(path, text, "must be a URL")];
    };
    let mut errors = Vec::new();
    if url.host.is_empty() {
        errors.push(FieldError::invalid(path, text, "host must be specified"));
    }
    if url.user.is_some() {
        errors.push(FieldError::invalid(
            path,
            text,
            "user information is not permitted",
        ));
    }
    if url.rest.contains('#') {
        errors.push(FieldError::invalid(
            path,
            text,
            "fragments are not permitted",
        ));
    }
    if url.rest.contains('?') {
        errors.push(FieldError::invalid(
            path,
            text,
            "query parameters are not permitted",
        ));
    }
    errors
}

/// Complaints about the URL of a proxy.
pub(super) fn proxy_url(text: &str, path: &str) -> Vec<FieldError> {
    match parse(text) {
        Some(url) if matches!(url.scheme, "http" | "https" | "socks5") => Vec::new(),
        Some(url) => vec![FieldError::invalid(
            path,
            text,
            &format!(
                "unsupported scheme {:?}, must be http, https or socks5",
                url.scheme
            ),
        )],
        None => vec![FieldError::invalid(path, text, "must be a URL")],
    }
}
