//! The live sources against an API that is a function.

use std::time::Duration;

use flybridge_base::{Clock, Tasks};
use flybridge_client::in_process;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::effect::{Effect, LogRequest};
use crate::event::{Data, Event, Feed, TaskResult, WatchKey};
use crate::live::LiveRunner;
use crate::rows::{ListRow, ObjectRef};
use crate::runner::Runner;

const PROXY: &str = "/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy";

fn list(api_version: &str, kind: &str, items: Value) -> Value {
    json!({
        "apiVersion": api_version, "kind": format!("{kind}List"),
        "metadata": {"resourceVersion": "7"}, "items": items,
    })
}

fn cluster() -> Value {
    json!({
        "apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster",
        "metadata": {"name": "m1", "resourceVersion": "5"},
        "spec": {"syncMode": "Push"},
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "reason": "ClusterReady",
                "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
            "apiEnablements": [{"groupVersion": "apps/v1",
                "resources": [{"name": "deployments", "kind": "Deployment"}]}],
        },
    })
}

fn binding() -> Value {
    json!({
        "apiVersion": "work.karmada.io/v1alpha2", "kind": "ResourceBinding",
        "metadata": {"name": "web-deployment", "namespace": "shop", "resourceVersion": "6",
            "managedFields": [{"manager": "kubectl"}]},
        "spec": {
            "resource": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"},
            "replicas": 2,
            "placement": {"clusterAffinity": {"clusterNames": ["m1"]}},
        },
    })
}

/// Status and body of an answer; a watch answers nothing and stays open.
fn answer(path: &str, query: &str) -> (u16, String) {
    let ok = |value: Value| (200, value.to_string());
    if query.contains("watch=true") {
        return (200, String::new());
    }
    match path {
        "/apis/cluster.karmada.io/v1alpha1/clusters" => ok(list(
            "cluster.karmada.io/v1alpha1",
            "Cluster",
            json!([cluster()]),
        )),
        "/apis/work.karmada.io/v1alpha2/resourcebindings" => ok(list(
            "work.karmada.io/v1alpha2",
            "ResourceBinding",
            json!([binding()]),
        )),
        "/apis/work.karmada.io/v1alpha2/clusterresourcebindings" => ok(list(
            "work.karmada.io/v1alpha2",
            "ClusterResourceBinding",
            json!([]),
        )),
        "/apis/work.karmada.io/v1alpha2/namespaces/shop/resourcebindings/web-deployment" => {
            ok(binding())
        }
        _ if path == format!("{PROXY}/api/v1/namespaces/shop/pods/web-1/log") => {
            (200, "2026-01-01T10:00:00Z hello\n".to_owned())
        }
        _ if path == format!("{PROXY}/api/v1/pods") => (
            503,
            json!({
                "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
                "message": "no route to member", "reason": "ServiceUnavailable", "code": 503,
            })
            .to_string(),
        ),
        _ => (
            404,
            json!({
                "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
                "message": format!("no {path}"), "reason": "NotFound", "code": 404,
            })
            .to_string(),
        ),
    }
}

struct Console {
    runner: LiveRunner,
    events: mpsc::Receiver<Event>,
}

impl Console {
    fn new() -> Self {
        let client = in_process(tower_fn());
        let (sender, events) = mpsc::channel(64);
        let runner = LiveRunner::new(client, Tasks::new(), sender, Clock::system());
        Self { runner, events }
    }

    async fn next(&mut self) -> Event {
        tokio::time::timeout(Duration::from_secs(60), self.events.recv())
            .await
            .unwrap()
            .unwrap()
    }

    async fn watched(&mut self, key: WatchKey) -> Data {
        self.runner.run(Effect::Watch { key, generation: 1 });
        match self.next().await {
            Event::Data {
                generation: 1,
                data,
                ..
            } => data,
            other => panic!("{other:?}"),
        }
    }

    async fn task(&mut self, effect: Effect) -> TaskResult {
        self.runner.run(effect);
        match self.next().await {
            Event::Task {
                generation: 9,
                result,
            } => result,
            other => panic!("{other:?}"),
        }
    }
}

