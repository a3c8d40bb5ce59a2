//! A control plane, its members and the engine, all in this process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use flybridge_apis::{admission, cluster_definition, crds};
use flybridge_apiserver::{Admission, ApiServer, Attributes, User};
use flybridge_base::{Clock, Ids, Tasks};
use flybridge_client::{MemberClients, Objects, RestMapper, in_process, is_not_found};
use flybridge_controllers::{Config, Handle, Options, start};
use flybridge_machinery::FieldError;
use flybridge_store::Store;
use http::{Method, Request};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tower::{BoxError, Service};

/// How long anything may take, on paused time.
const PATIENCE: Duration = Duration::from_secs(300);

/// One API server and ways to look at it.
pub(crate) struct Site {
    pub(crate) client: Client,
    mapper: RestMapper,
    server: ApiServer,
    cut: Arc<AtomicBool>,
    writes: Arc<AtomicUsize>,
}

/// Karmada's own rules, as the composition root plugs them in.
struct Rules {
    ids: Ids,
    clock: Clock,
}

impl Admission for Rules {
    fn mutate(&self, at: &Attributes<'_>, old: Option<&Value>, new: &mut Value) -> Vec<String> {
        admission::mutate(at.gvk, old, new, &self.ids, self.clock.now())
    }

    fn validate(&self, at: &Attributes<'_>, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
        admission::validate(at.gvk, old, new)
    }

    fn refuse_deletion(&self, _at: &Attributes<'_>, object: &Value) -> Option<String> {
        admission::deletion_denied(object)
    }
}

pub(crate) struct Fleet {
    pub(crate) plane: Site,
    members: BTreeMap<String, Site>,
    registrations: MemberClients,
    clock: Clock,
    ids: Ids,
    engine: Handle,
    _housekeeping: Tasks,
}

impl Site {
    async fn start(clock: Clock, ids: &Ids) -> Self {
        let rules = Arc::new(Rules {
            ids: ids.fork(),
            clock,
        });
        let server = ApiServer::builder(Store::memory())
            .clock(clock)
            .ids(ids.fork())
            .admission(rules)
            .build();
        let cut = Arc::new(AtomicBool::new(false));
        let writes = Arc::new(AtomicUsize::new(0));
        let (service, flag) = (server.service(User::admin()), Arc::clone(&cut));
        let counter = Arc::clone(&writes);
        let client = in_process(tower::service_fn(move |request: Request<Body>| {
            let (mut service, cut) = (service.clone(), flag.load(Ordering::SeqCst));
            if request.method() != Method::GET {
                counter.fetch_add(1, Ordering::SeqCst);
            }
            async move {
                if cut {
                    return Err::<_, BoxError>("the network is cut".into());
                }
                Ok(service.call(request).await?)
            }
        }));
        let site = Self {
            mapper: RestMapper::new(&client),
            client,
            server,
            cut,
            writes,
        };
        for namespace in ["default", "kube-system"] {
            let manifest =
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
            let namespaces = site.objects("v1", "Namespace", "").await;
            match namespaces.create(&manifest).await {
                Ok(_) => {}
                Err(error) => assert!(flybridge_client::is_already_exists(&error), "{error}"),
            }
        }
        site
    }

    /// How many requests that may write the server has had.
    pub(crate) fn writes(&self) -> usize {
        self.writes.load(Ordering::SeqCst)
    }

