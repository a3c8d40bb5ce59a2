//! Custom resources: CRD objects to definitions, and what the server writes into CRD objects.

mod lifecycle;
mod rules;

use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_machinery::{Gvk, conditions, object};
use flybridge_schema::Schema;
use flybridge_store::Snapshot;
use serde_json::{Value, json};

use super::definition::{Definition, Origin, ScalePaths, Scope, Subresource, Traits};
use crate::printers::CustomPrinter;
use crate::record;

pub(crate) use lifecycle::{establish, is_terminating, prepare_delete, prepare_update, violations};

/// Where CRD objects lie.
pub(crate) const BUCKET: &str = "apiextensions.k8s.io/customresourcedefinitions";
/// Holds a CRD until its objects are gone.
pub(crate) const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";
/// In the order upstream lists them.
const VERBS: [&str; 8] = [
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
];

/// What CRD objects define, by their names and revisions, so that none is read twice.
pub(crate) type Known = BTreeMap<Arc<str>, (u64, Vec<Arc<Definition>>)>;

/// The resources that the CRD objects of a snapshot define; unreadable ones are left out.
pub(crate) fn definitions(snapshot: &Snapshot, known: &Known) -> Known {
    let mut found = Known::new();
    for (name, record) in snapshot.range(BUCKET, "", None) {
        if let Some((revision, definitions)) = known.get(name)
            && *revision == record.mod_revision
        {
            found.insert(Arc::clone(name), (*revision, definitions.clone()));
            continue;
        }
        match record::decode(&record.value) {
            Ok(crd) => {
                let definitions = of_crd(&crd, record.mod_revision)
                    .into_iter()
                    .map(Arc::new)
                    .collect();
                found.insert(Arc::clone(name), (record.mod_revision, definitions));
            }
            Err(error) => tracing::error!(%name, %error, "a stored CRD is unreadable"),
        }
    }
    found
}

/// One definition for each served version of an established CRD.
fn of_crd(crd: &Value, revision: u64) -> Vec<Definition> {
    if !conditions::is_true(crd, "Established") {
        return Vec::new();
    }
    let versions = object::path_list(crd, &["spec", "versions"]);
    let served = versions
        .iter()
        .filter(|version| version["served"] == json!(true));
    served
        .filter_map(|version| of_version(crd, version, revision))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

fn of_version(crd: &Value, version: &Value, revision: u64) -> Option<Definition> {
    let (spec, names) = (&crd["spec"], &crd["spec"]["names"]);
    let (group, plural, kind) = (
        text(&spec["group"]),
        text(&names["plural"]),
        text(&names["kind"]),
    );
    let name = text(&version["name"]);
    let schema = Schema::from_crd(&version["schema"]["openAPIV3Schema"]).ok()?;
    let subresources = &version["subresources"];
    let status = !subresources["status"].is_null();
    let scale = scale_paths(&subresources["scale"]);
    let storage_version = rules::storage_versions(crd).into_iter().next()?;
    let gvk = Gvk::new(&group, &name, &kind);
    let bucket = Definition::bucket_of(&group, &plural);
    Some(Definition {
        singular: match text(&names["singular"]) {
            singular if singular.is_empty() => kind.to_lowercase(),
            singular => singular,
        },
        list_kind: match text(&names["listKind"]) {
            list_kind if list_kind.is_empty() => format!("{kind}List"),
            list_kind => list_kind,
        },
        short_names: texts(&names["shortNames"]),
        categories: texts(&names["categories"]),
        scope: if spec["scope"] == "Namespaced" {
            Scope::Namespaced
        } else {
            Scope::Cluster
        },
        verbs: VERBS.iter().map(|verb| (*verb).to_owned()).collect(),
        subresources: declared_subresources(&gvk, status, scale.is_some()),
        traits: Traits {
            status,
            generation: true,
            ..Traits::default()
        },
        field_paths: selectable(&version["selectableFields"]),
        printer: Some(Arc::new(CustomPrinter::new(object::path_list(
            version,
            &["additionalPrinterColumns"],
        )))),
        scale,
        schema: Some(schema),
        origin: Origin::Custom {
            storage_version,
            revision,
        },
        group,
        version: name,
        plural,
        kind,
        bucket,
    })
}

/// The subresources of a custom or embedded resource.
pub fn declared_subresources(gvk: &Gvk, status: bool, scale: bool) -> Vec<Subresource> {
    let verbs = || vec!["get".to_owned(), "patch".to_owned(), "update".to_owned()];
    let mut found = Vec::new();
    if scale {
        let gvk = Gvk::new("autoscaling", "v1", "Scale");
        found.push(Subresource {
            name: "scale".to_owned(),
            gvk,
            verbs: verbs(),
        });
    }
    if status {
        found.push(Subresource {
            name: "status".to_owned(),
            gvk: gvk.clone(),
            verbs: verbs(),
        });
    }
    found
}

fn split_path(path: &Value) -> Vec<String> {
    let text = path.as_str().unwrap_or_default();
    text.split('.')
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

fn scale_paths(scale: &Value) -> Option<ScalePaths> {
    if scale.is_null() {
        return None;
    }
    let selector = split_path(&scale["labelSelectorPath"]);
    Some(ScalePaths {
        spec_replicas: split_path(&scale["specReplicasPath"]),
        status_replicas: split_path(&scale["statusReplicasPath"]),
        label_selector: (!selector.is_empty()).then_some(selector),
    })
}

fn selectable(fields: &Value) -> Vec<(String, Vec<String>)> {
    let read = |field: &Value| {
        let path = split_path(&field["jsonPath"]);
        (path.join("."), path)
    };
    fields.as_array().into_iter().flatten().map(read).collect()
}