fn tower_fn() -> impl tower::Service<
    http::Request<Body>,
    Response = http::Response<Body>,
    Error = std::convert::Infallible,
    Future: Send,
> + Clone
+ Send
+ 'static {
    tower::service_fn(|request: http::Request<Body>| async move {
        let uri = request.uri().clone();
        let query = uri.query().unwrap_or_default();
        if query.contains("watch=true") {
            std::future::pending::<()>().await;
        }
        let (status, body) = answer(uri.path(), query);
        let mut response = http::Response::new(Body::from(body.into_bytes()));
        *response.status_mut() = http::StatusCode::from_u16(status).unwrap();
        Ok(response)
    })
}

fn web() -> ObjectRef {
    ObjectRef {
        group: "work.karmada.io".to_owned(),
        version: "v1alpha2".to_owned(),
        kind: "ResourceBinding".to_owned(),
        plural: "resourcebindings".to_owned(),
        namespace: "shop".to_owned(),
        name: "web-deployment".to_owned(),
        ..ObjectRef::default()
    }
}

#[tokio::test(start_paused = true)]
async fn lists_become_rows() {
    let mut console = Console::new();
    let Data::Clusters(Feed::Rows(clusters)) = console.watched(WatchKey::Clusters).await else {
        panic!("no clusters");
    };
    assert_eq!(clusters[0].name, "m1");
    let Data::Bindings(Feed::Rows(bindings)) = console.watched(WatchKey::Bindings).await else {
        panic!("no bindings");
    };
    assert_eq!(bindings[0].object(), web());
}

#[tokio::test(start_paused = true)]
async fn a_member_that_cannot_be_reached_is_a_failure_of_its_own() {
    let mut console = Console::new();
    let data = console.watched(WatchKey::Pods("m1".to_owned())).await;
    let Data::Pods(Feed::Failed(error)) = data else {
        panic!("{data:?}")
    };
    assert_eq!(error, "no route to member");
}

#[tokio::test(start_paused = true)]
async fn yaml_has_no_managed_fields() {
    let mut console = Console::new();
    let effect = Effect::FetchYaml {
        generation: 9,
        object: web(),
    };
    let TaskResult::Yaml(Ok(yaml)) = console.task(effect).await else {
        panic!("no yaml")
    };
    assert!(
        yaml.starts_with("apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"),
        "{yaml}"
    );
    assert!(
        yaml.contains("  replicas: 2\n") && !yaml.contains("managedFields"),
        "{yaml}"
    );
}

#[tokio::test(start_paused = true)]
async fn explanations_come_from_the_scheduler() {
    let mut console = Console::new();
    console.watched(WatchKey::Clusters).await;
    let effect = Effect::Explain {
        generation: 9,
        binding: web(),
    };
    let TaskResult::Explain(Ok(explanation)) = console.task(effect).await else {
        panic!("no explanation");
    };
    let m1 = &explanation.clusters[0];
    assert!(m1.fits(), "{m1:?}");
    assert_eq!((m1.name.as_str(), m1.before, m1.after), ("m1", 0, Some(2)));
    let recorded = explanation
        .header
        .iter()
        .find(|(label, _)| label == "recorded")
        .unwrap();
    assert_eq!(
        recorded.1,
        "not scheduled yet; differs from what is computed now"
    );
}

#[tokio::test(start_paused = true)]
async fn logs_stream_and_end() {
    let mut console = Console::new();
    let request = LogRequest {
        cluster: "m1".to_owned(),
        namespace: "shop".to_owned(),
        pod: "web-1".to_owned(),
        ..LogRequest::default()
    };
    let effect = Effect::Logs {
        generation: 9,
        request,
    };
    let TaskResult::LogLines(lines) = console.task(effect).await else {
        panic!("no lines")
    };
    assert_eq!(lines[0].text, "hello");
    loop {
        match console.next().await {
            Event::Task {
                result: TaskResult::LogEnd(None),
                ..
            } => break,
            Event::Task {
                result: TaskResult::LogLines(lines),
                ..
            } => assert!(lines.is_empty()),
            other => panic!("{other:?}"),
        }
    }
}
