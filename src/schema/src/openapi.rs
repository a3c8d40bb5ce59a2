//! OpenAPI v3 documents: what one group and version serves, and the types behind it.
//!
//! Clients read from it which kinds there are, which patches they may send, and whether the server
//! checks fields itself; `kubectl explain` reads the descriptions.

mod operations;
mod schemas;

use flybridge_machinery::Gvk;
use serde_json::{Map, Value, json};

use self::schemas::Schemas;
use crate::Schema;

/// One endpoint, as a document tells of it.
#[derive(Clone, Debug)]
pub struct Endpoint<'a> {
    /// Plural name.
    pub plural: &'a str,
    /// Kind of the objects.
    pub gvk: Gvk,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// What may be done.
    pub verbs: &'a [String],
    /// Name, kind and verbs of each subresource.
    pub subresources: Vec<(&'a str, Gvk, &'a [String])>,
    /// The type of the objects.
    pub schema: Option<&'a Schema>,
    /// Whether strategic merge patches are taken.
    pub strategic: bool,
}

/// The document of one group and version.
pub fn v3_document(group: &str, version: &str, endpoints: &[Endpoint<'_>]) -> Value {
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let reference = endpoint.schema.map(|schema| schemas.object(&endpoint.gvk, schema));
        operations::add(&mut paths, group, version, endpoint, reference.as_deref());
    }
    json!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.36.2"},
        "paths": paths,
        "components": {"schemas": schemas.finish()},
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;

    fn document() -> Value {
        let gvk = Gvk::new("apps", "v1", "Deployment");
        let info = Catalog::builtin().resource_of_kind(&gvk).unwrap();
        let schema = Catalog::builtin().schema_for(&gvk).unwrap();
        let endpoint = Endpoint {
            plural: &info.resource,
            gvk,
            namespaced: true,
            verbs: &info.verbs,
            subresources: Vec::new(),
            schema: Some(&schema),
            strategic: true,
        };
        v3_document("apps", "v1", &[endpoint])
    }

    #[test]
    fn patches_tell_what_they_take() {
        let document = document();
        let path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
        let patch = &document["paths"][path]["patch"];
        assert_eq!(patch["x-kubernetes-group-version-kind"]["kind"], "Deployment");
        let names: Vec<_> = patch["parameters"].as_array().unwrap().iter().map(|p| p["name"].clone()).collect();
        assert!(names.contains(&json!("fieldValidation")) && names.contains(&json!("dryRun")));
        let content = patch["requestBody"]["content"].as_object().unwrap();
        assert!(content.contains_key("application/strategic-merge-patch+json"));
    }

    #[test]
    fn types_carry_their_extensions_and_every_reference_resolves() {
        let document = document();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let containers = &schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
        assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
        assert_eq!(containers["x-kubernetes-list-map-keys"], json!(["name"]));
        let text = document.to_string();
        for part in text.split("\"#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(schemas.contains_key(name), "{name} is not there");
        }
    }
}
