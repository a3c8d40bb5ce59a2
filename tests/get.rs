//! `flybridge get` against a plane that runs, against one that does not, and with wrong arguments.

use std::process::{Command, Output};

use flybridge_testkit::kubectl::Kubectl;
use flybridge_testkit::process::HeadlessPlane;
use tempfile::TempDir;

use crate::rig::{PATIENCE, binary, deployment, placement, policy, seven_to_three};

const FAILED: i32 = 1;
const USAGE: i32 = 2;
const NOT_FOUND: i32 = 3;
const UNREACHABLE: i32 = 7;

/// A plane with two members, found by its data directory as a user would find it.
struct Served {
    plane: HeadlessPlane,
    folder: TempDir,
}

impl Served {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("plane").display().to_string();
        let args = ["serve", "--data-dir", &path, "--listen", "127.0.0.1:0"];
        let args = [&args[..], &["--sim-clusters", "2"]].concat();
        let plane = HeadlessPlane::start(binary(), &args).expect("serve starts");
        Self { plane, folder }
    }

    fn get(&self, args: &[&str]) -> Output {
        get(&self.folder, args)
    }

    /// The lines of a table, each as its words.
    fn table(&self, args: &[&str]) -> Vec<Vec<String>> {
        let output = self.get(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", said(&output));
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines()
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect()
    }
}

fn get(folder: &TempDir, args: &[&str]) -> Output {
    Command::new(binary())
        .env_remove("KUBECONFIG")
        .arg("get")
        .args(args)
        .arg("--data-dir")
        .arg(folder.path().join("plane"))
        .output()
        .expect("the binary runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn column(table: &[Vec<String>], title: &str) -> Vec<String> {
    let index = table[0].iter().position(|cell| cell == title);
    let index = index.unwrap_or_else(|| panic!("{title} is not in {:?}", table[0]));
    table[1..].iter().map(|line| line[index].clone()).collect()
}

/// Applies a Deployment that goes 7:3 to the two members, and waits until all its pods run there.
fn web(served: &Served, kubectl: &Kubectl) -> Vec<String> {
    let clusters = column(&served.table(&["clusters"]), "NAME");
    let weights = seven_to_three(&clusters[0], &clusters[1]);
    let manifests = format!("{}---\n{}", deployment("web", 10), policy("web", &weights));
    let applied = kubectl.run_with_input(&["apply", "-f", "-"], &manifests);
    applied.expect("kubectl runs").ok();
    let wanted = format!("{}:7 {}:3", clusters[0], clusters[1]);
    assert_eq!(placement(kubectl, "web-deployment", &wanted), wanted);
    let ready = [
        "get",
        "deploy",
        "web",
        "-o",
        "jsonpath={.status.readyReplicas}",
    ];
    kubectl.wait(&ready, PATIENCE, |text| text == "10");
    clusters
}

#[test]
fn objects_of_the_plane_and_of_members_are_listed() {
    let served = Served::start();
    let Some(kubectl) = Kubectl::find(served.plane.kubeconfig()) else {
        println!("skipped: get: kubectl is not installed");
        return;
    };
    let clusters = web(&served, &kubectl);
    let table = served.table(&["clusters", "-A"]);
    assert_eq!(table[0], ["NAME", "VERSION", "MODE", "READY", "AGE"]);

    let table = served.table(&["deploy", "-A"]);
    assert_eq!(table[0][..3], ["NAMESPACE", "NAME", "READY"]);
    assert_eq!(table[1][..3], ["default", "web", "10/10"]);

    let table = served.table(&["pods", "-A", "-C", "all"]);
    assert_eq!(table[0][..3], ["NAMESPACE", "NAME", "CLUSTER"]);
    let places = column(&table, "CLUSTER");
    let pods = |cluster: &String| places.iter().filter(|place| *place == cluster).count();
    assert_eq!(clusters.iter().map(pods).collect::<Vec<_>>(), [7, 3]);

    let table = served.table(&["deploy", "web", "-C", "all"]);
    assert_eq!(column(&table, "READY"), ["7/7", "3/3"]);
    assert_eq!(column(&table, "ADOPTION"), ["Y", "Y"]);

    let output = served.get(&["deploy", "web", "-o", "yaml"]);
    let yaml = String::from_utf8_lossy(&output.stdout);
    assert!(
        yaml.starts_with("apiVersion: apps/v1\nkind: Deployment\n"),
        "{yaml}"
    );
    assert!(yaml.contains("\n  replicas: 10\n"), "{yaml}");
    let output = served.get(&["deploy", "web", "-o", "name"]);
    assert_eq!(output.stdout, b"deployment.apps/web\n");
}

#[test]
fn what_is_not_there_or_means_nothing_is_named() {
    let served = Served::start();
    let clusters = column(&served.table(&["clusters"]), "NAME");
    let one_wrong = format!("{},nowhere", clusters[0]);
    let cases: [(&[&str], i32, &[&str]); 8] = [
        (
            &["gadgets"],
            NOT_FOUND,
            &["no resource \"gadgets\"", "hint:"],
        ),
        (
            &["deploy", "web"],
            NOT_FOUND,
            &["deployments.apps \"web\" not found"],
        ),
        (
            &["deploy", "web", "-C", "all"],
            NOT_FOUND,
            &[&clusters[0], &clusters[1]],
        ),
        (
            &["pods", "-C", "nowhere"],
            NOT_FOUND,
            &["\"nowhere\" not found"],
        ),
        (&["nodes", "-C", &one_wrong], FAILED, &["nowhere: "]),
        (&["deploy", "web", "-A"], USAGE, &["across all namespaces"]),
        (&["deploy", "web", "-l", "a=b"], USAGE, &["selector"]),
        (
            &["deploy", "-l", "a=b=("],
            FAILED,
            &["unable to parse requirement"],
        ),
    ];
    for (args, code, words) in cases {
        let output = served.get(args);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        assert!(
            words.iter().all(|word| text.contains(word)),
            "{args:?}: {text}"
        );
    }
    let output = served.get(&["deploy", "-n", "shop"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(said(&output), "No resources found in shop namespace.\n");
    assert_eq!(said(&served.get(&["pv"])), "No resources found\n");
}

#[test]
fn a_plane_that_does_not_run_is_unreachable() {
    let Served { plane, folder } = Served::start();
    plane.kill().expect("the plane is killed");
    let output = get(&folder, &["clusters"]);
    assert_eq!(output.status.code(), Some(UNREACHABLE), "{}", said(&output));
    assert!(
        said(&output).contains("flybridge serve"),
        "{}",
        said(&output)
    );
    let output = get(
        &tempfile::tempdir().expect("a temporary folder"),
        &["clusters"],
    );
    assert_eq!(output.status.code(), Some(UNREACHABLE), "{}", said(&output));
    assert!(said(&output).contains("no control plane runs on"));
}
