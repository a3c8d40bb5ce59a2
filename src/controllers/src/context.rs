//! What all controllers share: clients, caches, time, members.

use std::time::Duration;

use flybridge_apis::{
    Cluster, ClusterOverridePolicy, ClusterPropagationPolicy, OverridePolicy, PropagationPolicy,
    labels, names,
};
use flybridge_base::{Clock, Ids, Tasks};
use flybridge_client::{Objects, RestMapper};
use flybridge_runtime::{Informer, InformerPool, Object, ObjectKey, Recorder, Scope, Store};
use kube::Client;
use kube::core::ApiResource;
use std::sync::Arc;

use crate::detector::templates::is_propagatable;
use crate::kinds::{self, BindingKey, BindingKind, TemplateKey, labelled};
use crate::members::Members;
use crate::{Error, Result};

/// Index of Works and bindings: by the permanent id of their binding.
pub const BY_BINDING: &str = "binding";
/// Index of Works: by their cluster. Index of bindings: by each cluster they are scheduled to.
pub const BY_CLUSTER: &str = "cluster";
/// Index of bindings: by the permanent id of the policy they come from.
pub const BY_POLICY: &str = "policy";
/// Index of bindings: by `apiVersion/Kind/namespace/name` of their template.
pub const BY_TEMPLATE: &str = "template";

/// Tunables of the engine.
#[derive(Clone, Debug)]
pub struct Options {
    /// How often the health and inventory of each member are read.
    pub cluster_status_period: Duration,
    /// How long a member must fail before it counts as not ready.
    pub failure_threshold: Duration,
    /// How long a member must do well before it counts as ready again.
    pub success_threshold: Duration,
    /// How often the kinds served by the control plane are looked up.
    pub discovery_period: Duration,
    /// Whether `NoExecute` taints drive running workloads out.
    ///
    /// Off as upstream has it: there a taint alone moves nothing that runs.
    pub no_execute_eviction: bool,
    /// How many bindings a worker moves off tainted clusters a second.
    pub eviction_rate: f64,
    /// How long an old copy stays at most while the new ones are not well.
    pub graceful_eviction_timeout: Duration,
    /// Workers of each controller on the way of a template to the members.
    pub workers: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cluster_status_period: Duration::from_secs(10),
            failure_threshold: Duration::from_secs(30),
            success_threshold: Duration::from_secs(30),
            discovery_period: Duration::from_secs(30),
            no_execute_eviction: false,
            eviction_rate: 0.5,
            graceful_eviction_timeout: Duration::from_secs(600),
            workers: 8,
        }
    }
}

/// The surroundings of every controller.
pub struct Context {
    /// The control plane.
    pub client: Client,
    /// What the control plane serves.
    pub mapper: RestMapper,
    /// The time.
    pub clock: Clock,
    /// Randomness.
    pub ids: Ids,
    /// The task group of the engine.
    pub tasks: Tasks,
    /// Tunables.
    pub options: Options,
    /// Events.
    pub recorder: Recorder,
    /// The member clusters.
    pub members: Members,
    /// Clusters.
    pub clusters: Informer<Cluster>,
    /// Works.
    pub works: Informer<Object>,
    /// ResourceBindings.
    pub resource_bindings: Informer<Object>,
    /// ClusterResourceBindings.
    pub cluster_resource_bindings: Informer<Object>,
    /// PropagationPolicies.
    pub policies: Informer<PropagationPolicy>,
    /// ClusterPropagationPolicies.
    pub cluster_policies: Informer<ClusterPropagationPolicy>,
    /// OverridePolicies.
    pub overrides: Informer<OverridePolicy>,
    /// ClusterOverridePolicies.
    pub cluster_overrides: Informer<ClusterOverridePolicy>,
    /// Everything that may be propagated.
    pub templates: InformerPool,
}

impl Context {
    /// Starts the caches.
    pub fn start(
        client: &Client,
        members: Members,
        clock: Clock,
        ids: &Ids,
        tasks: &Tasks,
        options: Options,
    ) -> Self {
        let scope = Scope::default();
        let dynamic =
            |resource: ApiResource| Informer::start(tasks, ids, client, &resource, &scope);
        let context = Self {
            client: client.clone(),
            mapper: RestMapper::new(client),
            clock,
            ids: ids.clone(),
            tasks: tasks.clone(),
            options,
            recorder: Recorder::start(tasks, client, clock, ids, "flybridge"),
            members,
            clusters: typed(tasks, ids, client),
            works: dynamic(kinds::works()),
            resource_bindings: dynamic(BindingKind::Resource.resource()),
            cluster_resource_bindings: dynamic(BindingKind::ClusterResource.resource()),
            policies: typed(tasks, ids, client),
            cluster_policies: typed(tasks, ids, client),
            overrides: typed(tasks, ids, client),
            cluster_overrides: typed(tasks, ids, client),
            templates: InformerPool::new(tasks, ids, client, Scope::default()),
        };
        context.add_indexes();
        context
    }

