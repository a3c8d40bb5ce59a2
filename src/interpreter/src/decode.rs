//! Reading typed parts out of objects, with the leniency of Go's decoder: null is absent.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Error, Result};

/// Decodes a part; absent and null give the default.
pub(crate) fn part<T: DeserializeOwned + Default>(what: &'static str, value: &Value) -> Result<T> {
    if value.is_null() {
        return Ok(T::default());
    }
    T::deserialize(value).map_err(|source| Error::Shape { what, source })
}

/// Decodes a whole object, to find out whether it has the shape of its kind.
pub(crate) fn object<T: DeserializeOwned>(value: &Value) -> Result<T> {
    T::deserialize(value).map_err(|source| Error::Shape {
        what: "the object",
        source,
    })
}

/// A counter that is absent, null or a whole number.
pub(crate) type Counter = Option<i64>;

/// An item of a binding's aggregated status.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Item {
    /// The member.
    pub(crate) cluster_name: String,
    /// What it reported.
    pub(crate) status: Option<Value>,
}

impl Item {
    /// Decodes what the member reported; nothing if it has not reported.
    pub(crate) fn status<T: DeserializeOwned + Default>(&self) -> Result<Option<T>> {
        match &self.status {
            None | Some(Value::Null) => Ok(None),
            Some(status) => part("a member's status", status).map(Some),
        }
    }
}

/// Decodes the items of an aggregated status.
pub(crate) fn items(values: &[Value]) -> Result<Vec<Item>> {
    values
        .iter()
        .map(|value| part("an aggregated status item", value))
        .collect()
}
