//! The file that tells kubectl where the server is and who its user is.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// A kubeconfig of one cluster, one user and one context, with everything inside. It holds a
/// private key.
pub fn kubeconfig_yaml(
    server: &str,
    authority_pem: &str,
    certificate_pem: &str,
    key_pem: &str,
    context: &str,
) -> String {
    let authority = STANDARD.encode(authority_pem);
    let certificate = STANDARD.encode(certificate_pem);
    let key = STANDARD.encode(key_pem);
    let user = scalar(&format!("{context}-admin"));
    let (server, context) = (scalar(server), scalar(context));
    format!(
        "apiVersion: v1
kind: Config
clusters:
- name: {context}
  cluster:
    server: {server}
    certificate-authority-data: {authority}
users:
- name: {user}
  user:
    client-certificate-data: {certificate}
    client-key-data: {key}
contexts:
- name: {context}
  context:
    cluster: {context}
    user: {user}
current-context: {context}
"
    )
}

/// A string that YAML reads as that string: JSON's quoting is YAML's too.
fn scalar(text: &str) -> String {
    Value::from(text).to_string()
}
