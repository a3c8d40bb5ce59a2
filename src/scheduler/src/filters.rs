//! The plugins that keep clusters out, in a fixed order.

mod api_enablement;
mod cluster_affinity;
mod cluster_eviction;
mod spread_constraint;
mod taint_toleration;
mod workload_affinity;

use std::fmt;

use flybridge_apis::Cluster;
use flybridge_apis::matching::Mismatch;
use flybridge_apis::placement::Placement;
use flybridge_apis::resource_binding::GracefulEvictionTask;
use k8s_openapi::api::core::v1::Taint;

use crate::request::{Peer, Request};
use crate::snapshot::Snapshot;

pub(crate) use cluster_affinity::Affinity;

/// A filter plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plugin {
    /// The cluster serves the kind.
    ApiEnablement,
    /// Its taints are tolerated.
    TaintToleration,
    /// The placement selects it.
    ClusterAffinity,
    /// It has the property clusters are spread by.
    SpreadConstraint,
    /// The workload is not being moved away from it.
    ClusterEviction,
    /// The workload's group runs there.
    WorkloadAffinity,
    /// No workload of the group to avoid runs there.
    WorkloadAntiAffinity,
}

impl Plugin {
    /// Every plugin in the order of evaluation.
    pub const ALL: [Self; 7] = [
        Self::ApiEnablement,
        Self::TaintToleration,
        Self::ClusterAffinity,
        Self::SpreadConstraint,
        Self::ClusterEviction,
        Self::WorkloadAffinity,
        Self::WorkloadAntiAffinity,
    ];

    /// Its name as in the reference.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ApiEnablement => "APIEnablement",
            Self::TaintToleration => "TaintToleration",
            Self::ClusterAffinity => "ClusterAffinity",
            Self::SpreadConstraint => "SpreadConstraint",
            Self::ClusterEviction => "ClusterEviction",
            Self::WorkloadAffinity => "WorkloadAffinity",
            Self::WorkloadAntiAffinity => "WorkloadAntiAffinity",
        }
    }
}

