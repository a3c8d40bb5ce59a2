//! Query parameters of requests, read and checked.

use flybridge_machinery::fields::FieldSelector;
use flybridge_machinery::labels::Selector;
use flybridge_machinery::{FieldError, Status};
use serde_json::Value;

use crate::request::Answer;

/// The query of a request: names and values, decoded, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the part of a URI after `?`.
    pub fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (Self::decode(name, true), Self::decode(value, true))
        });
        Self(pairs.collect())
    }

    /// Undoes percent encoding; `plus` reads `+` as a space.
    pub fn decode(text: &str, plus: bool) -> String {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let Some((&first, tail)) = rest.split_first() {
            let hex = tail
                .get(..2)
                .and_then(|pair| std::str::from_utf8(pair).ok());
            match (first, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
                (b'%', Some(byte)) => {
                    bytes.push(byte);
                    rest = &tail[2..];
                }
                (b'+', _) if plus => {
                    bytes.push(b' ');
                    rest = tail;
                }
                _ => {
                    bytes.push(first);
                    rest = tail;
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The first value of a name; `None` if it is absent or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name)?;
        Some(found.1.as_str()).filter(|value| !value.is_empty())
    }

    /// Every value of a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// A Go boolean; absent and unreadable are false.
    pub fn flag(&self, name: &str) -> bool {
        self.0.iter().any(|(known, value)| {
            known == name && matches!(value.as_str(), "" | "1" | "t" | "true" | "True" | "TRUE")
        })
    }

    fn number(&self, name: &str) -> Answer<Option<i64>> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let number = text.parse().map_err(|_error| {
            Box::new(Status::bad_request(format!(
                "invalid value \"{text}\" for {name}: not a number"
            )))
        })?;
        Ok(Some(number))
    }
}

/// `resourceVersionMatch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionMatch {
    /// That very revision.
    Exact,
    /// That revision or a later one.
    NotOlderThan,
}

/// What a list or watch asks for.
#[derive(Clone, Debug)]
pub struct ListOptions {
    /// Labels to match.
    pub labels: Selector,
    /// Fields to match.
    pub fields: FieldSelector,
    /// At most this many items; 0 for all.
    pub limit: usize,
    /// Where an earlier page ended.
    pub continue_token: Option<String>,
    /// `None` when absent.
    pub resource_version: Option<u64>,
    /// How to read the version.
    pub version_match: Option<VersionMatch>,
    /// Whether to watch.
    pub watch: bool,
    /// Close a watch after this many seconds.
    pub timeout_seconds: Option<u64>,
    /// Whether the client understands bookmarks.
    pub bookmarks: bool,
    /// Whether the watch begins with the present objects.
    pub initial_events: Option<bool>,
}

impl ListOptions {
    /// Reads and checks the query.
    ///
    /// # Errors
    /// 400 for what cannot be read, 422 for combinations that are not allowed.
    pub fn read(query: &Query) -> Answer<Self> {
        let labels =
            Selector::parse(query.get("labelSelector").unwrap_or_default()).map_err(|error| {
                Box::new(Status::bad_request(format!(
                    "unable to parse requirement: {error}"
                )))
            })?;
        let fields = FieldSelector::parse(query.get("fieldSelector").unwrap_or_default()).map_err(
            |error| {
                Box::new(Status::bad_request(format!(
                    "invalid field selector: {error}"
                )))
            },
        )?;
        let version_match = match query.get("resourceVersionMatch") {
            None => None,
            Some("Exact") => Some(VersionMatch::Exact),
            Some("NotOlderThan") => Some(VersionMatch::NotOlderThan),
            Some(other) => {
                let supported = ["Exact", "NotOlderThan", ""];
                return Err(invalid_list(FieldError::not_supported(
                    "resourceVersionMatch",
                    other,
                    &supported,
                )));
            }
        };
        let version = query.get("resourceVersion");
        let watch = query.flag("watch");
        let resource_version = version
            .map(|text| {
                text.parse::<u64>()
                    .map_err(|_error| unreadable_version(text, watch))
            })
            .transpose()?;
        let options = Self {
            labels,
            fields,
            // A negative limit is none.
            limit: usize::try_from(query.number("limit")?.unwrap_or(0)).unwrap_or(0),
            continue_token: query.get("continue").map(str::to_owned),
            resource_version,
            version_match,
            watch,
            timeout_seconds: query
                .number("timeoutSeconds")?
                .and_then(|seconds| u64::try_from(seconds).ok()),
            bookmarks: query.flag("allowWatchBookmarks"),
            initial_events: query
                .get("sendInitialEvents")
                .map(|_| query.flag("sendInitialEvents")),
        };
        options.check()?;
        Ok(options)
    }

