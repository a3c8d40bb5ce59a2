//! The objects of one API server as JSON, for tests: whatever is refused fails the test.

use flybridge_client::{Objects, RestMapper, is_already_exists, is_not_found};
use flybridge_machinery::object;
use flybridge_store::Store;
use kube::Client;
use serde_json::Value;

/// An API server and ways to look at it.
pub struct Site {
    client: Client,
    mapper: RestMapper,
    store: Store,
}

impl Site {
    pub(super) fn new(client: &Client, store: &Store) -> Self {
        Self {
            client: client.clone(),
            mapper: RestMapper::new(client),
            store: store.clone(),
        }
    }

    /// A client with full rights.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The store's revision.
    pub fn revision(&self) -> u64 {
        self.store.revision()
    }

    /// Creates the objects of a YAML stream; those that exist are merged with what it says.
    ///
    /// # Panics
    /// When an object is refused.
    pub async fn apply(&self, yaml: &str) {
        let documents = serde_saphyr::from_multiple::<Value>(yaml).expect("valid YAML");
        for document in documents.iter().filter(|document| !document.is_null()) {
            let namespace = object::namespace(document).unwrap_or_default();
            let (api_version, kind) = (object::api_version(document), object::kind(document));
            let objects = self.objects(api_version, kind, namespace).await;
            match objects.create(document).await {
                Ok(_) => {}
                Err(error) if is_already_exists(&error) => {
                    let merged = objects.merge_patch(object::name(document), document).await;
                    merged.expect("the object is merged");
                }
                Err(error) => unreachable!("{kind} {} is refused: {error}", object::name(document)),
            }
        }
    }

    /// One object, if it is there; an empty namespace means cluster scope.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn get(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Value> {
        match self
            .objects(api_version, kind, namespace)
            .await
            .get(name)
            .await
        {
            Ok(found) => Some(found),
            Err(error) if is_not_found(&error) => None,
            Err(error) => unreachable!("{kind} {name} cannot be read: {error}"),
        }
    }

    /// All objects of a kind, of all namespaces.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn list(&self, api_version: &str, kind: &str) -> Vec<Value> {
        items(self.objects(api_version, kind, "").await.list("").await)
    }

    /// Merges `patch` into an object.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn patch(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
        patch: &Value,
    ) {
        let objects = self.objects(api_version, kind, namespace).await;
        objects
            .merge_patch(name, patch)
            .await
            .expect("the object is patched");
    }

    /// Deletes an object.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn delete(&self, api_version: &str, kind: &str, namespace: &str, name: &str) {
        let objects = self.objects(api_version, kind, namespace).await;
        objects
            .delete(name, None)
            .await
            .expect("the object is deleted");
    }

    /// Every object of every kind, in order.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn everything(&self) -> Vec<Value> {
        let served = self
            .mapper
            .refresh()
            .await
            .expect("the server tells what it serves");
        let mut all = Vec::new();
        let listable = || {
            served
                .mappings
                .iter()
                .filter(|mapping| mapping.takes(&["list"]))
        };
        for mapping in listable() {
            // Not every kind has the preferred version of its group.
            let better = listable().any(|other| {
                let (one, two) = (&mapping.resource, &other.resource);
                !mapping.preferred
                    && other.preferred
                    && (&one.group, &one.kind) == (&two.group, &two.kind)
            });
            if better {
                continue;
            }
            let objects = Objects::new(&self.client, &mapping.resource, "");
            for mut item in items(objects.list("").await) {
                item["apiVersion"] = Value::from(mapping.resource.api_version.as_str());
                item["kind"] = Value::from(mapping.resource.kind.as_str());
                all.push(item);
            }
        }
        all
    }

    async fn objects(&self, api_version: &str, kind: &str, namespace: &str) -> Objects {
        let mapping = self
            .mapper
            .lookup(api_version, kind)
            .await
            .expect("a served kind");
        Objects::new(&self.client, &mapping.resource, namespace)
    }
}

fn items(list: kube::Result<Value>) -> Vec<Value> {
    let mut list = list.expect("the kind is listed");
    match list["items"].take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}