impl fmt::Display for Plugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Why a plugin keeps a cluster out, with the thing that decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rejection<'a> {
    /// The kind is not listed; `complete` tells whether the list is known to be complete.
    ApiMissing {
        api_version: &'a str,
        kind: &'a str,
        complete: bool,
    },
    /// The first taint that is not tolerated.
    Taint(&'a Taint),
    /// The sub-rule of the affinity that fails.
    Affinity(Mismatch<'a>),
    /// The property that is missing: `provider`, `region` or `zones`.
    Property(&'static str),
    /// The task that moves the workload away.
    Evicting(&'a GracefulEvictionTask),
    /// A peer that runs elsewhere.
    PeerElsewhere(&'a Peer),
    /// A peer that runs there.
    PeerPresent(&'a Peer),
}

impl fmt::Display for Rejection<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ApiMissing {
                api_version,
                kind,
                complete,
            } => {
                write!(
                    formatter,
                    "cluster(s) did not have the API resource {api_version} {kind}"
                )?;
                if *complete {
                    Ok(())
                } else {
                    formatter.write_str(" (API list incomplete)")
                }
            }
            Self::Taint(taint) => {
                write!(
                    formatter,
                    "cluster(s) had untolerated taint {{{}}}",
                    taint_text(taint)
                )
            }
            Self::Affinity(mismatch) => write!(
                formatter,
                "cluster(s) did not match the placement cluster affinity constraint: {mismatch}"
            ),
            Self::Property(property) => {
                write!(formatter, "cluster(s) did not have {property} property")
            }
            Self::Evicting(task) => write!(
                formatter,
                "cluster(s) is in the process of eviction: {} by {}",
                task.reason, task.producer
            ),
            Self::PeerElsewhere(peer) => write!(
                formatter,
                "workload affinity: {} runs in {} instead",
                peer.binding,
                peer.clusters.join(", ")
            ),
            Self::PeerPresent(peer) => {
                write!(
                    formatter,
                    "workload anti-affinity: {} runs there",
                    peer.binding
                )
            }
        }
    }
}

/// A taint as `key=value:effect`.
pub(crate) fn taint_text(taint: &Taint) -> String {
    match taint.value.as_deref() {
        None | Some("") => format!("{}:{}", taint.key, taint.effect),
        Some(value) => format!("{}={value}:{}", taint.key, taint.effect),
    }
}

/// What a plugin says of a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict<'a> {
    /// It passes.
    Pass,
    /// It would be kept out, but stays because it is a target already.
    Sticky(Rejection<'a>),
    /// It is kept out.
    Reject(Rejection<'a>),
}

/// The plugins prepared for one request.
pub(crate) struct Filters<'a> {
    request: Request<'a>,
    placement: &'a Placement,
    affinity: Affinity<'a>,
    needs: spread_constraint::Needs,
    /// Whether each cluster of the snapshot is a target already.
    targets: &'a [Option<i64>],
}

impl<'a> Filters<'a> {
    pub(crate) fn new(
        request: &Request<'a>,
        placement: &'a Placement,
        targets: &'a [Option<i64>],
    ) -> Self {
        Self {
            request: *request,
            placement,
            affinity: Affinity::in_force(request, placement),
            needs: spread_constraint::Needs::of(placement),
            targets,
        }
    }

    /// The affinity in force.
    pub(crate) const fn affinity(&self) -> &Affinity<'a> {
        &self.affinity
    }

    /// The plugins that take part.
    pub(crate) fn plugins(&self) -> &'static [Plugin] {
        if self.request.options.workload_affinity {
            &Plugin::ALL
        } else {
            &Plugin::ALL[..5]
        }
    }

    /// The first rejection, if any.
    pub(crate) fn rejection(&self, snapshot: &'a Snapshot, index: usize) -> Option<Rejection<'a>> {
        self.plugins()
            .iter()
            .find_map(|plugin| match self.verdict(*plugin, snapshot, index) {
                Verdict::Reject(rejection) => Some(rejection),
                Verdict::Pass | Verdict::Sticky(_) => None,
            })
    }

    /// What one plugin says of a cluster.
    pub(crate) fn verdict(
        &self,
        plugin: Plugin,
        snapshot: &'a Snapshot,
        index: usize,
    ) -> Verdict<'a> {
        let cluster = snapshot.at(index);
        let Some(rejection) = self.objection(plugin, cluster) else {
            return Verdict::Pass;
        };
        let sticky = matches!(
            plugin,
            Plugin::ApiEnablement
                | Plugin::TaintToleration
                | Plugin::WorkloadAffinity
                | Plugin::WorkloadAntiAffinity
        );
        if sticky && self.targets[index].is_some() {
            Verdict::Sticky(rejection)
        } else {
            Verdict::Reject(rejection)
        }
    }

    fn objection(&self, plugin: Plugin, cluster: &'a Cluster) -> Option<Rejection<'a>> {
        let spec = self.request.spec;
        match plugin {
            Plugin::ApiEnablement => api_enablement::objection(&spec.resource, cluster),
            Plugin::TaintToleration => {
                taint_toleration::objection(&self.placement.cluster_tolerations, cluster)
            }
            Plugin::ClusterAffinity => self.affinity.objection(cluster),
            Plugin::SpreadConstraint => self.needs.objection(cluster),
            Plugin::ClusterEviction => {
                cluster_eviction::objection(&spec.graceful_eviction_tasks, cluster)
            }
            Plugin::WorkloadAffinity => {
                workload_affinity::elsewhere(&self.request.peers.affinity, cluster)
            }
            Plugin::WorkloadAntiAffinity => {
                workload_affinity::present(&self.request.peers.anti_affinity, cluster)
            }
        }
    }
}
