//! `pods/eviction`: a deletion that disruption budgets may put off.

use std::sync::Arc;

use flybridge_machinery::{Gvr, Selector, Status, object, time};
use serde_json::{Value, json};

use super::pipeline::Part;
use super::{Call, delete, strategy, update};
use crate::options::{DeleteOptions, WriteOptions};
use crate::record;
use crate::request::Answer;

/// Evicts a pod.
///
/// # Errors
/// 429 if a budget does not allow it now.
pub(crate) async fn evict(call: &Call, options: &DeleteOptions) -> Answer<()> {
    let pod = call.read(&*call.existing()?)?;
    if !ignores_budgets(&pod) {
        spend_budget(call, &pod, options).await?;
    }
    if !options.dry_run {
        let write = WriteOptions::default();
        update::modify(call, Part::Both, &write, |old| {
            Ok(strategy::mark_evicted(call, old))
        })
        .await?;
    }
    delete::delete(call, options).await?;
    Ok(())
}

/// A pod that does not serve is not missed.
fn ignores_budgets(pod: &Value) -> bool {
    let phase = object::path_str(pod, &["status", "phase"]).unwrap_or_default();
    object::is_terminating(pod) || matches!(phase, "Pending" | "Succeeded" | "Failed")
}

async fn spend_budget(call: &Call, pod: &Value, options: &DeleteOptions) -> Answer<()> {
    let mut budgets = budgets_of(call, pod)?;
    let Some(budget) = budgets.pop() else {
        return Ok(());
    };
    if !budgets.is_empty() {
        let text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
        return Err(super::bare_failure(text));
    }
    let write = WriteOptions {
        dry_run: options.dry_run,
        ..WriteOptions::default()
    };
    let now = time::format(call.server.inner.clock.now());
    let change = |old: &Value| {
        check(old)?;
        let mut new = old.clone();
        let allowed = object::path_i64(old, &["status", "disruptionsAllowed"]).unwrap_or(0);
        object::set_path(
            &mut new,
            &["status", "disruptionsAllowed"],
            json!(allowed - 1),
        );
        let mut disrupted = old["status"]["disruptedPods"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        disrupted.insert(call.name.clone(), json!(now));
        object::set_path(
            &mut new,
            &["status", "disruptedPods"],
            Value::Object(disrupted),
        );
        Ok(new)
    };
    update::modify(&budget, Part::Status, &write, change).await?;
    Ok(())
}

/// The budgets whose selector the pod matches, as calls about them.
fn budgets_of(call: &Call, pod: &Value) -> Answer<Vec<Call>> {
    let registry = call.server.registry();
    let kind = Gvr::new("policy", "v1", "poddisruptionbudgets");
    let Some(definition) = registry.find(&kind.group, &kind.version, &kind.resource) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    let snapshot = call.snapshot();
    for (_, record) in snapshot.range(&definition.bucket, &format!("{}/", call.namespace), None) {
        let budget = record::decode(&record.value)?;
        let selector = Selector::from_value(&budget["spec"]["selector"]);
        if selector.is_ok_and(|selector| selector.matches(|key| object::label(pod, key))) {
            found.push(Call {
                definition: Arc::clone(definition),
                name: object::name(&budget).to_owned(),
                ..call.clone()
            });
        }
    }
    Ok(found)
}

fn check(budget: &Value) -> Answer<()> {
    let name = object::name(budget);
    let number = |field: &str| object::path_i64(budget, &["status", field]).unwrap_or(0);
    let blocked = |why: &str| Status::eviction_blocked(name, why);
    if number("observedGeneration") < object::generation(budget) {
        return Err(Box::new(blocked("is still being processed by the server.")));
    }
    if number("disruptionsAllowed") > 0 {
        return Ok(());
    }
    let why = format!(
        "needs {} healthy pods and has {} currently",
        number("desiredHealthy"),
        number("currentHealthy")
    );
    // When it will is not known, so nothing is said about when to come back.
    Err(Box::new(blocked(&why).with_retry_after(0)))
}
