//! A server of its own for each test, spoken to as HTTP.

use std::time::Duration;

use flybridge_apiserver::{ApiBody, ApiServer, Builder, User};
use flybridge_base::{Clock, Ids, Tasks};
use flybridge_store::Store;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};

pub(crate) const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

pub(crate) struct Rig {
    pub(crate) server: ApiServer,
    pub(crate) tasks: Tasks,
}

pub(crate) fn builder() -> Builder {
    let origin = "2026-01-01T00:00:00Z".parse().unwrap();
    ApiServer::builder(Store::memory())
        .clock(Clock::starting_at(origin))
        .ids(Ids::seeded(1))
}

impl Rig {
    /// A server with its controllers.
    pub(crate) async fn start() -> Self {
        let server = builder().build();
        server.bootstrap().await.unwrap();
        let tasks = Tasks::new();
        server.run_controllers(&tasks);
        Self { server, tasks }
    }

    /// The code and the body of an answer.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let (code, _, body) = self.ask_with(method, path, body).await;
        (code, body)
    }

    /// The code, the warnings and the body of an answer.
    pub(crate) async fn ask_with(
        &self,
        method: &str,
        path: &str,
        body: Value,
    ) -> (u16, Vec<String>, Value) {
        let media = if method == "PATCH" {
            "application/merge-patch+json"
        } else {
            "application/json"
        };
        let bytes = if body.is_null() {
            Vec::new()
        } else {
            body.to_string().into_bytes()
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("Content-Type", media);
        let request = request.body(ApiBody::full(bytes)).unwrap();
        let response = self.server.answer(User::admin(), request).await;
        let code = response.status().as_u16();
        let warnings = response.headers().get_all("warning").iter();
        let warnings = warnings
            .map(|value| value.to_str().unwrap().to_owned())
            .collect();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (
            code,
            warnings,
            serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        )
    }

    pub(crate) async fn get(&self, path: &str) -> Option<Value> {
        let (code, body) = self.ask("GET", path, Value::Null).await;
        (code == 200).then_some(body)
    }

    pub(crate) async fn create(&self, path: &str, body: Value) -> Value {
        let (code, body) = self.ask("POST", path, body).await;
        assert_eq!(code, 201, "{body}");
        body
    }

    pub(crate) async fn delete(&self, path: &str) {
        let (code, body) = self.ask("DELETE", path, Value::Null).await;
        assert_eq!(code, 200, "{body}");
    }

    /// Waits until an object is gone.
    pub(crate) async fn gone(&self, path: &str) {
        self.until(path, |object| object.is_none()).await;
    }

    /// Waits until what is at a path is as wanted.
    pub(crate) async fn until(&self, path: &str, wanted: impl Fn(&Option<Value>) -> bool) {
        for _ in 0..1000 {
            if wanted(&self.get(path).await) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{path} stays {:?}", self.get(path).await);
    }

    /// Lets everything that is under way come to rest.
    pub(crate) async fn settle(&self) {
        tokio::time::sleep(Duration::from_secs(5)).await;
    }

    /// A namespaced custom resource `gears.example.test` with a status.
    pub(crate) async fn define_gears(&self, spec: Value) -> Value {
        self.create(CRDS, gears(spec)).await
    }
}

pub(crate) fn gears(spec: Value) -> Value {
    let schema = json!({"type": "object", "properties": {
        "spec": spec, "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    }});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gears.example.test"},
        "spec": {
            "group": "example.test", "scope": "Namespaced", "names": {"plural": "gears", "kind": "Gear"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

pub(crate) fn config_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
}

/// A ConfigMap that others own.
pub(crate) fn owned(name: &str, owners: &[&Value]) -> Value {
    let references: Vec<Value> = owners
        .iter()
        .map(|owner| {
            json!({
                "apiVersion": owner["apiVersion"], "kind": owner["kind"], "blockOwnerDeletion": true,
                "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
            })
        })
        .collect();
    let mut object = config_map(name);
    object["metadata"]["ownerReferences"] = json!(references);
    object
}
