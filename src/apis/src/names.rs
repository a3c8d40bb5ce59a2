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
