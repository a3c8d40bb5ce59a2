//! What a store must know of the objects it keeps, and the dynamic object.

use std::collections::BTreeMap;
use std::ops::Deref;

use kube::ResourceExt;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::{Map, Value};

use crate::ObjectKey;

/// An object a [`Store`](crate::Store) can keep.
pub trait Stored: DeserializeOwned + Clone + Send + Sync + 'static {
    /// Where it is found.
    fn key(&self) -> ObjectKey;
    /// Its `metadata.resourceVersion`.
    fn version(&self) -> &str;
    /// Its `metadata.uid`.
    fn identity(&self) -> &str;
}

impl<K> Stored for K
where
    K: kube::Resource + DeserializeOwned + Clone + Send + Sync + 'static,
{
    fn key(&self) -> ObjectKey {
        ObjectKey::new(self.namespace().unwrap_or_default(), self.name_any())
    }

    fn version(&self) -> &str {
        self.meta().resource_version.as_deref().unwrap_or_default()
    }

    fn identity(&self) -> &str {
        self.meta().uid.as_deref().unwrap_or_default()
    }
}

/// Any Kubernetes object as JSON, without its `managedFields`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(Value);

impl Object {
    /// The JSON.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// Takes the JSON out.
    pub fn into_value(self) -> Value {
        self.0
    }

    fn meta(&self, field: &str) -> &str {
        self.0["metadata"][field].as_str().unwrap_or_default()
    }

    /// `apiVersion`.
    pub fn api_version(&self) -> &str {
        self.0["apiVersion"].as_str().unwrap_or_default()
    }

    /// `kind`.
    pub fn kind(&self) -> &str {
        self.0["kind"].as_str().unwrap_or_default()
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.meta("name")
    }

    /// `metadata.namespace`, empty for cluster scope.
    pub fn namespace(&self) -> &str {
        self.meta("namespace")
    }

    /// `metadata.generation`, 0 when absent.
    pub fn generation(&self) -> i64 {
        self.0["metadata"]["generation"]
            .as_i64()
            .unwrap_or_default()
    }

    /// Whether a deletion timestamp is set.
    pub fn is_deleting(&self) -> bool {
        self.0["metadata"]["deletionTimestamp"].is_string()
    }

    /// The value of a label, empty when absent.
    pub fn label(&self, key: &str) -> &str {
        self.0["metadata"]["labels"][key]
            .as_str()
            .unwrap_or_default()
    }

    /// The value of an annotation, empty when absent.
    pub fn annotation(&self, key: &str) -> &str {
        self.0["metadata"]["annotations"][key]
            .as_str()
            .unwrap_or_default()
    }

    /// All labels.
    pub fn labels(&self) -> BTreeMap<String, String> {
        string_map(&self.0["metadata"]["labels"])
    }

    /// Whether `finalizer` is set.
    pub fn has_finalizer(&self, finalizer: &str) -> bool {
        self.0["metadata"]["finalizers"]
            .as_array()
            .is_some_and(|list| list.iter().any(|have| have == finalizer))
    }
}

fn string_map(value: &Value) -> BTreeMap<String, String> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect()
}

impl From<Value> for Object {
    fn from(mut value: Value) -> Self {
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        Self(value)
    }
}

impl Deref for Object {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = Map::deserialize(deserializer)?;
        Ok(Self::from(Value::Object(map)))
    }
}

impl Stored for Object {
    fn key(&self) -> ObjectKey {
        ObjectKey::new(self.namespace(), self.name())
    }

    fn version(&self) -> &str {
        self.meta("resourceVersion")
    }

    fn identity(&self) -> &str {
        self.meta("uid")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn drops_managed_fields_and_reads_metadata() {
        let object = Object::from(json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "p", "namespace": "a", "managedFields": [{}], "uid": "U",
                "labels": {"app": "x"}, "finalizers": ["f"], "resourceVersion": "7"},
        }));
        assert_eq!(object.key(), ObjectKey::new("a", "p"));
        assert_eq!((object.version(), object.identity()), ("7", "U"));
        assert_eq!(object.label("app"), "x");
        assert!(object.has_finalizer("f") && !object.is_deleting());
        assert!(object.value()["metadata"].get("managedFields").is_none());
    }
}
