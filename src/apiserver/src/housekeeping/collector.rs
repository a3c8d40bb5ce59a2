//! Who depends on whom, and what happens to objects whose owners are gone.

use std::collections::{BTreeMap, BTreeSet};

use flybridge_machinery::object::OwnerReference;
use flybridge_machinery::{Gvk, object};
use serde_json::Value;

use super::{Place, remove};
use crate::options::{Propagation, WriteOptions};
use crate::record::Header;
use crate::request::Answer;
use crate::rest::pipeline::Part;
use crate::rest::{Call, update};
use crate::server::ApiServer;

/// Owners to dependents and back, by uid and place.
#[derive(Debug, Default)]
pub(super) struct Dependents {
    by_owner: BTreeMap<String, BTreeSet<Place>>,
    owners: BTreeMap<Place, Vec<String>>,
    /// Places of objects that own something.
    owner_places: BTreeMap<String, Place>,
}

impl Dependents {
    pub(super) fn note(&mut self, place: &Place, header: &Header) {
        let new: Vec<String> = header
            .owner_references
            .iter()
            .map(|owner| owner.uid.clone())
            .collect();
        if self.by_owner.contains_key(&header.uid) || !header.finalizers.is_empty() {
            self.owner_places.insert(header.uid.clone(), place.clone());
        }
        let old = self.owners.get(place);
        if old.is_none() && new.is_empty() || old == Some(&new) {
            return;
        }
        self.forget(place);
        for owner in &new {
            self.by_owner
                .entry(owner.clone())
                .or_default()
                .insert(place.clone());
        }
        if !new.is_empty() {
            self.owners.insert(place.clone(), new);
        }
    }

    /// Drops an object and returns the uids of its owners.
    pub(super) fn forget(&mut self, place: &Place) -> Vec<String> {
        let owners = self.owners.remove(place).unwrap_or_default();
        for owner in &owners {
            if let Some(dependents) = self.by_owner.get_mut(owner) {
                dependents.remove(place);
                if dependents.is_empty() {
                    self.by_owner.remove(owner);
                }
            }
        }
        owners
    }

    /// The dependents of an owner.
    pub(super) fn of(&self, uid: &str) -> Vec<Place> {
        self.by_owner
            .get(uid)
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }

    pub(super) fn owner_gone(&mut self, uid: &str) {
        self.owner_places.remove(uid);
    }

    pub(super) fn place_of(&self, uid: &str) -> Option<Place> {
        self.owner_places.get(uid).cloned()
    }
}

/// Deletes an object none of whose owners exist, and drops references to owners that do not.
pub(super) async fn collect(server: &ApiServer, call: &Call, object: &Value) -> Answer<()> {
    let owners = object::owner_references(object);
    if owners.is_empty() {
        return Ok(());
    }
    let (present, absent): (Vec<_>, Vec<_>) =
        owners.iter().partition(|owner| exists(server, call, owner));
    if present.is_empty() {
        return remove(call, Propagation::Background, object::uid(object)).await;
    }
    for owner in absent {
        drop_owner(call, &owner.uid).await?;
    }
    Ok(())
}

/// Whether an owner is there in this incarnation; one of a kind that is not served counts as there.
fn exists(server: &ApiServer, call: &Call, owner: &OwnerReference) -> bool {
    let Ok(gvk) = Gvk::from_api_version(&owner.api_version, &owner.kind) else {
        return true;
    };
    let registry = server.registry();
    let Some(definition) = registry.find_kind(&gvk) else {
        return true;
    };
    if definition.is_namespaced() && call.namespace.is_empty() {
        return false;
    }
    let name = definition.record_name(&call.namespace, &owner.name);
    let found = server.inner.store.snapshot().get(&definition.bucket, &name);
    found.is_some_and(|record| Header::of(&record).uid == owner.uid)
}

/// Removes the reference to one owner.
pub(super) async fn drop_owner(call: &Call, uid: &str) -> Answer<()> {
    let change = |old: &Value| {
        let mut new = old.clone();
        object::remove_owner_reference(&mut new, uid);
        Ok(new)
    };
    match update::modify(call, Part::Both, &WriteOptions::default(), change).await {
        Err(status) if status.code != 404 => Err(status),
        _ => Ok(()),
    }
}
