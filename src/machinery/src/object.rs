//! Readers and writers of the metadata every object carries.
//!
//! All of them work on a [`Value`] and never panic: a missing or mistyped part reads as absent,
//! and a writer makes the maps it needs.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Gvk, time};

/// One entry of `metadata.ownerReferences`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnerReference {
    /// Group and version of the owner.
    pub api_version: String,
    /// Kind of the owner.
    pub kind: String,
    /// Name of the owner.
    pub name: String,
    /// Uid of the owner.
    pub uid: String,
    /// Whether the owner is the managing controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<bool>,
    /// Whether a foreground deletion of the owner waits for this object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_owner_deletion: Option<bool>,
}

impl OwnerReference {
    /// Points at `owner` as the managing controller, blocking its foreground deletion.
    pub fn controller_of(owner: &Value) -> Self {
        Self {
            api_version: api_version(owner).to_owned(),
            kind: kind(owner).to_owned(),
            name: name(owner).to_owned(),
            uid: uid(owner).unwrap_or_default().to_owned(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        }
    }

    /// Whether this is the managing controller.
    pub fn is_controller(&self) -> bool {
        self.controller == Some(true)
    }
}

/// Follows map keys; `None` when a step is missing or not a map.
pub fn get_path<'a>(object: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(object, |value, key| value.get(*key))
}

/// Follows map keys to a string.
pub fn path_str<'a>(object: &'a Value, path: &[&str]) -> Option<&'a str> {
    get_path(object, path)?.as_str()
}

/// Follows map keys to an integer.
pub fn path_i64(object: &Value, path: &[&str]) -> Option<i64> {
    get_path(object, path)?.as_i64()
}

/// Follows map keys to a boolean.
pub fn path_bool(object: &Value, path: &[&str]) -> Option<bool> {
    get_path(object, path)?.as_bool()
}

/// Follows map keys to a list; absent reads as empty.
pub fn path_list<'a>(object: &'a Value, path: &[&str]) -> &'a [Value] {
    get_path(object, path)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Makes `value` a map if it is none, and gives the map.
pub fn ensure_object(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().expect("it was made a map above")
}

/// Follows map keys, making maps on the way; gives the map at the end.
pub fn ensure_path<'a>(object: &'a mut Value, path: &[&str]) -> &'a mut Map<String, Value> {
    let mut map = ensure_object(object);
    for key in path {
        map = ensure_object(map.entry(*key).or_insert(Value::Null));
    }
    map
}

/// Sets the value at a path of map keys, making maps on the way.
pub fn set_path(object: &mut Value, path: &[&str], value: Value) {
    if let Some((last, parents)) = path.split_last() {
        ensure_path(object, parents).insert((*last).to_owned(), value);
    } else {
        *object = value;
    }
}

/// Removes the value at a path of map keys; gives what was there.
pub fn remove_path(object: &mut Value, path: &[&str]) -> Option<Value> {
    let (last, parents) = path.split_last()?;
    let parent = parents
        .iter()
        .try_fold(object, |value, key| value.get_mut(*key))?;
    parent.as_object_mut()?.remove(*last)
}

fn metadata<'a>(object: &'a Value, key: &str) -> Option<&'a Value> {
    object.get("metadata")?.get(key)
}

fn metadata_str<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    metadata(object, key)?
        .as_str()
        .filter(|text| !text.is_empty())
}

fn set_metadata(object: &mut Value, key: &str, value: Value) {
    ensure_path(object, &["metadata"]).insert(key.to_owned(), value);
}

