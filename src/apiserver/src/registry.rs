//! Which resources are served: built-ins, embedded definitions and custom resources.
//!
//! A registry is immutable; a change of a CRD swaps in a new one.

pub mod builtin;
pub mod custom;
pub mod definition;

use std::collections::BTreeMap;
use std::sync::Arc;

use flybridge_machinery::{Gvk, Gvr};

pub use self::definition::{Definition, Origin, ScalePaths, Scope, Subresource, Traits};

/// Orders `v10` over `v2` over `v1beta1` over `v1alpha3` over anything else.
fn version_priority(version: &str) -> (u8, u64, u64, std::cmp::Reverse<String>) {
    let other = (0, 0, 0, std::cmp::Reverse(version.to_owned()));
    let Some(rest) = version.strip_prefix('v') else {
        return other;
    };
    let (stage, major, minor) = match (rest.split_once("beta"), rest.split_once("alpha")) {
        (Some((major, minor)), _) => (2, major, minor),
        (_, Some((major, minor))) => (1, major, minor),
        _ => (3, rest, "0"),
    };
    match (major.parse(), minor.parse()) {
        (Ok(major), Ok(minor)) => (stage, major, minor, std::cmp::Reverse(String::new())),
        _ => other,
    }
}

/// Every served resource, by group, version and plural name.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    resources: BTreeMap<Gvr, Arc<Definition>>,
    /// Preferred order of versions in a group: the order of registration.
    groups: Vec<(String, Vec<String>)>,
    /// What custom resources were made of, for the next registry.
    pub(crate) known: custom::Known,
}

impl Registry {
    /// Adds or replaces a resource.
    pub fn insert(&mut self, definition: impl Into<Arc<Definition>>) {
        let definition = definition.into();
        let gvr = definition.gvr();
        let versions = match self
            .groups
            .iter_mut()
            .find(|(group, _)| *group == gvr.group)
        {
            Some((_, versions)) => versions,
            None => {
                self.groups.push((gvr.group.clone(), Vec::new()));
                match self.groups.last_mut() {
                    Some((_, versions)) => versions,
                    None => return,
                }
            }
        };
        if !versions.contains(&gvr.version) {
            versions.push(gvr.version.clone());
        }
        self.resources.insert(gvr, definition);
    }

    /// Puts the versions of a group in the order of preference: stable ones first, newest first.
    pub(crate) fn prefer_newest(&mut self, group: &str) {
        if let Some((_, versions)) = self.groups.iter_mut().find(|(name, _)| name == group) {
            versions.sort_by_cached_key(|version| std::cmp::Reverse(version_priority(version)));
        }
    }

    /// The resource at a path.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Definition>> {
        self.resources.get(&Gvr::new(group, version, plural))
    }

    /// The resource of a kind.
    pub fn find_kind(&self, gvk: &Gvk) -> Option<&Arc<Definition>> {
        self.resources.values().find(|definition| {
            definition.kind == gvk.kind
                && definition.group == gvk.group
                && definition.version == gvk.version
        })
    }

    /// Whether anything is served under a group and version.
    pub fn has_version(&self, group: &str, version: &str) -> bool {
        self.of_version(group, version).next().is_some()
    }

    /// Groups with their versions, preferred version first; the core group is `""`.
    pub fn groups(&self) -> &[(String, Vec<String>)] {
        &self.groups
    }

    /// The resources of one version of a group, in name order.
    pub fn of_version<'a>(
        &'a self,
        group: &'a str,
        version: &'a str,
    ) -> impl Iterator<Item = &'a Arc<Definition>> {
        self.resources
            .values()
            .filter(move |definition| definition.group == group && definition.version == version)
    }

    /// Every resource, one for each version.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.resources.values()
    }

    /// The definition of a stored family, in its storage version if that is served.
    pub fn of_bucket(&self, bucket: &str) -> Option<&Arc<Definition>> {
        let family = || {
            self.resources
                .values()
                .filter(|definition| &*definition.bucket == bucket)
        };
        let stored = |definition: &&Arc<Definition>| {
            definition.storage_api_version() == definition.api_version()
        };
        family().find(stored).or_else(|| family().next())
    }

    /// One definition for each stored family, in its storage version if that is served.
    pub fn storage(&self) -> Vec<Arc<Definition>> {
        let mut families: BTreeMap<&str, &Arc<Definition>> = BTreeMap::new();
        for definition in self
            .resources
            .values()
            .filter(|definition| definition.is_stored())
        {
            let stored = definition.storage_api_version() == definition.api_version();
            if stored || !families.contains_key(&*definition.bucket) {
                families.insert(&definition.bucket, definition);
            }
        }
        families.into_values().map(Arc::clone).collect()
    }
}
