//! What belongs in every namespace: a ServiceAccount and the root certificate of the server.

use flybridge_machinery::{Gvk, object};
use serde_json::{Value, json};

use super::namespaces;
use crate::options::WriteOptions;
use crate::request::{Answer, User};
use crate::rest::pipeline::Part;
use crate::rest::{Call, create, update};
use crate::server::ApiServer;

const ACCOUNT: &str = "default";
const CERTIFICATE: &str = "kube-root-ca.crt";

/// Whether an object belongs in every namespace.
pub(super) fn is_piece(bucket: &str, name: &str) -> bool {
    matches!(
        (bucket, name),
        ("serviceaccounts", ACCOUNT) | ("configmaps", CERTIFICATE)
    )
}

/// Creates what a namespace lacks, unless it is going.
pub(super) async fn ensure(server: &ApiServer, namespace: &str) -> Answer<()> {
    let present = server
        .inner
        .store
        .snapshot()
        .get("namespaces", namespace)
        .is_some();
    if !present || namespaces::is_terminating(server, namespace) {
        return Ok(());
    }
    piece(server, namespace, "ServiceAccount", ACCOUNT, &Value::Null).await?;
    if let Some(pem) = &server.inner.root_certificate {
        piece(
            server,
            namespace,
            "ConfigMap",
            CERTIFICATE,
            &json!({"ca.crt": pem}),
        )
        .await?;
    }
    Ok(())
}

async fn piece(
    server: &ApiServer,
    namespace: &str,
    kind: &str,
    name: &str,
    data: &Value,
) -> Answer<()> {
    let registry = server.registry();
    let Some(definition) = registry.find_kind(&Gvk::new("", "v1", kind)) else {
        return Ok(());
    };
    let call = Call {
        server: server.clone(),
        definition: std::sync::Arc::clone(definition),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        user: User::system("serviceaccount-controller"),
    };
    let options = WriteOptions::default();
    if call.existing().is_ok() {
        if data.is_null() {
            return Ok(());
        }
        let change = |old: &Value| {
            let mut new = old.clone();
            new["data"] = data.clone();
            Ok(new)
        };
        return update::modify(&call, Part::Main, &options, change)
            .await
            .map(|_done| ());
    }
    let mut new = json!({"metadata": {"name": name}});
    if !data.is_null() {
        new["data"] = data.clone();
        object::set_annotation(&mut new, "kubernetes.io/description", DESCRIPTION);
    }
    match create::create(&call, new, &options).await {
        // Somebody else created it, or the namespace went meanwhile.
        Err(status) if !matches!(status.code, 403 | 404 | 409) => Err(status),
        _ => Ok(()),
    }
}

const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal \
    endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across \
    distributions of Kubernetes clusters.";
