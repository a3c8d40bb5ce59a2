//! What a scheduling run is asked.

use std::collections::BTreeMap;

use flybridge_apis::names::binding_name;
use flybridge_apis::{ResourceBinding, ResourceBindingSpec};

/// One binding to place, with what other components know about capacity and peers.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The binding's spec; its `clusters` are the previous placement.
    pub spec: &'a ResourceBindingSpec,
    /// The affinity term in force, when the placement has terms.
    pub affinity_name: &'a str,
    /// Whether a fresh division was asked for.
    pub fresh: bool,
    /// Answers of the estimators.
    pub estimates: &'a [Estimate],
    /// Workloads this one runs together with, or apart from.
    pub peers: &'a Peers,
    /// Features and flags.
    pub options: Options,
}

/// Features and flags of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether capacity is also estimated from cluster status.
    pub general_estimator: bool,
    /// Whether that estimate may use resource models.
    pub resource_models: bool,
    /// Whether clusters that got no replicas stay targets with 0.
    pub empty_workload_propagation: bool,
    /// Whether workloads with several pod templates are placed by complete sets.
    pub multiple_pod_templates: bool,
    /// Whether workload affinity and anti-affinity are honoured.
    pub workload_affinity: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            general_estimator: true,
            resource_models: true,
            empty_workload_propagation: false,
            multiple_pod_templates: false,
            workload_affinity: false,
        }
    }
}

/// What one estimator says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Name of the estimator.
    pub estimator: String,
    /// Its answers, or why there are none; a failed estimator has no influence.
    pub answers: Result<Answers, String>,
}

/// Replicas (or complete sets of components) by cluster; -1 or absence means no opinion.
pub type Answers = BTreeMap<String, i32>;

/// A workload of the same group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peer {
    /// Name of its binding.
    pub binding: String,
    /// Its targets.
    pub clusters: Vec<String>,
}

/// Workloads whose placement matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peers {
    /// Those this one runs with.
    pub affinity: Vec<Peer>,
    /// Those this one runs apart from.
    pub anti_affinity: Vec<Peer>,
}

impl Peers {
    /// The peers of a binding among all bindings; `assigning` holds newer copies of some of them.
    #[expect(
        single_use_lifetimes,
        reason = "anonymous lifetimes in impl Trait are unstable"
    )]
    pub fn of<'b>(
        spec: &ResourceBindingSpec,
        bindings: impl IntoIterator<Item = &'b ResourceBinding>,
        assigning: &[ResourceBinding],
    ) -> Self {
        let mut peers = Self::default();
        let Some(own) = &spec.workload_affinity_groups else {
            return peers;
        };
        let own_name = binding_name(&spec.resource.kind, &spec.resource.name);
        for binding in bindings {
            let Some(groups) = &binding.spec.workload_affinity_groups else {
                continue;
            };
            let name = binding.metadata.name.as_deref().unwrap_or_default();
            let namespace = binding.metadata.namespace.as_deref().unwrap_or_default();
            if name == own_name || namespace != spec.resource.namespace {
                continue;
            }
            let current = newest(binding, assigning);
            let peer = || Peer {
                binding: name.to_owned(),
                clusters: current
                    .spec
                    .clusters
                    .iter()
                    .map(|target| target.name.clone())
                    .collect(),
            };
            if !own.affinity_group.is_empty() && own.affinity_group == groups.affinity_group {
                peers.affinity.push(peer());
            }
            if !own.anti_affinity_group.is_empty()
                && own.anti_affinity_group == groups.anti_affinity_group
            {
                peers.anti_affinity.push(peer());
            }
        }
        peers
    }
}

fn newest<'b>(
    binding: &'b ResourceBinding,
    assigning: &'b [ResourceBinding],
) -> &'b ResourceBinding {
    let version = |binding: &ResourceBinding| {
        binding
            .metadata
            .resource_version
            .as_deref()
            .and_then(|version| version.parse::<u64>().ok())
            .unwrap_or(0)
    };
    assigning
        .iter()
        .find(|copy| {
            copy.metadata.name == binding.metadata.name
                && copy.metadata.namespace == binding.metadata.namespace
                && version(copy) > version(binding)
        })
        .unwrap_or(binding)
}
