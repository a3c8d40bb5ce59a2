//! What a change of a policy means for templates and bindings.

use std::collections::BTreeSet;

use flybridge_apis::finalizers;
use flybridge_apis::matching::{ImplicitPriority, Template, implicit_priority};
use flybridge_apis::propagation_policy::ActivationPreference;
use flybridge_apis::{ClusterPropagationPolicy, PropagationPolicy};
use flybridge_client::Objects;
use flybridge_runtime::{Action, LOW_PRIORITY, Object};
use kube::core::ApiResource;
use serde_json::json;

use super::policy::{Claim, Policy, PolicyKey, find, has_its_overrides};
use super::{Detector, ignore_missing};
use crate::context::BY_POLICY;
use crate::kinds::TemplateKey;
use crate::{Error, Result};

impl Detector {
    pub(super) async fn reconcile_policy(&self, key: &PolicyKey) -> Result<Action> {
        let Some(policy) = find(&self.context, key) else {
            return Ok(Action::Done);
        };
        if policy.id().is_empty() && !policy.is_deleting() {
            self.give_id(&policy).await?;
            return Ok(Action::Done);
        }
        if policy.is_deleting() {
            return self.release_policy(&policy).await;
        }
        self.let_go_of_unselected(&policy).await?;
        self.take_waiting(&policy)
    }

    fn policy_objects(&self, policy: &Policy) -> Objects {
        let resource = match policy {
            Policy::Namespaced(_) => ApiResource::erase::<PropagationPolicy>(&()),
            Policy::ClusterWide(_) => ApiResource::erase::<ClusterPropagationPolicy>(&()),
        };
        Objects::new(&self.context.client, &resource, policy.namespace())
    }

    /// Gives an id to a policy that no admission gave one.
    async fn give_id(&self, policy: &Policy) -> Result<()> {
        let patch = json!({"metadata": {
            "resourceVersion": policy.metadata().resource_version,
            "labels": {policy.id_label(): self.context.ids.uid()},
        }});
        let objects = self.policy_objects(policy);
        ignore_missing(objects.merge_patch(policy.name(), &patch).await)
    }

    /// Ends the claims on what the policy no longer selects, and has a look at the rest.
    async fn let_go_of_unselected(&self, policy: &Policy) -> Result<()> {
        let claim = Claim {
            policy: policy.key(),
            id: policy.id().to_owned(),
        };
        let lazy = policy.spec().activation_preference == Some(ActivationPreference::Lazy);
        for (kind, binding) in self.context.bindings_by(BY_POLICY, policy.id()) {
            let key = TemplateKey::bound_by(&binding);
            let Some(template) = self.context.template(&key).await? else {
                continue;
            };
            if selects(policy, &template) {
                self.enqueue(key, !lazy, LOW_PRIORITY);
                continue;
            }
            self.strip(&template, &claim).await?;
            self.strip_binding(kind, &binding, &claim).await?;
        }
        Ok(())
    }

    /// Takes the templates that waited for a policy like this one.
    fn take_waiting(&self, policy: &Policy) -> Result<Action> {
        let lazy = policy.spec().activation_preference == Some(ActivationPreference::Lazy);
        let waiting: Vec<TemplateKey> = self.waiting.lock().iter().cloned().collect();
        let mut taken = Vec::new();
        for key in waiting {
            let mapping = self.context.mapper.cached(&key.api_version, &key.kind);
            let informer = mapping.and_then(|m| self.context.templates.existing(&m.resource));
            let template = informer.and_then(|informer| informer.store().get(&key.object));
            if template
                .is_some_and(|template| in_scope(policy, &template) && selects(policy, &template))
            {
                taken.push(key);
            }
        }
        if !taken.is_empty() && !has_its_overrides(&self.context, policy) {
            return Err(Error::not_yet("waiting for dependent overrides"));
        }
        for template in taken {
            self.waiting.lock().remove(&template);
            self.enqueue(template, !lazy, LOW_PRIORITY);
        }
        Ok(Action::Done)
    }

    /// Ends every claim of a policy that is being deleted; bindings and what they did stay.
    async fn release_policy(&self, policy: &Policy) -> Result<Action> {
        let claim = Claim {
            policy: policy.key(),
            id: policy.id().to_owned(),
        };
        let kinds: BTreeSet<(&str, &str)> = policy
            .spec()
            .resource_selectors
            .iter()
            .map(|selector| (selector.api_version.as_str(), selector.kind.as_str()))
            .collect();
        for (api_version, kind) in kinds {
            let Some(store) = self.context.template_store(api_version, kind).await? else {
                continue;
            };
            for template in store.list() {
                if template.label(policy.id_label()) == claim.id && !claim.id.is_empty() {
                    self.strip(&template, &claim).await?;
                }
            }
        }
        let finalizer = match policy {
            Policy::Namespaced(_) => finalizers::PROPAGATION_POLICY_CONTROLLER,
            Policy::ClusterWide(_) => finalizers::CLUSTER_PROPAGATION_POLICY_CONTROLLER,
        };
        let metadata = policy.metadata();
        let present = metadata.finalizers.clone().unwrap_or_default();
        if present.iter().any(|have| have == finalizer) {
            let kept: Vec<String> = present.into_iter().filter(|f| f != finalizer).collect();
            let patch = json!({"metadata": {
                "resourceVersion": metadata.resource_version, "finalizers": kept,
            }});
            let objects = self.policy_objects(policy);
            ignore_missing(objects.merge_patch(policy.name(), &patch).await)?;
        }
        Ok(Action::Done)
    }
}

fn selects(policy: &Policy, template: &Object) -> bool {
    let selectors = &policy.spec().resource_selectors;
    implicit_priority(selectors, &Template::of(template)) > ImplicitPriority::Mismatch
}

/// Whether a policy may claim objects of the template's namespace.
fn in_scope(policy: &Policy, template: &Object) -> bool {
    match policy {
        Policy::Namespaced(_) => policy.namespace() == template.namespace(),
        Policy::ClusterWide(_) => true,
    }
}