    fn add_indexes(&self) {
        let works = self.works.store();
        works.add_index(BY_BINDING, |work| {
            let mut ids = labelled(work, labels::RESOURCE_BINDING_PERMANENT_ID);
            ids.extend(labelled(
                work,
                labels::CLUSTER_RESOURCE_BINDING_PERMANENT_ID,
            ));
            ids
        });
        works.add_index(BY_CLUSTER, |work| {
            let cluster = names::cluster_of_execution_namespace(work.namespace());
            cluster.map(str::to_owned).into_iter().collect()
        });
        for kind in [BindingKind::Resource, BindingKind::ClusterResource] {
            let bindings = self.bindings(kind).store();
            bindings.add_index(BY_CLUSTER, |binding| {
                let clusters = binding["spec"]["clusters"].as_array();
                let names = clusters
                    .into_iter()
                    .flatten()
                    .filter_map(|c| c["name"].as_str());
                names.map(str::to_owned).collect()
            });
            bindings.add_index(BY_POLICY, |binding| {
                let mut ids = labelled(binding, labels::PROPAGATION_POLICY_PERMANENT_ID);
                let cluster_id = labels::CLUSTER_PROPAGATION_POLICY_PERMANENT_ID;
                ids.extend(labelled(binding, cluster_id));
                ids
            });
            bindings.add_index(BY_TEMPLATE, |binding| {
                let key = TemplateKey::bound_by(binding);
                vec![template_index(&key.api_version, &key.kind, &key.object)]
            });
        }
    }

    /// The cache of bindings of a kind.
    pub fn bindings(&self, kind: BindingKind) -> &Informer<Object> {
        match kind {
            BindingKind::Resource => &self.resource_bindings,
            BindingKind::ClusterResource => &self.cluster_resource_bindings,
        }
    }

    /// The cached binding of that key.
    pub fn binding(&self, key: &BindingKey) -> Option<Arc<Object>> {
        self.bindings(key.kind).store().get(&key.object)
    }

    /// Bindings of both kinds that an index files under `value`.
    pub fn bindings_by(&self, index: &str, value: &str) -> Vec<(BindingKind, Arc<Object>)> {
        let of = |kind: BindingKind| {
            let found = self.bindings(kind).store().by_index(index, value);
            found.into_iter().map(move |binding| (kind, binding))
        };
        of(BindingKind::Resource)
            .chain(of(BindingKind::ClusterResource))
            .collect()
    }

    /// The cached cluster of that name.
    pub fn cluster(&self, name: &str) -> Option<Arc<Cluster>> {
        self.clusters.store().get(&ObjectKey::cluster_scoped(name))
    }

    /// The API of bindings where `key` lives.
    pub fn binding_objects(&self, key: &BindingKey) -> Objects {
        Objects::new(&self.client, &key.kind.resource(), &key.object.namespace)
    }

    /// The API of Works of a namespace.
    pub fn work_objects(&self, namespace: &str) -> Objects {
        Objects::new(&self.client, &kinds::works(), namespace)
    }

    /// The store of a kind's templates; nothing if the kind is not served or never a template.
    ///
    /// # Errors
    /// The kind is not followed yet or its first listing is missing: nothing may be concluded
    /// from the absence of an object then.
    pub async fn template_store(
        &self,
        api_version: &str,
        kind: &str,
    ) -> Result<Option<Arc<Store<Object>>>> {
        let mapping = match self.mapper.lookup(api_version, kind).await {
            Ok(mapping) => mapping,
            Err(flybridge_client::Error::NoMatch { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if !is_propagatable(&mapping) {
            return Ok(None);
        }
        match self.templates.existing(&mapping.resource) {
            Some(informer) if informer.is_synced() => Ok(Some(Arc::clone(informer.store()))),
            _ => Err(Error::not_yet(format!(
                "templates of kind {kind} are not known yet"
            ))),
        }
    }

    /// The cached template of that key.
    ///
    /// # Errors
    /// See [`template_store`](Self::template_store).
    pub async fn template(&self, key: &TemplateKey) -> Result<Option<Arc<Object>>> {
        let store = self.template_store(&key.api_version, &key.kind).await?;
        Ok(store.and_then(|store| store.get(&key.object)))
    }

    /// Resolves when every cache has its first listing.
    pub async fn wait_synced(&self) {
        self.clusters.wait_synced().await;
        self.works.wait_synced().await;
        self.resource_bindings.wait_synced().await;
        self.cluster_resource_bindings.wait_synced().await;
        self.policies.wait_synced().await;
        self.cluster_policies.wait_synced().await;
        self.overrides.wait_synced().await;
        self.cluster_overrides.wait_synced().await;
    }
}

fn typed<K>(tasks: &Tasks, ids: &Ids, client: &Client) -> Informer<K>
where
    K: kube::Resource<DynamicType = ()> + flybridge_runtime::Stored,
{
    let resource = ApiResource::erase::<K>(&());
    Informer::start(tasks, ids, client, &resource, &Scope::default())
}

/// What the template index files a binding under.
pub fn template_index(api_version: &str, kind: &str, object: &ObjectKey) -> String {
    format!("{api_version}/{kind}/{}/{}", object.namespace, object.name)
}
