//! `Status`: how the API server says no (and, on deletes, yes).
//!
//! One constructor for each reason, with upstream's wording, because clients and people match on
//! it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::field_error::FieldError;
use crate::gvk::{Gvr, qualified};

/// Why a request failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Reason {
    /// No reason given.
    #[default]
    #[serde(rename = "")]
    Unknown,
    /// 401: who are you?
    Unauthorized,
    /// 403: you may not.
    Forbidden,
    /// 404: the object or endpoint does not exist.
    NotFound,
    /// 409: the name is taken.
    AlreadyExists,
    /// 409: the object changed meanwhile, or another manager owns the field.
    Conflict,
    /// 410: the object is gone for good.
    Gone,
    /// 422: the object breaks rules.
    Invalid,
    /// 500: try again.
    ServerTimeout,
    /// 500: the storage could not read the object.
    StoreReadError,
    /// 504: it took too long.
    Timeout,
    /// 429: slow down.
    TooManyRequests,
    /// 400: the request makes no sense.
    BadRequest,
    /// 405: the resource does not do that.
    MethodNotAllowed,
    /// 406: no representation the client takes.
    NotAcceptable,
    /// 413: the body is too large.
    RequestEntityTooLarge,
    /// 415: the body has an unknown type.
    UnsupportedMediaType,
    /// 500: a fault of the server.
    InternalError,
    /// 410: the resource version or continue token is too old.
    Expired,
    /// 503: try again later.
    ServiceUnavailable,
}

impl Reason {
    /// The HTTP code the reason goes with.
    pub fn code(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::AlreadyExists | Self::Conflict => 409,
            Self::Gone | Self::Expired => 410,
            Self::RequestEntityTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Invalid => 422,
            Self::TooManyRequests => 429,
            Self::Unknown | Self::ServerTimeout | Self::StoreReadError | Self::InternalError => 500,
            Self::ServiceUnavailable => 503,
            Self::Timeout => 504,
        }
    }

    fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

/// One cause of a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatusCause {
    /// A machine-readable word, such as `FieldValueRequired`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Text for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The field it is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
}

impl From<&FieldError> for StatusCause {
    fn from(error: &FieldError) -> Self {
        Self {
            reason: error.kind.as_str().to_owned(),
            message: error.message.clone(),
            field: error.field.clone(),
        }
    }
}

/// What a status is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatusDetails {
    /// Name of the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Group of the resource.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The plural resource; the kind for invalid objects.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Uid of the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The causes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<StatusCause>,
    /// Seconds to wait before trying again; zero means not said.
    #[serde(skip_serializing_if = "is_zero")]
    pub retry_after_seconds: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The outcome of a request that returns no object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Always `Status`.
    #[serde(default = "kind_status")]
    pub kind: String,
    /// Always `v1`.
    #[serde(default = "version_v1")]
    pub api_version: String,
    /// List metadata; carries `continue` when a token expired.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// `Success` or `Failure`.
    #[serde(default)]
    pub status: String,
    /// Text for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Reason::is_unknown")]
    pub reason: Reason,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<StatusDetails>>,
    /// The HTTP code.
    #[serde(default)]
    pub code: u16,
}

fn kind_status() -> String {
    "Status".to_owned()
}

fn version_v1() -> String {
    "v1".to_owned()
}

fn details(group: &str, kind: &str, name: &str) -> StatusDetails {
    StatusDetails {
        name: name.to_owned(),
        group: group.to_owned(),
        kind: kind.to_owned(),
        ..StatusDetails::default()
    }
}

