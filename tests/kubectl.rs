//! The real kubectl against the embedded API server: from `apply` to pods in members.

use std::io::{BufRead, BufReader};

use flybridge_testkit::kubectl::Kubectl;

use crate::rig::{PATIENCE, cluster_names, demo, deployment, placement, policy, seven_to_three};

fn apply(kubectl: &Kubectl, manifest: &str) -> String {
    kubectl
        .run_with_input(&["apply", "-f", "-"], manifest)
        .expect("kubectl runs")
        .ok()
}

fn member_get(kubectl: &Kubectl, cluster: &str, path: &str) -> String {
    let raw = format!("/apis/cluster.karmada.io/v1alpha1/clusters/{cluster}/proxy/{path}");
    let answer = kubectl.run(&["get", "--raw", &raw]).expect("kubectl runs");
    if answer.code == 0 {
        answer.stdout
    } else {
        answer.stderr
    }
}

fn member_replicas(kubectl: &Kubectl, cluster: &str, name: &str) -> i64 {
    let text = member_get(
        kubectl,
        cluster,
        &format!("apis/apps/v1/namespaces/default/deployments/{name}"),
    );
    let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    value["spec"]["replicas"].as_i64().unwrap_or(-1)
}

fn assert_deletion_leaves_nothing(kubectl: &Kubectl, clusters: &[&str]) {
    kubectl
        .run(&["delete", "deploy", "web"])
        .expect("kubectl runs")
        .ok();
    kubectl.wait(&["get", "rb,work", "-A", "-o", "name"], PATIENCE, |text| {
        !text.contains("web")
    });
    for cluster in clusters {
        kubectl.wait(
            &[
                "get",
                "--raw",
                &format!(
                    "/apis/cluster.karmada.io/v1alpha1/clusters/{cluster}/proxy/api/v1/namespaces/default/pods"
                ),
            ],
            PATIENCE,
            |text| {
                serde_json::from_str::<serde_json::Value>(text)
                    .is_ok_and(|list| list["items"].as_array().is_some_and(Vec::is_empty))
            },
        );
        assert_eq!(member_replicas(kubectl, cluster, "web"), -1);
    }
}

#[test]
fn static_weights_reach_the_members_and_status_comes_back() {
    let Some((plane, kubectl)) = demo("static weights", &["--clusters", "3"]) else {
        return;
    };
    let names = cluster_names(&kubectl);
    let (first, second) = (names[0].as_str(), names[1].as_str());
    let manifest = format!(
        "{}---\n{}",
        deployment("web", 10),
        policy("web", &seven_to_three(first, second))
    );
    let said = apply(&kubectl, &manifest);
    assert!(said.contains("deployment.apps/web created"), "{said}");
    assert!(
        said.contains("propagationpolicy.policy.karmada.io/web created"),
        "{said}"
    );

    assert_eq!(
        placement(&kubectl, "web-deployment", &format!("{first}:7 {second}:3")),
        format!("{first}:7 {second}:3")
    );
    kubectl.wait(
        &[
            "get",
            "deploy",
            "web",
            "-o",
            "jsonpath={.status.readyReplicas}",
        ],
        PATIENCE,
        |text| text == "10",
    );
    assert_eq!(member_replicas(&kubectl, first, "web"), 7);
    assert_eq!(member_replicas(&kubectl, second, "web"), 3);

    kubectl
        .run(&["scale", "deploy", "web", "--replicas=11"])
        .expect("kubectl runs")
        .ok();
    placement(&kubectl, "web-deployment", &format!("{first}:8 {second}:3"));
    kubectl.wait(
        &["get", "deploy", "web", "--no-headers"],
        PATIENCE,
        |text| text.split_whitespace().nth(1) == Some("11/11"),
    );
    let wide = kubectl
        .run(&["get", "deploy", "-o", "wide"])
        .expect("kubectl runs")
        .ok();
    assert!(
        wide.contains("CONTAINERS") && wide.contains("nginx:1.27"),
        "{wide}"
    );
    let works = kubectl
        .run(&["get", "rb,work", "-A"])
        .expect("kubectl runs")
        .ok();
    assert!(
        works.contains("resourcebinding.work.karmada.io/web-deployment"),
        "{works}"
    );
    assert!(works.contains(&format!("karmada-es-{first}")), "{works}");
    let described = kubectl
        .run(&["describe", "deploy", "web"])
        .expect("kubectl runs")
        .ok();
    assert!(described.contains("11 desired"), "{described}");

    assert_deletion_leaves_nothing(&kubectl, &[first, second]);
    assert!(plane.terminate().expect("the plane stops").success());
}

