//! Keeps out clusters that do not serve the resource's kind; not knowing counts as not serving.

use flybridge_apis::Cluster;
use flybridge_apis::cluster::ApiEnablementState;
use flybridge_apis::resource_binding::ObjectReference;

use super::Rejection;

pub(super) fn objection<'a>(
    resource: &'a ObjectReference,
    cluster: &Cluster,
) -> Option<Rejection<'a>> {
    let (api_version, kind) = (resource.api_version.as_str(), resource.kind.as_str());
    let complete = match cluster.api_enablement(api_version, kind) {
        ApiEnablementState::Enabled => return None,
        ApiEnablementState::Disabled => true,
        ApiEnablementState::Unknown => false,
    };
    Some(Rejection::ApiMissing {
        api_version,
        kind,
        complete,
    })
}
