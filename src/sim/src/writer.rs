//! Carries out actions against the member's API server.

use flybridge_base::Clock;
use http::{Method, Request};
use kube::Client;
use serde_json::{Value, json};

use crate::events::event;
use crate::object::{Key, Kind, Name, Object, name, uid};
use crate::plan::Action;
use crate::seed::Seed;

/// What a write left behind.
#[derive(Debug)]
pub(crate) enum Written {
    /// The present version of an object.
    Present(Object),
    /// The object of this uid is gone.
    Gone(Key, String),
    /// A pod has a node.
    Bound(Name, String, String),
    /// Nothing the controllers care about.
    Nothing,
}

/// Writes to one member.
#[derive(Clone)]
pub(crate) struct Writer {
    client: Client,
    clock: Clock,
    seed: Seed,
    /// Tells apart equal events of one instant.
    events: u64,
}

impl Writer {
    pub(crate) const fn new(client: Client, clock: Clock, seed: Seed) -> Self {
        Self {
            client,
            clock,
            seed,
            events: 0,
        }
    }

    /// Carries out one action.
    ///
    /// What exists already counts as created, and what is gone already as deleted.
    pub(crate) async fn write(&mut self, action: Action) -> kube::Result<Written> {
        match action {
            Action::Create(object) => self.create(object).await,
            Action::Status(object) => self.status(object).await,
            Action::Patch { key, patch } => self.patch(key, patch).await,
            Action::Delete { key, uid, grace } => self.delete(key, uid, grace).await,
            Action::Bind { pod, uid, node } => self.bind(pod, uid, node).await,
            Action::Event(note) => {
                self.events += 1;
                let seed = self.seed.of(&[&self.clock.now().to_string()]);
                let event = event(&note, self.clock.now(), seed, self.events);
                match self.create(event.into()).await {
                    Ok(_) => {}
                    // An event about something in a dying namespace is no loss.
                    Err(error) => tracing::debug!(%error, "event not recorded"),
                }
                Ok(Written::Nothing)
            }
        }
    }

    async fn create(&self, object: Object) -> kube::Result<Written> {
        let kind = object.kind();
        let path = kind.path(&Name::of(object.metadata()).namespace);
        match self.send(Method::POST, path, manager(kind), &object).await {
            Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(Written::Nothing),
            other => other.map(Written::Present),
        }
    }

    /// Replaces the status and nothing else, whatever the resource version: the caller is its only
    /// writer. Sending the whole object would undo annotations written meanwhile, for a server
    /// takes them from there.
    async fn status(&self, object: Object) -> kube::Result<Written> {
        let kind = object.kind();
        let bytes = object.encode().map_err(kube::Error::SerdeError)?;
        let mut whole: Value = serde_json::from_slice(&bytes).map_err(kube::Error::SerdeError)?;
        let patch = json!([
            {"op": "test", "path": "/metadata/uid", "value": uid(object.metadata())},
            {"op": "add", "path": "/status", "value": whole["status"].take()},
        ]);
        let manager = match kind {
            Kind::Pod | Kind::Node => "kubelet",
            _ => manager(kind),
        };
        let path = path_of(kind, &Name::of(object.metadata()));
        let request = request(
            Method::PATCH,
            &format!("{path}/status?fieldManager={manager}"),
            "application/json-patch+json",
            serde_json::to_vec(&patch).map_err(kube::Error::SerdeError)?,
        )?;
        let text = self.client.request_text(request).await?;
        decode(kind, &text).map(Written::Present)
    }

    async fn patch(&self, key: Key, patch: Value) -> kube::Result<Written> {
        let path = path_of(key.kind, &key.name);
        let body = serde_json::to_vec(&patch).map_err(kube::Error::SerdeError)?;
        let request = request(
            Method::PATCH,
            &format!("{path}?fieldManager={}", manager(key.kind)),
            "application/merge-patch+json",
            body,
        )?;
        let text = self.client.request_text(request).await?;
        decode(key.kind, &text).map(Written::Present)
    }

