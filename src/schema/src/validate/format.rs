//! String formats that are held; unknown ones are not.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a text has a format.
pub(super) fn is_valid(format: &str, text: &str) -> bool {
    match format {
        "date-time" => flybridge_machinery::time::parse(text).is_ok(),
        "date" => text.parse::<jiff::civil::Date>().is_ok(),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "byte" => is_base64(text),
        "uuid" | "uuid4" => is_uuid(text),
        _ => true,
    }
}

fn is_base64(text: &str) -> bool {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(text).is_ok()
}

fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.split('-').collect();
    parts.len() == lengths.len()
        && parts
            .iter()
            .zip(lengths)
            .all(|(part, length)| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
