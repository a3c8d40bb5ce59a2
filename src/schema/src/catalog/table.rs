//! The hand-written table of endpoints: names, scope, verbs and flags that no schema tells.
//!
//! Source: discovery of kube-apiserver 1.36, GA groups.

mod apps;
mod core;
mod extensions;
mod identity;
mod infrastructure;

use super::resource::{FieldSelectorPath, Propagation, ResourceInfo, SubresourceInfo};

const ALL: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];
const STATUS: [&str; 3] = ["get", "patch", "update"];
const PROXY: [&str; 5] = ["create", "delete", "get", "patch", "update"];
const CREATE_GET: [&str; 2] = ["create", "get"];
const CREATE: [&str; 1] = ["create"];

/// Every endpoint: core first, then the groups in order of their priority.
pub(super) fn resources() -> Vec<ResourceInfo> {
    let mut rows = Vec::new();
    core::add(&mut rows);
    apps::add(&mut rows);
    identity::add(&mut rows);
    extensions::add(&mut rows);
    infrastructure::add(&mut rows);
    rows.into_iter().map(|row| row.0).collect()
}

/// One row under construction.
struct Row(ResourceInfo);

/// A namespaced resource with all verbs and updates without a resourceVersion.
fn row(group: &str, version: &str, resource: &str, kind: &str) -> Row {
    Row(ResourceInfo {
        group: group.to_owned(),
        version: version.to_owned(),
        resource: resource.to_owned(),
        singular: kind.to_lowercase(),
        kind: kind.to_owned(),
        namespaced: true,
        verbs: owned(&ALL),
        unconditional_update: true,
        ..ResourceInfo::default()
    })
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

impl Row {
    fn short(mut self, names: &[&str]) -> Self {
        self.0.short_names = owned(names);
        self
    }

    fn category(mut self, name: &str) -> Self {
        self.0.categories.push(name.to_owned());
        self
    }

    fn cluster(mut self) -> Self {
        self.0.namespaced = false;
        self
    }

    fn verbs(mut self, verbs: &[&str]) -> Self {
        self.0.verbs = owned(verbs);
        self
    }

    fn sub(self, name: &str, verbs: &[&str]) -> Self {
        let kind = self.0.kind.clone();
        self.sub_kind(name, ("", "", &kind), verbs)
    }

    fn sub_kind(mut self, name: &str, kind: (&str, &str, &str), verbs: &[&str]) -> Self {
        self.0.subresources.push(SubresourceInfo {
            name: name.to_owned(),
            group: kind.0.to_owned(),
            version: kind.1.to_owned(),
            kind: kind.2.to_owned(),
            verbs: owned(verbs),
        });
        self
    }

    fn status(self) -> Self {
        self.sub("status", &STATUS)
    }

    fn scale(self) -> Self {
        self.sub_kind("scale", ("autoscaling", "v1", "Scale"), &STATUS)
    }

    fn create_on_update(mut self) -> Self {
        self.0.create_on_update = true;
        self
    }

    /// Updates need a resourceVersion.
    fn conditional(mut self) -> Self {
        self.0.unconditional_update = false;
        self
    }

    fn generation(mut self) -> Self {
        self.0.generation = true;
        self
    }

    fn orphans(mut self) -> Self {
        self.0.default_propagation = Propagation::Orphan;
        self
    }

    fn graceful(mut self) -> Self {
        self.0.graceful = true;
        self
    }

    /// A selectable field whose name is its path.
    fn selects(self, names: &[&str]) -> Self {
        names
            .iter()
            .fold(self, |row, name| row.selects_as(name, name, ""))
    }

    fn selects_as(mut self, name: &str, path: &str, absent: &'static str) -> Self {
        self.0.field_selectors.push(FieldSelectorPath {
            name: name.to_owned(),
            path: path.split('.').map(str::to_owned).collect(),
            absent,
        });
        self
    }
}
