//! Answers that are computed and not stored: who am I, may I, may they.

use flybridge_machinery::Status;
use serde_json::{Value, json};

use crate::request::{Answer, User};
use crate::rest::Call;

/// Fills in the status of a review.
pub(crate) fn answer(call: &Call, mut body: Value) -> Answer<Value> {
    let user = &call.user;
    body["apiVersion"] = json!(call.definition.api_version());
    body["kind"] = json!(call.definition.kind);
    body["status"] = match call.definition.kind.as_str() {
        "SelfSubjectReview" => json!({"userInfo": {"username": user.name, "groups": user.groups}}),
        "SelfSubjectAccessReview" => access(user.is_master()),
        "SubjectAccessReview" | "LocalSubjectAccessReview" => access(subject(&body).is_master()),
        "SelfSubjectRulesReview" => rules(user),
        "TokenReview" => {
            json!({"authenticated": false, "error": "no tokens are issued by this server"})
        }
        kind => {
            let text = format!("{kind} is not answered by this server");
            return Err(Box::new(Status::service_unavailable(text)));
        }
    };
    Ok(body)
}

fn subject(body: &Value) -> User {
    let groups = body["spec"]["groups"].as_array().into_iter().flatten();
    User {
        name: body["spec"]["user"].as_str().unwrap_or_default().to_owned(),
        groups: groups
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    }
}

fn access(allowed: bool) -> Value {
    if allowed {
        json!({"allowed": true})
    } else {
        json!({"allowed": false, "reason": "no rule allows it"})
    }
}

fn rules(user: &User) -> Value {
    let (resources, others) = if user.is_master() {
        (
            json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]),
            json!([{"verbs": ["*"], "nonResourceURLs": ["*"]}]),
        )
    } else {
        (json!([]), json!([]))
    };
    json!({"resourceRules": resources, "nonResourceRules": others, "incomplete": false})
}
