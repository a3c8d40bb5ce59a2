//! One object, fetched when it is looked at.

use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::{Api, Client};

use super::errors::words;
use crate::rows::ObjectRef;

/// Fetches an object and writes it as YAML, without the managed fields nobody reads.
pub(super) async fn fetch(client: Client, object: &ObjectRef) -> Result<String, String> {
    let gvk = GroupVersionKind::gvk(&object.group, &object.version, &object.kind);
    let resource = ApiResource::from_gvk_with_plural(&gvk, &object.plural);
    let api: Api<DynamicObject> = if object.namespace.is_empty() {
        Api::all_with(client, &resource)
    } else {
        Api::namespaced_with(client, &object.namespace, &resource)
    };
    let mut found = api.get(&object.name).await.map_err(|error| words(&error))?;
    found.metadata.managed_fields = None;
    serde_saphyr::to_string(&found).map_err(|error| format!("cannot be written as YAML: {error}"))
}
