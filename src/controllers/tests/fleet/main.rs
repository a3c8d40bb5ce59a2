//! The whole engine on in-process API servers and paused time: a control plane and its members.

mod members;
mod rig;

use std::time::Duration;

use rig::{Fleet, deployment, policy};
use serde_json::json;

/// A placement by static weights, m1 seven and m2 three.
fn seven_to_three() -> serde_json::Value {
    let weight = |name: &str, weight: i64| json!({"targetCluster": {"clusterNames": [name]}, "weight": weight});
    json!({
        "clusterAffinity": {"clusterNames": ["m1", "m2"]},
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Weighted",
            "weightPreference": {"staticWeightList": [weight("m1", 7), weight("m2", 3)]},
        },
    })
}

#[tokio::test(start_paused = true)]
async fn a_deployment_is_divided_scaled_repaired_and_removed() {
    let fleet = Fleet::start(&["m1", "m2", "m3"]).await;
    fleet
        .plane
        .create("apps/v1", "Deployment", &deployment("web", 10))
        .await;
    fleet
        .plane
        .create(
            "policy.karmada.io/v1alpha1",
            "PropagationPolicy",
            &policy("web", &seven_to_three()),
        )
        .await;
    fleet.member("m1").wait_replicas("web", Some(7)).await;
    fleet.member("m2").wait_replicas("web", Some(3)).await;
    fleet.member("m3").wait_replicas("web", None).await;

    fleet.plane.scale("web", 11).await;
    fleet.member("m1").wait_replicas("web", Some(8)).await;
    fleet.member("m2").wait_replicas("web", Some(3)).await;

    fleet.member("m1").scale("web", 1).await;
    fleet.member("m1").wait_replicas("web", Some(8)).await;
    fleet
        .member("m2")
        .delete("apps/v1", "Deployment", "default", "web")
        .await;
    fleet.member("m2").wait_replicas("web", Some(3)).await;

    let binding = fleet
        .plane
        .wait(
            "work.karmada.io/v1alpha2",
            "ResourceBinding",
            "default",
            "web-deployment",
            |b| {
                let conditions = b["status"]["conditions"].as_array();
                conditions.into_iter().flatten().any(|condition| {
                    condition["type"] == "FullyApplied" && condition["status"] == "True"
                })
            },
        )
        .await;
    assert_eq!(
        binding["status"]["schedulerObservedGeneration"],
        binding["metadata"]["generation"]
    );

    fleet
        .plane
        .delete("apps/v1", "Deployment", "default", "web")
        .await;
    fleet.member("m1").wait_replicas("web", None).await;
    fleet.member("m2").wait_replicas("web", None).await;
    fleet
        .plane
        .wait_gone(
            "work.karmada.io/v1alpha2",
            "ResourceBinding",
            "default",
            "web-deployment",
        )
        .await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_comes_first_or_last_makes_no_difference_and_its_end_moves_nothing() {
    let fleet = Fleet::start(&["m1"]).await;
    let duplicated = json!({"clusterAffinity": {"clusterNames": ["m1"]}});
    let kind = ("policy.karmada.io/v1alpha1", "PropagationPolicy");
    fleet
        .plane
        .create(kind.0, kind.1, &policy("early", &duplicated))
        .await;
    fleet
        .plane
        .create("apps/v1", "Deployment", &deployment("early", 2))
        .await;
    fleet
        .plane
        .create("apps/v1", "Deployment", &deployment("late", 3))
        .await;
    fleet.member("m1").wait_replicas("early", Some(2)).await;
    fleet
        .plane
        .create(kind.0, kind.1, &policy("late", &duplicated))
        .await;
    fleet.member("m1").wait_replicas("late", Some(3)).await;

    fleet.plane.delete(kind.0, kind.1, "default", "early").await;
    let unclaimed = |object: &serde_json::Value| {
        object["metadata"]["labels"]["propagationpolicy.karmada.io/permanent-id"].is_null()
    };
    fleet
        .plane
        .wait("apps/v1", "Deployment", "default", "early", unclaimed)
        .await;
    fleet.member("m1").wait_replicas("early", Some(2)).await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn overrides_reach_the_clusters_they_target_and_go_again() {
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
    fleet.member("m2").wait_replicas("web", Some(2)).await;
    let rule = json!({
        "apiVersion": "policy.karmada.io/v1alpha1", "kind": "OverridePolicy",
        "metadata": {"name": "registry", "namespace": "default"},
        "spec": {"overrideRules": [{
            "targetCluster": {"clusterNames": ["m2"]},
            "overriders": {"imageOverrider": [
                {"component": "Registry", "operator": "replace", "value": "mirror.local"}]},
        }]},
    });
    let kind = ("policy.karmada.io/v1alpha1", "OverridePolicy");
    fleet.plane.create(kind.0, kind.1, &rule).await;
    let image = |wanted: &'static str| {
        move |object: &serde_json::Value| {
            object["spec"]["template"]["spec"]["containers"][0]["image"] == wanted
        }
    };
    let there = ("apps/v1", "Deployment", "default", "web");
    let m2 = fleet.member("m2");
    m2.wait(
        there.0,
        there.1,
        there.2,
        there.3,
        image("mirror.local/nginx:1"),
    )
    .await;
    let m1 = fleet.member("m1");
    m1.wait(there.0, there.1, there.2, there.3, image("nginx:1"))
        .await;
    fleet
        .plane
        .delete(kind.0, kind.1, "default", "registry")
        .await;
    m2.wait(there.0, there.1, there.2, there.3, image("nginx:1"))
        .await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn namespaces_go_everywhere_and_member_status_comes_back() {
    let fleet = Fleet::start(&["m1", "m2"]).await;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}});
    fleet.plane.create("v1", "Namespace", &namespace).await;
    for member in ["m1", "m2"] {
        fleet
            .member(member)
            .wait("v1", "Namespace", "", "shop", |_| true)
            .await;
    }
    fleet
        .plane
        .create("apps/v1", "Deployment", &deployment("web", 2))
        .await;
    let placement = json!({"clusterAffinity": {"clusterNames": ["m1", "m2"]}});
    fleet
        .plane
        .create(
            "policy.karmada.io/v1alpha1",
            "PropagationPolicy",
            &policy("web", &placement),
        )
        .await;
    for member in ["m1", "m2"] {
        let member = fleet.member(member);
        let object = member
            .wait("apps/v1", "Deployment", "default", "web", |_| true)
            .await;
        let status = json!({"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2,
            "availableReplicas": 2, "observedGeneration": object["metadata"]["generation"]});
        member
            .set_status("apps/v1", "Deployment", "default", "web", &status)
            .await;
    }
    let template = fleet
        .plane
        .wait("apps/v1", "Deployment", "default", "web", |object| {
            object["status"]["readyReplicas"] == 4
                && !object["status"]["observedGeneration"].is_null()
        })
        .await;
    assert_eq!(template["status"]["replicas"], 4);
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_foreign_object_is_left_alone_and_told_of() {
    let fleet = Fleet::start(&["m1"]).await;
    fleet
        .member("m1")
        .create("apps/v1", "Deployment", &deployment("web", 5))
        .await;
    fleet
        .plane
        .create("apps/v1", "Deployment", &deployment("web", 2))
        .await;
    let placement = json!({"clusterAffinity": {"clusterNames": ["m1"]}});
    fleet
        .plane
        .create(
            "policy.karmada.io/v1alpha1",
            "PropagationPolicy",
            &policy("web", &placement),
        )
        .await;
    let kind = ("work.karmada.io/v1alpha2", "ResourceBinding");
    let told = |binding: &serde_json::Value| {
        let message = binding["status"]["aggregatedStatus"][0]["appliedMessage"].as_str();
        message.is_some_and(|message| message.contains("already exists"))
    };
    fleet
        .plane
        .wait(kind.0, kind.1, "default", "web-deployment", told)
        .await;
    fleet.member("m1").wait_replicas("web", Some(5)).await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_settled_fleet_writes_nothing() {
    let fleet = Fleet::start(&["m1", "m2", "m3"]).await;
    let placement = json!({"clusterAffinity": {"clusterNames": ["m1", "m2", "m3"]}});
    for name in ["a", "b", "c"] {
        fleet
            .plane
            .create("apps/v1", "Deployment", &deployment(name, 2))
            .await;
        fleet
            .plane
            .create(
                "policy.karmada.io/v1alpha1",
                "PropagationPolicy",
                &policy(name, &placement),
            )
            .await;
    }
    fleet.member("m3").wait_replicas("c", Some(2)).await;
    fleet.settle().await;
    let writes = || -> Vec<usize> {
        let members = ["m1", "m2", "m3"]
            .iter()
            .map(|name| fleet.member(name).writes());
        members.chain([fleet.plane.writes()]).collect()
    };
    let before = writes();
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(writes(), before);
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn cluster_scoped_templates_go_by_cluster_wide_policies() {
    let fleet = Fleet::start(&["m1"]).await;
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": "reader"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    });
    let (api_version, kind) = ("rbac.authorization.k8s.io/v1", "ClusterRole");
    fleet.plane.create(api_version, kind, &role).await;
    let policy = json!({
        "apiVersion": "policy.karmada.io/v1alpha1", "kind": "ClusterPropagationPolicy",
        "metadata": {"name": "roles"},
        "spec": {
            "resourceSelectors": [{"apiVersion": api_version, "kind": kind, "name": "reader"}],
            "placement": {"clusterAffinity": {"clusterNames": ["m1"]}},
        },
    });
    fleet
        .plane
        .create(
            "policy.karmada.io/v1alpha1",
            "ClusterPropagationPolicy",
            &policy,
        )
        .await;
    fleet
        .member("m1")
        .wait(api_version, kind, "", "reader", |_| true)
        .await;
    fleet.plane.delete(api_version, kind, "", "reader").await;
    fleet
        .member("m1")
        .wait_gone(api_version, kind, "", "reader")
        .await;
    let binding = ("work.karmada.io/v1alpha2", "ClusterResourceBinding");
    fleet
        .plane
        .wait_gone(binding.0, binding.1, "", "reader-clusterrole")
        .await;
    fleet.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_workload_depends_on_follows_it() {
    let fleet = Fleet::start(&["m1", "m2"]).await;
    let map = |name: &str| {
        json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default"}, "data": {"a": "1"}})
    };
    fleet.plane.create("v1", "ConfigMap", &map("early")).await;
    let mut workload = deployment("web", 2);
    let from = |name: &str| json!({"configMapRef": {"name": name}});
    workload["spec"]["template"]["spec"]["containers"][0]["envFrom"] =
        json!([from("early"), from("late")]);
    fleet.plane.create("apps/v1", "Deployment", &workload).await;
    let mut rules = policy("web", &json!({"clusterAffinity": {"clusterNames": ["m1"]}}));
    rules["spec"]["propagateDeps"] = json!(true);
    let kind = ("policy.karmada.io/v1alpha1", "PropagationPolicy");
    fleet.plane.create(kind.0, kind.1, &rules).await;
    fleet
        .member("m1")
        .wait("v1", "ConfigMap", "default", "early", |_| true)
        .await;
    fleet.plane.create("v1", "ConfigMap", &map("late")).await;
    fleet
        .member("m1")
        .wait("v1", "ConfigMap", "default", "late", |_| true)
        .await;

    let patch = json!({"spec": {"placement": {"clusterAffinity": {"clusterNames": ["m2"]}}}});
    fleet
        .plane
        .patch(kind.0, kind.1, "default", "web", &patch)
        .await;
    fleet
        .member("m2")
        .wait("v1", "ConfigMap", "default", "early", |_| true)
        .await;
    fleet
        .member("m1")
        .wait_gone("v1", "ConfigMap", "default", "early")
        .await;

    let fewer = json!({"spec": {"template": {"spec": {"containers": [
        {"name": "c", "image": "nginx:1", "envFrom": [from("late")]}]}}}});
    fleet
        .plane
        .patch("apps/v1", "Deployment", "default", "web", &fewer)
        .await;
    fleet
        .member("m2")
        .wait_gone("v1", "ConfigMap", "default", "early")
        .await;
    fleet
        .member("m2")
        .wait("v1", "ConfigMap", "default", "late", |_| true)
        .await;
    fleet.stop().await;
}