/// `apiVersion`, empty when absent.
pub fn api_version(object: &Value) -> &str {
    object
        .get("apiVersion")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// `kind`, empty when absent.
pub fn kind(object: &Value) -> &str {
    object
        .get("kind")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Group, version and kind; `None` when `kind` is absent or `apiVersion` malformed.
pub fn gvk(object: &Value) -> Option<Gvk> {
    let kind = kind(object);
    if kind.is_empty() {
        return None;
    }
    Gvk::from_api_version(api_version(object), kind).ok()
}

/// Sets `apiVersion` and `kind`.
pub fn set_gvk(object: &mut Value, gvk: &Gvk) {
    let map = ensure_object(object);
    map.insert("apiVersion".to_owned(), gvk.api_version().into());
    map.insert("kind".to_owned(), gvk.kind.as_str().into());
}

/// `metadata.name`, empty when absent.
pub fn name(object: &Value) -> &str {
    metadata_str(object, "name").unwrap_or_default()
}

/// Sets `metadata.name`.
pub fn set_name(object: &mut Value, name: &str) {
    set_metadata(object, "name", name.into());
}

/// `metadata.generateName`.
pub fn generate_name(object: &Value) -> Option<&str> {
    metadata_str(object, "generateName")
}

/// `metadata.namespace`; `None` when absent or empty.
pub fn namespace(object: &Value) -> Option<&str> {
    metadata_str(object, "namespace")
}

/// Sets `metadata.namespace`.
pub fn set_namespace(object: &mut Value, namespace: &str) {
    set_metadata(object, "namespace", namespace.into());
}

/// `<namespace>/<name>`, or `<name>` for cluster-scoped objects.
pub fn namespaced_name(object: &Value) -> String {
    match namespace(object) {
        Some(namespace) => format!("{namespace}/{}", name(object)),
        None => name(object).to_owned(),
    }
}

/// `metadata.uid`.
pub fn uid(object: &Value) -> Option<&str> {
    metadata_str(object, "uid")
}

/// Sets `metadata.uid`.
pub fn set_uid(object: &mut Value, uid: &str) {
    set_metadata(object, "uid", uid.into());
}

/// `metadata.resourceVersion`.
pub fn resource_version(object: &Value) -> Option<&str> {
    metadata_str(object, "resourceVersion")
}

/// Sets `metadata.resourceVersion`.
pub fn set_resource_version(object: &mut Value, resource_version: &str) {
    set_metadata(object, "resourceVersion", resource_version.into());
}

/// `metadata.generation`, zero when absent.
pub fn generation(object: &Value) -> i64 {
    metadata(object, "generation")
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// Sets `metadata.generation`.
pub fn set_generation(object: &mut Value, generation: i64) {
    set_metadata(object, "generation", generation.into());
}

/// `metadata.creationTimestamp`.
pub fn creation_timestamp(object: &Value) -> Option<Timestamp> {
    time::parse(metadata_str(object, "creationTimestamp")?).ok()
}

/// Sets `metadata.creationTimestamp`, to the second.
pub fn set_creation_timestamp(object: &mut Value, at: Timestamp) {
    set_metadata(object, "creationTimestamp", time::format(at).into());
}

/// `metadata.deletionTimestamp`.
pub fn deletion_timestamp(object: &Value) -> Option<Timestamp> {
    time::parse(metadata_str(object, "deletionTimestamp")?).ok()
}

/// Sets `metadata.deletionTimestamp`, to the second.
pub fn set_deletion_timestamp(object: &mut Value, at: Timestamp) {
    set_metadata(object, "deletionTimestamp", time::format(at).into());
}

/// Whether the object waits for its finalizers or its grace period.
pub fn is_terminating(object: &Value) -> bool {
    metadata_str(object, "deletionTimestamp").is_some()
}

/// Age as kubectl prints it; `<unknown>` without a creation time.
pub fn age(object: &Value, now: Timestamp) -> String {
    creation_timestamp(object)
        .map_or_else(|| "<unknown>".to_owned(), |created| time::age(created, now))
}

fn entries<'a>(object: &'a Value, key: &str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    metadata(object, key)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
}

fn set_entry(object: &mut Value, map: &str, key: &str, value: &str) {
    ensure_path(object, &["metadata", map]).insert(key.to_owned(), value.into());
}

fn remove_entry(object: &mut Value, map: &str, key: &str) -> bool {
    remove_path(object, &["metadata", map, key]).is_some()
}

/// The labels, ordered by key.
pub fn labels(object: &Value) -> impl Iterator<Item = (&str, &str)> {
    entries(object, "labels")
}

/// One label's value.
pub fn label<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    metadata(object, "labels")?.get(key)?.as_str()
}

/// Sets one label.
pub fn set_label(object: &mut Value, key: &str, value: &str) {
    set_entry(object, "labels", key, value);
}

/// Removes one label; says whether it was there.
pub fn remove_label(object: &mut Value, key: &str) -> bool {
    remove_entry(object, "labels", key)
}

/// The annotations, ordered by key.
pub fn annotations(object: &Value) -> impl Iterator<Item = (&str, &str)> {
    entries(object, "annotations")
}

/// One annotation's value.
pub fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    metadata(object, "annotations")?.get(key)?.as_str()
}

/// Sets one annotation.
pub fn set_annotation(object: &mut Value, key: &str, value: &str) {
    set_entry(object, "annotations", key, value);
}

/// Removes one annotation; says whether it was there.
pub fn remove_annotation(object: &mut Value, key: &str) -> bool {
    remove_entry(object, "annotations", key)
}

/// The finalizers in order.
pub fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    path_list(object, &["metadata", "finalizers"])
        .iter()
        .filter_map(Value::as_str)
}

/// Whether a finalizer is set.
pub fn has_finalizer(object: &Value, finalizer: &str) -> bool {
    finalizers(object).any(|present| present == finalizer)
}

