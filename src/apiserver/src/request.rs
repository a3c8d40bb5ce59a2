//! What a request asks for, read from its method, path and query.

use flybridge_machinery::{Gvr, Status};

use crate::options::Query;

/// A failure as clients see it.
pub type Failure = Box<Status>;
/// An answer or a failure as clients see it.
pub type Answer<T> = Result<T, Failure>;

/// Who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// User name.
    pub name: String,
    /// Groups.
    pub groups: Vec<String>,
}

impl User {
    /// The administrator: `system:masters` may do anything.
    pub fn admin() -> Self {
        Self {
            name: "kubernetes-admin".to_owned(),
            groups: vec![
                "system:masters".to_owned(),
                "system:authenticated".to_owned(),
            ],
        }
    }

    /// Somebody without credentials.
    pub fn anonymous() -> Self {
        Self {
            name: "system:anonymous".to_owned(),
            groups: vec!["system:unauthenticated".to_owned()],
        }
    }

    /// A component of this program.
    pub fn system(component: &str) -> Self {
        Self {
            name: format!("system:{component}"),
            groups: vec![
                "system:masters".to_owned(),
                "system:authenticated".to_owned(),
            ],
        }
    }

    /// Whether nothing is denied to the user.
    pub fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == "system:masters")
    }

    /// Whether the user has no credentials.
    pub fn is_anonymous(&self) -> bool {
        self.name == "system:anonymous"
    }
}

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Group, version and resource.
    pub gvr: Gvr,
    /// Namespace; empty beside namespaces and for lists over all of them.
    pub namespace: String,
    /// Object; empty for collections.
    pub name: String,
    /// Subresource; empty for the object itself.
    pub subresource: String,
    /// What follows the subresource, without a leading slash.
    pub rest: String,
    /// The deprecated `/watch/` prefix was used.
    pub watch_prefix: bool,
}

/// A path, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// A resource, a collection or a subresource.
    Resource(Box<Target>),
    /// `/apis/<group>/<version>` or `/api/v1`.
    Version(String, String),
    /// `/apis/<group>`.
    Group(String),
    /// Anything else.
    Other,
}

/// Reads a path of the API.
pub fn read_path(path: &str) -> Path {
    let segments: Vec<&str> = path
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    match segments.as_slice() {
        ["api", version] => Path::Version(String::new(), (*version).to_owned()),
        ["api", version, rest @ ..] => resource(path, "", version, rest, 3),
        ["apis", group] => Path::Group((*group).to_owned()),
        ["apis", group, version] => Path::Version((*group).to_owned(), (*version).to_owned()),
        ["apis", group, version, rest @ ..] => resource(path, group, version, rest, 4),
        _ => Path::Other,
    }
}

fn resource(path: &str, group: &str, version: &str, rest: &[&str], skipped: usize) -> Path {
    let watch_prefix = rest.first() == Some(&"watch");
    let rest = if watch_prefix { &rest[1..] } else { rest };
    // `namespaces/x/<resource>` is inside a namespace; `namespaces/x/status` is about the namespace.
    let (namespace, rest) = match rest {
        ["namespaces", namespace, inner, ..]
            if !(group.is_empty() && matches!(*inner, "status" | "finalize")) =>
        {
            (*namespace, &rest[2..])
        }
        _ => ("", rest),
    };
    let Some(plural) = rest.first() else {
        return Path::Other;
    };
    let at = |index: usize| rest.get(index).copied().unwrap_or_default().to_owned();
    let (name, subresource) = (at(1), at(2));
    let consumed = skipped + usize::from(watch_prefix) + if namespace.is_empty() { 0 } else { 2 };
    let tail = if rest.len() > 2 {
        after_segments(path, consumed + 2)
    } else {
        String::new()
    };
    Path::Resource(Box::new(Target {
        gvr: Gvr::new(group, version, *plural),
        namespace: namespace.to_owned(),
        name: decode(&name),
        subresource,
        rest: tail,
        watch_prefix,
    }))
}

/// The path after its first `count` non-empty segments, as it was written.
fn after_segments(path: &str, count: usize) -> String {
    let mut left = path.trim_start_matches('/');
    for _ in 0..count {
        let Some((_, rest)) = left.split_once('/') else {
            return String::new();
        };
        left = rest.trim_start_matches('/');
    }
    left.to_owned()
}

fn decode(segment: &str) -> String {
    Query::decode(segment, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str) -> Target {
        match read_path(path) {
            Path::Resource(target) => *target,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn reads_objects_collections_and_subresources() {
        let pod = target("/api/v1/namespaces/default/pods/web/log");
        assert_eq!(
            (pod.namespace.as_str(), pod.name.as_str()),
            ("default", "web")
        );
        assert_eq!(
            (pod.gvr.resource.as_str(), pod.subresource.as_str()),
            ("pods", "log")
        );
        let all = target("/apis/apps/v1/deployments");
        assert_eq!((all.namespace.as_str(), all.name.as_str()), ("", ""));
        assert_eq!(all.gvr, Gvr::new("apps", "v1", "deployments"));
    }

    #[test]
    fn namespaces_are_objects_too() {
        let one = target("/api/v1/namespaces/team");
        assert_eq!(
            (one.gvr.resource.as_str(), one.name.as_str()),
            ("namespaces", "team")
        );
        let finalize = target("/api/v1/namespaces/team/finalize");
        assert_eq!(
            (finalize.name.as_str(), finalize.subresource.as_str()),
            ("team", "finalize")
        );
    }

    #[test]
    fn keeps_the_path_behind_a_proxy() {
        let proxy = target("/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy/api/v1/pods");
        assert_eq!(
            (proxy.subresource.as_str(), proxy.rest.as_str()),
            ("proxy", "api/v1/pods")
        );
    }

    #[test]
    fn groups_and_versions_are_no_resources() {
        assert_eq!(
            read_path("/api/v1"),
            Path::Version(String::new(), "v1".to_owned())
        );
        assert_eq!(read_path("/apis/apps"), Path::Group("apps".to_owned()));
        assert_eq!(read_path("/healthz"), Path::Other);
    }
}
