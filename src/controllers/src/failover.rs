//! Moving workloads off clusters, and letting go of the old copies once the new ones are well.

pub mod decision;
pub mod graceful;
pub mod taints;

use flybridge_apis::failover::PurgeMode;
use flybridge_apis::resource_binding::GracefulEvictionTask;
use flybridge_apis::{ResourceBindingSpec, TargetCluster};

/// Takes a cluster out of a binding's targets and leaves a task for its copy.
///
/// Says whether the cluster was a target.
pub fn evict(spec: &mut ResourceBindingSpec, task: GracefulEvictionTask) -> bool {
    let leaving = |target: &TargetCluster| target.name == task.from_cluster;
    let Some(position) = spec.clusters.iter().position(leaving) else {
        return false;
    };
    let target = spec.clusters.remove(position);
    if !spec.is_evicting(&target.name) {
        spec.graceful_eviction_tasks.push(GracefulEvictionTask {
            replicas: (target.replicas > 0).then_some(target.replicas),
            ..task
        });
    }
    true
}

/// The purge mode of a binding whose cluster fails.
pub fn cluster_purge_mode(spec: &ResourceBindingSpec) -> PurgeMode {
    let cluster = spec
        .failover
        .as_ref()
        .and_then(|failover| failover.cluster.as_ref());
    cluster
        .and_then(|cluster| cluster.purge_mode)
        .unwrap_or(PurgeMode::Gracefully)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evicting_moves_a_target_to_the_tasks_once() {
        let target = TargetCluster {
            name: "m1".to_owned(),
            replicas: 3,
            ..TargetCluster::default()
        };
        let mut spec = ResourceBindingSpec {
            clusters: vec![target],
            ..ResourceBindingSpec::default()
        };
        let task = GracefulEvictionTask {
            from_cluster: "m1".to_owned(),
            ..GracefulEvictionTask::default()
        };
        assert!(evict(&mut spec, task.clone()));
        assert!(spec.clusters.is_empty());
        assert_eq!(spec.graceful_eviction_tasks[0].replicas, Some(3));
        assert!(!evict(&mut spec, task));
        assert_eq!(spec.graceful_eviction_tasks.len(), 1);
    }
}
