//! Resource selectors of policies against templates, and the choice among policies.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::clusters::cluster_matches;
use super::labels::selector_matches;
use crate::cluster::Cluster;
use crate::override_policy::{ClusterOverridePolicy, OverridePolicy, OverrideSpec, Overriders};
use crate::propagation_policy::{ClusterPropagationPolicy, PropagationPolicy, PropagationSpec};
use crate::selector::ResourceSelector;

/// The parts of a template that selectors look at.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    /// API version.
    pub api_version: &'a str,
    /// Kind.
    pub kind: &'a str,
    /// Namespace; empty for cluster-scoped templates.
    pub namespace: &'a str,
    /// Name.
    pub name: &'a str,
    /// The object's `metadata.labels`.
    labels: Option<&'a Value>,
}

impl<'a> Template<'a> {
    /// The parts of an object.
    pub fn of(object: &'a Value) -> Self {
        let text = |value: Option<&'a Value>| value.and_then(Value::as_str).unwrap_or_default();
        let metadata = object.get("metadata");
        let member = |name: &str| metadata.and_then(|metadata| metadata.get(name));
        Self {
            api_version: text(object.get("apiVersion")),
            kind: text(object.get("kind")),
            namespace: text(member("namespace")),
            name: text(member("name")),
            labels: member("labels"),
        }
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&'a str> {
        self.labels?.get(key)?.as_str()
    }
}

/// How specifically a selector names a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImplicitPriority {
    /// It does not.
    Mismatch,
    /// It selects every resource of the kind.
    All,
    /// It selects by label.
    Labels,
    /// It selects by name.
    Name,
}

impl ResourceSelector {
    /// How specifically this selector names the template.
    pub fn implicit_priority(&self, template: &Template<'_>) -> ImplicitPriority {
        if self.api_version != template.api_version
            || self.kind != template.kind
            || (!self.namespace.is_empty() && self.namespace != template.namespace)
        {
            return ImplicitPriority::Mismatch;
        }
        if !self.name.is_empty() {
            return if self.name == template.name {
                ImplicitPriority::Name
            } else {
                ImplicitPriority::Mismatch
            };
        }
        match &self.label_selector {
            None => ImplicitPriority::All,
            Some(selector) if selector_matches(selector, |key| template.label(key)) => {
                ImplicitPriority::Labels
            }
            Some(_) => ImplicitPriority::Mismatch,
        }
    }
}

/// The most specific priority among selectors.
pub fn implicit_priority(
    selectors: &[ResourceSelector],
    template: &Template<'_>,
) -> ImplicitPriority {
    selectors
        .iter()
        .map(|selector| selector.implicit_priority(template))
        .max()
        .unwrap_or(ImplicitPriority::Mismatch)
}

/// A policy that propagates resources.
pub trait Propagates: kube::Resource<DynamicType = ()> {
    /// The rules.
    fn spec(&self) -> &PropagationSpec;
}

impl Propagates for PropagationPolicy {
    fn spec(&self) -> &PropagationSpec {
        &self.spec
    }
}

impl Propagates for ClusterPropagationPolicy {
    fn spec(&self) -> &PropagationSpec {
        &self.spec
    }
}

/// The policy an unclaimed template belongs to, among policies of one scope.
///
/// Greatest explicit priority first, then the most specific selector, then the smallest name; policies
/// that are being deleted do not take part. The caller restricts PropagationPolicies to the template's namespace.
pub fn best_policy<'p, P: Propagates>(
    policies: impl IntoIterator<Item = &'p P>,
    template: &Template<'_>,
) -> Option<&'p P> {
    policies
        .into_iter()
        .filter(|policy| policy.meta().deletion_timestamp.is_none())
        .filter_map(|policy| {
            let specific = implicit_priority(&policy.spec().resource_selectors, template);
            (specific > ImplicitPriority::Mismatch).then_some((policy, specific))
        })
        .max_by(|(a, a_specific), (b, b_specific)| {
            let explicit = a.spec().priority().cmp(&b.spec().priority());
            explicit
                .then(a_specific.cmp(b_specific))
                .then_with(|| name(b.meta()).cmp(name(a.meta())))
        })
        .map(|(policy, _)| policy)
}

fn name(meta: &ObjectMeta) -> &str {
    meta.name.as_deref().unwrap_or_default()
}

/// A policy that overrides resources.
pub trait Overrides: kube::Resource<DynamicType = ()> {
    /// The rules.
    fn spec(&self) -> &OverrideSpec;
}

impl Overrides for OverridePolicy {
    fn spec(&self) -> &OverrideSpec {
        &self.spec
    }
}

impl Overrides for ClusterOverridePolicy {
    fn spec(&self) -> &OverrideSpec {
        &self.spec
    }
}

/// One rule that applies, with the policy it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AppliedOverride<'a> {
    /// Name of the policy.
    pub policy: &'a str,
    /// What it changes.
    pub overriders: &'a Overriders,
}

/// The rules of policies of one scope that apply to a template in a cluster, in order of application.
///
/// The most specific policy comes last, so that it has the last word. The caller restricts
/// OverridePolicies to the template's namespace.
pub fn applied_overrides<'p, P: Overrides + 'p>(
    policies: impl IntoIterator<Item = &'p P>,
    template: &Template<'_>,
    cluster: &Cluster,
) -> Vec<AppliedOverride<'p>> {
    let mut matching: Vec<(ImplicitPriority, &P)> = policies
        .into_iter()
        .filter_map(|policy| {
            let selectors = &policy.spec().resource_selectors;
            let specific = if selectors.is_empty() {
                ImplicitPriority::All
            } else {
                implicit_priority(selectors, template)
            };
            (specific > ImplicitPriority::Mismatch).then_some((specific, policy))
        })
        .collect();
    matching.sort_by(|(a_specific, a), (b_specific, b)| {
        a_specific
            .cmp(b_specific)
            .then_with(|| name(a.meta()).cmp(name(b.meta())))
    });
    matching
        .into_iter()
        .flat_map(|(_, policy)| rules_for(policy, cluster))
        .collect()
}

fn rules_for<'p, P: Overrides + 'p>(policy: &'p P, cluster: &Cluster) -> Vec<AppliedOverride<'p>> {
    let spec = policy.spec();
    let applied = |overriders| AppliedOverride {
        policy: name(policy.meta()),
        overriders,
    };
    let selected = |target: &Option<crate::ClusterAffinity>| {
        target
            .as_ref()
            .is_none_or(|affinity| cluster_matches(cluster, affinity))
    };
    if spec.override_rules.is_empty() {
        return if selected(&spec.target_cluster) {
            vec![applied(&spec.overriders)]
        } else {
            Vec::new()
        };
    }
    spec.override_rules
        .iter()
        .filter(|rule| selected(&rule.target_cluster))
        .map(|rule| applied(&rule.overriders))
        .collect()
}
