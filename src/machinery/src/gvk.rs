//! Group, version, kind and resource: how the API names types and endpoints.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// An API group and version; the core group is the empty string.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupVersion {
    /// The group, empty for core.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
}

/// A group, version and kind: what an object says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Gvk {
    /// The group, empty for core.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
    /// The kind, such as `Deployment`.
    pub kind: String,
}

/// A group, version and plural resource: the endpoint an object is served at.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Gvr {
    /// The group, empty for core.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
    /// The plural resource, such as `deployments`.
    pub resource: String,
}

fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

impl GroupVersion {
    /// Names a group and a version.
    pub fn new(group: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
        }
    }

    /// Reads an `apiVersion`: `v1` or `apps/v1`.
    ///
    /// # Errors
    /// Fails with [`Error::GroupVersion`] when there is more than one slash.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text.split_once('/') {
            None => Ok(Self::new("", text)),
            Some((group, version)) if !version.contains('/') => Ok(Self::new(group, version)),
            Some(_) => Err(Error::GroupVersion(text.to_owned())),
        }
    }

    /// Names a kind of this group and version.
    pub fn with_kind(&self, kind: impl Into<String>) -> Gvk {
        Gvk::new(self.group.as_str(), self.version.as_str(), kind)
    }

    /// Names a resource of this group and version.
    pub fn with_resource(&self, resource: impl Into<String>) -> Gvr {
        Gvr::new(self.group.as_str(), self.version.as_str(), resource)
    }
}

impl FromStr for GroupVersion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text)
    }
}

impl fmt::Display for GroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&api_version(&self.group, &self.version))
    }
}

impl Gvk {
    /// Names a group, version and kind.
    pub fn new(
        group: impl Into<String>,
        version: impl Into<String>,
        kind: impl Into<String>,
    ) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        }
    }

    /// Reads the pair every object carries.
    ///
    /// # Errors
    /// Fails when `api_version` is not a group and version.
    pub fn from_api_version(api_version: &str, kind: impl Into<String>) -> Result<Self, Error> {
        Ok(GroupVersion::parse(api_version)?.with_kind(kind))
    }

    /// Renders `apiVersion` as objects carry it: `v1` or `apps/v1`.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// The group and version without the kind.
    pub fn group_version(&self) -> GroupVersion {
        GroupVersion::new(self.group.as_str(), self.version.as_str())
    }

    /// Renders kind and group as messages do: `Deployment.apps`, `Pod`.
    pub fn group_kind(&self) -> String {
        qualified(&self.kind, &self.group)
    }
}

impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, Kind={}", self.api_version(), self.kind)
    }
}

impl Gvr {
    /// Names a group, version and plural resource.
    pub fn new(
        group: impl Into<String>,
        version: impl Into<String>,
        resource: impl Into<String>,
    ) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
            resource: resource.into(),
        }
    }

    /// Renders `apiVersion` as objects carry it: `v1` or `apps/v1`.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// The group and version without the resource.
    pub fn group_version(&self) -> GroupVersion {
        GroupVersion::new(self.group.as_str(), self.version.as_str())
    }

    /// Renders resource and group as messages do: `deployments.apps`, `pods`.
    pub fn group_resource(&self) -> String {
        qualified(&self.resource, &self.group)
    }
}

impl fmt::Display for Gvr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, Resource={}", self.api_version(), self.resource)
    }
}

/// Joins a resource or kind with its group: `deployments.apps`, and `pods` in the core group.
pub fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{group}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_api_versions() {
        assert_eq!(
            GroupVersion::parse("v1").unwrap(),
            GroupVersion::new("", "v1")
        );
        assert_eq!(
            GroupVersion::parse("apps/v1").unwrap().to_string(),
            "apps/v1"
        );
        assert_eq!(GroupVersion::parse("v1").unwrap().to_string(), "v1");
        assert_eq!(
            GroupVersion::parse("a/b/c").unwrap_err().to_string(),
            "unexpected GroupVersion string: a/b/c"
        );
    }

    #[test]
    fn renders_as_messages_do() {
        let gvk = Gvk::from_api_version("apps/v1", "Deployment").unwrap();
        assert_eq!(gvk.to_string(), "apps/v1, Kind=Deployment");
        assert_eq!(gvk.group_kind(), "Deployment.apps");
        assert_eq!(Gvr::new("", "v1", "pods").group_resource(), "pods");
        assert_eq!(Gvr::new("", "v1", "pods").to_string(), "v1, Resource=pods");
    }
}
