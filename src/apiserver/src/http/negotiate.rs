//! Which form of an answer the client asked for.

use flybridge_machinery::Status;
use flybridge_machinery::status::StatusDetails;
use http::HeaderMap;

use crate::request::Answer;

/// The shape of objects in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As they are.
    Object,
    /// Rows with cells.
    Table,
    /// Metadata only.
    Metadata,
}

/// What an answer holds, which decides what it can be turned into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Object,
    List,
    Watch,
}

/// The encoding of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Yaml,
}

/// What an answer looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) form: Form,
    pub(crate) encoding: Encoding,
}

const ACCEPTABLE: [&str; 3] = [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
];

/// One item of an Accept header.
struct Item<'a> {
    media: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Item<'a> {
    fn parse(text: &'a str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        let parameters = parts.filter_map(|part| part.split_once('=')).collect();
        Self { media, parameters }
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }

    fn form(&self, answer: Shape) -> Option<Form> {
        let Some(kind) = self.parameter("as") else {
            return Some(Form::Object);
        };
        let (group, version) = (self.parameter("g"), self.parameter("v"));
        let known = group == Some("meta.k8s.io") && matches!(version, Some("v1" | "v1beta1"));
        match kind {
            "Table" if known => Some(Form::Table),
            "PartialObjectMetadata" if known && answer != Shape::List => Some(Form::Metadata),
            "PartialObjectMetadataList" if known && answer != Shape::Object => Some(Form::Metadata),
            _ => None,
        }
    }
}

/// Reads the Accept header.
///
/// # Errors
/// 406 if nothing acceptable can be given.
pub(crate) fn accept(headers: &HeaderMap, answer: Shape) -> Answer<Wanted> {
    let text = headers
        .get(http::header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(Wanted {
            form: Form::Object,
            encoding: Encoding::Json,
        });
    }
    let mut understood = false;
    for item in text.split(',').map(Item::parse) {
        let encoding = match item.media {
            "application/json" | "*/*" => Encoding::Json,
            "application/yaml" => Encoding::Yaml,
            _ => continue,
        };
        understood = true;
        if let Some(form) = item.form(answer) {
            return Ok(Wanted { form, encoding });
        }
    }
    let status = Status::not_acceptable(&ACCEPTABLE);
    // Upstream details what it cannot encode, but not what it cannot convert.
    Err(Box::new(if understood {
        status
    } else {
        status.with_details(StatusDetails::default())
    }))
}

/// Whether some item of the Accept header asks for `kind` of the group; returns its version.
pub(crate) fn accepts_kind<'a>(headers: &'a HeaderMap, kind: &str, group: &str) -> Option<&'a str> {
    let text = headers
        .get(http::header::ACCEPT)
        .and_then(|value| value.to_str().ok())?;
    for item in text.split(',').map(Item::parse) {
        if item.media != "application/json" {
            continue;
        }
        match item.parameter("as") {
            Some(found) if found == kind && item.parameter("g") == Some(group) => {
                let version = item.parameter("v")?;
                if version == "v2" {
                    return Some(version);
                }
            }
            None => return None,
            Some(_) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(accept: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::ACCEPT, accept.parse().unwrap());
        headers
    }

    #[test]
    fn the_first_form_that_can_be_given_wins() {
        let kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        assert_eq!(
            accept(&headers(kubectl), Shape::List).unwrap().form,
            Form::Table
        );
        let typed = "application/vnd.kubernetes.protobuf,application/json";
        assert_eq!(
            accept(&headers(typed), Shape::Object).unwrap().form,
            Form::Object
        );
        let bad = "application/json;as=Table;v=v9;g=meta.k8s.io";
        assert_eq!(accept(&headers(bad), Shape::List).unwrap_err().code, 406);
        assert_eq!(
            accept(&headers("text/html"), Shape::List).unwrap_err().code,
            406
        );
    }
}
