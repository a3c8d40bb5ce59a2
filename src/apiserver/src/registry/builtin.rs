//! The built-in resources, from the catalog of types and endpoints.

use flybridge_machinery::Gvk;
use flybridge_schema::catalog::Propagation;
use flybridge_schema::{Catalog, ResourceInfo, SubresourceInfo};

use super::definition::{Definition, Origin, Scope, Subresource, Traits};

/// Every built-in resource, in the catalog's order.
pub(crate) fn definitions() -> Vec<Definition> {
    Catalog::builtin()
        .resources()
        .iter()
        .map(definition)
        .collect()
}

fn definition(info: &ResourceInfo) -> Definition {
    let gvk = Gvk::new(&info.group, &info.version, &info.kind);
    Definition {
        group: info.group.clone(),
        version: info.version.clone(),
        plural: info.resource.clone(),
        singular: info.singular.clone(),
        kind: info.kind.clone(),
        list_kind: format!("{}List", info.kind),
        short_names: info.short_names.clone(),
        categories: info.categories.clone(),
        scope: if info.namespaced {
            Scope::Namespaced
        } else {
            Scope::Cluster
        },
        verbs: info.verbs.clone(),
        subresources: info
            .subresources
            .iter()
            .map(|sub| subresource(info, sub))
            .collect(),
        traits: Traits {
            status: info.has_status(),
            generation: info.generation,
            unconditional_update: info.unconditional_update,
            create_on_update: info.create_on_update,
            orphan_by_default: info.default_propagation == Propagation::Orphan,
        },
        field_paths: info
            .field_selectors
            .iter()
            .map(|selector| (selector.name.clone(), selector.path.clone()))
            .collect(),
        printer: None,
        scale: None,
        schema: Catalog::builtin().schema_for(&gvk),
        origin: Origin::BuiltIn,
        bucket: Definition::bucket_of(&info.group, &info.resource),
    }
}

fn subresource(info: &ResourceInfo, sub: &SubresourceInfo) -> Subresource {
    let (group, version) = if sub.version.is_empty() {
        (&info.group, &info.version)
    } else {
        (&sub.group, &sub.version)
    };
    Subresource {
        name: sub.name.clone(),
        gvk: Gvk::new(group, version, &sub.kind),
        verbs: sub.verbs.clone(),
    }
}
