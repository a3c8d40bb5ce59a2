//! OpenAPI documents: what is served, and the types behind it.
//!
//! Clients read from them which kinds there are, which patches they may send, and whether the
//! server checks fields itself; `kubectl explain` reads the descriptions. Version 3 has one
//! document a group and version, version 2 one for everything.

mod operations;
mod proto;
mod schemas;

use flybridge_machinery::Gvk;
use serde_json::{Map, Value, json};

pub use self::proto::encode as v2_protobuf;
use self::schemas::{Schemas, Style};
use crate::{Catalog, Schema};

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

/// The version 3 document of one group and version.
pub fn v3_document(group: &str, version: &str, endpoints: &[Endpoint<'_>]) -> Value {
    let mut schemas = Schemas::new(Style::V3);
    let mut paths = Map::new();
    add(&mut paths, &mut schemas, group, version, endpoints);
    json!({
        "openapi": "3.0.0",
        "info": info(),
        "paths": paths,
        "components": {"schemas": schemas.finish()},
    })
}

/// The version 2 document of groups and versions, each with its endpoints.
pub fn v2_document(groups: &[(&str, &str, &[Endpoint<'_>])]) -> Value {
    let mut schemas = Schemas::new(Style::V2);
    let mut paths = Map::new();
    for (group, version, endpoints) in groups {
        add(&mut paths, &mut schemas, group, version, endpoints);
    }
    json!({
        "swagger": "2.0",
        "info": info(),
        "paths": paths,
        "definitions": schemas.finish(),
    })
}

fn info() -> Value {
    json!({"title": "Kubernetes", "version": "v1.36.2"})
}

fn add(
    paths: &mut Map<String, Value>,
    schemas: &mut Schemas,
    group: &str,
    version: &str,
    endpoints: &[Endpoint<'_>],
) {
    for endpoint in endpoints {
        let object = endpoint
            .schema
            .map(|schema| schemas.object(&endpoint.gvk, schema));
        let list = object
            .as_deref()
            .map(|object| schemas.list(&endpoint.gvk, object));
        let subresources = endpoint
            .subresources
            .iter()
            .map(|(_, gvk, _)| {
                if *gvk == endpoint.gvk {
                    return object.clone();
                }
                let schema = Catalog::builtin().schema_for(gvk)?;
                Some(schemas.object(gvk, &schema))
            })
            .collect();
        let deletion = Gvk::new("", "v1", "DeleteOptions");
        let options = Catalog::builtin()
            .schema_for(&deletion)
            .map(|schema| schemas.object(&deletion, &schema));
        let types = operations::Types {
            object,
            list,
            subresources,
            options,
        };
        operations::add(paths, schemas.style(), (group, version), endpoint, &types);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents() -> (Value, Value) {
        let gvk = Gvk::new("apps", "v1", "Deployment");
        let info = Catalog::builtin().resource_of_kind(&gvk).unwrap();
        let schema = Catalog::builtin().schema_for(&gvk).unwrap();
        let endpoint = [Endpoint {
            plural: &info.resource,
            gvk,
            namespaced: true,
            verbs: &info.verbs,
            subresources: Vec::new(),
            schema: Some(&schema),
            strategic: true,
        }];
        let v2 = v2_document(&[("apps", "v1", &endpoint)]);
        (v3_document("apps", "v1", &endpoint), v2)
    }

    #[test]
    fn patches_tell_what_they_take() {
        let (document, old) = documents();
        let path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
        let patch = &document["paths"][path]["patch"];
        assert_eq!(
            patch["x-kubernetes-group-version-kind"]["kind"],
            "Deployment"
        );
        let names: Vec<_> = patch["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|parameter| parameter["name"].clone())
            .collect();
        assert!(names.contains(&json!("fieldValidation")) && names.contains(&json!("dryRun")));
        let content = patch["requestBody"]["content"].as_object().unwrap();
        assert!(content.contains_key("application/strategic-merge-patch+json"));
        let consumes = &old["paths"][path]["patch"]["consumes"];
        assert!(
            consumes
                .as_array()
                .unwrap()
                .contains(&json!("application/apply-patch+yaml"))
        );
    }

    #[test]
    fn types_carry_their_extensions_and_every_reference_resolves() {
        let (new, old) = documents();
        for (schemas, prefix) in [
            (&new["components"]["schemas"], "\"#/components/schemas/"),
            (&old["definitions"], "\"#/definitions/"),
        ] {
            let containers = &schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
            assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
            assert_eq!(containers["x-kubernetes-list-map-keys"], json!(["name"]));
            let text = [new.to_string(), old.to_string()].concat();
            let mut found = 0;
            for part in text.split(prefix).skip(1) {
                let name = part.split('"').next().unwrap();
                assert!(schemas.get(name).is_some(), "{name} is not there");
                found += 1;
            }
            assert!(found > 100);
        }
    }

    #[test]
    fn amounts_are_text_or_numbers_in_version_3_only() {
        let (new, old) = documents();
        let name = "io.k8s.apimachinery.pkg.api.resource.Quantity";
        assert!(new["components"]["schemas"][name]["oneOf"].is_array());
        assert_eq!(old["definitions"][name]["type"], "string");
    }
}
