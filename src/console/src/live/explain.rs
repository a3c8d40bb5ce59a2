//! Asking the scheduler: the same code that schedules, on the clusters the console has seen and
//! the binding as it is now.

use flybridge_apis::{ClusterResourceBinding, ResourceBinding};
use flybridge_scheduler::binding::Context;
use flybridge_scheduler::explain as scheduler;
use flybridge_scheduler::trigger::BindingRef;
use flybridge_scheduler::{Options, Peers};
use flybridge_ui::Mark;
use flybridge_ui::text::clean;
use kube::{Api, Client};

use super::errors::words;
use super::fleet::Fleet;
use crate::explanation::{ClusterVerdict, Explanation, Round, Verdict};
use crate::rows::ObjectRef;

/// Explains a binding.
pub(super) async fn explain(
    client: Client,
    fleet: &Fleet,
    binding: &ObjectRef,
) -> Result<Explanation, String> {
    if binding.namespace.is_empty() {
        let api: Api<ClusterResourceBinding> = Api::all(client);
        let found = api
            .get(&binding.name)
            .await
            .map_err(|error| words(&error))?;
        Ok(of(&BindingRef::from(&found), fleet))
    } else {
        let api: Api<ResourceBinding> = Api::namespaced(client, &binding.namespace);
        let found = api
            .get(&binding.name)
            .await
            .map_err(|error| words(&error))?;
        Ok(of(&BindingRef::from(&found), fleet))
    }
}

fn of(binding: &BindingRef<'_>, fleet: &Fleet) -> Explanation {
    let snapshot = fleet.snapshot();
    let context = Context {
        snapshot: &snapshot,
        estimates: &[],
        peers: &Peers::default(),
        options: Options::default(),
        traced: true,
    };
    let computed = scheduler::explain_binding(binding, &context);
    let mut explanation = view(computed);
    explanation
        .header
        .push(("recorded".to_owned(), recorded(binding, &explanation)));
    explanation
}

/// What the binding's condition says, and whether its targets are those computed now.
fn recorded(binding: &BindingRef<'_>, explanation: &Explanation) -> String {
    let condition = binding
        .status
        .and_then(|status| status.conditions.iter().find(|c| c.type_ == "Scheduled"));
    let said = match condition {
        None => "not scheduled yet".to_owned(),
        Some(condition) => clean(&condition.reason).into_owned(),
    };
    let same = explanation.clusters.iter().all(|cluster| {
        let target = binding
            .spec
            .clusters
            .iter()
            .find(|t| t.name == cluster.name);
        target.map(|t| i64::from(t.replicas)) == cluster.after
    });
    if same {
        format!("{said}; agrees with what is computed now")
    } else {
        format!("{said}; differs from what is computed now")
    }
}

fn view(computed: scheduler::Explanation) -> Explanation {
    let text = |raw: String| clean(&raw).into_owned();
    let clusters = computed
        .clusters
        .into_iter()
        .map(|cluster| ClusterVerdict {
            name: text(cluster.name),
            verdicts: cluster
                .filters
                .into_iter()
                .map(|filter| {
                    if filter.passed {
                        Verdict::Pass
                    } else {
                        Verdict::Fail(text(filter.reason))
                    }
                })
                .collect(),
            score: cluster.score,
            scores: Vec::new(),
            room: cluster.room,
            before: cluster.before.unwrap_or(0),
            after: cluster.replicas.filter(|_| cluster.chosen),
            notes: cluster.notes.into_iter().map(text).collect(),
        })
        .collect();
    Explanation {
        mark: if computed.placed { Mark::Ok } else { Mark::Bad },
        summary: text(computed.summary),
        header: computed
            .header
            .into_iter()
            .map(|(label, value)| (label.to_owned(), text(value)))
            .collect(),
        filters: computed
            .filters
            .into_iter()
            .map(ToOwned::to_owned)
            .collect(),
        clusters,
        rounds: computed
            .steps
            .into_iter()
            .map(|step| Round {
                title: text(step.title),
                lines: step.lines.into_iter().map(text).collect(),
            })
            .collect(),
    }
}
