//! The server through `kube::Client`, in process.

use std::collections::BTreeMap;

use flybridge_apiserver::{ApiServer, User};
use flybridge_base::{Clock, Ids};
use flybridge_store::Store;
use kube::Client;
use kube::api::{Api, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::json;

async fn client() -> Client {
    let origin = "2026-01-01T00:00:00Z".parse().unwrap();
    let server = ApiServer::builder(Store::memory())
        .clock(Clock::starting_at(origin))
        .ids(Ids::seeded(1))
        .build();
    server.bootstrap().await.unwrap();
    Client::new(server.service(User::admin()), "default")
}

fn config_maps(client: &Client) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap"));
    Api::namespaced_with(client.clone(), "default", &resource)
}

fn config_map(name: &str) -> DynamicObject {
    serde_json::from_value(json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"},
    }))
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn objects_live_and_die() {
    let api = config_maps(&client().await);
    let created = api
        .create(&PostParams::default(), &config_map("one"))
        .await
        .unwrap();
    assert_eq!(created.metadata.resource_version.as_deref(), Some("5"));
    assert!(created.metadata.uid.is_some());
    let again = api
        .create(&PostParams::default(), &config_map("one"))
        .await
        .unwrap_err();
    assert!(matches!(again, kube::Error::Api(status) if status.code == 409));
    let patch = Patch::Merge(json!({"data": {"c": "d", "a": null}}));
    let patched = api
        .patch("one", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(patched.data["data"], json!({"c": "d"}));
    let same = api
        .patch("one", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(
        same.metadata.resource_version,
        patched.metadata.resource_version
    );
    let list = api.list(&ListParams::default()).await.unwrap();
    assert_eq!(list.items.len(), 1);
    api.delete("one", &Default::default()).await.unwrap();
    assert!(api.get_opt("one").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn watches_see_every_change_in_order() {
    use futures::{StreamExt, TryStreamExt};
    use kube::api::{WatchEvent, WatchParams};
    let api = config_maps(&client().await);
    let version = api
        .list(&ListParams::default())
        .await
        .unwrap()
        .metadata
        .resource_version
        .unwrap();
    let stream = api.watch(&WatchParams::default(), &version).await.unwrap();
    for name in ["a", "b"] {
        api.create(&PostParams::default(), &config_map(name))
            .await
            .unwrap();
    }
    api.delete("a", &Default::default()).await.unwrap();
    let events: Vec<_> = stream.take(3).try_collect().await.unwrap();
    let seen: Vec<String> = events
        .iter()
        .map(|event| match event {
            WatchEvent::Added(object) => format!("+{}", object.metadata.name.clone().unwrap()),
            WatchEvent::Deleted(object) => format!("-{}", object.metadata.name.clone().unwrap()),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(seen, ["+a", "+b", "-a"]);
}

#[tokio::test(start_paused = true)]
async fn selectors_and_pages_narrow_a_list() {
    let api = config_maps(&client().await);
    for index in 0..5 {
        let mut object = config_map(&format!("m{index}"));
        let parity = if index % 2 == 0 { "even" } else { "odd" };
        object.metadata.labels = Some(BTreeMap::from([("parity".to_owned(), parity.to_owned())]));
        api.create(&PostParams::default(), &object).await.unwrap();
    }
    let odd = api
        .list(&ListParams::default().labels("parity=odd"))
        .await
        .unwrap();
    assert_eq!(odd.items.len(), 2);
    let named = api
        .list(&ListParams::default().fields("metadata.name=m3"))
        .await
        .unwrap();
    assert_eq!(named.items.len(), 1);
    let first = api.list(&ListParams::default().limit(2)).await.unwrap();
    assert_eq!(first.metadata.remaining_item_count, Some(3));
    let token = first.metadata.continue_.unwrap();
    let rest = api
        .list(&ListParams::default().limit(5).continue_token(&token))
        .await
        .unwrap();
    assert_eq!(rest.items.len(), 3);
}