/// Adds a finalizer; says whether it was missing.
pub fn add_finalizer(object: &mut Value, finalizer: &str) -> bool {
    if has_finalizer(object, finalizer) {
        return false;
    }
    push(object, "finalizers", finalizer.into());
    true
}

/// Removes a finalizer, and the list with the last one; says whether it was there.
pub fn remove_finalizer(object: &mut Value, finalizer: &str) -> bool {
    retain(object, "finalizers", |present| {
        present.as_str() != Some(finalizer)
    })
}

/// The owner references in order; malformed entries are left out.
pub fn owner_references(object: &Value) -> Vec<OwnerReference> {
    path_list(object, &["metadata", "ownerReferences"])
        .iter()
        .filter_map(|entry| OwnerReference::deserialize(entry).ok())
        .collect()
}

/// The owner that manages the object.
pub fn controller(object: &Value) -> Option<OwnerReference> {
    owner_references(object)
        .into_iter()
        .find(OwnerReference::is_controller)
}

/// Adds an owner reference, replacing one with the same uid.
pub fn add_owner_reference(object: &mut Value, owner: &OwnerReference) {
    remove_owner_reference(object, &owner.uid);
    let entry = serde_json::to_value(owner).expect("an owner reference is plain JSON");
    push(object, "ownerReferences", entry);
}

/// Removes the owner reference with this uid; says whether it was there.
pub fn remove_owner_reference(object: &mut Value, uid: &str) -> bool {
    retain(object, "ownerReferences", |entry| {
        entry.get("uid").and_then(Value::as_str) != Some(uid)
    })
}

fn push(object: &mut Value, list: &str, entry: Value) {
    let slot = ensure_path(object, &["metadata"])
        .entry(list)
        .or_insert(Value::Null);
    match slot {
        Value::Array(entries) => entries.push(entry),
        other => *other = Value::Array(vec![entry]),
    }
}

fn retain(object: &mut Value, list: &str, keep: impl Fn(&Value) -> bool) -> bool {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
        return false;
    };
    let Some(entries) = metadata.get_mut(list).and_then(Value::as_array_mut) else {
        return false;
    };
    let before = entries.len();
    entries.retain(keep);
    let (after, removed) = (entries.len(), entries.len() < before);
    if after == 0 {
        metadata.remove(list);
    }
    removed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_what_is_there_and_nothing_else() {
        let object = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "shop", "generation": 3, "uid": "u",
                "labels": {"b": "2", "a": "1"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"replicas": 2}
        });
        assert_eq!(name(&object), "web");
        assert_eq!(namespaced_name(&object), "shop/web");
        assert_eq!(generation(&object), 3);
        assert_eq!(
            labels(&object).collect::<Vec<_>>(),
            [("a", "1"), ("b", "2")]
        );
        assert_eq!(gvk(&object).unwrap(), Gvk::new("apps", "v1", "Deployment"));
        assert_eq!(path_i64(&object, &["spec", "replicas"]), Some(2));
        assert_eq!(age(&object, "2026-01-01T00:05:00Z".parse().unwrap()), "5m");
        let empty = json!({"metadata": {"namespace": "", "labels": "no map"}});
        assert_eq!(
            (name(&empty), namespace(&empty), uid(&empty)),
            ("", None, None)
        );
        assert_eq!(labels(&empty).count(), 0);
        assert_eq!(gvk(&empty), None);
    }

    #[test]
    fn writers_make_the_maps_they_need() {
        let mut object = json!({});
        set_label(&mut object, "a", "1");
        assert!(add_finalizer(&mut object, "x/y"));
        assert!(!add_finalizer(&mut object, "x/y"));
        set_path(&mut object, &["spec", "replicas"], 3.into());
        assert_eq!(
            object,
            json!({"metadata": {"labels": {"a": "1"}, "finalizers": ["x/y"]}, "spec": {"replicas": 3}})
        );
        assert!(remove_finalizer(&mut object, "x/y"));
        assert!(remove_label(&mut object, "a"));
        assert_eq!(object["metadata"], json!({"labels": {}}));
    }

    #[test]
    fn owner_references_are_keyed_by_uid() {
        let owner = json!({"apiVersion": "v1", "kind": "X", "metadata": {"name": "x", "uid": "1"}});
        let mut object = json!({});
        add_owner_reference(&mut object, &OwnerReference::controller_of(&owner));
        add_owner_reference(&mut object, &OwnerReference::controller_of(&owner));
        assert_eq!(owner_references(&object).len(), 1);
        assert_eq!(controller(&object).unwrap().name, "x");
        assert!(remove_owner_reference(&mut object, "1"));
        assert_eq!(object, json!({"metadata": {}}));
    }
}
