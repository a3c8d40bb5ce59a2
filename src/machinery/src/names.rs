//! The rules for names, label keys and label values.
//!
//! Every check returns the list of complaints, empty when the text is fine, in upstream's wording.

const DNS1123_LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS1123_SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS1035_LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const LABEL_KEY: &str = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const CONFIG_MAP_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const ENV_NAME: &str = "a valid environment variable name must consist only of printable ASCII characters other than '='";

fn lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    lower(*first) && lower(*last) && bytes.iter().all(|&byte| lower(byte) || byte == b'-')
}

fn is_name_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

fn too_long(max: usize) -> String {
    format!("must be no more than {max} bytes")
}

fn check(text: &str, max: usize, fits: bool, complaint: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if text.len() > max {
        complaints.push(too_long(max));
    }
    if !fits {
        complaints.push(complaint.to_owned());
    }
    complaints
}

/// RFC 1123 label: most names of namespaces, containers, ports.
pub fn dns1123_label(text: &str) -> Vec<String> {
    check(text, 63, is_label(text), DNS1123_LABEL)
}

/// RFC 1123 subdomain: names of most objects.
pub fn dns1123_subdomain(text: &str) -> Vec<String> {
    check(text, 253, text.split('.').all(is_label), DNS1123_SUBDOMAIN)
}

/// RFC 1035 label: names of services.
pub fn dns1035_label(text: &str) -> Vec<String> {
    let fits = is_label(text) && text.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
    check(text, 63, fits, DNS1035_LABEL)
}

/// A name that is one segment of a path: RBAC objects, custom kinds.
pub fn path_segment(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if matches!(text, "." | "..") {
        complaints.push(format!("may not be '{text}'"));
    }
    for illegal in ["/", "%"] {
        if text.contains(illegal) {
            complaints.push(format!("may not contain '{illegal}'"));
        }
    }
    complaints
}

/// A qualified name, `name` or `prefix/name`: keys of labels and annotations, finalizers.
pub fn qualified_name(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut parts = text.split('/');
    let (first, second) = (parts.next().unwrap_or_default(), parts.next());
    if parts.next().is_some() {
        let tail = QUALIFIED_NAME
            .strip_prefix("must ")
            .unwrap_or(QUALIFIED_NAME);
        return vec![format!(
            "a qualified name must {tail} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        )];
    }
    let name = match second {
        None => first,
        Some(name) => {
            if first.is_empty() {
                complaints.push("prefix part must be non-empty".to_owned());
            } else {
                complaints.extend(
                    dns1123_subdomain(first)
                        .into_iter()
                        .map(|text| format!("prefix part {text}")),
                );
            }
            name
        }
    };
    if name.is_empty() {
        complaints.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        complaints.push(format!("name part {}", too_long(63)));
    }
    if !is_name_part(name) {
        complaints.push(format!("name part {QUALIFIED_NAME}"));
    }
    complaints
}

/// The key of a label.
pub fn label_key(text: &str) -> Vec<String> {
    if text.split('/').count() > 2 {
        vec![LABEL_KEY.to_owned()]
    } else {
        qualified_name(text)
    }
}

/// The value of a label; may be empty.
pub fn label_value(text: &str) -> Vec<String> {
    check(text, 63, text.is_empty() || is_name_part(text), LABEL_VALUE)
}

/// A finalizer: a qualified name; that it needs a slash unless well known is the caller's rule.
pub fn finalizer(text: &str) -> Vec<String> {
    qualified_name(text)
}

/// Finalizers that may stand without a domain.
pub fn is_standard_finalizer(text: &str) -> bool {
    matches!(text, "kubernetes" | "orphan" | "foregroundDeletion")
}

/// The key of a `ConfigMap` or `Secret`.
pub fn config_map_key(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let fits = !bytes.is_empty()
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte));
    let mut complaints = check(text, 253, fits, CONFIG_MAP_KEY);
    if matches!(text, "." | "..") {
        complaints.push(format!("must not be '{text}'"));
    } else if text.starts_with("..") {
        complaints.push("must not start with '..'".to_owned());
    }
    complaints
}

