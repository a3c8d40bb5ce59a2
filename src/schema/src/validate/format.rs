//! String formats that are held; unknown ones are not.
//!
//! Differs: check digits of `isbn` and `creditcard` numbers are not computed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether a text has a format.
pub(super) fn is_valid(format: &str, text: &str) -> bool {
    match format {
        "date-time" | "datetime" => flybridge_machinery::time::parse(text).is_ok(),
        "date" => text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok(),
        "duration" => is_duration(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "mac" => is_mac(text),
        "byte" => is_base64(text),
        "uri" => is_uri(text),
        "email" => is_email(text),
        "hostname" => is_hostname(text),
        "uuid" => is_uuid(text, None),
        "uuid3" => is_uuid(text, Some('3')),
        "uuid4" => is_uuid(text, Some('4')),
        "uuid5" => is_uuid(text, Some('5')),
        "hexcolor" => is_hex_color(text),
        "bsonobjectid" => text.len() == 24 && is_hex(text),
        _ => true,
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && is_hex(digits)
}

fn is_base64(text: &str) -> bool {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .is_ok()
}

fn is_uuid(text: &str, version: Option<char>) -> bool {
    let digits: String = text.chars().filter(|letter| *letter != '-').collect();
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    let grouped = lengths == [8, 4, 4, 4, 12] || lengths == [32];
    grouped
        && is_hex(&digits)
        && version.is_none_or(|version| digits.chars().nth(12) == Some(version))
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else {
        return false;
    };
    let most = match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    length.bytes().all(|byte| byte.is_ascii_digit())
        && length.parse::<u8>().is_ok_and(|length| length <= most)
}

/// Six, eight or twenty bytes, in pairs of digits or, with dots, in fours.
fn is_mac(text: &str) -> bool {
    let (separator, width) = match text {
        text if text.contains(':') => (':', 2),
        text if text.contains('-') => ('-', 2),
        _ => ('.', 4),
    };
    let groups: Vec<&str> = text.split(separator).collect();
    matches!(groups.len() * width / 2, 6 | 8 | 20)
        && groups
            .iter()
            .all(|group| group.len() == width && is_hex(group))
}

/// What may stand in a request line: an absolute URI, or an absolute path.
fn is_uri(text: &str) -> bool {
    if text
        .chars()
        .any(|letter| letter.is_ascii_control() || letter == ' ')
    {
        return false;
    }
    if text.starts_with('/') {
        return true;
    }
    let Some((scheme, _)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let plain = |part: &str| {
        !part.is_empty() && !part.contains(|letter: char| letter.is_whitespace() || letter == '@')
    };
    plain(local) && plain(domain) && !domain.starts_with('.') && !domain.ends_with('.')
}

/// One label, or labels that end in letters only.
fn is_hostname(text: &str) -> bool {
    let label = |label: &str| {
        let edge = |letter: char| letter.is_alphanumeric();
        (1..=63).contains(&label.chars().count())
            && label.starts_with(edge)
            && label.ends_with(edge)
            && label
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '-')
    };
    match text.rsplit_once('.') {
        None => label(text),
        Some((head, top)) => {
            text.len() <= 255
                && (2..=63).contains(&top.chars().count())
                && top.chars().all(char::is_alphabetic)
                && head.split('.').all(label)
        }
    }
}

/// Go's durations (`1h30m`), and those with words (`2 days`).
fn is_duration(text: &str) -> bool {
    const UNITS: [&str; 30] = [
        "ns",
        "nano",
        "nanos",
        "nanosecond",
        "nanoseconds",
        "us",
        "µs",
        "micro",
        "micros",
        "microsecond",
        "microseconds",
        "ms",
        "milli",
        "millis",
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "m",
        "min",
        "mins",
        "minute",
        "minutes",
        "h",
        "hour",
        "hours",
        "d",
        "day",
        "days",
    ];
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let mut parts = 0;
    while !rest.is_empty() {
        let number =
            rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        if number.len() == rest.len() {
            return false;
        }
        let unit = number.trim_start();
        rest = unit.trim_start_matches(char::is_alphabetic);
        let unit = unit.strip_suffix(rest).unwrap_or("");
        if !UNITS.contains(&unit) && !["w", "wk", "week", "weeks"].contains(&unit) {
            return false;
        }
        rest = rest.trim_start();
        parts += 1;
    }
    parts > 0
}

#[cfg(test)]
mod tests {
    use super::is_valid;

    #[test]
    fn formats_tell_good_from_bad() {
        for (format, good, bad) in [
            ("ipv4", "10.0.0.1", "10.0.0"),
            ("ipv6", "::1", "10.0.0.1"),
            ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
            ("mac", "00:11:22:33:44:55", "red"),
            ("uri", "http://x", "00:11:22:33:44:55"),
            ("hostname", "a.example", "a.b"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
            ("duration", "1h30m", "a@b.test"),
            ("duration", "2 days", "5x"),
            ("date", "2021-01-01", "abc"),
            ("date-time", "2021-01-01T00:00:00Z", "2021-01-01"),
            ("byte", "YWJj", "YWJ"),
            ("email", "a@b.test", "a.b"),
        ] {
            assert!(is_valid(format, good), "{format} {good}");
            assert!(!is_valid(format, bad), "{format} {bad}");
        }
        assert!(is_valid("not-a-format", "anything"));
    }
}
