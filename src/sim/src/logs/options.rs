//! What a reader of logs asks for, and why it may be refused.

use flybridge_apiserver::options::Query;
use jiff::Timestamp;

/// The query of a `pods/log` request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// Which container; may be left out if there is only one.
    pub container: Option<String>,
    /// Whether to wait for more.
    pub follow: bool,
    /// Whether to read the run before the last restart.
    pub previous: bool,
    /// Whether each line begins with the instant it was written.
    pub timestamps: bool,
    /// Only so many lines from the end.
    pub tail_lines: Option<u64>,
    /// Only lines of the last seconds.
    pub since_seconds: Option<u64>,
    /// Only lines written since then.
    pub since_time: Option<Timestamp>,
    /// No more bytes than this.
    pub limit_bytes: Option<u64>,
}

/// Why a log cannot be read; the text is for people, the request was bad.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

impl LogOptions {
    /// Reads the query of a request. Unknown parameters are ignored, as the API server does.
    ///
    /// # Errors
    /// When a number or an instant cannot be read.
    pub fn read(query: &Query) -> Result<Self, Refused> {
        let number = |key: &str| {
            let text = query.get(key);
            let number = text.map(|text| {
                let bad = |_| Refused(format!("invalid value {text:?} for {key}"));
                text.parse::<u64>().map_err(bad)
            });
            number.transpose()
        };
        let since = query.get("sinceTime").map(|text| {
            let bad = |error| Refused(format!("invalid value {text:?} for sinceTime: {error}"));
            text.parse::<Timestamp>().map_err(bad)
        });
        Ok(Self {
            container: query.get("container").map(str::to_owned),
            follow: query.flag("follow"),
            previous: query.flag("previous"),
            timestamps: query.flag("timestamps"),
            tail_lines: number("tailLines")?,
            since_seconds: number("sinceSeconds")?,
            limit_bytes: number("limitBytes")?,
            since_time: since.transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_kubectl_sends() {
        let query = "container=web&follow=true&tailLines=10&timestamps=true&sinceTime=2026-01-01T00%3A00%3A00Z";
        let options = LogOptions::read(&Query::parse(query)).unwrap();
        assert_eq!(options.container.as_deref(), Some("web"));
        assert!(options.follow && options.timestamps && !options.previous);
        assert_eq!(options.tail_lines, Some(10));
        assert_eq!(
            options.since_time,
            Some("2026-01-01T00:00:00Z".parse().unwrap())
        );
        assert!(LogOptions::read(&Query::parse("tailLines=-1")).is_err());
    }
}
