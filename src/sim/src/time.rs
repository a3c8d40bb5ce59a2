//! Instants as the API writes them: whole seconds.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// `instant` cut to the second, which is what survives a trip through the API.
pub(crate) fn time(instant: Timestamp) -> Time {
    Time(Timestamp::from_second(instant.as_second()).unwrap_or(instant))
}

/// `delay` after `instant`; `instant` itself where time ends.
pub(crate) fn after(instant: Timestamp, delay: Duration) -> Timestamp {
    instant.checked_add(delay).unwrap_or(instant)
}

/// `seconds` after `instant`; earlier when negative.
pub(crate) fn seconds_after(instant: Timestamp, seconds: i64) -> Timestamp {
    instant
        .checked_add(SignedDuration::from_secs(seconds))
        .unwrap_or(instant)
}

/// From `now` until `then`; zero once it is reached.
pub(crate) fn until(now: Timestamp, then: Timestamp) -> Duration {
    then.duration_since(now).try_into().unwrap_or_default()
}

/// Parses `90s`, `2m`, `1h30m`, `500ms`; a bare number is seconds.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let letters = tail
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let scale = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        let seconds = number.parse::<f64>().ok()? * scale;
        total += Duration::try_from_secs_f64(seconds).ok()?;
        rest = tail;
    }
    Some(total)
}

/// The earlier of two optional instants.
pub(crate) fn earliest(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_durations_as_kubernetes_writes_them() {
        assert_eq!(parse_duration("90s"), Some(Duration::from_secs(90)));
        assert_eq!(parse_duration("1h30m"), Some(Duration::from_secs(5400)));
        assert_eq!(parse_duration("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse_duration("2.5"), Some(Duration::from_millis(2500)));
        assert_eq!(parse_duration("soon"), None);
        assert_eq!(parse_duration("3d"), None);
    }

    #[test]
    fn cuts_to_whole_seconds() {
        let instant: Timestamp = "2026-01-01T00:00:01.9Z".parse().unwrap();
        assert_eq!(time(instant).0.to_string(), "2026-01-01T00:00:01Z");
    }
}