/// The name of an environment variable.
pub fn env_name(text: &str) -> Vec<String> {
    let fits = !text.is_empty()
        && text
            .bytes()
            .all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=');
    if fits {
        Vec::new()
    } else {
        vec![ENV_NAME.to_owned()]
    }
}

/// The name of a port: at most 15 lower case letters, digits and single dashes, with a letter.
pub fn port_name(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let bytes = text.as_bytes();
    if bytes.len() > 15 {
        complaints.push("must be no more than 15 characters".to_owned());
    }
    if bytes.is_empty() || !bytes.iter().all(|&byte| lower(byte) || byte == b'-') {
        complaints.push(
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned(),
        );
    }
    if !bytes.iter().any(u8::is_ascii_lowercase) {
        complaints.push("must contain at least one letter (a-z)".to_owned());
    }
    if text.contains("--") {
        complaints.push("must not contain consecutive hyphens".to_owned());
    }
    if text.starts_with('-') || text.ends_with('-') {
        complaints.push("must not begin or end with a hyphen".to_owned());
    }
    complaints
}

/// The number of a port.
pub fn port_number(port: i64) -> Vec<String> {
    if (1..=65535).contains(&port) {
        Vec::new()
    } else {
        vec!["must be between 1 and 65535, inclusive".to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_good_names() {
        for good in ["a", "a-b", "1a", "0"] {
            assert_eq!(dns1123_label(good), Vec::<String>::new(), "{good}");
        }
        for good in ["a.b", "a-1.b-2.c"] {
            assert!(dns1123_subdomain(good).is_empty(), "{good}");
        }
        for good in ["app", "example.com/App_1.x", "a/b"] {
            assert!(qualified_name(good).is_empty(), "{good}");
        }
        assert!(label_value("").is_empty());
        assert!(dns1035_label("a1").is_empty());
        assert!(port_name("http-2").is_empty());
        assert!(config_map_key(".hidden").is_empty());
        assert!(env_name("A.b-c").is_empty());
    }

    #[test]
    fn rejects_bad_names() {
        for bad in ["", "-a", "a-", "A", "a.b", "a_b", "é"] {
            assert_eq!(dns1123_label(bad), [DNS1123_LABEL], "{bad}");
        }
        assert_eq!(
            dns1123_label(&"a".repeat(64)),
            ["must be no more than 63 bytes"]
        );
        for bad in ["", ".", "a..b", "a.", ".a"] {
            assert_eq!(dns1123_subdomain(bad), [DNS1123_SUBDOMAIN], "{bad}");
        }
        assert_eq!(dns1035_label("1a"), [DNS1035_LABEL]);
        assert_eq!(
            path_segment("a/b%c"),
            ["may not contain '/'", "may not contain '%'"]
        );
        assert_eq!(path_segment(".."), ["may not be '..'"]);
        for (bad, first) in [
            ("/a", "prefix part must be non-empty"),
            ("a/", "name part must be non-empty"),
            ("A_b/c", "prefix part a lowercase RFC 1123 subdomain"),
            ("a/b/c", "a qualified name must consist"),
            ("-a", "name part must consist"),
        ] {
            let complaints = qualified_name(bad);
            assert!(
                complaints
                    .first()
                    .is_some_and(|text| text.starts_with(first)),
                "{complaints:?}"
            );
        }
        assert_eq!(label_value("a "), [LABEL_VALUE]);
        assert_eq!(config_map_key("..a"), ["must not start with '..'"]);
        assert_eq!(port_name("123").len(), 1);
        assert_eq!(port_number(0).len(), 1);
        assert_eq!(env_name("a=b"), [ENV_NAME]);
    }
}
