//! Finding the resource that a user's word means, from the server's discovery.

use kube::Client;
use serde_json::Value;

use super::fetch;
use crate::args::GetArgs;
use crate::failure::{Failure, exit};

const DISCOVERY: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/// One served resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resource {
    group: String,
    version: String,
    plural: String,
    singular: String,
    namespaced: bool,
}

impl Resource {
    /// The first resource, in the server's order, that is called `word` or `word` up to a `.group`.
    pub(super) async fn find(client: &Client, word: &str) -> Result<Self, Failure> {
        for root in ["/api", "/apis"] {
            let groups = fetch(client, root, DISCOVERY).await?;
            if let Some(found) = find_in(&groups, word) {
                return Ok(found);
            }
        }
        let text = format!("the server has no resource \"{word}\"");
        Err(Failure::new(exit::NOT_FOUND, text).hint("`kubectl api-resources` lists what it has"))
    }

    /// `singular.group`, as kubectl prints names.
    pub(super) fn full_name(&self) -> String {
        if self.group.is_empty() {
            self.singular.clone()
        } else {
            format!("{}.{}", self.singular, self.group)
        }
    }

    /// Whether its objects are in namespaces.
    pub(super) const fn is_namespaced(&self) -> bool {
        self.namespaced
    }

    /// The request path for what the arguments ask.
    pub(super) fn path(&self, args: &GetArgs) -> String {
        let root = if self.group.is_empty() {
            "/api".to_owned()
        } else {
            format!("/apis/{}", self.group)
        };
        let mut path = format!("{root}/{}", self.version);
        if self.namespaced && !args.all_namespaces {
            path.push_str("/namespaces/");
            path.push_str(args.namespace.as_deref().unwrap_or("default"));
        }
        path.push('/');
        path.push_str(&self.plural);
        if let Some(name) = &args.name {
            path.push('/');
            path.push_str(name);
        } else if let Some(selector) = &args.selector {
            path.push_str("?labelSelector=");
            path.extend(selector.bytes().map(percent_encoded));
        }
        path
    }
}

fn percent_encoded(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
        char::from(byte).to_string()
    } else {
        format!("%{byte:02X}")
    }
}

fn find_in(groups: &Value, word: &str) -> Option<Resource> {
    let word = word.to_lowercase();
    for group in groups["items"].as_array()? {
        let group_name = group["metadata"]["name"].as_str().unwrap_or("");
        for version in group["versions"].as_array()? {
            for resource in version["resources"].as_array()? {
                if is_called(resource, group_name, &word) {
                    let plural = resource["resource"].as_str()?;
                    let singular = resource["singularResource"].as_str();
                    return Some(Resource {
                        group: group_name.to_owned(),
                        version: version["version"].as_str()?.to_owned(),
                        plural: plural.to_owned(),
                        singular: singular.unwrap_or(plural).to_owned(),
                        namespaced: resource["scope"] == "Namespaced",
                    });
                }
            }
        }
    }
    None
}

fn is_called(resource: &Value, group: &str, word: &str) -> bool {
    let names = ["resource", "singularResource"]
        .into_iter()
        .filter_map(|key| resource[key].as_str());
    let short = resource["shortNames"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let kind = resource["responseKind"]["kind"]
        .as_str()
        .map(str::to_lowercase);
    names
        .chain(short)
        .chain(kind.as_deref())
        .any(|name| name == word || (!group.is_empty() && word == format!("{name}.{group}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn groups() -> Value {
        json!({"items": [{
            "metadata": {"name": "apps"},
            "versions": [{"version": "v1", "resources": [{
                "resource": "deployments", "singularResource": "deployment",
                "shortNames": ["deploy"], "scope": "Namespaced",
                "responseKind": {"kind": "Deployment"},
            }]}],
        }]})
    }

    #[test]
    fn every_name_of_a_resource_finds_it() {
        for word in [
            "deployments",
            "deployment",
            "deploy",
            "Deployment",
            "deployments.apps",
        ] {
            let found = find_in(&groups(), word).unwrap_or_else(|| panic!("{word}"));
            assert_eq!(found.full_name(), "deployment.apps");
        }
        assert_eq!(find_in(&groups(), "pods"), None);
        assert_eq!(find_in(&groups(), "deployments.batch"), None);
    }

    #[test]
    fn selectors_are_encoded() {
        let encoded: String = "a=b,c in (d)".bytes().map(percent_encoded).collect();
        assert_eq!(encoded, "a%3Db%2Cc%20in%20%28d%29");
    }
}
