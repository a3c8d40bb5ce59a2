//! A propagation policy of either scope.

use std::sync::Arc;

use flybridge_apis::matching::{Template, best_policy};
use flybridge_apis::{
    ClusterPropagationPolicy, PropagationPolicy, PropagationSpec, annotations, labels,
};
use flybridge_runtime::Object;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::Context;

/// A policy by its place; the namespace of cluster-wide ones is empty.
pub type PolicyKey = flybridge_runtime::ObjectKey;

/// A propagation policy of either scope.
#[derive(Clone)]
pub enum Policy {
    /// Of one namespace.
    Namespaced(Arc<PropagationPolicy>),
    /// Of the whole control plane.
    ClusterWide(Arc<ClusterPropagationPolicy>),
}

impl Policy {
    /// Its metadata.
    pub fn metadata(&self) -> &ObjectMeta {
        match self {
            Self::Namespaced(policy) => &policy.metadata,
            Self::ClusterWide(policy) => &policy.metadata,
        }
    }

    /// Its rules.
    pub fn spec(&self) -> &PropagationSpec {
        match self {
            Self::Namespaced(policy) => &policy.spec,
            Self::ClusterWide(policy) => &policy.spec,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.metadata().name.as_deref().unwrap_or_default()
    }

    /// Its namespace, empty for cluster-wide ones.
    pub fn namespace(&self) -> &str {
        self.metadata().namespace.as_deref().unwrap_or_default()
    }

    /// Its place.
    pub fn key(&self) -> PolicyKey {
        PolicyKey::new(self.namespace(), self.name())
    }

    /// Whether it is being deleted.
    pub fn is_deleting(&self) -> bool {
        self.metadata().deletion_timestamp.is_some()
    }

    /// The label that carries ids of policies of this scope.
    pub fn id_label(&self) -> &'static str {
        id_label(self.namespace())
    }

    /// Its permanent id, empty until it has one.
    pub fn id(&self) -> &str {
        let labels = self.metadata().labels.as_ref();
        labels
            .and_then(|labels| labels.get(self.id_label()))
            .map_or("", String::as_str)
    }
}

/// The label that carries ids of policies of a namespace, or cluster-wide ones.
pub fn id_label(namespace: &str) -> &'static str {
    if namespace.is_empty() {
        labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID
    } else {
        labels::PROPAGATION_POLICY_PERMANENT_ID
    }
}

/// The policy that a template or binding says it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The policy.
    pub policy: PolicyKey,
    /// Its permanent id.
    pub id: String,
}

/// Reads the claim of a template; a policy of the namespace comes before a cluster-wide one.
pub fn claim(template: &Object) -> Option<Claim> {
    let namespace = template.annotation(annotations::PROPAGATION_POLICY_NAMESPACE);
    let name = template.annotation(annotations::PROPAGATION_POLICY_NAME);
    let id = template.label(labels::PROPAGATION_POLICY_PERMANENT_ID);
    if !namespace.is_empty() && !name.is_empty() && !id.is_empty() {
        return Some(Claim {
            policy: PolicyKey::new(namespace, name),
            id: id.to_owned(),
        });
    }
    let name = template.annotation(annotations::CLUSTER_PROPAGATION_POLICY_NAME);
    let id = template.label(labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID);
    (!name.is_empty() && !id.is_empty()).then(|| Claim {
        policy: PolicyKey::cluster_scoped(name),
        id: id.to_owned(),
    })
}

/// The cached policy of that key.
pub fn find(context: &Context, key: &PolicyKey) -> Option<Policy> {
    if key.namespace.is_empty() {
        let policy = context.cluster_policies.store().get(key)?;
        Some(Policy::ClusterWide(policy))
    } else {
        context.policies.store().get(key).map(Policy::Namespaced)
    }
}

/// The policy an unclaimed template should belong to.
pub fn choose(context: &Context, template: &Object) -> Option<Policy> {
    let parts = Template::of(template);
    if !template.namespace().is_empty() {
        let candidates = context
            .policies
            .store()
            .list_namespace(template.namespace());
        if let Some(best) = best_policy(candidates.iter().map(AsRef::as_ref), &parts) {
            let found = candidates
                .iter()
                .find(|policy| std::ptr::eq(policy.as_ref(), best));
            return found.map(|policy| Policy::Namespaced(Arc::clone(policy)));
        }
    }
    let candidates = context.cluster_policies.store().list();
    let best = best_policy(candidates.iter().map(AsRef::as_ref), &parts)?;
    let found = candidates
        .iter()
        .find(|policy| std::ptr::eq(policy.as_ref(), best));
    found.map(|policy| Policy::ClusterWide(Arc::clone(policy)))
}

/// Whether every override policy that must come first exists.
pub fn has_its_overrides(context: &Context, policy: &Policy) -> bool {
    let mut names = policy.spec().dependent_overrides.iter();
    names.all(|name| {
        let key = PolicyKey::new(policy.namespace(), &**name);
        if key.namespace.is_empty() {
            context.cluster_overrides.store().get(&key).is_some()
        } else {
            context.overrides.store().get(&key).is_some()
        }
    })
}
