//! Keeps out clusters by where other workloads of a group run.

use flybridge_apis::Cluster;

use super::Rejection;
use crate::request::Peer;

/// A peer with targets, none of which is this cluster; peers without targets have no say.
pub(super) fn elsewhere<'a>(peers: &'a [Peer], cluster: &Cluster) -> Option<Rejection<'a>> {
    peers
        .iter()
        .find(|peer| !peer.clusters.is_empty() && !runs_there(peer, cluster))
        .map(Rejection::PeerElsewhere)
}

/// A peer that targets this cluster.
pub(super) fn present<'a>(peers: &'a [Peer], cluster: &Cluster) -> Option<Rejection<'a>> {
    peers
        .iter()
        .find(|peer| runs_there(peer, cluster))
        .map(Rejection::PeerPresent)
}

fn runs_there(peer: &Peer, cluster: &Cluster) -> bool {
    peer.clusters.iter().any(|name| name == cluster.name())
}
