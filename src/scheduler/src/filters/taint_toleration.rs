//! Keeps out clusters with a taint that the placement does not tolerate.

use flybridge_apis::Cluster;
use k8s_openapi::api::core::v1::Toleration;

use super::Rejection;
use crate::taints::first_untolerated;

pub(super) fn objection<'a>(
    tolerations: &[Toleration],
    cluster: &'a Cluster,
) -> Option<Rejection<'a>> {
    first_untolerated(&cluster.spec.taints, tolerations).map(Rejection::Taint)
}
