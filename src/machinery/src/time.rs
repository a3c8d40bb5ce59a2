//! Times as the API writes them and durations as kubectl prints them.

use std::time::Duration;

use jiff::{Timestamp, Unit};

use crate::Error;

/// Reads an RFC 3339 time, with or without a fraction, in any offset.
///
/// # Errors
/// Fails with [`Error::Time`] for anything else.
pub fn parse(text: &str) -> Result<Timestamp, Error> {
    let strict = text.len() >= 20 && text.as_bytes().get(10) == Some(&b'T');
    strict
        .then(|| text.parse().ok())
        .flatten()
        .ok_or_else(|| Error::Time(text.to_owned()))
}

/// Writes a `Time`: UTC, to the second, such as `2026-01-31T10:00:00Z`.
pub fn format(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Writes a `MicroTime`: UTC, always six digits, such as `2026-01-31T10:00:00.000000Z`.
pub fn format_micro(at: Timestamp) -> String {
    let whole = at.round(Unit::Second).unwrap_or(at);
    let start = if whole > at {
        whole - Duration::from_secs(1)
    } else {
        whole
    };
    let micros = at.duration_since(start).as_micros();
    format!("{}.{micros:06}Z", start.strftime("%Y-%m-%dT%H:%M:%S"))
}

/// Renders a duration as kubectl prints ages: `45s`, `2m30s`, `5m`, `3h12m`, `2d4h`, `2y10d`.
///
/// Source: upstream `duration.HumanDuration`.
pub fn human_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let days = hours / 24;
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 24 * 8 => two(days, "d", hours % 24, "h"),
        () if hours < 24 * 365 * 2 => format!("{days}d"),
        () if hours < 24 * 365 * 8 => two(days / 365, "y", days % 365, "d"),
        () => format!("{}y", days / 365),
    }
}

fn two(large: u64, large_unit: &str, small: u64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large}{large_unit}")
    } else {
        format!("{large}{large_unit}{small}{small_unit}")
    }
}

/// Renders the time since `created`; clocks may differ by two seconds before it is `<invalid>`.
pub fn age(created: Timestamp, now: Timestamp) -> String {
    match Duration::try_from(now.duration_since(created)) {
        Ok(age) => human_duration(age),
        Err(_) if created.duration_since(now).as_secs() < 2 => "0s".to_owned(),
        Err(_) => "<invalid>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_durations_as_kubectl_does() {
        const HOUR: u64 = 3600;
        const DAY: u64 = 24 * HOUR;
        for (seconds, text) in [
            (0, "0s"),
            (45, "45s"),
            (119, "119s"),
            (120, "2m"),
            (150, "2m30s"),
            (599, "9m59s"),
            (600, "10m"),
            (179 * 60 + 59, "179m"),
            (3 * HOUR, "3h"),
            (3 * HOUR + 12 * 60, "3h12m"),
            (8 * HOUR + 600, "8h"),
            (47 * HOUR, "47h"),
            (2 * DAY, "2d"),
            (2 * DAY + 4 * HOUR, "2d4h"),
            (8 * DAY + HOUR, "8d"),
            (45 * DAY, "45d"),
            (729 * DAY, "729d"),
            (740 * DAY, "2y10d"),
            (730 * DAY, "2y"),
            (9 * 365 * DAY + DAY, "9y"),
        ] {
            assert_eq!(
                human_duration(Duration::from_secs(seconds)),
                text,
                "{seconds} s"
            );
        }
    }

    #[test]
    fn tolerates_clocks_that_differ_a_little() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(age(now, now), "0s");
        assert_eq!(age(now + Duration::from_secs(1), now), "0s");
        assert_eq!(age(now + Duration::from_secs(3), now), "<invalid>");
        assert_eq!(age(now - Duration::from_secs(90), now), "90s");
    }

    #[test]
    fn writes_both_precisions() {
        let at: Timestamp = "2026-01-01T01:02:03.9999994Z".parse().unwrap();
        assert_eq!(format(at), "2026-01-01T01:02:03Z");
        assert_eq!(format_micro(at), "2026-01-01T01:02:03.999999Z");
        assert_eq!(
            format_micro(parse("2026-01-01T03:02:03+02:00").unwrap()),
            "2026-01-01T01:02:03.000000Z"
        );
        for bad in [
            "",
            "2026-01-01",
            "2026-01-01 00:00:00Z",
            "yesterday",
            "2026-13-01T00:00:00Z",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
