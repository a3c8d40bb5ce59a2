//! The state of a fleet as text, for people who look at a failed test.

use std::fmt::Write;

use flybridge_machinery::object;
use serde_json::Value;

use super::{Fleet, Site};

/// What a dump shows of the plane.
const PLANE: [(&str, &str); 4] = [
    ("cluster.karmada.io/v1alpha1", "Cluster"),
    ("apps/v1", "Deployment"),
    ("work.karmada.io/v1alpha2", "ResourceBinding"),
    ("work.karmada.io/v1alpha1", "Work"),
];
/// What a dump shows of a member.
const MEMBER: [(&str, &str); 3] = [
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("v1", "Pod"),
];
/// The writes of the engine a dump shows.
const WRITES: usize = 30;

impl Fleet {
    /// What the plane and the members hold, in short.
    pub async fn dump(&self) -> String {
        let mut text = format!("clock {}\n", self.clock.now());
        describe(&mut text, "plane", self.plane(), &PLANE).await;
        for (name, site) in self.members() {
            describe(&mut text, name, site, &MEMBER).await;
        }
        let writes = self.take_writes();
        for write in writes.iter().skip(writes.len().saturating_sub(WRITES)) {
            text.push_str(write);
            text.push('\n');
        }
        text
    }

    /// Every object of every member, complete, in order; equal for equal fleets.
    pub async fn member_objects(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (name, site) in self.members() {
            let all = site.everything().await;
            lines.extend(all.iter().map(|object| format!("{name} {object}")));
        }
        lines
    }
}

async fn describe(text: &mut String, place: &str, site: &Site, kinds: &[(&str, &str)]) {
    for (api_version, kind) in kinds {
        for item in site.list(api_version, kind).await {
            let name = object::namespaced_name(&item);
            let line = format!("{place}: {kind} {name} {}", brief(kind, &item));
            // Writing to a string cannot fail.
            writeln!(text, "{line}").unwrap_or_default();
        }
    }
}

/// The part of an object that tells how far it is.
fn brief(kind: &str, item: &Value) -> String {
    let conditions = object::path_list(item, &["status", "conditions"]);
    let conditions: Vec<String> = conditions
        .iter()
        .map(|condition| {
            let text = |field: &str| condition[field].as_str().unwrap_or_default();
            format!("{}={}({})", text("type"), text("status"), text("message"))
        })
        .collect();
    let conditions = conditions.join(" ");
    let going = if object::is_terminating(item) {
        "going "
    } else {
        ""
    };
    match kind {
        "ResourceBinding" => format!("{going}clusters={} {conditions}", item["spec"]["clusters"]),
        "Deployment" | "ReplicaSet" => {
            let ready = &item["status"]["readyReplicas"];
            format!("{going}replicas={} ready={ready}", item["spec"]["replicas"])
        }
        "Pod" => format!("{going}{}", item["status"]["phase"]),
        _ => format!("{going}{conditions}"),
    }
}
