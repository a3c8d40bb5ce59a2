//! What a StatefulSet's status says.

use k8s_openapi::api::apps::v1::StatefulSetStatus;
use k8s_openapi::api::core::v1::Pod;

use super::View;
use crate::object::label;
use crate::plan::{Action, Plan};
use crate::pods::{self, Counts};
use crate::replicaset::some;
use crate::revisions::HASH_LABEL;

/// Adds the write of the status, if it changed, and the wake-up of the next available pod.
pub(super) fn write(view: &View<'_>, plan: &mut Plan) {
    let set = view.set;
    let min_ready = set.spec.min_ready_seconds.unwrap_or(0);
    let counts = Counts::of(view.pods.values().copied(), min_ready, view.now);
    if let Some(at) = counts.next_available {
        plan.wake(at);
    }
    let of = |revision: &str| {
        let fits = |pod: &&&Pod| label(&pod.metadata, HASH_LABEL) == Some(revision);
        let active = view.pods.values().filter(|pod| pods::is_active(pod));
        i32::try_from(active.filter(fits).count()).unwrap_or(i32::MAX)
    };
    let updated = of(&view.update.name);
    let mut current_revision = view.current_revision.clone();
    let wanted = set.spec.replicas.unwrap_or(1);
    let all_there = counts.active == wanted && counts.ready == wanted && counts.terminating == 0;
    if view.partition() == Some(0) && all_there && updated == wanted {
        current_revision.clone_from(&view.update.name);
    }
    let status = StatefulSetStatus {
        observed_generation: set.metadata.generation,
        replicas: counts.active + counts.terminating,
        ready_replicas: some(counts.ready),
        available_replicas: Some(counts.available),
        current_replicas: some(of(&current_revision)),
        updated_replicas: some(updated),
        current_revision: Some(current_revision),
        update_revision: Some(view.update.name.clone()),
        collision_count: Some(0),
        conditions: None,
    };
    if set.status.as_ref() != Some(&status) {
        let mut written = set.clone();
        written.status = Some(status);
        plan.push(Action::Status(written.into()));
    }
}
