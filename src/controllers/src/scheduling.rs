//! Bindings to clusters: asks the scheduler and writes what it decides.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use flybridge_apis::matching::cluster_matches;
use flybridge_apis::propagation_policy::DEFAULT_SCHEDULER;
use flybridge_apis::{
    Cluster, Placement, ResourceBindingSpec, ResourceBindingStatus, annotations, labels,
};
use flybridge_base::Backoff;
use flybridge_client::is_not_found;
use flybridge_machinery::{conditions, object, time};
use flybridge_runtime::{
    Action, Change, EventType, LOW_PRIORITY, Object, ObjectKey, WorkQueue, run_workers,
    write_status,
};
use flybridge_scheduler::binding::{self, Plan, Retry};
use flybridge_scheduler::trigger::BindingRef;
use flybridge_scheduler::{Options, Peers, Snapshot};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::kinds::{BindingKey, BindingKind};
use crate::{Context, Result};

/// Waits after failures other than a lack of room.
const RETRY: Backoff = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(10));
/// The wait after a lack of room.
const UNSCHEDULABLE: Duration = Duration::from_secs(300);

/// Starts the controller on a queue of bindings.
pub fn start(context: &Arc<Context>, queue: &WorkQueue<BindingKey>) {
    for kind in [BindingKind::Resource, BindingKind::ClusterResource] {
        let bindings = queue.clone();
        context.bindings(kind).store().subscribe(move |change| {
            if let Some((key, priority)) = relevant(kind, change) {
                bindings.add_with(key, priority);
            }
        });
    }
    let (bindings, shared) = (queue.clone(), Arc::downgrade(context));
    context.clusters.store().subscribe(move |change| {
        if let Some(context) = shared.upgrade() {
            cluster_changed(&context, &bindings, change);
        }
    });
    let (tasks, workers) = (context.tasks.clone(), context.options.workers);
    let context = Arc::clone(context);
    let failures: Arc<Mutex<BTreeMap<BindingKey, u32>>> = Arc::default();
    run_workers(&tasks, "scheduling", queue, workers, move |key| {
        let (context, failures) = (Arc::clone(&context), Arc::clone(&failures));
        async move {
            let retry = reconcile(&context, &key).await?;
            let mut failures = failures.lock();
            Ok::<_, crate::Error>(match retry {
                Retry::OnEvent => {
                    failures.remove(&key);
                    Action::Done
                }
                Retry::Unschedulable => Action::After(UNSCHEDULABLE),
                Retry::Backoff => {
                    let count = failures.entry(key).or_insert(0);
                    let delay = RETRY.delay(*count);
                    *count = count.saturating_add(1);
                    Action::After(delay)
                }
            })
        }
    });
}

/// Whether a change of a binding concerns the scheduler, and how urgent it is.
fn relevant(kind: BindingKind, change: &Change<'_, Object>) -> Option<(BindingKey, i32)> {
    let binding = change.new?;
    if !accepts(binding) || binding.is_deleting() {
        return None;
    }
    let seen = change
        .old
        .is_some_and(|old| accepts(old) && old.generation() == binding.generation());
    if seen {
        return None;
    }
    let key = BindingKey {
        kind,
        object: ObjectKey::new(binding.namespace(), binding.name()),
    };
    let wished = binding["spec"]["schedulePriority"]["priority"].as_i64();
    let priority = wished
        .and_then(|wished| i32::try_from(wished).ok())
        .unwrap_or_default();
    let sweep = if change.initial { LOW_PRIORITY } else { 0 };
    Some((key, priority.saturating_add(sweep)))
}

/// Whether this scheduler is in charge of a binding.
fn accepts(binding: &Object) -> bool {
    let scheduler = binding["spec"]["schedulerName"]
        .as_str()
        .unwrap_or_default();
    let claimed = [
        labels::PROPAGATION_POLICY_PERMANENT_ID,
        labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID,
        labels::BINDING_MANAGED_BY,
    ];
    (scheduler.is_empty() || scheduler == DEFAULT_SCHEDULER)
        && binding["spec"]["suspension"]["scheduling"] != true
        && binding["spec"]["placement"].is_object()
        && claimed.iter().any(|label| !binding.label(label).is_empty())
}

