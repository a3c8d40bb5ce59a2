//! A store kept in step with one collection of an API by list and watch.
//!
//! A watch that ends is resumed from the last version seen; one that is too old is replaced by a
//! new listing. Failures are retried with back-off until shutdown.

use std::sync::Arc;
use std::time::Duration;

use flybridge_base::{Backoff, Ids, Shutdown, Tasks};
use flybridge_client::objects::collection_path;
use futures::StreamExt;
use futures::stream::BoxStream;
use http::Request;
use kube::Client;
use kube::core::{ApiResource, WatchEvent};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::{Store, Stored};

/// Waits between attempts to list or watch.
const RETRY: Backoff = Backoff::doubling(Duration::from_millis(200), Duration::from_secs(30));
/// A watch that lasted this long counts as healthy again.
const HEALTHY: Duration = Duration::from_secs(10);
/// How many objects a page of a listing holds.
const PAGE: u32 = 500;

/// Which part of a collection is watched.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// Only this namespace; empty for all.
    pub namespace: String,
    /// Only objects with these labels, as selector text.
    pub label_selector: String,
    /// Only objects with these fields, as selector text.
    pub field_selector: String,
}

/// A running list-and-watch and its store; clones share them.
pub struct Informer<K> {
    store: Arc<Store<K>>,
    synced: watch::Receiver<bool>,
    stop: Shutdown,
}

impl<K> Clone for Informer<K> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            synced: self.synced.clone(),
            stop: self.stop.clone(),
        }
    }
}

impl<K: Stored> Informer<K> {
    /// Starts to follow `resource`; ends with `tasks` or [`stop`](Self::stop).
    pub fn start(
        tasks: &Tasks,
        ids: &Ids,
        client: &Client,
        resource: &ApiResource,
        scope: &Scope,
    ) -> Self {
        let store = Arc::new(Store::default());
        let (synced_tx, synced) = watch::channel(false);
        let stop = tasks.shutdown().child();
        let follower = Follower {
            client: client.clone(),
            path: collection_path(resource, &scope.namespace),
            selectors: selectors(scope),
            store: Arc::clone(&store),
            synced: synced_tx,
            ids: ids.clone(),
        };
        let until = stop.clone();
        tasks.spawn("informer", async move {
            until.race(Box::pin(follower.run())).await;
        });
        Self {
            store,
            synced,
            stop,
        }
    }

    /// The objects.
    pub fn store(&self) -> &Arc<Store<K>> {
        &self.store
    }

    /// Whether the first listing is in the store.
    pub fn is_synced(&self) -> bool {
        *self.synced.borrow()
    }

    /// Resolves when the first listing is in the store, or to false when the informer stopped.
    pub async fn wait_synced(&self) -> bool {
        let mut synced = self.synced.clone();
        let reached = synced.wait_for(|synced| *synced).await.is_ok();
        reached || self.is_synced()
    }

    /// Stops following; the store keeps what it has.
    pub fn stop(&self) {
        self.stop.trigger();
    }

    /// Resolves when the informer has been told to stop.
    pub fn stopped(&self) -> Shutdown {
        self.stop.clone()
    }
}

fn selectors(scope: &Scope) -> String {
    let mut text = String::new();
    for (name, value) in [
        ("labelSelector", &scope.label_selector),
        ("fieldSelector", &scope.field_selector),
    ] {
        if !value.is_empty() {
            text.push_str(&format!("&{name}={}", escape(value)));
        }
    }
    text
}

/// Percent-encodes what may not stand in a query value.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Why following stopped for the moment.
enum Interrupt {
    /// The watch ended in order; resume it.
    Ended,
    /// The version is too old; list again.
    Expired,
    /// Something failed; wait, then resume if there is a version, else list.
    Failed(kube::Error),
}

struct Follower<K> {
    client: Client,
    path: String,
    selectors: String,
    store: Arc<Store<K>>,
    synced: watch::Sender<bool>,
    ids: Ids,
}

