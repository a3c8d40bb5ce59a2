//! Keeps out clusters the workload is being moved away from.

use flybridge_apis::Cluster;
use flybridge_apis::resource_binding::GracefulEvictionTask;

use super::Rejection;

pub(super) fn objection<'a>(
    tasks: &'a [GracefulEvictionTask],
    cluster: &Cluster,
) -> Option<Rejection<'a>> {
    tasks
        .iter()
        .find(|task| task.from_cluster == cluster.name())
        .map(Rejection::Evicting)
}
