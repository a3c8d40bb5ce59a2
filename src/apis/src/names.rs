//! Names derived from other names, byte for byte as other tools and documents expect them.

/// Namespace of credentials and leases of member clusters.
pub const CLUSTER_NAMESPACE: &str = "karmada-cluster";
/// Namespace of the control plane itself.
pub const SYSTEM_NAMESPACE: &str = "karmada-system";
/// Start of the name of every execution namespace.
pub const EXECUTION_NAMESPACE_PREFIX: &str = "karmada-es-";

const SAFE_ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// The FNV-1a hash of some bytes, 32 bits wide.
pub fn fnv1a_32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(2_166_136_261, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(16_777_619)
    })
}

/// Replaces every character by one of an alphabet without vowels.
fn safe_encode(text: &str) -> String {
    text.chars()
        .map(|character| {
            let index = usize::try_from(u32::from(character)).unwrap_or_default();
            char::from(SAFE_ALPHABET[index % SAFE_ALPHABET.len()])
        })
        .collect()
}

fn hash_text(text: &str) -> String {
    safe_encode(&fnv1a_32(text.as_bytes()).to_string())
}

/// The namespace that holds the Works of a cluster.
pub fn execution_namespace(cluster: &str) -> String {
    format!("{EXECUTION_NAMESPACE_PREFIX}{cluster}")
}

/// The cluster whose Works a namespace holds.
pub fn cluster_of_execution_namespace(namespace: &str) -> Option<&str> {
    namespace.strip_prefix(EXECUTION_NAMESPACE_PREFIX)
}

/// Whether objects of the namespace are never propagated.
pub fn is_reserved_namespace(namespace: &str) -> bool {
    namespace == SYSTEM_NAMESPACE
        || namespace == CLUSTER_NAMESPACE
        || namespace.starts_with(EXECUTION_NAMESPACE_PREFIX)
}

/// The name of the binding of a resource.
pub fn binding_name(kind: &str, name: &str) -> String {
    format!("{}-{kind}", name.replace(':', ".")).to_lowercase()
}

/// The name of the Work of a resource; `namespace` is empty for cluster-scoped ones.
pub fn work_name(kind: &str, name: &str, namespace: &str) -> String {
    let name = name.replace(':', ".").to_lowercase();
    let base = if namespace.is_empty() {
        format!("{name}-{kind}")
    } else {
        format!("{namespace}-{name}-{kind}")
    }
    .to_lowercase();
    format!("{name}-{}", hash_text(&base))
}

/// The key by which dependent bindings refer to a binding.
pub fn binding_reference_key(namespace: &str, binding: &str) -> String {
    if namespace.is_empty() {
        hash_text(binding)
    } else {
        hash_text(&format!("{namespace}/{binding}"))
    }
}

/// The secret with the credentials to impersonate users in a cluster.
pub fn impersonation_secret(cluster: &str) -> String {
    format!("{cluster}-impersonator")
}

/// The name of a policy made for one resource when it is taken over from a member; `gvk` reads `apps/v1, Kind=Deployment`.
pub fn promotion_policy_name(namespace: &str, name: &str, gvk: &str) -> String {
    let hash = hash_text(&format!("{namespace}{gvk}"));
    format!("{}-{hash}", name.replace(':', ".")).to_lowercase()
}

/// The service account a member gives to the control plane.
pub fn service_account(cluster: &str) -> String {
    format!("karmada-{cluster}")
}

/// The cluster role bound to that service account.
pub fn cluster_role(service_account: &str) -> String {
    format!("karmada-controller-manager:{service_account}")
}

/// The EndpointSlice imported from a cluster.
pub fn imported_endpoint_slice(endpoint_slice: &str, cluster: &str) -> String {
    format!("imported-{cluster}-{endpoint_slice}")
}

/// The service derived from an imported one.
pub fn derived_service(service: &str) -> String {
    format!("derived-{service}")
}

/// The estimator service of a cluster.
pub fn estimator_service(prefix: &str, cluster: &str) -> String {
    format!("{prefix}-{cluster}")
}

/// The estimator deployment of a cluster.
pub fn estimator_deployment(cluster: &str) -> String {
    format!("karmada-scheduler-estimator-{cluster}")
}

/// `namespace/name`, or the name alone.
pub fn namespaced_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

/// Why a text is no cluster name; empty when it is one.
pub fn cluster_name_complaints(name: &str) -> Vec<String> {
    let mut complaints = flybridge_machinery::names::dns1123_label(name);
    if name.is_empty() {
        complaints.push("must be not empty".to_owned());
    }
    if name.len() > CLUSTER_NAME_LENGTH {
        complaints.push(format!(
            "must be no more than {CLUSTER_NAME_LENGTH} characters"
        ));
    }
    complaints
}

/// The greatest length of a cluster name.
pub const CLUSTER_NAME_LENGTH: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_names_follow_the_published_algorithm() {
        for (kind, name, namespace, expected) in [
            ("Deployment", "nginx", "default", "nginx-687f7fb96f"),
            ("Namespace", "test", "", "test-69fd499b4c"),
            ("ClusterRole", "system:foo", "", "system.foo-5f7d88f69"),
            ("ResourceQuota", "test", "test", "test-6dfb794785"),
            (
                "CustomResourceDefinition",
                "serviceexports.multicluster.x-k8s.io",
                "",
                "serviceexports.multicluster.x-k8s.io-fd9cff546",
            ),
        ] {
            assert_eq!(work_name(kind, name, namespace), expected);
        }
    }

    #[test]
    fn reference_keys_hash_namespace_and_binding() {
        assert_eq!(
            binding_reference_key("default", "nginx-deployment"),
            "5bdc5c4dcf"
        );
        assert_eq!(binding_reference_key("", "foo-clusterrole"), "846f98bd4d");
    }

    #[test]
    fn cluster_names_are_short_labels() {
        assert!(cluster_name_complaints("member-1").is_empty());
        assert!(!cluster_name_complaints("").is_empty());
        assert!(!cluster_name_complaints(&"a".repeat(49)).is_empty());
        assert!(!cluster_name_complaints("Member").is_empty());
    }
}
