//! What extends the API: admission, CustomResourceDefinitions, APIServices, flow control.

use super::{Row, row};

const ADMISSION: &str = "admissionregistration.k8s.io";
const FLOW_CONTROL: &str = "flowcontrol.apiserver.k8s.io";

/// Adds the rows of the extension groups.
pub(super) fn add(rows: &mut Vec<Row>) {
    let extension = |group, resource, kind| {
        row(group, "v1", resource, kind)
            .cluster()
            .category("api-extensions")
            .conditional()
    };
    let admission = |resource, kind| extension(ADMISSION, resource, kind).generation();
    let flow = |resource, kind| {
        row(FLOW_CONTROL, "v1", resource, kind)
            .cluster()
            .status()
            .generation()
    };
    rows.extend([
        admission("mutatingadmissionpolicies", "MutatingAdmissionPolicy"),
        admission(
            "mutatingadmissionpolicybindings",
            "MutatingAdmissionPolicyBinding",
        ),
        admission(
            "mutatingwebhookconfigurations",
            "MutatingWebhookConfiguration",
        ),
        admission("validatingadmissionpolicies", "ValidatingAdmissionPolicy").status(),
        admission(
            "validatingadmissionpolicybindings",
            "ValidatingAdmissionPolicyBinding",
        ),
        admission(
            "validatingwebhookconfigurations",
            "ValidatingWebhookConfiguration",
        ),
        extension(
            "apiextensions.k8s.io",
            "customresourcedefinitions",
            "CustomResourceDefinition",
        )
        .short(&["crd", "crds"])
        .status()
        .generation(),
        extension("apiregistration.k8s.io", "apiservices", "APIService").status(),
        flow("flowschemas", "FlowSchema"),
        flow("prioritylevelconfigurations", "PriorityLevelConfiguration"),
    ]);
}