    fn check(&self) -> Answer<()> {
        let forbidden =
            |field: &str, why: &str| Err(invalid_list(FieldError::forbidden(field, why)));
        if self.watch {
            if self.initial_events.is_some()
                && self.version_match != Some(VersionMatch::NotOlderThan)
            {
                let field = "resourceVersionMatch";
                let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
                let mut errors = vec![FieldError::forbidden(field, why)];
                if self.version_match == Some(VersionMatch::Exact) {
                    errors.push(FieldError::not_supported(field, "Exact", &["NotOlderThan"]));
                }
                return Err(Box::new(Status::invalid_options("ListOptions", &errors)));
            }
            if self.initial_events.is_none() && self.version_match.is_some() {
                return forbidden(
                    "resourceVersionMatch",
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                );
            }
            return Ok(());
        }
        if self.initial_events.is_some() {
            return forbidden(
                "sendInitialEvents",
                "sendInitialEvents is forbidden for list",
            );
        }
        if let Some(matching) = self.version_match {
            let mut errors = Vec::new();
            if self.resource_version.is_none() {
                let why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
                errors.push(FieldError::forbidden("resourceVersionMatch", why));
            }
            if self.continue_token.is_some() {
                let why = "resourceVersionMatch is forbidden when continue is provided";
                errors.push(FieldError::forbidden("resourceVersionMatch", why));
            }
            if !errors.is_empty() {
                return Err(Box::new(Status::invalid_options("ListOptions", &errors)));
            }
            let version = self.resource_version.unwrap_or(0);
            if matching == VersionMatch::Exact && version == 0 {
                return forbidden(
                    "resourceVersionMatch",
                    "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"",
                );
            }
        }
        if self.continue_token.is_some() && self.resource_version.is_some_and(|version| version > 0)
        {
            return Err(Box::new(Status::bad_request(
                "specifying resource version is not allowed when using continue",
            )));
        }
        Ok(())
    }
}

/// A resource version that is no number: 400 for lists; watches and reads of one object fail as
/// upstream's do, with a bare 500.
pub(crate) fn unreadable_version(text: &str, watch: bool) -> Box<Status> {
    let message = format!("resourceVersion: Invalid value: {text:?}: it is not a number");
    if watch {
        return crate::rest::bare_failure(message);
    }
    Box::new(Status::bad_request(format!(
        "invalid resource version: {message}"
    )))
}

fn invalid_list(error: FieldError) -> Box<Status> {
    Box::new(Status::invalid_options("ListOptions", &[error]))
}

/// How strictly unknown and duplicate fields are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// They are dropped silently.
    Ignore,
    /// They are dropped with a warning.
    #[default]
    Warn,
    /// They are refused.
    Strict,
}

/// What every write may ask for.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Do everything but the write.
    pub dry_run: bool,
    /// How strictly fields are taken.
    pub field_validation: FieldValidation,
    /// Who writes; empty means from the user agent.
    pub field_manager: String,
    /// Take ownership from other managers.
    pub force: Option<bool>,
}

/// The longest name of a field manager, in bytes.
const MAX_MANAGER: usize = 128;

impl WriteOptions {
    /// Reads and checks the query; `kind` names the options in errors.
    ///
    /// # Errors
    /// 422 with the field.
    pub fn read(query: &Query, kind: &str) -> Answer<Self> {
        let mut errors = Vec::new();
        for value in query.all("dryRun") {
            if value != "All" {
                errors.push(FieldError::not_supported("dryRun", value, &["All"]));
            }
        }
        let field_validation = match query.get("fieldValidation") {
            None | Some("Warn") => FieldValidation::Warn,
            Some("Ignore") => FieldValidation::Ignore,
            Some("Strict") => FieldValidation::Strict,
            Some(other) => {
                let supported = ["Ignore", "Strict", "Warn"];
                errors.push(FieldError::not_supported(
                    "fieldValidation",
                    other,
                    &supported,
                ));
                FieldValidation::Warn
            }
        };
        let field_manager = query.get("fieldManager").unwrap_or_default().to_owned();
        if field_manager.len() > MAX_MANAGER {
            errors.push(FieldError::too_long("fieldManager", MAX_MANAGER));
        }
        if field_manager.chars().any(char::is_control) {
            errors.push(FieldError::invalid(
                "fieldManager",
                field_manager.as_str(),
                "should only contain printable characters",
            ));
        }
        if !errors.is_empty() {
            return Err(Box::new(Status::invalid_options(kind, &errors)));
        }
        Ok(Self {
            dry_run: query.get("dryRun").is_some(),
            field_validation,
            field_manager,
            force: query.get("force").map(|_| query.flag("force")),
        })
    }
}