    async fn delete(&self, key: Key, uid: String, grace: Option<u32>) -> kube::Result<Written> {
        let mut options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {"uid": uid},
        });
        if let Some(grace) = grace {
            options["gracePeriodSeconds"] = json!(grace);
        }
        let body = serde_json::to_vec(&options).map_err(kube::Error::SerdeError)?;
        let path = path_of(key.kind, &key.name);
        let request = request(Method::DELETE, &path, "application/json", body)?;
        let text = match self.client.request_text(request).await {
            Err(kube::Error::Api(status)) if status.is_not_found() || status.is_conflict() => {
                return Ok(Written::Gone(key, uid));
            }
            other => other?,
        };
        let answer: Value = serde_json::from_str(&text).map_err(kube::Error::SerdeError)?;
        let finalizers = answer["metadata"]["finalizers"].as_array();
        let held = finalizers.is_some_and(|finalizers| !finalizers.is_empty());
        let forced = key.kind == Kind::Pod && grace == Some(0) && !held;
        if forced || answer["kind"] == "Status" {
            return Ok(Written::Gone(key, uid));
        }
        // A pod that never ran is removed at once, and the answer still is the pod.
        if answer["metadata"]["deletionTimestamp"].is_null() {
            return Ok(Written::Nothing);
        }
        decode(key.kind, &text).map(Written::Present)
    }

    async fn bind(&self, pod: Name, uid: String, node: String) -> kube::Result<Written> {
        let body = json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": pod.name, "namespace": pod.namespace, "uid": uid},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        });
        let body = serde_json::to_vec(&body).map_err(kube::Error::SerdeError)?;
        let path = format!("{}/binding", path_of(Kind::Pod, &pod));
        let request = request(Method::POST, &path, "application/json", body)?;
        self.client.request_text(request).await?;
        Ok(Written::Bound(pod, uid, node))
    }

    async fn send(
        &self,
        method: Method,
        path: String,
        manager: &str,
        object: &Object,
    ) -> kube::Result<Object> {
        let body = object.encode().map_err(kube::Error::SerdeError)?;
        let path = format!("{path}?fieldManager={manager}");
        let request = request(method, &path, "application/json", body)?;
        let text = self.client.request_text(request).await?;
        decode(object.kind(), &text)
    }
}

fn request(
    method: Method,
    path: &str,
    content_type: &str,
    body: Vec<u8>,
) -> kube::Result<Request<Vec<u8>>> {
    Request::builder()
        .method(method)
        .uri(path)
        .header(http::header::CONTENT_TYPE, content_type)
        .header(http::header::ACCEPT, "application/json")
        .body(body)
        .map_err(kube::Error::HttpError)
}

fn decode(kind: Kind, text: &str) -> kube::Result<Object> {
    Object::decode(kind, text).map_err(kube::Error::SerdeError)
}

fn path_of(kind: Kind, name: &Name) -> String {
    format!("{}/{}", kind.path(&name.namespace), name.name)
}

/// Who a real cluster would name as the writer of a kind.
const fn manager(kind: Kind) -> &'static str {
    match kind {
        Kind::Node => "kubelet",
        _ => "kube-controller-manager",
    }
}

/// Names an action in a log line.
pub(crate) fn describe(action: &Action) -> String {
    let of = |object: &Object| {
        let (namespace, name) = (&object.metadata().namespace, name(object.metadata()));
        format!(
            "{:?} {}",
            object.kind(),
            Name::new(namespace.as_deref().unwrap_or_default(), name)
        )
    };
    match action {
        Action::Create(object) => format!("create {} {}", of(object), uid(object.metadata())),
        Action::Status(object) => format!("write status of {}", of(object)),
        Action::Patch { key, .. } => format!("patch {key}"),
        Action::Delete { key, .. } => format!("delete {key}"),
        Action::Bind { pod, node, .. } => format!("bind {pod} to {node}"),
        Action::Event(note) => format!("record {}", note.reason),
    }
}
