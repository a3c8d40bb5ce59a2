//! The Karmada kinds as the embedded API server serves them.

use std::sync::Arc;

use flybridge_apis::crd;
use flybridge_apiserver::Definition;
use flybridge_apiserver::printers::CustomPrinter;
use flybridge_apiserver::registry::custom::declared_subresources;
use flybridge_apiserver::registry::{Origin, Scope, Subresource, Traits};
use flybridge_machinery::{Gvk, object};
use flybridge_schema::Schema;
use kube::Client;
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::Value;

use crate::error::{Error, Result};

const VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

/// Cluster, which upstream's aggregated API server answers and ours serves itself.
pub(crate) fn cluster() -> Definition {
    let declared = crd::cluster_definition();
    let gvk = Gvk::new(declared.group, declared.version, declared.kind);
    let manifest = declared.manifest();
    let versions = object::path_list(&manifest, &["spec", "versions"]);
    let schema = Schema::from_crd(&declared.schema).ok();
    let columns = versions
        .first()
        .map(|version| object::path_list(version, &["additionalPrinterColumns"]));
    let mut subresources = declared_subresources(&gvk, true, false);
    subresources.insert(0, proxy(&gvk));
    let owned = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| (*text).to_owned())
            .collect::<Vec<_>>()
    };
    Definition {
        group: gvk.group.clone(),
        version: gvk.version.clone(),
        plural: declared.plural.to_owned(),
        singular: declared.singular.clone(),
        kind: gvk.kind.clone(),
        list_kind: format!("{}List", gvk.kind),
        short_names: owned(declared.short_names),
        categories: owned(declared.categories),
        scope: Scope::Cluster,
        verbs: owned(&VERBS),
        subresources,
        traits: Traits {
            status: true,
            generation: true,
            unconditional_update: true,
            ..Traits::default()
        },
        field_paths: Vec::new(),
        printer: columns.map(|columns| Arc::new(CustomPrinter::new(columns))),
        scale: None,
        schema,
        origin: Origin::Embedded,
        bucket: Definition::bucket_of(&gvk.group, declared.plural),
    }
}

fn proxy(gvk: &Gvk) -> Subresource {
    let verbs = ["create", "delete", "get", "patch", "update"];
    Subresource {
        name: "proxy".to_owned(),
        gvk: Gvk::new(&gvk.group, &gvk.version, "ClusterProxyOptions"),
        verbs: verbs.iter().map(|verb| (*verb).to_owned()).collect(),
    }
}

/// Creates the CRDs of the other kinds, or brings those of an older version up to date.
pub(crate) async fn install_crds(client: &Client) -> Result<()> {
    let gvk = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::from_gvk(&gvk));
    for manifest in crd::crds() {
        let name = object::name(&manifest).to_owned();
        let failed = |source| Error::Install {
            name: name.clone(),
            source: Box::new(source),
        };
        let found = api.get_opt(&name).await.map_err(failed)?;
        match found {
            None => {
                let crd = decode(manifest, &name)?;
                api.create(&PostParams::default(), &crd)
                    .await
                    .map_err(failed)?;
            }
            Some(found) if found.data["spec"] != manifest["spec"] => {
                let patch = Patch::Merge(serde_json::json!({"spec": manifest["spec"]}));
                api.patch(&name, &PatchParams::default(), &patch)
                    .await
                    .map_err(failed)?;
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Creates sample objects; those that are there already stay as they are.
pub(crate) async fn apply_samples(
    client: &Client,
    mapper: &flybridge_client::RestMapper,
    samples: Vec<Value>,
) -> Result<()> {
    for sample in samples {
        let name = object::namespaced_name(&sample);
        let mapping = mapper
            .lookup(object::api_version(&sample), object::kind(&sample))
            .await
            .map_err(|source| Error::Sample {
                name: name.clone(),
                source: Box::new(source),
            })?;
        let namespace = object::namespace(&sample).unwrap_or_default().to_owned();
        let api: Api<DynamicObject> = if mapping.namespaced {
            Api::namespaced_with(client.clone(), &namespace, &mapping.resource)
        } else {
            Api::all_with(client.clone(), &mapping.resource)
        };
        let object = decode(sample, &name)?;
        match api.create(&PostParams::default(), &object).await {
            Err(error) if !flybridge_client::is_already_exists(&error) => {
                return Err(Error::Install {
                    name,
                    source: Box::new(error),
                });
            }
            _ => {}
        }
    }
    Ok(())
}

fn decode(object: Value, name: &str) -> Result<DynamicObject> {
    serde_json::from_value(object).map_err(|source| Error::Malformed {
        name: name.to_owned(),
        source,
    })
}
