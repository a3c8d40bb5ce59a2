//! Namespaces: what they hold from the start and how they go.

use flybridge_base::Tasks;
use serde_json::{Value, json};

use crate::rig::{Rig, builder, config_map};

async fn with_namespace(rig: &Rig, name: &str) {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    rig.create("/api/v1/namespaces", namespace).await;
}

#[tokio::test(start_paused = true)]
async fn a_namespace_takes_its_content_with_it() {
    let rig = Rig::start().await;
    with_namespace(&rig, "team").await;
    rig.define_gears(json!({"type": "object"})).await;
    rig.create("/api/v1/namespaces/team/configmaps", config_map("a"))
        .await;
    let gear = json!({"apiVersion": "example.test/v1", "kind": "Gear", "metadata": {"name": "g"}});
    rig.create("/apis/example.test/v1/namespaces/team/gears", gear)
        .await;
    let (code, body) = rig
        .ask("DELETE", "/api/v1/namespaces/team", Value::Null)
        .await;
    assert_eq!(
        (code, &body["status"]["phase"]),
        (200, &json!("Terminating"))
    );
    let (code, body) = rig
        .ask(
            "POST",
            "/api/v1/namespaces/team/configmaps",
            config_map("late"),
        )
        .await;
    assert_eq!(
        (code, &body["details"]["causes"][0]["reason"]),
        (403, &json!("NamespaceTerminating"))
    );
    rig.gone("/api/v1/namespaces/team").await;
    let left = rig.get("/apis/example.test/v1/gears").await.unwrap();
    assert_eq!(left["items"], json!([]));
    with_namespace(&rig, "team").await;
    assert!(
        rig.get("/api/v1/namespaces/team/configmaps/a")
            .await
            .is_none()
    );
}

#[tokio::test(start_paused = true)]
async fn a_finalizer_inside_holds_the_namespace() {
    let rig = Rig::start().await;
    with_namespace(&rig, "team").await;
    let mut held = config_map("held");
    held["metadata"]["finalizers"] = json!(["test.example/hold"]);
    rig.create("/api/v1/namespaces/team/configmaps", held).await;
    rig.delete("/api/v1/namespaces/team").await;
    rig.until("/api/v1/namespaces/team", |namespace| {
        let conditions = namespace
            .as_ref()
            .map(|namespace| namespace["status"]["conditions"].clone());
        let told = |kind: &str| {
            conditions
                .as_ref()
                .and_then(Value::as_array)
                .is_some_and(|conditions| {
                    conditions
                        .iter()
                        .any(|condition| condition["type"] == kind && condition["status"] == "True")
                })
        };
        told("NamespaceFinalizersRemaining") && told("NamespaceContentRemaining")
    })
    .await;
    let path = "/api/v1/namespaces/team/configmaps/held";
    let (code, _) = rig
        .ask("PATCH", path, json!({"metadata": {"finalizers": null}}))
        .await;
    assert_eq!(code, 200);
    rig.gone("/api/v1/namespaces/team").await;
}

#[tokio::test(start_paused = true)]
async fn every_namespace_has_an_account_and_the_root_certificate() {
    let server = builder().root_certificate("PEM").build();
    server.bootstrap().await.unwrap();
    let tasks = Tasks::new();
    server.run_controllers(&tasks);
    let rig = Rig { server, tasks };
    with_namespace(&rig, "team").await;
    let account = "/api/v1/namespaces/team/serviceaccounts/default";
    let certificate = "/api/v1/namespaces/team/configmaps/kube-root-ca.crt";
    rig.until(account, Option::is_some).await;
    rig.until(certificate, |found| {
        found
            .as_ref()
            .is_some_and(|found| found["data"]["ca.crt"] == "PEM")
    })
    .await;
    let first = rig.get(account).await.unwrap()["metadata"]["uid"].clone();
    rig.delete(account).await;
    rig.until(account, |found| {
        found
            .as_ref()
            .is_some_and(|found| found["metadata"]["uid"] != first)
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn some_namespaces_stay() {
    let rig = Rig::start().await;
    for name in ["default", "kube-system", "kube-public"] {
        let (code, _) = rig
            .ask("DELETE", &format!("/api/v1/namespaces/{name}"), Value::Null)
            .await;
        assert_eq!(code, 403, "{name}");
    }
}