/// What happens to dependents of a deleted object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They go after the object.
    Background,
    /// They go before the object.
    Foreground,
    /// They stay.
    Orphan,
}

/// What a delete asks for.
#[derive(Clone, Debug, Default)]
pub struct DeleteOptions {
    /// Seconds to wait; `None` for the default of the kind.
    pub grace_seconds: Option<i64>,
    /// What happens to dependents; `None` for the default of the kind.
    pub propagation: Option<Propagation>,
    /// Only this incarnation.
    pub uid: Option<String>,
    /// Only this version.
    pub resource_version: Option<String>,
    /// Do everything but the deletion.
    pub dry_run: bool,
}

impl DeleteOptions {
    /// Reads the query and the body, if any; the body wins.
    ///
    /// # Errors
    /// 422 with the field.
    pub fn read(query: &Query, body: Option<&Value>) -> Answer<Self> {
        let text = |name: &str| {
            body.and_then(|body| body[name].as_str())
                .map(str::to_owned)
                .or_else(|| query.get(name).map(str::to_owned))
        };
        let mut errors = Vec::new();
        let propagation = match text("propagationPolicy").as_deref() {
            None | Some("") => None,
            Some("Background") => Some(Propagation::Background),
            Some("Foreground") => Some(Propagation::Foreground),
            Some("Orphan") => Some(Propagation::Orphan),
            Some(other) => {
                let supported = ["Background", "Foreground", "Orphan"];
                errors.push(FieldError::not_supported(
                    "propagationPolicy",
                    other,
                    &supported,
                ));
                None
            }
        };
        let in_body = body
            .and_then(|body| body["dryRun"].as_array())
            .into_iter()
            .flatten();
        let dry_runs: Vec<&str> = in_body
            .filter_map(Value::as_str)
            .chain(query.all("dryRun"))
            .collect();
        for value in dry_runs.iter().filter(|value| **value != "All") {
            errors.push(FieldError::not_supported("dryRun", *value, &["All"]));
        }
        let grace_seconds = body
            .and_then(|body| body["gracePeriodSeconds"].as_i64())
            .or_else(|| {
                query
                    .get("gracePeriodSeconds")
                    .and_then(|text| text.parse().ok())
            });
        if !errors.is_empty() {
            return Err(Box::new(Status::invalid_options("DeleteOptions", &errors)));
        }
        let orphan = match body.and_then(|body| body["orphanDependents"].as_bool()) {
            Some(orphan) => Some(orphan),
            None => query
                .get("orphanDependents")
                .map(|_| query.flag("orphanDependents")),
        };
        if orphan.is_some()
            && let Some(policy) = text("propagationPolicy")
        {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            let error = FieldError::invalid("propagationPolicy", policy, why);
            return Err(Box::new(Status::invalid_options("DeleteOptions", &[error])));
        }
        let orphan = orphan.map(|orphan| {
            if orphan {
                Propagation::Orphan
            } else {
                Propagation::Background
            }
        });
        let precondition = |name: &str| {
            body.and_then(|body| body["preconditions"][name].as_str())
                .map(str::to_owned)
        };
        Ok(Self {
            grace_seconds,
            propagation: propagation.or(orphan),
            uid: precondition("uid"),
            resource_version: precondition("resourceVersion"),
            dry_run: !dry_runs.is_empty(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_names_and_values() {
        let query = Query::parse("labelSelector=a%3Db%2Cc&watch=true&limit=5&empty=");
        assert_eq!(query.get("labelSelector"), Some("a=b,c"));
        assert!(query.flag("watch"));
        assert_eq!(query.get("empty"), None);
    }

    #[test]
    fn refuses_unknown_dry_runs_and_orders() {
        let error = WriteOptions::read(&Query::parse("dryRun=Some"), "CreateOptions").unwrap_err();
        assert_eq!(error.code, 422);
        let error =
            DeleteOptions::read(&Query::parse("propagationPolicy=Later"), None).unwrap_err();
        assert_eq!(error.code, 422);
    }

    #[test]
    fn exact_needs_a_version() {
        let read = |text: &str| ListOptions::read(&Query::parse(text));
        assert_eq!(read("resourceVersionMatch=Exact").unwrap_err().code, 422);
        assert_eq!(
            read("resourceVersionMatch=Exact&resourceVersion=0")
                .unwrap_err()
                .code,
            422
        );
        assert_eq!(read("resourceVersion=foo").unwrap_err().code, 400);
        assert!(read("resourceVersionMatch=Exact&resourceVersion=7").is_ok());
    }
}
