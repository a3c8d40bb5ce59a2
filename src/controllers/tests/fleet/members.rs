//! Members that fail, come back, are tainted or leave; and an engine that restarts.

use std::time::Duration;

use serde_json::json;

use crate::rig::{Fleet, deployment, policy};
use crate::seven_to_three;

#[tokio::test(start_paused = true)]
async fn a_lost_member_is_noticed_tainted_and_welcomed_back() {
    let fleet = Fleet::start(&["m1", "m2"]).await;
    let ready = |wanted: &'static str| {
        move |cluster: &serde_json::Value| {
            let conditions = cluster["status"]["conditions"].as_array();
            let ready = conditions
                .into_iter()
                .flatten()
                .find(|c| c["type"] == "Ready");
            ready.is_some_and(|ready| ready["status"] == wanted)
        }
    };
    let tainted = |cluster: &serde_json::Value| {
        let taints = cluster["spec"]["taints"].as_array();
        taints
            .into_iter()
            .flatten()
            .any(|taint| taint["key"] == "cluster.karmada.io/not-ready")
    };
    let kind = ("cluster.karmada.io/v1alpha1", "Cluster");
    fleet.cut("m1", true);
    fleet
        .plane
        .wait(kind.0, kind.1, "", "m1", ready("False"))
        .await;
    fleet.plane.wait(kind.0, kind.1, "", "m1", tainted).await;
    fleet.cut("m1", false);
    fleet
        .plane
        .wait(kind.0, kind.1, "", "m1", ready("True"))
        .await;
    fleet
        .plane
        .wait(kind.0, kind.1, "", "m1", |cluster| !tainted(cluster))
        .await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_unjoined_cluster_is_cleaned_and_forgotten() {
    let fleet = Fleet::start(&["m1", "m2"]).await;
    let placement = json!({"clusterAffinity": {"clusterNames": ["m1", "m2"]}});
    fleet
        .plane
        .create("apps/v1", "Deployment", &deployment("web", 2))
        .await;
    fleet
        .plane
        .create(
            "policy.karmada.io/v1alpha1",
            "PropagationPolicy",
            &policy("web", &placement),
        )
        .await;
    for member in ["m1", "m2"] {
        fleet.member(member).wait_replicas("web", Some(2)).await;
    }
    let kind = ("cluster.karmada.io/v1alpha1", "Cluster");
    fleet.plane.delete(kind.0, kind.1, "", "m1").await;
    fleet.plane.wait_gone(kind.0, kind.1, "", "m1").await;
    fleet
        .plane
        .wait_gone("v1", "Namespace", "", "karmada-es-m1")
        .await;
    fleet.member("m1").wait_replicas("web", None).await;
    fleet.member("m2").wait_replicas("web", Some(2)).await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn work_resumes_when_a_member_comes_back() {
    let fleet = Fleet::start(&["m1"]).await;
    fleet.cut("m1", true);
    let placement = json!({
        "clusterAffinity": {"clusterNames": ["m1"]},
        "clusterTolerations": [{"operator": "Exists"}],
    });
    fleet
        .plane
        .create("apps/v1", "Deployment", &deployment("web", 2))
        .await;
    fleet
        .plane
        .create(
            "policy.karmada.io/v1alpha1",
            "PropagationPolicy",
            &policy("web", &placement),
        )
        .await;
    let kind = ("work.karmada.io/v1alpha2", "ResourceBinding");
    let scheduled = |binding: &serde_json::Value| binding["spec"]["clusters"][0]["name"] == "m1";
    fleet
        .plane
        .wait(kind.0, kind.1, "default", "web-deployment", scheduled)
        .await;
    tokio::time::sleep(Duration::from_secs(200)).await;
    fleet.cut("m1", false);
    fleet.member("m1").wait_replicas("web", Some(2)).await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_tainted_cluster_is_left_gently() {
    let fleet = Fleet::start(&["m1", "m2"]).await;
    let placement = json!({
        "clusterAffinity": {"clusterNames": ["m1", "m2"]},
        "spreadConstraints": [{"spreadByField": "cluster", "maxGroups": 1, "minGroups": 1}],
    });
    fleet
        .plane
        .create("apps/v1", "Deployment", &deployment("web", 2))
        .await;
    fleet
        .plane
        .create(
            "policy.karmada.io/v1alpha1",
            "PropagationPolicy",
            &policy("web", &placement),
        )
        .await;
    let kind = ("work.karmada.io/v1alpha2", "ResourceBinding");
    let there = ("apps/v1", "Deployment", "default", "web");
    let is_placed =
        |binding: &serde_json::Value| binding["spec"]["clusters"][0]["name"].is_string();
    let name = "web-deployment";
    let binding = fleet
        .plane
        .wait(kind.0, kind.1, "default", name, is_placed)
        .await;
    let (old, new) = if binding["spec"]["clusters"][0]["name"] == "m1" {
        ("m1", "m2")
    } else {
        ("m2", "m1")
    };
    fleet.member(old).wait_replicas("web", Some(2)).await;
    fleet.plane.taint(old, "drill", "NoExecute").await;
    fleet.member(new).wait_replicas("web", Some(2)).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    fleet.member(old).wait_replicas("web", Some(2)).await;
    let copy = fleet
        .member(new)
        .wait(there.0, there.1, there.2, there.3, |_| true)
        .await;
    let status = json!({"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2,
        "availableReplicas": 2, "observedGeneration": copy["metadata"]["generation"]});
    fleet
        .member(new)
        .set_status(there.0, there.1, there.2, there.3, &status)
        .await;
    fleet.member(old).wait_replicas("web", None).await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_fits_nowhere_is_tried_again_when_a_cluster_changes() {
    let fleet = Fleet::start(&["m1"]).await;
    let plane = &fleet.plane;
    let cluster = ("cluster.karmada.io/v1alpha1", "Cluster");
    let scheduled = |reason: &'static str, part: &'static str| {
        move |binding: &serde_json::Value| {
            let conditions = binding["status"]["conditions"].as_array();
            let mut conditions = conditions.into_iter().flatten();
            conditions.any(|c| {
                c["type"] == "Scheduled"
                    && c["reason"] == reason
                    && c["message"].as_str().unwrap_or_default().contains(part)
            })
        }
    };
    let binding = (
        "work.karmada.io/v1alpha2",
        "ResourceBinding",
        "default",
        "web-deployment",
    );
    let wait = async |reason, part| {
        let good = scheduled(reason, part);
        plane
            .wait(binding.0, binding.1, binding.2, binding.3, good)
            .await
    };
    plane.taint("m1", "drill", "NoSchedule").await;
    let placement =
        json!({"clusterAffinity": {"labelSelector": {"matchLabels": {"tier": "gold"}}}});
    let policies = ("policy.karmada.io/v1alpha1", "PropagationPolicy");
    plane
        .create("apps/v1", "Deployment", &deployment("web", 2))
        .await;
    plane
        .create(policies.0, policies.1, &policy("web", &placement))
        .await;
    wait("NoClusterFit", "").await;

    // Another objection: the message follows, though the affinity has not selected it before.
    let gold = json!({"metadata": {"labels": {"tier": "gold"}}});
    plane.patch(cluster.0, cluster.1, "", "m1", &gold).await;
    wait("NoClusterFit", "untolerated taint {drill:NoSchedule}").await;
    let welcome = json!({"spec": {"taints": null}});
    plane.patch(cluster.0, cluster.1, "", "m1", &welcome).await;
    wait("Success", "").await;
    fleet.member("m1").wait_replicas("web", Some(2)).await;
    fleet.settle().await;
    let settled = wait("Success", "").await;
    assert_eq!(
        settled["status"]["schedulerObservedGeneration"],
        settled["metadata"]["generation"]
    );
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_no_cluster_serves_is_placed_once_one_does() {
    let fleet = Fleet::start(&["m1"]).await;
    let plane = &fleet.plane;
    fleet.settle().await;
    let names = ("work.karmada.io/v1alpha2", "ResourceBinding", "default");
    let gadget = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.shop.example.io"},
        "spec": {
            "group": "shop.example.io", "scope": "Namespaced",
            "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema":
                {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}],
        },
    });
    let definitions = ("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    plane.create(definitions.0, definitions.1, &gadget).await;
    let object = json!({"apiVersion": "shop.example.io/v1", "kind": "Gadget",
        "metadata": {"name": "cog", "namespace": "default"}, "spec": {"teeth": 12}});
    plane.create("shop.example.io/v1", "Gadget", &object).await;
    let mut rules = policy("cog", &json!({"clusterAffinity": {"clusterNames": ["m1"]}}));
    rules["spec"]["resourceSelectors"] =
        json!([{"apiVersion": "shop.example.io/v1", "kind": "Gadget", "name": "cog"}]);
    plane
        .create("policy.karmada.io/v1alpha1", "PropagationPolicy", &rules)
        .await;
    let lacking = |binding: &serde_json::Value| {
        let message = &binding["status"]["conditions"][0]["message"];
        message
            .as_str()
            .unwrap_or_default()
            .contains("API resource")
    };
    plane
        .wait(names.0, names.1, names.2, "cog-gadget", lacking)
        .await;
    let member = fleet.member("m1");
    member.create(definitions.0, definitions.1, &gadget).await;
    let placed = |binding: &serde_json::Value| binding["spec"]["clusters"][0]["name"] == "m1";
    plane
        .wait(names.0, names.1, names.2, "cog-gadget", placed)
        .await;
    member
        .wait("shop.example.io/v1", "Gadget", "default", "cog", |copy| {
            copy["spec"]["teeth"] == 12
        })
        .await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_restarted_engine_changes_nothing_and_goes_on() {
    let mut fleet = Fleet::start(&["m1", "m2"]).await;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "cfg", "namespace": "default"}, "data": {"a": "1"}});
    fleet.plane.create("v1", "ConfigMap", &map).await;
    let mut workload = deployment("web", 10);
    workload["spec"]["template"]["spec"]["containers"][0]["envFrom"] =
        json!([{"configMapRef": {"name": "cfg"}}]);
    fleet.plane.create("apps/v1", "Deployment", &workload).await;
    let mut rules = policy("web", &seven_to_three());
    rules["spec"]["propagateDeps"] = json!(true);
    fleet
        .plane
        .create("policy.karmada.io/v1alpha1", "PropagationPolicy", &rules)
        .await;
    fleet
        .member("m2")
        .wait("v1", "ConfigMap", "default", "cfg", |_| true)
        .await;
    fleet.member("m2").wait_replicas("web", Some(3)).await;
    fleet.settle().await;
    let before = versions(&fleet).await;
    fleet.restart().await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    fleet.settle().await;
    assert_eq!(versions(&fleet).await, before);
    fleet.plane.scale("web", 20).await;
    fleet.member("m1").wait_replicas("web", Some(14)).await;
    fleet.stop().await;
}

/// The versions of everything that the engine keeps.
async fn versions(fleet: &Fleet) -> Vec<(String, String)> {
    let kinds = [
        ("work.karmada.io/v1alpha1", "Work"),
        ("work.karmada.io/v1alpha2", "ResourceBinding"),
        ("apps/v1", "Deployment"),
        ("v1", "ConfigMap"),
    ];
    let mut all = Vec::new();
    for (api_version, kind) in kinds {
        all.extend(fleet.plane.versions(api_version, kind).await);
    }
    for member in ["m1", "m2"] {
        for (api_version, kind) in &kinds[2..] {
            all.extend(fleet.member(member).versions(api_version, kind).await);
        }
    }
    all
}
