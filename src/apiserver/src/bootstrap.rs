//! What is there before the first client: namespaces.

use flybridge_store::{Expect, Key, Op};
use serde_json::json;

use crate::record;
use crate::registry::{Definition, custom};
use crate::request::Answer;
use crate::rest::Call;
use crate::server::ApiServer;

const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

impl ApiServer {
    /// Creates what every cluster has, unless it is there.
    ///
    /// # Errors
    /// If the store refuses.
    pub async fn bootstrap(&self) -> flybridge_store::Result<()> {
        let inner = &self.inner;
        for name in NAMESPACES {
            let key = Key::new(Definition::bucket_of("", "namespaces"), name);
            if inner.store.snapshot().get(&key.bucket, &key.name).is_some() {
                continue;
            }
            let namespace = json!({
                "apiVersion": "v1", "kind": "Namespace",
                "metadata": {
                    "name": name,
                    "uid": inner.ids.uid(),
                    "creationTimestamp": flybridge_machinery::time::format(inner.clock.now()),
                    "labels": {"kubernetes.io/metadata.name": name},
                },
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Active"},
            });
            let Ok(value) = record::encode(&namespace) else {
                continue;
            };
            let op = Op::Put {
                key,
                expect: Expect::Absent,
                value,
            };
            match inner.store.commit(vec![op]).await {
                Ok(_) | Err(flybridge_store::Error::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What follows from a write: a changed CRD changes what is served.
    pub(crate) async fn after_write(&self, call: &Call) -> Answer<()> {
        if &*call.definition.bucket == custom::BUCKET {
            custom::establish(self, &call.name).await?;
            self.refresh_registry();
        }
        Ok(())
    }
}