#[derive(Deserialize)]
struct Page<K> {
    metadata: PageMeta,
    #[serde(default = "Vec::new")]
    items: Vec<K>,
    #[serde(default, rename = "apiVersion")]
    api_version: String,
    #[serde(default)]
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageMeta {
    #[serde(default)]
    resource_version: String,
    #[serde(default, rename = "continue")]
    next: Option<String>,
}

impl<K: Stored> Follower<K> {
    async fn run(self) {
        let mut version = String::new();
        let mut failures = 0;
        loop {
            if version.is_empty() {
                match self.list().await {
                    Ok(listed) => version = listed,
                    Err(error) => {
                        self.pause(&mut failures, &error).await;
                        continue;
                    }
                }
            }
            let began = Instant::now();
            let interrupt = self.watch(&mut version).await;
            if began.elapsed() >= HEALTHY {
                failures = 0;
            }
            match interrupt {
                Interrupt::Ended if began.elapsed() >= Duration::from_secs(1) => {}
                Interrupt::Ended => {
                    tokio::time::sleep(RETRY.delay(failures)).await;
                    failures = failures.saturating_add(1);
                }
                Interrupt::Expired => version.clear(),
                Interrupt::Failed(error) => self.pause(&mut failures, &error).await,
            }
        }
    }

    async fn pause(&self, failures: &mut u32, error: &kube::Error) {
        let delay = RETRY
            .delay(*failures)
            .mul_f64(0.5 + self.ids.fraction() / 2.0);
        *failures = failures.saturating_add(1);
        tracing::debug!(path = self.path, %error, ?delay, "list or watch failed");
        tokio::time::sleep(delay).await;
    }

    /// Lists everything into the store and returns the version to watch from.
    async fn list(&self) -> kube::Result<String> {
        let mut objects = Vec::new();
        let mut next = String::new();
        loop {
            let uri = format!("{}?limit={PAGE}{}{next}", self.path, self.selectors);
            let request = Request::get(uri)
                .body(Vec::new())
                .map_err(kube::Error::HttpError)?;
            let page: Page<Value> = self.client.request(request).await?;
            let kind = page.kind.strip_suffix("List").unwrap_or_default();
            for item in page.items {
                objects.push(typed(item, &page.api_version, kind)?);
            }
            match page.metadata.next.filter(|token| !token.is_empty()) {
                Some(token) => next = format!("&continue={}", escape(&token)),
                None => {
                    let first = !*self.synced.borrow();
                    self.store.replace(objects, first);
                    self.synced.send_replace(true);
                    return Ok(page.metadata.resource_version);
                }
            }
        }
    }

