//! What holds of every settled fleet, whatever happened to it before.

use std::collections::BTreeMap;

use flybridge_apis::{annotations, labels, names};
use flybridge_machinery::object;
use serde_json::Value;

use super::Fleet;

/// Counts in the status of a template that add up over its copies.
const COUNTS: [&str; 4] = [
    "replicas",
    "readyReplicas",
    "updatedReplicas",
    "availableReplicas",
];

/// Everything a check looks at, read once.
struct Observed {
    plane: Vec<Value>,
    members: BTreeMap<String, Vec<Value>>,
}

impl Fleet {
    /// Asserts what must hold once everything has settled.
    ///
    /// # Panics
    /// When something does not hold; the message holds the seed and the state of the fleet.
    #[expect(clippy::panic, reason = "a broken invariant fails the test")]
    pub async fn check(&self) {
        let broken = self.violations().await;
        if !broken.is_empty() {
            let list = broken.join("\n");
            panic!(
                "seed {}: these do not hold:\n{list}\n{}",
                self.seed(),
                self.dump().await
            );
        }
    }

    /// What does not hold although it should.
    pub async fn violations(&self) -> Vec<String> {
        let mut observed = Observed {
            plane: self.plane().everything().await,
            members: BTreeMap::new(),
        };
        for (name, site) in self.members() {
            observed
                .members
                .insert(name.to_owned(), site.everything().await);
        }
        let mut broken = Vec::new();
        for binding in observed.of_kind("ResourceBinding") {
            observed.check_binding(binding, &mut broken);
        }
        for work in observed.of_kind("Work") {
            observed.check_work(work, &mut broken);
        }
        for (cluster, objects) in &observed.members {
            for object in objects
                .iter()
                .filter(|o| object::label(o, labels::MANAGED).is_some())
            {
                observed.check_copy(cluster, object, &mut broken);
            }
            check_pods(cluster, objects, &mut broken);
        }
        broken
    }
}

