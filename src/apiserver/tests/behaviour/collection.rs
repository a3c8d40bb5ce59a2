//! Garbage collection by owner references.

use serde_json::json;

use crate::rig::{CONFIG_MAPS, Rig, config_map, owned};

fn at(name: &str) -> String {
    format!("{CONFIG_MAPS}/{name}")
}

#[tokio::test(start_paused = true)]
async fn dependents_follow_their_owner_in_the_background() {
    let rig = Rig::start().await;
    let owner = rig.create(CONFIG_MAPS, config_map("owner")).await;
    let child = rig.create(CONFIG_MAPS, owned("child", &[&owner])).await;
    rig.create(CONFIG_MAPS, owned("grandchild", &[&child]))
        .await;
    rig.delete(&at("owner")).await;
    assert!(rig.get(&at("owner")).await.is_none());
    rig.gone(&at("grandchild")).await;
    assert!(rig.get(&at("child")).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_foreground_deletion_waits_for_dependents() {
    let rig = Rig::start().await;
    let owner = rig.create(CONFIG_MAPS, config_map("owner")).await;
    let mut child = owned("child", &[&owner]);
    child["metadata"]["finalizers"] = json!(["test.example/hold"]);
    rig.create(CONFIG_MAPS, child).await;
    let (code, body) = rig
        .ask(
            "DELETE",
            &at("owner"),
            json!({"propagationPolicy": "Foreground"}),
        )
        .await;
    assert_eq!(
        (code, &body["metadata"]["finalizers"]),
        (200, &json!(["foregroundDeletion"]))
    );
    rig.until(&at("child"), |child| {
        child
            .as_ref()
            .is_some_and(|child| !child["metadata"]["deletionTimestamp"].is_null())
    })
    .await;
    rig.settle().await;
    assert!(rig.get(&at("owner")).await.is_some(), "the owner must wait");
    let (code, _) = rig
        .ask(
            "PATCH",
            &at("child"),
            json!({"metadata": {"finalizers": null}}),
        )
        .await;
    assert_eq!(code, 200);
    rig.gone(&at("owner")).await;
}

#[tokio::test(start_paused = true)]
async fn orphans_lose_the_reference_and_stay() {
    let rig = Rig::start().await;
    let owner = rig.create(CONFIG_MAPS, config_map("owner")).await;
    rig.create(CONFIG_MAPS, owned("child", &[&owner])).await;
    let (code, _) = rig
        .ask(
            "DELETE",
            &at("owner"),
            json!({"propagationPolicy": "Orphan"}),
        )
        .await;
    assert_eq!(code, 200);
    rig.gone(&at("owner")).await;
    rig.settle().await;
    let child = rig.get(&at("child")).await.unwrap();
    assert!(child["metadata"]["ownerReferences"].is_null(), "{child}");
}

#[tokio::test(start_paused = true)]
async fn one_owner_is_enough() {
    let rig = Rig::start().await;
    let first = rig.create(CONFIG_MAPS, config_map("first")).await;
    let second = rig.create(CONFIG_MAPS, config_map("second")).await;
    rig.create(CONFIG_MAPS, owned("child", &[&first, &second]))
        .await;
    rig.delete(&at("first")).await;
    rig.until(&at("child"), |child| {
        let references = child
            .as_ref()
            .map(|child| child["metadata"]["ownerReferences"].clone());
        references.and_then(|list| list.as_array().map(Vec::len)) == Some(1)
    })
    .await;
    rig.delete(&at("second")).await;
    rig.gone(&at("child")).await;
}

#[tokio::test(start_paused = true)]
async fn an_owner_of_another_incarnation_is_none() {
    let rig = Rig::start().await;
    let mut owner = rig.create(CONFIG_MAPS, config_map("owner")).await;
    owner["metadata"]["uid"] = json!("00000000-0000-4000-8000-000000000000");
    rig.create(CONFIG_MAPS, owned("child", &[&owner])).await;
    rig.gone(&at("child")).await;
    assert!(rig.get(&at("owner")).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn collection_catches_up_after_a_restart() {
    let rig = Rig::start().await;
    rig.tasks.stop(std::time::Duration::from_secs(1)).await;
    let owner = rig.create(CONFIG_MAPS, config_map("owner")).await;
    rig.create(CONFIG_MAPS, owned("child", &[&owner])).await;
    rig.delete(&at("owner")).await;
    rig.settle().await;
    assert!(rig.get(&at("child")).await.is_some(), "nobody collects");
    let tasks = flybridge_base::Tasks::new();
    rig.server.run_controllers(&tasks);
    rig.gone(&at("child")).await;
}

#[tokio::test(start_paused = true)]
async fn events_are_kept_for_an_hour() {
    let rig = Rig::start().await;
    let events = "/api/v1/namespaces/default/events";
    let event = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "p"},
        "reason": "Testing", "type": "Normal",
    });
    rig.create(events, event).await;
    let path = format!("{events}/e");
    tokio::time::sleep(std::time::Duration::from_secs(59 * 60)).await;
    assert!(rig.get(&path).await.is_some());
    tokio::time::sleep(std::time::Duration::from_secs(3 * 60)).await;
    assert!(rig.get(&path).await.is_none());
}