impl Status {
    /// A failure without details.
    pub fn failure(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            kind: kind_status(),
            api_version: version_v1(),
            metadata: Map::new(),
            status: "Failure".to_owned(),
            message: message.into(),
            reason,
            details: None,
            code: reason.code(),
        }
    }

    /// The answer to a delete that left no object behind.
    pub fn success(gvr: &Gvr, name: &str, uid: &str) -> Self {
        let mut about = details(&gvr.group, &gvr.resource, name);
        uid.clone_into(&mut about.uid);
        Self {
            status: "Success".to_owned(),
            code: 200,
            reason: Reason::Unknown,
            details: Some(Box::new(about)),
            ..Self::failure(Reason::Unknown, "")
        }
    }

    /// Attaches details.
    #[must_use]
    pub fn with_details(mut self, details: StatusDetails) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Adds a cause.
    #[must_use]
    pub fn with_cause(mut self, reason: &str, message: &str, field: &str) -> Self {
        self.details
            .get_or_insert_default()
            .causes
            .push(StatusCause {
                reason: reason.to_owned(),
                message: message.to_owned(),
                field: field.to_owned(),
            });
        self
    }

    /// Tells the client when to try again.
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u32) -> Self {
        self.details.get_or_insert_default().retry_after_seconds = seconds;
        self
    }

    /// 404: `deployments.apps "x" not found`.
    pub fn not_found(gvr: &Gvr, name: &str) -> Self {
        let message = format!("{} {name:?} not found", gvr.group_resource());
        Self::failure(Reason::NotFound, message).with_details(details(
            &gvr.group,
            &gvr.resource,
            name,
        ))
    }

    /// 404 for an endpoint that does not exist.
    pub fn unknown_resource() -> Self {
        Self::failure(
            Reason::NotFound,
            "the server could not find the requested resource",
        )
        .with_details(StatusDetails::default())
    }

    /// 409: `pods "x" already exists`.
    pub fn already_exists(gvr: &Gvr, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", gvr.group_resource());
        Self::failure(Reason::AlreadyExists, message).with_details(details(
            &gvr.group,
            &gvr.resource,
            name,
        ))
    }

    /// 409: every generated name was taken.
    pub fn generate_name_conflict(gvr: &Gvr, name: &str) -> Self {
        let mut status = Self::already_exists(gvr, name).with_retry_after(1);
        status
            .message
            .push_str(", the server was not able to generate a unique name for the object");
        status
    }

    /// 409 with any reason after the colon.
    pub fn conflict(gvr: &Gvr, name: &str, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} {name:?}: {why}",
            gvr.group_resource()
        );
        Self::failure(Reason::Conflict, message).with_details(details(
            &gvr.group,
            &gvr.resource,
            name,
        ))
    }

    /// 409: the object changed since the client read it.
    pub fn stale(gvr: &Gvr, name: &str) -> Self {
        Self::conflict(
            gvr,
            name,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    /// 409: other managers own fields this apply wants to change.
    pub fn apply_conflict(causes: Vec<StatusCause>, message: impl Into<String>) -> Self {
        Self::failure(Reason::Conflict, message).with_details(StatusDetails {
            causes,
            ..StatusDetails::default()
        })
    }

    /// 422: `Deployment.apps "x" is invalid: ...`, with one cause an error.
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let mut texts: Vec<String> = Vec::new();
        for text in errors.iter().map(ToString::to_string) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let subject = format!("{} {name:?} is invalid", qualified(kind, group));
        let message = match texts.as_slice() {
            [] => subject,
            [one] => format!("{subject}: {one}"),
            many => format!("{subject}: [{}]", many.join(", ")),
        };
        let mut about = details(group, kind, name);
        about.causes = errors.iter().map(StatusCause::from).collect();
        Self::failure(Reason::Invalid, message).with_details(about)
    }

    /// 422 about request options, such as `ListOptions` or `PatchOptions`.
    pub fn invalid_options(kind: &str, errors: &[FieldError]) -> Self {
        Self::invalid("meta.k8s.io", kind, "", errors)
    }

    /// 400: the request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::failure(Reason::BadRequest, message)
    }

    /// 401.
    pub fn unauthorized() -> Self {
        Self::failure(Reason::Unauthorized, "Unauthorized")
    }

    /// 403: `pods "x" is forbidden: ...`; without a name `pods is forbidden: ...`.
    pub fn forbidden(gvr: &Gvr, name: &str, why: &str) -> Self {
        let resource = gvr.group_resource();
        let message = match (resource.as_str(), name) {
            ("", _) => format!("forbidden: {why}"),
            (resource, "") => format!("{resource} is forbidden: {why}"),
            (resource, name) => format!("{resource} {name:?} is forbidden: {why}"),
        };
        Self::failure(Reason::Forbidden, message).with_details(details(
            &gvr.group,
            &gvr.resource,
            name,
        ))
    }

    /// 405: the resource does not support the verb.
    pub fn method_not_allowed(gvr: &Gvr, verb: &str) -> Self {
        let message = format!(
            "{verb} is not supported on resources of kind {:?}",
            gvr.group_resource()
        );
        Self::failure(Reason::MethodNotAllowed, message).with_details(details(
            &gvr.group,
            &gvr.resource,
            "",
        ))
    }

    /// 405: the endpoint does not know the method at all.
    pub fn method_unknown() -> Self {
        Self::failure(
            Reason::MethodNotAllowed,
            "the server does not allow this method on the requested resource",
        )
        .with_details(StatusDetails::default())
    }

    /// 406: nothing the client accepts.
    pub fn not_acceptable(accepted: &[&str]) -> Self {
        let list = accepted.join(", ");
        let message = format!("only the following media types are accepted: {list}");
        Self::failure(Reason::NotAcceptable, message)
    }

    /// 413: the body is too large.
    pub fn request_entity_too_large(why: &str) -> Self {
        Self::failure(
            Reason::RequestEntityTooLarge,
            format!("Request entity too large: {why}"),
        )
    }

    /// 415: the body has a type the endpoint does not take.
    pub fn unsupported_media_type(accepted: &[&str]) -> Self {
        let list = accepted.join(", ");
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {list}"
        );
        Self::failure(Reason::UnsupportedMediaType, message)
    }

    /// 410: the resource version or continue token is too old.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::failure(Reason::Expired, message)
    }

    /// 410 in a watch: the history from this resource version on is gone.
    pub fn too_old(requested: u64, oldest: u64) -> Self {
        Self::expired(format!("too old resource version: {requested} ({oldest})"))
    }

    /// 429: a limit was hit.
    pub fn too_many_requests(message: impl Into<String>, retry_after_seconds: u32) -> Self {
        Self::failure(Reason::TooManyRequests, message).with_retry_after(retry_after_seconds)
    }

    /// 429: a disruption budget does not allow the eviction.
    pub fn eviction_blocked(budget: &str, why: &str) -> Self {
        let message = "Cannot evict pod as it would violate the pod's disruption budget.";
        let cause = format!("The disruption budget {budget} {why}");
        Self::too_many_requests(message, 10).with_cause("DisruptionBudget", &cause, "")
    }

    /// 500: a fault of the server.
    pub fn internal_error(why: impl fmt::Display) -> Self {
        let why = why.to_string();
        Self::failure(
            Reason::InternalError,
            format!("Internal error occurred: {why}"),
        )
        .with_cause("", &why, "")
    }

    /// 500: the operation could not be completed at this time.
    pub fn server_timeout(gvr: &Gvr, verb: &str, retry_after_seconds: u32) -> Self {
        let message = format!(
            "The {verb} operation against {} could not be completed at this time, please try again.",
            gvr.group_resource()
        );
        Self::failure(Reason::ServerTimeout, message)
            .with_details(details(&gvr.group, &gvr.resource, ""))
            .with_retry_after(retry_after_seconds)
    }

    /// 503.
    pub fn service_unavailable(message: impl Into<String>) -> Self {
        Self::failure(Reason::ServiceUnavailable, message)
    }

    /// 504: the request took too long.
    pub fn timeout(message: &str, retry_after_seconds: u32) -> Self {
        Self::failure(Reason::Timeout, format!("Timeout: {message}"))
            .with_retry_after(retry_after_seconds)
    }

    /// 504: the requested resource version lies in the future.
    pub fn too_large_resource_version(requested: u64, current: u64) -> Self {
        let message = format!("Too large resource version: {requested}, current: {current}");
        Self::timeout(&message, 1).with_cause(
            "ResourceVersionTooLarge",
            "Too large resource version",
            "",
        )
    }

    /// Whether this is a failure with the given reason.
    pub fn is(&self, reason: Reason) -> bool {
        self.reason == reason && self.status == "Failure"
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Status {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn not_found_is_the_wire_form() {
        let status = Status::not_found(&Gvr::new("apps", "v1", "deployments"), "x");
        assert_eq!(
            serde_json::to_value(&status).unwrap(),
            json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "deployments.apps \"x\" not found", "reason": "NotFound",
                "details": {"name": "x", "group": "apps", "kind": "deployments"}, "code": 404
            })
        );
    }

    #[test]
    fn invalid_joins_messages_and_keeps_causes() {
        let errors = [
            FieldError::required("metadata.name", "name or generateName is required"),
            FieldError::forbidden("spec", "no"),
        ];
        let status = Status::invalid("apps", "Deployment", "x", &errors);
        assert_eq!(status.code, 422);
        assert_eq!(
            status.message,
            "Deployment.apps \"x\" is invalid: [metadata.name: Required value: name or generateName \
             is required, spec: Forbidden: no]"
        );
        let details = status.details.unwrap();
        assert_eq!(details.kind, "Deployment");
        assert_eq!(details.causes[1].reason, "FieldValueForbidden");
        let one = Status::invalid("", "Pod", "p", &errors[1..]);
        assert_eq!(one.message, "Pod \"p\" is invalid: spec: Forbidden: no");
    }

    #[test]
    fn codes_follow_reasons() {
        let pods = Gvr::new("", "v1", "pods");
        for (status, code, text) in [
            (
                Status::already_exists(&pods, "a"),
                409,
                "pods \"a\" already exists",
            ),
            (
                Status::forbidden(&pods, "", "no"),
                403,
                "pods is forbidden: no",
            ),
            (
                Status::forbidden(&pods, "a", "no"),
                403,
                "pods \"a\" is forbidden: no",
            ),
            (Status::timeout("slow", 1), 504, "Timeout: slow"),
            (Status::expired("old"), 410, "old"),
            (Status::bad_request("what"), 400, "what"),
            (
                Status::internal_error("x"),
                500,
                "Internal error occurred: x",
            ),
        ] {
            assert_eq!((status.code, status.to_string().as_str()), (code, text));
        }
    }

    #[test]
    fn survives_a_round_trip() {
        let status = Status::eviction_blocked("pdb", "needs 1 healthy pods and has 1 currently");
        let text = serde_json::to_string(&status).unwrap();
        assert_eq!(serde_json::from_str::<Status>(&text).unwrap(), status);
        let sparse: Status = serde_json::from_value(json!({"code": 418, "reason": ""})).unwrap();
        assert_eq!((sparse.code, sparse.reason), (418, Reason::Unknown));
    }
}
