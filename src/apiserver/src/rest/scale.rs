//! The `scale` subresource: one small object in front of the replicas of many kinds.

use flybridge_machinery::{FieldError, Status, labels, object};
use serde_json::{Value, json};

use super::pipeline::Part;
use super::{Call, Done, Outcome, patch, update};
use crate::options::WriteOptions;
use crate::request::Answer;

/// GET of `scale`.
pub(crate) fn get(call: &Call) -> Answer<Outcome> {
    let object = call.read(&*call.existing()?)?;
    if let Some(paths) = &call.definition.scale
        && at(&object, &paths.spec_replicas).is_null()
    {
        let path = paths.spec_replicas.join(".");
        let text = format!("the spec replicas field \".{path}\" does not exist");
        return Err(Box::new(Status::internal_error(text)));
    }
    Ok(Outcome::Shown(scale_of(call, &object)))
}

/// PUT of `scale`.
pub(crate) async fn replace(call: &Call, body: &Value, options: &WriteOptions) -> Answer<Done> {
    let wanted = replicas_in(call, body)?;
    write(call, options, |_| Ok(wanted)).await
}

/// PATCH of `scale`.
pub(crate) async fn patch(
    call: &Call,
    content_type: &str,
    body: &[u8],
    options: &WriteOptions,
) -> Answer<Done> {
    let change = patch::reader(content_type, body)?;
    write(call, options, |scale| {
        let patched = change(scale)?;
        replicas_in(call, &patched)
    })
    .await
}

async fn write(
    call: &Call,
    options: &WriteOptions,
    wanted: impl Fn(&Value) -> Answer<i64>,
) -> Answer<Done> {
    let done = update::modify(call, Part::Main, options, |old| {
        let replicas = wanted(&scale_of(call, old))?;
        let mut new = old.clone();
        let path = spec_path(call);
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        object::set_path(&mut new, &path, json!(replicas));
        Ok(new)
    })
    .await?;
    let object: Value = serde_json::from_slice(&done.outcome.bytes()?)
        .map_err(|error| Box::new(Status::internal_error(error)))?;
    Ok(Done {
        outcome: Outcome::Shown(scale_of(call, &object)),
        ..done
    })
}

fn replicas_in(call: &Call, scale: &Value) -> Answer<i64> {
    let replicas = scale["spec"]["replicas"].as_i64().unwrap_or(0);
    if replicas < 0
        && let Some(paths) = &call.definition.scale
    {
        return Err(negative_custom(
            call,
            &paths.spec_replicas.join("."),
            replicas,
        ));
    }
    if replicas < 0 {
        let error = FieldError::invalid(
            "spec.replicas",
            replicas,
            "must be greater than or equal to 0",
        );
        return Err(Box::new(Status::invalid(
            "autoscaling",
            "Scale",
            &call.name,
            &[error],
        )));
    }
    Ok(replicas)
}

/// Upstream finds a negative number of a custom resource by its schema and by itself.
fn negative_custom(call: &Call, path: &str, replicas: i64) -> Box<Status> {
    let errors = [
        FieldError::invalid(
            path,
            replicas,
            &format!("{path} in body should be greater than or equal to 0"),
        ),
        FieldError::invalid(
            format!(".{path}"),
            replicas,
            "should be a non-negative integer",
        ),
    ];
    let definition = &call.definition;
    Box::new(Status::invalid(
        &definition.group,
        &definition.kind,
        &call.name,
        &errors,
    ))
}

fn spec_path(call: &Call) -> Vec<String> {
    match &call.definition.scale {
        Some(paths) => paths.spec_replicas.clone(),
        None => vec!["spec".to_owned(), "replicas".to_owned()],
    }
}

fn at<'a>(object: &'a Value, path: &[String]) -> &'a Value {
    path.iter()
        .fold(object, |value, name| &value[name.as_str()])
}

fn scale_of(call: &Call, object: &Value) -> Value {
    let metadata = &object["metadata"];
    let (wanted, observed, selector) = match &call.definition.scale {
        Some(paths) => (
            at(object, &paths.spec_replicas).clone(),
            at(object, &paths.status_replicas).as_i64().unwrap_or(0),
            paths
                .label_selector
                .as_ref()
                .and_then(|path| at(object, path).as_str())
                .map(str::to_owned),
        ),
        None => (
            object["spec"]["replicas"].clone(),
            object["status"]["replicas"].as_i64().unwrap_or(0),
            labels::Selector::from_value(&object["spec"]["selector"])
                .ok()
                .map(|selector| selector.to_string()),
        ),
    };
    let mut status = json!({"replicas": observed});
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status["selector"] = json!(selector);
    }
    json!({
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
            "creationTimestamp": metadata["creationTimestamp"],
        },
        "spec": match wanted.as_i64() {
            // Zero is left out, as Go does.
            None | Some(0) => json!({}),
            Some(count) => json!({"replicas": count}),
        },
        "status": status,
    })
}