impl Observed {
    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.plane
            .iter()
            .filter(move |object| object::kind(object) == kind)
    }

    /// Every copy of `template`, with the cluster that holds it.
    fn copies<'a>(&'a self, template: &'a Value) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let all = self.members.iter();
        let all = all.flat_map(|(name, objects)| objects.iter().map(move |o| (name.as_str(), o)));
        all.filter(|(_, copy)| same(copy, template))
    }

    /// Templates exist, copies are where the binding says, and replicas and statuses add up.
    fn check_binding(&self, binding: &Value, broken: &mut Vec<String>) {
        let name = object::namespaced_name(binding);
        let reference = &binding["spec"]["resource"];
        let Some(template) = self.plane.iter().find(|object| {
            object["metadata"]["uid"] == reference["uid"] && object["kind"] == reference["kind"]
        }) else {
            broken.push(format!("binding {name} has a template"));
            return;
        };
        let clusters = object::path_list(binding, &["spec", "clusters"]);
        let planned: BTreeMap<&str, i64> = clusters
            .iter()
            .map(|c| {
                (
                    c["name"].as_str().unwrap_or_default(),
                    c["replicas"].as_i64().unwrap_or(0),
                )
            })
            .collect();
        let copies: BTreeMap<&str, &Value> = self.copies(template).collect();
        if !copies.keys().eq(planned.keys()) {
            let found: Vec<&&str> = copies.keys().collect();
            broken.push(format!(
                "binding {name}: {planned:?} are where copies are: {found:?}"
            ));
        }
        if object::kind(template) != "Deployment" {
            return;
        }
        let wanted = template["spec"]["replicas"].as_i64().unwrap_or(1);
        let placement = &binding["spec"]["placement"]["replicaScheduling"];
        let divided = placement["replicaSchedulingType"] == "Divided";
        let replicas = copies
            .values()
            .map(|copy| copy["spec"]["replicas"].as_i64().unwrap_or(0));
        if divided && replicas.clone().sum::<i64>() != wanted {
            let found: Vec<i64> = replicas.clone().collect();
            broken.push(format!(
                "{name}: replicas {found:?} of copies add up to {wanted}"
            ));
        }
        if !divided && replicas.clone().any(|replicas| replicas != wanted) {
            broken.push(format!("{name}: each copy has {wanted} replicas"));
        }
        for field in COUNTS {
            let count = |object: &Value| object["status"][field].as_i64().unwrap_or(0);
            let sum: i64 = copies.values().map(|copy| count(copy)).sum();
            if count(template) != sum {
                broken.push(format!(
                    "{name}: {field} {} of the template is {sum}",
                    count(template)
                ));
            }
        }
    }

    /// A Work belongs to a live binding that names its cluster, or to a live namespace.
    fn check_work(&self, work: &Value, broken: &mut Vec<String>) {
        let namespace = object::namespace(work).unwrap_or_default();
        let cluster = names::cluster_of_execution_namespace(namespace).unwrap_or_default();
        let bound = [
            ("ResourceBinding", labels::RESOURCE_BINDING_PERMANENT_ID),
            (
                "ClusterResourceBinding",
                labels::CLUSTER_RESOURCE_BINDING_PERMANENT_ID,
            ),
        ];
        let is_bound = bound.iter().any(|(kind, label)| {
            let id = object::label(work, label);
            id.is_some()
                && self.of_kind(kind).any(|binding| {
                    let clusters = object::path_list(binding, &["spec", "clusters"]);
                    let mut clusters = clusters.iter();
                    object::label(binding, label) == id && clusters.any(|c| c["name"] == cluster)
                })
        });
        let owner = &work["metadata"]["ownerReferences"][0];
        let is_owned = owner["kind"] == "Namespace"
            && self
                .of_kind("Namespace")
                .any(|found| found["metadata"]["uid"] == owner["uid"]);
        if !is_bound && !is_owned {
            broken.push(format!(
                "work {} has a live binding",
                object::namespaced_name(work)
            ));
        }
    }

    /// A managed object of a member is in the manifests of the Work it names.
    fn check_copy(&self, cluster: &str, copy: &Value, broken: &mut Vec<String>) {
        let namespace = object::annotation(copy, annotations::WORK_NAMESPACE);
        let name = object::annotation(copy, annotations::WORK_NAME);
        let mut works = self.of_kind("Work");
        let is_carried = works.any(|work| {
            let manifests = object::path_list(work, &["spec", "workload", "manifests"]);
            object::namespace(work) == namespace
                && Some(object::name(work)) == name
                && manifests.iter().any(|manifest| same(manifest, copy))
        });
        let own = namespace.and_then(names::cluster_of_execution_namespace);
        if !is_carried || own != Some(cluster) {
            let what = object::namespaced_name(copy);
            broken.push(format!(
                "{} {what} in {cluster} has a work",
                object::kind(copy)
            ));
        }
    }
}

/// As many pods run as the Deployments of a member ask for.
fn check_pods(cluster: &str, objects: &[Value], broken: &mut Vec<String>) {
    let of_kind = |kind: &'static str| objects.iter().filter(move |o| object::kind(o) == kind);
    let wanted: i64 = of_kind("Deployment")
        .map(|d| d["spec"]["replicas"].as_i64().unwrap_or(1))
        .sum();
    let running = of_kind("Pod")
        .filter(|pod| pod["status"]["phase"] == "Running")
        .count();
    let all = of_kind("Pod").count();
    if usize::try_from(wanted) != Ok(running) || running != all {
        broken.push(format!("{cluster}: {wanted} pods run: {running} of {all}"));
    }
}

/// Whether two objects are the same thing in different clusters.
fn same(a: &Value, b: &Value) -> bool {
    object::kind(a) == object::kind(b)
        && object::api_version(a) == object::api_version(b)
        && object::namespaced_name(a) == object::namespaced_name(b)
}