/// Looks again at the bindings that a changed cluster may concern.
///
/// Differs: a new cluster counts, and for bindings without a place so does a change of what a
/// cluster serves or has room for.
fn cluster_changed(context: &Context, queue: &WorkQueue<BindingKey>, change: &Change<'_, Cluster>) {
    let Some(new) = change.new.filter(|_| !change.initial) else {
        return;
    };
    let wholly = change.old.is_none_or(|old| {
        old.metadata.labels != new.metadata.labels
            || old.spec != new.spec
            || old.is_deleting() != new.is_deleting()
    });
    let offers = change.old.is_some_and(|old| {
        let offer = |cluster: &Cluster| {
            let status = cluster.status.clone().unwrap_or_default();
            (status.api_enablements, status.resource_summary)
        };
        offer(old) != offer(new)
    });
    if !wholly && !offers {
        return;
    }
    let sides: Vec<&Cluster> = [change.old, Some(new)]
        .into_iter()
        .flatten()
        .map(AsRef::as_ref)
        .collect();
    for kind in [BindingKind::Resource, BindingKind::ClusterResource] {
        for binding in context.bindings(kind).store().list() {
            let waits = !conditions::is_true(&binding, "Scheduled");
            if accepts(&binding) && (wholly || waits) && may_concern(&binding, &sides) {
                let object = ObjectKey::new(binding.namespace(), binding.name());
                queue.add_with(BindingKey { kind, object }, LOW_PRIORITY);
            }
        }
    }
}

/// Whether any affinity of the binding's placement selects one of the clusters.
fn may_concern(binding: &Object, clusters: &[&Cluster]) -> bool {
    let Ok(placement) = Placement::deserialize(&binding["spec"]["placement"]) else {
        return true;
    };
    let terms = placement.cluster_affinities.iter();
    let overflow = terms
        .clone()
        .flat_map(|term| term.overflow_affinities.iter().map(|tier| &tier.affinity));
    let mut affinities = placement
        .cluster_affinity
        .iter()
        .chain(terms.map(|term| &term.affinity))
        .chain(overflow)
        .peekable();
    affinities.peek().is_none()
        || affinities.any(|affinity| clusters.iter().any(|c| cluster_matches(c, affinity)))
}

async fn reconcile(context: &Context, key: &BindingKey) -> Result<Retry> {
    let Some(object) = context.binding(key) else {
        return Ok(Retry::OnEvent);
    };
    if object.is_deleting() || !accepts(&object) {
        return Ok(Retry::OnEvent);
    }
    let metadata = ObjectMeta::deserialize(&object["metadata"])?;
    let spec = ResourceBindingSpec::deserialize(&object["spec"])?;
    let status = Option::<ResourceBindingStatus>::deserialize(&object["status"])?;
    let reference = BindingRef {
        metadata: &metadata,
        spec: &spec,
        status: status.as_ref(),
    };
    let snapshot = Snapshot::new(context.clusters.store().list());
    let plan = binding::plan(
        &reference,
        &binding::Context {
            snapshot: &snapshot,
            estimates: &[],
            peers: &Peers::default(),
            options: Options::default(),
            traced: false,
        },
    );
    let retry = plan.retry;
    let placement = binding::applied_placement(&reference);
    let asked = reference.reschedule_requested().is_some();
    match write(context, key, &object, &plan, &placement, asked).await {
        Err(crate::Error::Api(error)) if is_not_found(&error) => Ok(Retry::OnEvent),
        outcome => outcome.map(|()| retry),
    }
}

/// Writes targets, then status; each only if it changes something.
async fn write(
    context: &Context,
    key: &BindingKey,
    object: &Object,
    plan: &Plan,
    placement: &str,
    asked: bool,
) -> Result<()> {
    let objects = context.binding_objects(key);
    let mut current = None;
    if let Some(patch) = spec_patch(object, plan, placement) {
        current = Some(objects.merge_patch(object.name(), &patch).await?);
    }
    let moved = current.is_some();
    let current = current.as_ref().unwrap_or_else(|| object.value());
    let stamp = time::format(context.clock.now());
    let now = context.clock.now();
    let known = Some(current);
    write_status(&objects, object.name(), known, |binding| {
        let before = binding["status"].clone();
        if plan.observes_generation {
            let generation = object::generation(current);
            binding["status"]["schedulerObservedGeneration"] = json!(generation);
        }
        if let Some(name) = &plan.affinity_name {
            binding["status"]["schedulerObservingAffinityName"] = json!(name);
        }
        if let Some(wanted) = &plan.condition {
            let status = if wanted.status { "True" } else { "False" };
            let condition = conditions::new("Scheduled", status, wanted.reason, &wanted.message);
            conditions::set_on(binding, condition, now);
            if wanted.status && (moved || asked || binding["status"] != before) {
                binding["status"]["lastScheduledTime"] = json!(stamp);
            }
        }
    })
    .await?;
    tell(context, object, plan, moved);
    Ok(())
}