#[test]
fn labels_taints_and_duplication_decide_where_a_workload_goes() {
    let Some((_plane, kubectl)) = demo("labels and taints", &["--clusters", "3"]) else {
        return;
    };
    let names = cluster_names(&kubectl);
    for (name, tier) in names.iter().zip(["gold", "gold", "iron"]) {
        let label = format!("tier={tier}");
        kubectl
            .run(&["label", "cluster", name, &label, "--overwrite"])
            .expect("kubectl runs")
            .ok();
    }

    let by_label = "    clusterAffinity:\n      labelSelector: {matchLabels: {tier: gold}}\n    replicaScheduling: {replicaSchedulingType: Duplicated}";
    apply(
        &kubectl,
        &format!("{}---\n{}", deployment("gold", 2), policy("gold", by_label)),
    );
    placement(
        &kubectl,
        "gold-deployment",
        &format!("{}:2 {}:2", names[0], names[1]),
    );

    let alias = "    clusterAffinity:\n      clusterLabels: {matchLabels: {tier: iron}}\n    replicaScheduling: {replicaSchedulingType: Duplicated}";
    let answer = kubectl
        .run_with_input(
            &["apply", "-f", "-"],
            &format!("{}---\n{}", deployment("iron", 1), policy("iron", alias)),
        )
        .expect("kubectl runs");
    assert!(answer.stderr.contains("Warning:"), "{answer:?}");
    assert!(answer.stderr.contains("clusterLabels"), "{answer:?}");
    answer.ok();
    placement(&kubectl, "iron-deployment", &format!("{}:1", names[2]));
    let normalised = kubectl
        .run(&[
            "get",
            "pp",
            "iron",
            "-o",
            "jsonpath={.spec.placement.clusterAffinity}",
        ])
        .expect("kubectl runs")
        .ok();
    assert!(
        normalised.contains("labelSelector") && !normalised.contains("clusterLabels"),
        "{normalised}"
    );

    let taint =
        r#"{"spec":{"taints":[{"key":"maintenance","value":"disk","effect":"NoSchedule"}]}}"#;
    kubectl
        .run(&["patch", "cluster", &names[0], "--type=merge", "-p", taint])
        .expect("kubectl runs")
        .ok();
    apply(
        &kubectl,
        &format!(
            "{}---\n{}",
            deployment("later", 1),
            policy("later", by_label)
        ),
    );
    placement(&kubectl, "later-deployment", &format!("{}:1", names[1]));
}

#[test]
fn watches_and_typed_commands_work() {
    let Some((_plane, kubectl)) = demo("watches", &["--clusters", "1"]) else {
        return;
    };
    let said = kubectl
        .run(&[
            "create",
            "deployment",
            "solo",
            "--image=nginx",
            "--replicas=2",
        ])
        .expect("kubectl runs")
        .ok();
    assert_eq!(said, "deployment.apps/solo created");
    let mut watch = kubectl
        .spawn(&["get", "deploy", "-w"])
        .expect("kubectl starts");
    let stdout = watch.stdout.take().expect("piped");
    let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
    assert!(lines.next().is_some_and(|line| line.starts_with("NAME")));
    assert!(lines.next().is_some_and(|line| line.starts_with("solo")));
    kubectl
        .run(&["scale", "deploy", "solo", "--replicas=5"])
        .expect("kubectl runs")
        .ok();
    assert!(lines.any(|line| line.contains("0/5")));
    watch.kill().expect("the watch ends");
    watch.wait().expect("the watch ends");

    kubectl
        .run(&["create", "configmap", "settings", "--from-literal=a=b"])
        .expect("runs")
        .ok();
    kubectl
        .run(&["create", "namespace", "team"])
        .expect("kubectl runs")
        .ok();
    kubectl
        .run(&["delete", "namespace", "team", "--timeout=30s"])
        .expect("kubectl runs")
        .ok();
    let missing = kubectl
        .run(&["get", "deploy", "nothing"])
        .expect("kubectl runs");
    assert_eq!(missing.code, 1);
    assert!(
        missing
            .stderr
            .contains("deployments.apps \"nothing\" not found"),
        "{missing:?}"
    );
    kubectl
        .run(&["delete", "deploy", "solo"])
        .expect("kubectl runs")
        .ok();
    let gone = kubectl
        .run(&["get", "deploy", "-o", "name"])
        .expect("kubectl runs")
        .ok();
    assert_eq!(gone, "");
}

#[test]
fn bad_manifests_get_clear_answers() {
    let Some((_plane, kubectl)) = demo("bad manifests", &["--clusters", "1"]) else {
        return;
    };
    let apply = |text: &str| {
        kubectl
            .run_with_input(&["apply", "-f", "-"], text)
            .expect("kubectl runs")
    };
    let malformed = apply("apiVersion: v1\nkind: [");
    assert_ne!(malformed.code, 0);

    let unknown = apply(&deployment("typo", 1).replace("replicas:", "replica:"));
    assert_eq!(unknown.code, 1);
    assert!(
        unknown.stderr.contains("unknown field \"spec.replica\""),
        "{unknown:?}"
    );

    let kind = apply("apiVersion: apps/v1\nkind: Deploymint\nmetadata: {name: x}\n");
    assert_eq!(kind.code, 1);
    assert!(kind.stderr.contains("no matches for kind"), "{kind:?}");

    let wrong_type = apply(&deployment("wrong", 1).replace("replicas: 1", "replicas: many"));
    assert_eq!(wrong_type.code, 1);
    assert!(!wrong_type.stderr.is_empty());

    let enumeration = apply(&policy(
        "bad",
        "    replicaScheduling: {replicaSchedulingType: Sideways}",
    ));
    assert_eq!(enumeration.code, 1);
    assert!(
        enumeration.stderr.contains("replicaSchedulingType"),
        "{enumeration:?}"
    );

    let nowhere = "    clusterAffinity: {clusterNames: [atlantis]}";
    let manifest = format!("{}---\n{}", deployment("lost", 1), policy("lost", nowhere));
    apply(&manifest).ok();
    let reason = "jsonpath={.status.conditions[?(@.type==\"Scheduled\")].reason}";
    kubectl.wait(
        &["get", "rb", "lost-deployment", "-o", reason],
        PATIENCE,
        |text| text == "NoClusterFit",
    );
}
