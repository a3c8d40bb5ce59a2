//! How many replicas, or complete sets of components, every cluster has room for.
//!
//! The smallest of all opinions counts. Where nobody has one, the cluster is taken to have room for all replicas.

pub mod general;
pub mod models;

use flybridge_apis::placement::{Placement, SpreadField};

use crate::request::{Answers, Request};
use crate::snapshot::Snapshot;
use crate::trace::{EstimatorTrace, Tracer};

/// The room of a cluster nobody has an opinion of, until the replicas are known.
const UNKNOWN: i64 = i32::MAX as i64;
/// The answer of an estimator that has no opinion.
const NOT_AUTHENTIC: i32 = -1;
/// The name of the estimator that reads cluster status.
pub(crate) const GENERAL_ESTIMATOR: &str = "general-estimator";

/// Whether the binding is placed by complete sets of components.
pub(crate) fn by_component_sets(request: &Request<'_>, placement: &Placement) -> bool {
    request.options.multiple_pod_templates
        && !request.spec.components.is_empty()
        && placement.spread_constraints.iter().any(|constraint| {
            constraint.spread_by_field == Some(SpreadField::Cluster)
                && constraint.min_groups == 1
                && constraint.max_groups == 1
        })
}

/// The room of every feasible cluster, in the order of `feasible`.
pub(crate) fn estimate(
    request: &Request<'_>,
    placement: &Placement,
    snapshot: &Snapshot,
    feasible: &[usize],
    tracer: &mut impl Tracer,
) -> Vec<i64> {
    let spec = request.spec;
    let mut alloc = vec![UNKNOWN; feasible.len()];
    if spec.replicas == 0 && spec.components.is_empty() {
        return alloc;
    }
    if request.options.general_estimator {
        let sets = by_component_sets(request, placement);
        let opinion = |index: usize| {
            let cluster = snapshot.at(index);
            let models = request.options.resource_models;
            if sets {
                general::component_sets(cluster, &spec.components, models)
            } else {
                general::replicas(cluster, spec.replica_requirements.as_ref(), models)
            }
        };
        let opinions: Vec<Option<i64>> =
            feasible.iter().map(|index| Some(opinion(*index))).collect();
        merge(&mut alloc, &opinions);
        report(tracer, GENERAL_ESTIMATOR, feasible, &opinions);
    }
    for estimate in request.estimates {
        match &estimate.answers {
            Ok(answers) => {
                let opinions = opinions_of(answers, snapshot, feasible);
                merge(&mut alloc, &opinions);
                report(tracer, &estimate.estimator, feasible, &opinions);
            }
            Err(error) => {
                if let Some(trace) = tracer.trace() {
                    trace.estimators.push(EstimatorTrace {
                        name: estimate.estimator.clone(),
                        ignored_because: Some(error.clone()),
                    });
                }
            }
        }
    }
    for room in &mut alloc {
        if *room == UNKNOWN {
            *room = i64::from(spec.replicas);
        }
    }
    alloc
}

/// Looks the answers up by walking both lists, which are in order of name.
fn opinions_of(answers: &Answers, snapshot: &Snapshot, feasible: &[usize]) -> Vec<Option<i64>> {
    let mut answers = answers.iter().peekable();
    feasible
        .iter()
        .map(|index| {
            let name = snapshot.at(*index).name();
            while answers
                .next_if(|(answered, _)| answered.as_str() < name)
                .is_some()
            {}
            answers
                .next_if(|(answered, _)| answered.as_str() == name)
                .filter(|(_, room)| **room != NOT_AUTHENTIC)
                .map(|(_, room)| i64::from(*room))
        })
        .collect()
}

fn merge(alloc: &mut [i64], opinions: &[Option<i64>]) {
    for (room, opinion) in alloc.iter_mut().zip(opinions) {
        if let Some(opinion) = opinion {
            *room = (*room).min(*opinion);
        }
    }
}

fn report(tracer: &mut impl Tracer, name: &str, feasible: &[usize], opinions: &[Option<i64>]) {
    let Some(trace) = tracer.trace() else { return };
    trace.estimators.push(EstimatorTrace {
        name: name.to_owned(),
        ignored_because: None,
    });
    for (index, opinion) in feasible.iter().zip(opinions) {
        trace.clusters[*index]
            .estimates
            .push((name.to_owned(), *opinion));
    }
}