fn spec_patch(object: &Object, plan: &Plan, placement: &str) -> Option<Value> {
    let clusters = plan.clusters.as_ref()?;
    let mut patch = json!({});
    let wanted = json!(clusters);
    let have = &object["spec"]["clusters"];
    let same = *have == wanted || (have.is_null() && clusters.is_empty());
    if !same {
        patch["spec"]["clusters"] = wanted;
    }
    if object.annotation(annotations::APPLIED_PLACEMENT) != placement {
        patch["metadata"]["annotations"] = json!({annotations::APPLIED_PLACEMENT: placement});
    }
    patch
        .as_object()
        .is_some_and(|fields| !fields.is_empty())
        .then_some(patch)
}

fn tell(context: &Context, object: &Object, plan: &Plan, moved: bool) {
    let Some(condition) = &plan.condition else {
        return;
    };
    let recorder = context.recorder.named(DEFAULT_SCHEDULER);
    if condition.status && moved {
        let targets: Vec<String> = plan
            .clusters
            .iter()
            .flatten()
            .map(|target| format!("{}:{}", target.name, target.replicas))
            .collect();
        let text = format!("{} Result: {{{}}}", condition.message, targets.join(", "));
        recorder.event(object, EventType::Normal, "ScheduleBindingSucceed", text);
    } else if !condition.status {
        let text = condition.message.clone();
        recorder.event(object, EventType::Warning, "ScheduleBindingFailed", text);
    }
}

#[cfg(test)]
mod tests {
    use flybridge_runtime::Change;

    use super::*;

    fn binding(edit: impl Fn(&mut Value)) -> Arc<Object> {
        let mut value = json!({
            "metadata": {"name": "b", "namespace": "demo", "generation": 1,
                "labels": {labels::PROPAGATION_POLICY_PERMANENT_ID: "P"}},
            "spec": {"schedulerName": "default-scheduler",
                "placement": {"clusterAffinity": {"clusterNames": ["m1"]}}},
        });
        edit(&mut value);
        Arc::new(Object::from(value))
    }

    #[test]
    fn only_own_claimed_and_placed_bindings_are_accepted() {
        assert!(accepts(&binding(|_| {})));
        assert!(!accepts(&binding(
            |b| b["spec"]["schedulerName"] = json!("other")
        )));
        assert!(!accepts(&binding(
            |b| b["spec"]["suspension"] = json!({"scheduling": true})
        )));
        assert!(!accepts(&binding(|b| b["metadata"]["labels"] = json!({}))));
        assert!(!accepts(&binding(|b| b["spec"]["placement"] = Value::Null)));
    }

    #[test]
    fn only_new_generations_and_newly_accepted_bindings_are_looked_at() {
        let (one, two) = (
            binding(|_| {}),
            binding(|b| b["metadata"]["generation"] = json!(2)),
        );
        let held = binding(|b| b["spec"]["suspension"] = json!({"scheduling": true}));
        let looked_at = |old: Option<&Arc<Object>>, new: &Arc<Object>| {
            let change = Change {
                old,
                new: Some(new),
                initial: false,
            };
            relevant(BindingKind::Resource, &change).is_some()
        };
        assert!(looked_at(None, &one) && looked_at(Some(&one), &two));
        assert!(looked_at(Some(&held), &one));
        assert!(!looked_at(Some(&one), &one) && !looked_at(Some(&one), &held));
    }

    #[test]
    fn clusters_concern_bindings_whose_affinity_selects_them() {
        let (m1, m2) = (
            Cluster::new("m1", Default::default()),
            Cluster::new("m2", Default::default()),
        );
        assert!(may_concern(&binding(|_| {}), &[&m1]));
        assert!(!may_concern(&binding(|_| {}), &[&m2]));
        assert!(may_concern(
            &binding(|b| b["spec"]["placement"] = json!({})),
            &[&m2]
        ));
    }
}
