//! One resource of one API as JSON values: the verbs without types, so nothing a newer server
//! knows is lost on the way through.

use http::Request;
use kube::Client;
use kube::core::ApiResource;
use serde_json::{Value, json};

/// The objects of one resource, in one namespace or cluster wide.
#[derive(Clone)]
pub struct Objects {
    client: Client,
    base: String,
}

impl Objects {
    /// Objects of `resource` in `namespace`; an empty namespace means cluster scope, or every
    /// namespace when listing.
    pub fn new(client: &Client, resource: &ApiResource, namespace: &str) -> Self {
        Self {
            client: client.clone(),
            base: collection_path(resource, namespace),
        }
    }

    /// Reads one object.
    ///
    /// # Errors
    /// As the API answers.
    pub async fn get(&self, name: &str) -> kube::Result<Value> {
        self.send("GET", &format!("{}/{name}", self.base), None)
            .await
    }

    /// Lists the collection; `query` is a ready query string such as `labelSelector=a%3Db`.
    ///
    /// # Errors
    /// As the API answers.
    pub async fn list(&self, query: &str) -> kube::Result<Value> {
        self.send("GET", &format!("{}?{query}", self.base), None)
            .await
    }

    /// Creates `object` and returns it as stored.
    ///
    /// # Errors
    /// As the API answers.
    pub async fn create(&self, object: &Value) -> kube::Result<Value> {
        self.send("POST", &self.base, Some(object)).await
    }

    /// Replaces the object of that name.
    ///
    /// # Errors
    /// As the API answers; a conflict if `object` carries a stale resource version.
    pub async fn replace(&self, name: &str, object: &Value) -> kube::Result<Value> {
        self.send("PUT", &format!("{}/{name}", self.base), Some(object))
            .await
    }

    /// Replaces the status of the object of that name.
    ///
    /// # Errors
    /// As the API answers.
    pub async fn replace_status(&self, name: &str, object: &Value) -> kube::Result<Value> {
        self.send("PUT", &format!("{}/{name}/status", self.base), Some(object))
            .await
    }

    /// Applies a JSON merge patch.
    ///
    /// # Errors
    /// As the API answers.
    pub async fn merge_patch(&self, name: &str, patch: &Value) -> kube::Result<Value> {
        self.send("PATCH", &format!("{}/{name}", self.base), Some(patch))
            .await
    }

    /// Applies a JSON merge patch to the status subresource.
    ///
    /// # Errors
    /// As the API answers.
    pub async fn merge_patch_status(&self, name: &str, patch: &Value) -> kube::Result<Value> {
        self.send(
            "PATCH",
            &format!("{}/{name}/status", self.base),
            Some(patch),
        )
        .await
    }

    /// Deletes in the background, optionally only the object with that uid; an object that is
    /// already gone counts as deleted.
    ///
    /// # Errors
    /// As the API answers, except for not found.
    pub async fn delete(&self, name: &str, uid: Option<&str>) -> kube::Result<()> {
        let mut options =
            json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"});
        if let Some(uid) = uid {
            options["preconditions"] = json!({"uid": uid});
        }
        match self
            .send("DELETE", &format!("{}/{name}", self.base), Some(&options))
            .await
        {
            Ok(_deleted) => Ok(()),
            Err(error) if is_not_found(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn send(&self, method: &str, uri: &str, body: Option<&Value>) -> kube::Result<Value> {
        let mut request = Request::builder().method(method).uri(uri);
        if body.is_some() {
            let content = if method == "PATCH" {
                "application/merge-patch+json"
            } else {
                "application/json"
            };
            request = request.header(http::header::CONTENT_TYPE, content);
        }
        let bytes = match body {
            Some(body) => serde_json::to_vec(body).map_err(kube::Error::SerdeError)?,
            None => Vec::new(),
        };
        let request = request.body(bytes).map_err(kube::Error::HttpError)?;
        self.client.request(request).await
    }
}

/// The URL path of a collection.
pub fn collection_path(resource: &ApiResource, namespace: &str) -> String {
    let root = if resource.group.is_empty() {
        "/api".to_owned()
    } else {
        format!("/apis/{}", resource.group)
    };
    let (version, plural) = (&resource.version, &resource.plural);
    if namespace.is_empty() {
        format!("{root}/{version}/{plural}")
    } else {
        format!("{root}/{version}/namespaces/{namespace}/{plural}")
    }
}

/// Whether the API said that there is no such object.
pub fn is_not_found(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_not_found())
}

/// Whether the API said that the object changed meanwhile.
pub fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_conflict())
}

/// Whether the API said that the object exists.
pub fn is_already_exists(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_already_exists())
}

#[cfg(test)]
mod tests {
    use kube::core::GroupVersionKind;

    use super::*;

    #[test]
    fn paths_follow_group_and_scope() {
        let pods =
            ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", "Pod"), "pods");
        assert_eq!(collection_path(&pods, "a"), "/api/v1/namespaces/a/pods");
        let works = ApiResource::from_gvk_with_plural(
            &GroupVersionKind::gvk("work.karmada.io", "v1alpha1", "Work"),
            "works",
        );
        assert_eq!(
            collection_path(&works, ""),
            "/apis/work.karmada.io/v1alpha1/works"
        );
    }
}