    /// Follows changes from `version`, moving it along.
    async fn watch(&self, version: &mut String) -> Interrupt {
        let timeout = 240 + self.ids.below(120);
        let uri = format!(
            "{}?watch=true&allowWatchBookmarks=true&timeoutSeconds={timeout}&resourceVersion={version}{}",
            self.path, self.selectors
        );
        let request = match Request::get(uri).body(Vec::new()) {
            Ok(request) => request,
            Err(error) => return Interrupt::Failed(kube::Error::HttpError(error)),
        };
        let stream = match self.client.request_events::<K>(request).await {
            Ok(stream) => stream,
            Err(error) => return interrupted(error),
        };
        let mut stream: BoxStream<'_, kube::Result<WatchEvent<K>>> = stream.boxed();
        while let Some(event) = stream.next().await {
            match event {
                Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => {
                    object.version().clone_into(version);
                    self.store.apply(object, false);
                }
                Ok(WatchEvent::Deleted(object)) => {
                    object.version().clone_into(version);
                    self.store.remove(&object.key());
                }
                Ok(WatchEvent::Bookmark(mark)) => *version = mark.metadata.resource_version,
                Ok(WatchEvent::Error(status)) => return interrupted(kube::Error::Api(status)),
                Err(error) => return interrupted(error),
            }
        }
        Interrupt::Ended
    }
}

/// Decodes an item of a list, which lacks its type when it is a built-in.
fn typed<K: Stored>(mut item: Value, api_version: &str, kind: &str) -> kube::Result<K> {
    if let Some(fields) = item.as_object_mut()
        && !kind.is_empty()
    {
        fields
            .entry("apiVersion")
            .or_insert_with(|| Value::from(api_version));
        fields.entry("kind").or_insert_with(|| Value::from(kind));
    }
    serde_json::from_value(item).map_err(kube::Error::SerdeError)
}

fn interrupted(error: kube::Error) -> Interrupt {
    match &error {
        kube::Error::Api(status) if status.code == 410 => Interrupt::Expired,
        _ => Interrupt::Failed(error),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use flybridge_client::in_process;
    use http::Response;
    use kube::client::Body;
    use kube::core::GroupVersionKind;
    use parking_lot::Mutex;
    use serde_json::json;

    use super::*;
    use crate::{Object, ObjectKey};

    fn item(name: &str, version: u64) -> Value {
        json!({"metadata": {"name": name, "resourceVersion": version.to_string(), "uid": name}})
    }

    fn list(items: &[Value], version: u64) -> String {
        json!({
            "apiVersion": "v1", "kind": "PodList", "items": items,
            "metadata": {"resourceVersion": version.to_string()},
        })
        .to_string()
    }

    fn event(kind: &str, object: &Value) -> String {
        format!("{}\n", json!({"type": kind, "object": object}))
    }

    /// Answers with the script, line by line; records what was asked.
    fn scripted(script: Vec<String>) -> (Client, Arc<Mutex<Vec<String>>>) {
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&asked);
        let script = Arc::new(Mutex::new(VecDeque::from(script)));
        let client = in_process(tower::service_fn(move |request: Request<Body>| {
            let query = request.uri().query().unwrap_or_default().to_owned();
            let what = if query.contains("watch=true") {
                "watch"
            } else {
                "list"
            };
            let version = query.split("resourceVersion=").nth(1).unwrap_or_default();
            let next = script.lock().pop_front();
            sink.lock().push(format!("{what} {version}"));
            async move {
                match next {
                    Some(answer) => {
                        Ok::<_, tower::BoxError>(Response::new(Body::from(answer.into_bytes())))
                    }
                    None => std::future::pending().await,
                }
            }
        }));
        (client, asked)
    }

    #[tokio::test(start_paused = true)]
    async fn resumes_watches_and_lists_again_when_the_version_is_too_old() {
        let gone = json!({"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired"});
        let mark = json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"resourceVersion": "5"}});
        let (client, asked) = scripted(vec![
            list(&[item("a", 1)], 2),
            event("ADDED", &item("b", 3)) + &event("BOOKMARK", &mark),
            event("ERROR", &gone),
            list(&[item("b", 3), item("c", 7)], 8),
            event("DELETED", &item("c", 9)),
        ]);
        let pods =
            ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", "Pod"), "pods");
        let tasks = Tasks::new();
        let informer: Informer<Object> =
            Informer::start(&tasks, &Ids::seeded(1), &client, &pods, &Scope::default());
        assert!(informer.wait_synced().await);
        while asked.lock().len() < 6 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(
            *asked.lock(),
            ["list ", "watch 2", "watch 5", "list ", "watch 8", "watch 9"]
        );
        let names: Vec<String> = informer
            .store()
            .list()
            .iter()
            .map(|o| o.name().to_owned())
            .collect();
        assert_eq!(names, ["b"]);
        let kept = informer
            .store()
            .get(&ObjectKey::cluster_scoped("b"))
            .unwrap();
        assert_eq!(kept.kind(), "Pod");
        assert!(tasks.stop(Duration::from_secs(1)).await);
    }
}
