//! Who may do what: authentication, authorization, certificates, RBAC.

use super::{CREATE, Row, STATUS, row};

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";

/// Adds the rows of the identity groups.
pub(super) fn add(rows: &mut Vec<Row>) {
    let review = |group, resource, kind| row(group, "v1", resource, kind).verbs(&CREATE);
    let rbac = |resource, kind| row(RBAC, "v1", resource, kind).create_on_update();
    rows.extend([
        review(AUTHENTICATION, "selfsubjectreviews", "SelfSubjectReview").cluster(),
        review(AUTHENTICATION, "tokenreviews", "TokenReview").cluster(),
        review(
            AUTHORIZATION,
            "localsubjectaccessreviews",
            "LocalSubjectAccessReview",
        ),
        review(
            AUTHORIZATION,
            "selfsubjectaccessreviews",
            "SelfSubjectAccessReview",
        )
        .cluster(),
        review(
            AUTHORIZATION,
            "selfsubjectrulesreviews",
            "SelfSubjectRulesReview",
        )
        .cluster(),
        review(AUTHORIZATION, "subjectaccessreviews", "SubjectAccessReview").cluster(),
        row(
            "certificates.k8s.io",
            "v1",
            "certificatesigningrequests",
            "CertificateSigningRequest",
        )
        .short(&["csr"])
        .cluster()
        .sub("approval", &STATUS)
        .status()
        .selects(&["spec.signerName"]),
        rbac("clusterrolebindings", "ClusterRoleBinding").cluster(),
        rbac("clusterroles", "ClusterRole").cluster(),
        rbac("rolebindings", "RoleBinding"),
        rbac("roles", "Role"),
    ]);
}