    #[expect(clippy::panic, reason = "a wait in vain fails the test")]
    async fn objects(&self, api_version: &str, kind: &str, namespace: &str) -> Objects {
        let served = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Ok(mapping) = self.mapper.lookup(api_version, kind).await {
                    return mapping;
                }
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        })
        .await;
        let mapping = served.unwrap_or_else(|_| panic!("{api_version} {kind} is not served"));
        Objects::new(&self.client, &mapping.resource, namespace)
    }

    pub(crate) async fn create(&self, api_version: &str, kind: &str, object: &Value) {
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
        let objects = self.objects(api_version, kind, namespace).await;
        objects.create(object).await.expect("the object is created");
    }

    /// Name and version of every object of a kind.
    pub(crate) async fn versions(&self, api_version: &str, kind: &str) -> Vec<(String, String)> {
        let objects = self.objects(api_version, kind, "").await;
        let list = objects.list("").await.expect("the kind is listed");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let items = list["items"].as_array().into_iter().flatten();
        items
            .map(|item| {
                (
                    text(&item["metadata"]["name"]),
                    text(&item["metadata"]["resourceVersion"]),
                )
            })
            .collect()
    }

    pub(crate) async fn delete(&self, api_version: &str, kind: &str, namespace: &str, name: &str) {
        let objects = self.objects(api_version, kind, namespace).await;
        objects
            .delete(name, None)
            .await
            .expect("the object is deleted");
    }

    pub(crate) async fn patch(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
        patch: &Value,
    ) {
        let objects = self.objects(api_version, kind, namespace).await;
        objects
            .merge_patch(name, patch)
            .await
            .expect("the object is patched");
    }

    pub(crate) async fn scale(&self, name: &str, replicas: i64) {
        let patch = json!({"spec": {"replicas": replicas}});
        self.patch("apps/v1", "Deployment", "default", name, &patch)
            .await;
    }

    pub(crate) async fn taint(&self, cluster: &str, key: &str, effect: &str) {
        let objects = self
            .objects("cluster.karmada.io/v1alpha1", "Cluster", "")
            .await;
        let patch = json!({"spec": {"taints": [{"key": key, "effect": effect}]}});
        objects
            .merge_patch(cluster, &patch)
            .await
            .expect("the cluster is tainted");
    }

    pub(crate) async fn set_status(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
        status: &Value,
    ) {
        let objects = self.objects(api_version, kind, namespace).await;
        let patch = json!({"status": status});
        objects
            .merge_patch_status(name, &patch)
            .await
            .expect("the status is patched");
    }

    /// Looks until the object is there and `good`.
    #[expect(clippy::panic, reason = "a wait in vain fails the test")]
    pub(crate) async fn wait(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
        good: impl Fn(&Value) -> bool,
    ) -> Value {
        let objects = self.objects(api_version, kind, namespace).await;
        let mut last = Value::Null;
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                match objects.get(name).await {
                    Ok(object) if good(&object) => return object,
                    Ok(object) => last = object,
                    Err(error) => assert!(is_not_found(&error), "{error}"),
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
        found.unwrap_or_else(|_| panic!("{kind} {name} never got there: {last:#}"))
    }

    #[expect(clippy::panic, reason = "a wait in vain fails the test")]
    pub(crate) async fn wait_gone(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) {
        let objects = self.objects(api_version, kind, namespace).await;
        let gone = tokio::time::timeout(PATIENCE, async {
            while objects.get(name).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
        gone.unwrap_or_else(|_| panic!("{kind} {name} stays"));
    }

    pub(crate) async fn wait_replicas(&self, name: &str, replicas: Option<i64>) {
        let Some(replicas) = replicas else {
            return self
                .wait_gone("apps/v1", "Deployment", "default", name)
                .await;
        };
        self.wait("apps/v1", "Deployment", "default", name, |object| {
            object["spec"]["replicas"] == replicas
        })
        .await;
    }
}

impl Fleet {
    /// Starts everything and waits until all members are ready.
    pub(crate) async fn start(names: &[&str]) -> Self {
        let clock = Clock::starting_at("2026-01-01T00:00:00Z".parse().expect("a time"));
        let (ids, tasks) = (Ids::seeded(7), Tasks::new());
        let plane = Site::start(clock, &ids).await;
        for manifest in crds().iter().chain([&cluster_definition().manifest()]) {
            plane
                .create(
                    "apiextensions.k8s.io/v1",
                    "CustomResourceDefinition",
                    manifest,
                )
                .await;
        }
        plane.server.run_controllers(&tasks);
        let registrations = MemberClients::new();
        let mut members = BTreeMap::new();
        for name in names {
            let member = Site::start(clock, &ids).await;
            registrations.register(name, member.client.clone());
            members.insert((*name).to_owned(), member);
        }
        let engine = engine(&plane, &registrations, clock, &ids);
        for name in names {
            let cluster = json!({
                "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
                "metadata": {"name": name}, "spec": {"syncMode": "Push"},
            });
            plane
                .create("cluster.karmada.io/v1alpha1", "Cluster", &cluster)
                .await;
        }
        let fleet = Self {
            plane,
            members,
            registrations,
            clock,
            ids,
            engine,
            _housekeeping: tasks,
        };
        for name in names {
            let ready = |cluster: &Value| {
                let conditions = cluster["status"]["conditions"].as_array();
                let mut conditions = conditions.into_iter().flatten();
                conditions.any(|c| c["type"] == "Ready" && c["status"] == "True")
            };
            fleet
                .plane
                .wait("cluster.karmada.io/v1alpha1", "Cluster", "", name, ready)
                .await;
        }
        fleet
    }

    pub(crate) fn member(&self, name: &str) -> &Site {
        &self.members[name]
    }

    /// Cuts a member off, or joins it again.
    pub(crate) fn cut(&self, name: &str, cut: bool) {
        self.members[name].cut.store(cut, Ordering::SeqCst);
    }

    /// Waits until nothing is in line anywhere, for longer than anything waits to settle.
    pub(crate) async fn settle(&self) {
        let mut quiet = 0;
        while quiet < 20 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            quiet = if self.engine.is_idle() { quiet + 1 } else { 0 };
        }
    }

    /// Stops the engine and starts another, which knows nothing of what the first did.
    pub(crate) async fn restart(&mut self) {
        assert!(self.engine.stop(Duration::from_secs(5)).await);
        self.engine = engine(&self.plane, &self.registrations, self.clock, &self.ids);
        self.engine.wait_synced().await;
    }

    pub(crate) async fn stop(self) {
        assert!(self.engine.stop(Duration::from_secs(5)).await);
    }
}

fn engine(plane: &Site, members: &MemberClients, clock: Clock, ids: &Ids) -> Handle {
    start(Config {
        client: plane.client.clone(),
        members: members.clone(),
        clock,
        ids: ids.fork(),
        tasks: Tasks::new(),
        options: Options {
            no_execute_eviction: true,
            ..Options::default()
        },
    })
}

pub(crate) fn deployment(name: &str, replicas: i64) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": name}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "c", "image": "nginx:1"}]},
            },
        },
    })
}

/// A policy for the Deployment of the same name.
pub(crate) fn policy(name: &str, placement: &Value) -> Value {
    json!({
        "apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "resourceSelectors": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": name}],
            "placement": placement,
        },
    })
}
