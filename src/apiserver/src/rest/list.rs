//! LIST: the items of a snapshot, filtered, in pages, assembled from stored bytes.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flybridge_machinery::Status;
use flybridge_store::{Record, Snapshot};
use serde_json::{Value, json};

use super::{Call, convert, read};
use crate::options::{ListOptions, VersionMatch};
use crate::record::{self, Header};
use crate::registry::Definition;
use crate::request::Answer;

/// A page of a list.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) items: Vec<Arc<Record>>,
    pub(crate) revision: u64,
    /// Where the next page begins.
    pub(crate) continue_token: Option<String>,
    pub(crate) remaining: Option<usize>,
}

pub(crate) fn list(call: &Call, options: &ListOptions) -> Answer<Page> {
    let filter = Filter::new(&call.definition, options)?;
    let (snapshot, start_after) = view(call, options)?;
    let prefix = prefix(call);
    let start_after = start_after.map(|start| format!("{prefix}{start}"));
    // With "any version" and a token upstream reads its cache, which does not page.
    let limit = if start_after.is_some() && options.resource_version == Some(0) {
        0
    } else {
        options.limit
    };
    let mut items = Vec::new();
    let mut last = None;
    let mut more = false;
    let bucket = &call.definition.bucket;
    for (name, record) in snapshot.range(bucket, &prefix, start_after.as_deref()) {
        if limit > 0 && items.len() == limit {
            more = true;
            break;
        }
        if filter.matches(record)? {
            items.push(Arc::clone(record));
        }
        last = Some(Arc::clone(name));
    }
    let mut page = Page {
        items,
        revision: snapshot.revision(),
        continue_token: None,
        remaining: None,
    };
    if more && let Some(last) = last {
        call.server.inner.store.retain(&snapshot);
        let inside = last.strip_prefix(&prefix).unwrap_or(&last);
        page.continue_token = Some(token(snapshot.revision(), inside));
        if filter.is_everything() {
            page.remaining = Some(snapshot.range(bucket, &prefix, Some(&last)).count());
        }
    }
    Ok(page)
}

/// The start of record names that a call is about.
pub(crate) fn prefix(call: &Call) -> String {
    if call.definition.is_namespaced() && !call.namespace.is_empty() {
        format!("{}/", call.namespace)
    } else {
        String::new()
    }
}

/// The snapshot to read and where to begin in it.
fn view(call: &Call, options: &ListOptions) -> Answer<(Snapshot, Option<String>)> {
    let store = &call.server.inner.store;
    if let Some(text) = &options.continue_token {
        let (revision, start) = read_token(text)?;
        if revision < 0 {
            return Ok((store.snapshot(), Some(start)));
        }
        let revision = revision.unsigned_abs();
        return match store.snapshot_at(revision) {
            Ok(snapshot) => Ok((snapshot, Some(start))),
            Err(_) => Err(expired_token(&start)),
        };
    }
    let Some(version) = options.resource_version.filter(|version| *version > 0) else {
        return Ok((store.snapshot(), None));
    };
    read::refuse_future(call, version)?;
    let exact = match options.version_match {
        Some(matching) => matching == VersionMatch::Exact,
        None => options.limit > 0,
    };
    if !exact {
        return Ok((store.snapshot(), None));
    }
    let snapshot = store.snapshot_at(version).map_err(|_compacted| {
        Box::new(Status::expired(format!(
            "The provided resource version {version} is too old to list exactly"
        )))
    })?;
    Ok((snapshot, None))
}

fn token(revision: u64, last: &str) -> String {
    let text = json!({"v": "meta.k8s.io/v1", "rv": revision, "start": format!("{last}\u{0}")});
    URL_SAFE_NO_PAD.encode(text.to_string())
}

fn read_token(text: &str) -> Answer<(i64, String)> {
    let invalid = || {
        Box::new(Status::bad_request(
            "continue key is not valid: the token cannot be read",
        ))
    };
    let bytes = URL_SAFE_NO_PAD
        .decode(text.trim_end_matches('='))
        .map_err(|_error| invalid())?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|_error| invalid())?;
    let start = value["start"]
        .as_str()
        .filter(|_| value["v"] == "meta.k8s.io/v1");
    let start = start.ok_or_else(invalid)?.trim_end_matches('\u{0}');
    let revision = value["rv"]
        .as_i64()
        .filter(|revision| *revision != 0)
        .ok_or_else(invalid)?;
    if start.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(invalid());
    }
    Ok((revision, start.to_owned()))
}

/// 410 with a token that goes on from the same place in the present state.
fn expired_token(start: &str) -> Box<Status> {
    let text = json!({"v": "meta.k8s.io/v1", "rv": -1, "start": format!("{start}\u{0}")});
    let mut status = Status::expired(
        "The provided continue parameter is too old to display a consistent list result. \
         You can start a new list without the continue parameter, or use the continue token in this \
         response to retrieve the remainder of the results.",
    );
    let token = URL_SAFE_NO_PAD.encode(text.to_string());
    status
        .metadata
        .insert("continue".to_owned(), Value::String(token));
    Box::new(status)
}

/// Which objects a list or watch shows.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    definition: Arc<Definition>,
    labels: flybridge_machinery::labels::Selector,
    name: Option<String>,
    /// Fields other than a plain name, with their paths.
    fields: Vec<(Vec<String>, bool, String)>,
}

impl Filter {
    pub(crate) fn new(definition: &Arc<Definition>, options: &ListOptions) -> Answer<Self> {
        let mut filter = Self {
            definition: Arc::clone(definition),
            labels: options.labels.clone(),
            name: None,
            fields: Vec::new(),
        };
        for requirement in options.fields.requirements() {
            let path = field_path(definition, &requirement.field).ok_or_else(|| {
                Box::new(Status::bad_request(format!(
                    "field label not supported: {}",
                    requirement.field
                )))
            })?;
            let equal = requirement.operator == flybridge_machinery::fields::FieldOperator::Equals;
            if equal && requirement.field == "metadata.name" {
                filter.name = Some(requirement.value.clone());
            }
            filter.fields.push((path, equal, requirement.value.clone()));
        }
        Ok(filter)
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, record: &Record) -> Answer<bool> {
        if self.is_everything() {
            return Ok(true);
        }
        let header = Header::of(record);
        if self.name.as_ref().is_some_and(|name| *name != header.name)
            || !self
                .labels
                .matches(|key| header.labels.get(key).map(String::as_str))
        {
            return Ok(false);
        }
        if self.fields.is_empty() || (self.fields.len() == 1 && self.name.is_some()) {
            return Ok(true);
        }
        let mut object = record::decode(&record.value)?;
        convert::show(&self.definition, &mut object);
        Ok(self.fields.iter().all(|(path, equal, value)| {
            let mut text = record::field_text(&object, path);
            // An absent flag is a false one.
            if text.is_empty() && path.last().is_some_and(|name| name == "hostNetwork") {
                text.push_str("false");
            }
            (text == *value) == *equal
        }))
    }
}

fn field_path(definition: &Definition, field: &str) -> Option<Vec<String>> {
    let split = |text: &str| text.split('.').map(str::to_owned).collect();
    match field {
        "metadata.name" | "metadata.namespace" => Some(split(field)),
        _ => definition
            .field_paths
            .iter()
            .find(|(name, _)| name == field)
            .map(|(_, path)| path.clone()),
    }
}
