//! Custom resources from the definition to the last object.

use serde_json::{Value, json};

use crate::rig::{Rig, gears};

const GEARS: &str = "/apis/example.test/v1/namespaces/default/gears";
const CRD: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gears.example.test";

fn gear(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "example.test/v1", "kind": "Gear", "metadata": {"name": name}, "spec": spec})
}

fn sized() -> Value {
    json!({"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1},
        "mode": {"type": "string", "enum": ["fast", "slow"], "default": "slow"},
    }})
}

#[tokio::test(start_paused = true)]
async fn a_resource_is_served_as_soon_as_it_is_defined() {
    let rig = Rig::start().await;
    assert!(rig.get(GEARS).await.is_none());
    rig.define_gears(sized()).await;
    let crd = rig.get(CRD).await.unwrap();
    let established = |kind: &str| {
        let conditions = crd["status"]["conditions"].as_array().unwrap();
        conditions
            .iter()
            .any(|condition| condition["type"] == kind && condition["status"] == "True")
    };
    assert!(established("NamesAccepted") && established("Established"));
    assert_eq!(rig.get(GEARS).await.unwrap()["kind"], "GearList");
    let group = rig.get("/apis/example.test").await.unwrap();
    assert_eq!(group["preferredVersion"]["version"], "v1");
}

