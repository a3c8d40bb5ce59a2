//! Template to binding: finds the policy an object belongs to, claims it and describes it.

pub mod plan;
pub mod policy;
pub mod templates;

mod policies;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use flybridge_apis::labels;
use flybridge_apis::matching::{ImplicitPriority, Template, implicit_priority};
use flybridge_apis::propagation_policy::ActivationPreference;
use flybridge_client::{Objects, is_already_exists, is_not_found};
use flybridge_runtime::{
    Action, Change, EventType, LOW_PRIORITY, Object, ObjectKey, WorkQueue, run_workers,
};
use parking_lot::Mutex;
use tokio::sync::Notify;

use self::plan::{claim_patch, strip_patch, wanted};
use self::policy::{Claim, Policy, PolicyKey, choose, claim, find, has_its_overrides};
use crate::context::{BY_POLICY, BY_TEMPLATE, template_index};
use crate::kinds::{BindingKey, BindingKind, TemplateKey};
use crate::{Context, Error, Result};

/// Told of every change of an object that may be a template, or something templates need.
type Listener = Box<dyn Fn(&Change<'_, Object>) + Send + Sync>;

/// The detector and its queues.
pub struct Detector {
    context: Arc<Context>,
    /// Templates to look at.
    pub templates: WorkQueue<TemplateKey>,
    /// Policies to look at.
    pub policies: WorkQueue<PolicyKey>,
    /// Templates without a policy.
    waiting: Mutex<BTreeSet<TemplateKey>>,
    /// Templates in line that a user changed; a lazy policy acts on no others.
    edited: Mutex<BTreeSet<TemplateKey>>,
    /// The versions that claims made of templates: their events bring nothing new.
    claims: Mutex<BTreeMap<TemplateKey, String>>,
    listeners: Mutex<Vec<Listener>>,
    /// Told when definitions of kinds change.
    definitions_changed: Notify,
}

impl Detector {
    /// A detector that does nothing yet.
    pub fn new(context: &Arc<Context>) -> Arc<Self> {
        Arc::new(Self {
            context: Arc::clone(context),
            templates: WorkQueue::new(),
            policies: WorkQueue::new(),
            waiting: Mutex::default(),
            edited: Mutex::default(),
            claims: Mutex::default(),
            listeners: Mutex::default(),
            definitions_changed: Notify::new(),
        })
    }

    /// Calls `listener` for every change of an object that may be a template, beyond its status.
    pub fn listen(&self, listener: impl Fn(&Change<'_, Object>) + Send + Sync + 'static) {
        self.listeners.lock().push(Box::new(listener));
    }

    /// Starts to follow templates and policies.
    pub fn start(self: &Arc<Self>) {
        self.watch_policies();
        templates::follow(self);
        let (tasks, workers) = (&self.context.tasks, self.context.options.workers);
        let this = Arc::clone(self);
        run_workers(tasks, "detector", &self.templates, workers, move |key| {
            let this = Arc::clone(&this);
            async move { this.look_at(&key).await }
        });
        let this = Arc::clone(self);
        run_workers(tasks, "policies", &self.policies, 2, move |key| {
            let this = Arc::clone(&this);
            async move { this.reconcile_policy(&key).await }
        });
    }

    fn watch_policies(self: &Arc<Self>) {
        let this = Arc::clone(self);
        self.context.policies.store().subscribe(move |change| {
            let label = labels::PROPAGATION_POLICY_PERMANENT_ID;
            this.policy_changed(change, label);
        });
        let this = Arc::clone(self);
        self.context
            .cluster_policies
            .store()
            .subscribe(move |change| {
                let label = labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID;
                this.policy_changed(change, label);
            });
    }

    fn policy_changed<K: kube::Resource>(&self, change: &Change<'_, K>, id_label: &str) {
        if let Some(key) = changed_policy(change) {
            self.policies.add(key);
        }
        let (None, Some(gone)) = (change.new, change.old) else {
            return;
        };
        let id = gone
            .meta()
            .labels
            .as_ref()
            .and_then(|labels| labels.get(id_label));
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            return;
        };
        // Its finalizer has ended the claims, unless it never had one.
        for (_, binding) in self.context.bindings_by(BY_POLICY, id) {
            self.enqueue(TemplateKey::bound_by(&binding), true, LOW_PRIORITY);
        }
    }

    /// Puts a template in line; `edited` tells whether a user is behind it.
    fn enqueue(&self, key: TemplateKey, edited: bool, priority: i32) {
        if edited {
            self.edited.lock().insert(key.clone());
        }
        self.templates.add_with(key, priority);
    }

    async fn look_at(&self, key: &TemplateKey) -> Result<Action> {
        let edited = self.edited.lock().remove(key);
        let outcome = self.reconcile(key, edited).await;
        if edited && outcome.is_err() {
            self.edited.lock().insert(key.clone());
        }
        outcome
    }

    async fn reconcile(&self, template_key: &TemplateKey, edited: bool) -> Result<Action> {
        let template = self.context.template(template_key).await?;
        let Some(template) = template else {
            self.waiting.lock().remove(template_key);
            return Ok(Action::Done);
        };
        if template.is_deleting() || !template.label(labels::CLAIMED_BY).is_empty() {
            self.waiting.lock().remove(template_key);
            return Ok(Action::Done);
        }
        let policy = match claim(&template) {
            Some(claim) => match self.claimed(&template, &claim).await? {
                Some(policy) => policy,
                None => return Ok(Action::Done),
            },
            None => match self.unclaimed(template_key, &template) {
                Some(policy) => policy,
                None => return Ok(Action::Done),
            },
        };
        if !has_its_overrides(&self.context, &policy) {
            return Err(Error::not_yet("waiting for dependent overrides"));
        }
        let outcome = self.apply(&template, &policy, edited).await;
        if let Err(error) = &outcome {
            let text = format!("Apply policy({}) failed: {error}", policy.key());
            let recorder = &self.context.recorder;
            recorder.event(&template, EventType::Warning, "ApplyPolicyFailed", text);
        }
        outcome.map(|()| Action::Done)
    }

    /// The policy of a claimed template, if it still selects it; ends the claim of one that is gone.
    async fn claimed(&self, template: &Object, claim: &Claim) -> Result<Option<Policy>> {
        let Some(policy) = find(&self.context, &claim.policy) else {
            self.strip(template, claim).await?;
            return Ok(None);
        };
        if policy.is_deleting() {
            return Err(Error::not_yet("the policy is being deleted"));
        }
        let selectors = &policy.spec().resource_selectors;
        let specific = implicit_priority(selectors, &Template::of(template));
        Ok((specific > ImplicitPriority::Mismatch).then_some(policy))
    }

    /// The best policy for an unclaimed template; without one, the template waits.
    ///
    /// It waits before the search, so that a policy that appears meanwhile finds it waiting.
    fn unclaimed(&self, key: &TemplateKey, template: &Object) -> Option<Policy> {
        self.waiting.lock().insert(key.clone());
        let policy = choose(&self.context, template)?;
        self.waiting.lock().remove(key);
        Some(policy)
    }

    async fn apply(&self, template: &Object, policy: &Policy, edited: bool) -> Result<()> {
        if policy.id().is_empty() {
            return Err(Error::not_yet("the policy has no permanent id yet"));
        }
        let context = &self.context;
        let mut claimed = None;
        if let Some(patch) = claim_patch(template, policy) {
            let objects = self.template_objects(template).await?;
            let object = Object::from(objects.merge_patch(template.name(), &patch).await?);
            let version = object["metadata"]["resourceVersion"].as_str();
            let version = version.unwrap_or_default().to_owned();
            self.claims
                .lock()
                .insert(TemplateKey::of(template), version);
            claimed = Some(object);
        }
        let template = claimed.as_ref().unwrap_or(template);
        let lazy = policy.spec().activation_preference == Some(ActivationPreference::Lazy);
        if lazy && !edited {
            return Ok(());
        }
        let wanted = wanted(template, policy)?;
        let key = BindingKey {
            kind: wanted.kind,
            object: ObjectKey::new(&*wanted.namespace, &*wanted.name),
        };
        let objects = context.binding_objects(&key);
        let written = match context.binding(&key) {
            Some(existing) => match wanted.update(&existing)? {
                Some(update) => {
                    objects.replace(&wanted.name, &update).await?;
                    true
                }
                None => false,
            },
            None => match objects.create(&wanted.create(&context.ids.uid())?).await {
                Ok(_created) => true,
                Err(error) if is_already_exists(&error) => {
                    let live = Object::from(objects.get(&wanted.name).await?);
                    if let Some(update) = wanted.update(&live)? {
                        objects.replace(&wanted.name, &update).await?;
                    }
                    true
                }
                Err(error) => return Err(error.into()),
            },
        };
        if written {
            let text = format!("Apply policy({}) succeed", policy.key());
            let recorder = &context.recorder;
            recorder.event(template, EventType::Normal, "ApplyPolicySucceed", text);
        }
        Ok(())
    }

    async fn template_objects(&self, template: &Object) -> Result<Objects> {
        let mapper = &self.context.mapper;
        let mapping = mapper
            .lookup(template.api_version(), template.kind())
            .await?;
        Ok(Objects::new(
            &self.context.client,
            &mapping.resource,
            template.namespace(),
        ))
    }

    /// Ends a claim: first on the binding, then on the template.
    async fn strip(&self, template: &Object, claim: &Claim) -> Result<()> {
        let key = TemplateKey::of(template);
        let index = template_index(&key.api_version, &key.kind, &key.object);
        for (kind, binding) in self.context.bindings_by(BY_TEMPLATE, &index) {
            self.strip_binding(kind, &binding, claim).await?;
        }
        if let Some(patch) = strip_patch(template, claim) {
            let objects = self.template_objects(template).await?;
            ignore_missing(objects.merge_patch(template.name(), &patch).await)?;
        }
        Ok(())
    }

    async fn strip_binding(
        &self,
        kind: BindingKind,
        binding: &Object,
        claim: &Claim,
    ) -> Result<()> {
        let Some(patch) = strip_patch(binding, claim) else {
            return Ok(());
        };
        let object = ObjectKey::new(binding.namespace(), binding.name());
        let objects = self.context.binding_objects(&BindingKey { kind, object });
        ignore_missing(objects.merge_patch(binding.name(), &patch).await)
    }

    /// Deletes the binding of a template that is gone; the garbage collector would, but later.
    async fn forget(&self, template: &Object) -> Result<()> {
        let key = TemplateKey::of(template);
        self.waiting.lock().remove(&key);
        self.claims.lock().remove(&key);
        let index = template_index(&key.api_version, &key.kind, &key.object);
        for (kind, binding) in self.context.bindings_by(BY_TEMPLATE, &index) {
            let owner = flybridge_machinery::object::controller(&binding);
            let uid = flybridge_machinery::object::uid(template);
            if owner.is_some_and(|owner| Some(owner.uid.as_str()) == uid) && !binding.is_deleting()
            {
                let object = ObjectKey::new(binding.namespace(), binding.name());
                let objects = self.context.binding_objects(&BindingKey { kind, object });
                let uid = flybridge_machinery::object::uid(&binding);
                match objects.delete(binding.name(), uid).await {
                    Err(error) if flybridge_client::is_conflict(&error) => {}
                    outcome => outcome?,
                }
            }
        }
        Ok(())
    }
}

fn ignore_missing<T>(outcome: kube::Result<T>) -> Result<()> {
    match outcome {
        Ok(_done) => Ok(()),
        Err(error) if is_not_found(&error) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The key of a policy that appeared, changed its spec or is being deleted.
fn changed_policy<K: kube::Resource>(change: &Change<'_, K>) -> Option<PolicyKey> {
    let new = change.new?.meta();
    let relevant = change.old.is_none_or(|old| {
        let old = old.meta();
        old.generation != new.generation
            || old.deletion_timestamp != new.deletion_timestamp
            || old.labels != new.labels
    });
    let namespace = new.namespace.as_deref().unwrap_or_default();
    let name = new.name.as_deref().unwrap_or_default();
    relevant.then(|| PolicyKey::new(namespace, name))
}