#[tokio::test(start_paused = true)]
async fn objects_are_pruned_defaulted_and_checked() {
    let rig = Rig::start().await;
    rig.define_gears(sized()).await;
    let (code, warnings, body) = rig
        .ask_with("POST", GEARS, gear("a", json!({"size": 3, "odd": 1})))
        .await;
    assert_eq!(
        (code, &body["spec"]),
        (201, &json!({"size": 3, "mode": "slow"}))
    );
    assert_eq!(warnings, ["299 - \"unknown field \\\"spec.odd\\\"\""]);
    let strict = format!("{GEARS}?fieldValidation=Strict");
    assert_eq!(
        rig.ask("POST", &strict, gear("b", json!({"size": 3, "odd": 1})))
            .await
            .0,
        400
    );
    for (spec, field) in [
        (json!({}), "spec.size"),
        (json!({"size": 0}), "spec.size"),
        (json!({"size": "many"}), "spec.size"),
        (json!({"size": 1, "mode": "idle"}), "spec.mode"),
    ] {
        let (code, body) = rig.ask("POST", GEARS, gear("c", spec)).await;
        assert_eq!(
            (code, &body["details"]["causes"][0]["field"]),
            (422, &json!(field))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn status_and_spec_are_written_apart() {
    let rig = Rig::start().await;
    rig.define_gears(sized()).await;
    let mut sent = gear("a", json!({"size": 1}));
    sent["status"] = json!({"phase": "Sent"});
    let created = rig.create(GEARS, sent).await;
    assert!(created["status"].is_null());
    let path = format!("{GEARS}/a");
    let both = json!({"spec": {"size": 9}, "status": {"phase": "Up"}});
    let (_, body) = rig
        .ask("PATCH", &format!("{path}/status"), both.clone())
        .await;
    assert_eq!(
        (&body["spec"]["size"], &body["status"]["phase"]),
        (&json!(1), &json!("Up"))
    );
    assert_eq!(body["metadata"]["generation"], 1);
    let (_, body) = rig
        .ask(
            "PATCH",
            &path,
            json!({"spec": {"size": 9}, "status": {"phase": "Down"}}),
        )
        .await;
    assert_eq!(
        (&body["spec"]["size"], &body["status"]["phase"]),
        (&json!(9), &json!("Up"))
    );
    assert_eq!(body["metadata"]["generation"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_later_default_shows_in_earlier_objects() {
    let rig = Rig::start().await;
    rig.define_gears(json!({"type": "object", "properties": {"size": {"type": "integer"}}}))
        .await;
    rig.create(GEARS, gear("a", json!({"size": 1}))).await;
    let changed = gears(sized())["spec"]["versions"].clone();
    let (code, _) = rig
        .ask("PATCH", CRD, json!({"spec": {"versions": changed}}))
        .await;
    assert_eq!(code, 200);
    assert_eq!(
        rig.get(&format!("{GEARS}/a")).await.unwrap()["spec"]["mode"],
        "slow"
    );
    assert_eq!(
        rig.get(GEARS).await.unwrap()["items"][0]["spec"]["mode"],
        "slow"
    );
}

#[tokio::test(start_paused = true)]
async fn versions_show_the_same_objects() {
    let rig = Rig::start().await;
    let mut crd = gears(sized());
    let mut second = crd["spec"]["versions"][0].clone();
    second["name"] = json!("v2");
    second["storage"] = json!(false);
    crd["spec"]["versions"].as_array_mut().unwrap().push(second);
    rig.create(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        crd,
    )
    .await;
    rig.create(GEARS, gear("a", json!({"size": 1}))).await;
    let newer = GEARS.replace("/v1/", "/v2/");
    let mut object = rig.get(&format!("{newer}/a")).await.unwrap();
    assert_eq!(object["apiVersion"], "example.test/v2");
    assert_eq!(
        rig.get(&newer).await.unwrap()["items"][0]["apiVersion"],
        "example.test/v2"
    );
    object["spec"]["size"] = json!(2);
    let (code, body) = rig.ask("PUT", &format!("{newer}/a"), object).await;
    assert_eq!(
        (code, &body["apiVersion"]),
        (200, &json!("example.test/v2"))
    );
    let older = rig.get(&format!("{GEARS}/a")).await.unwrap();
    assert_eq!(
        (&older["apiVersion"], &older["spec"]["size"]),
        (&json!("example.test/v1"), &json!(2))
    );
}

#[tokio::test(start_paused = true)]
async fn deleting_the_definition_deletes_the_objects_first() {
    let rig = Rig::start().await;
    rig.define_gears(sized()).await;
    let mut held = gear("a", json!({"size": 1}));
    held["metadata"]["finalizers"] = json!(["test.example/hold"]);
    rig.create(GEARS, held).await;
    rig.delete(CRD).await;
    let path = format!("{GEARS}/a");
    rig.until(&path, |gear| {
        gear.as_ref()
            .is_some_and(|gear| !gear["metadata"]["deletionTimestamp"].is_null())
    })
    .await;
    assert_eq!(
        rig.ask("POST", GEARS, gear("late", json!({"size": 1})))
            .await
            .0,
        405
    );
    assert!(rig.get(CRD).await.is_some(), "the definition must wait");
    let (code, _) = rig
        .ask("PATCH", &path, json!({"metadata": {"finalizers": null}}))
        .await;
    assert_eq!(code, 200);
    rig.gone(CRD).await;
    assert!(rig.get(GEARS).await.is_none());
    rig.define_gears(sized()).await;
    assert_eq!(rig.get(GEARS).await.unwrap()["items"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn version_2_of_openapi_follows_the_definitions() {
    let rig = Rig::start().await;
    let before = rig.get("/openapi/v2").await.unwrap();
    let kind = "test.example.v1.Gear";
    assert!(
        before["definitions"]
            .get("io.k8s.api.apps.v1.Deployment")
            .is_some()
    );
    assert!(before["definitions"].get(kind).is_none());
    rig.define_gears(sized()).await;
    let after = rig.get("/openapi/v2").await.unwrap();
    let size = &after["definitions"][kind]["properties"]["spec"]["properties"]["size"];
    assert_eq!(size["minimum"], 1);
    let path = "/apis/example.test/v1/namespaces/{namespace}/gears/{name}";
    let patch = &after["paths"][path]["patch"];
    assert_eq!(patch["x-kubernetes-group-version-kind"]["kind"], "Gear");
}
