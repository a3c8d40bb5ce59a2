//! Kubernetes Events about objects: written in the background, counted instead of repeated.
//!
//! Losing an event is harmless, holding up a controller is not: a full queue drops.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use flybridge_base::{Clock, Ids, Tasks, TokenBucket};
use flybridge_client::Objects;
use kube::Client;
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// How many events may wait to be written.
const QUEUE: usize = 1024;
/// How many recent events are remembered for counting.
const REMEMBERED: usize = 4096;
/// How many events about one object are written at once, and how often another.
const BURST: u32 = 25;
const REFILL_PER_SECOND: f64 = 1.0 / 300.0;

/// The importance of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventType {
    /// Things went as they should.
    Normal,
    /// Something needs attention.
    Warning,
}

impl EventType {
    fn text(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// Records events for one component; clones share the queue.
#[derive(Clone)]
pub struct Recorder {
    sender: mpsc::Sender<Report>,
    component: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Subject {
    api_version: String,
    kind: String,
    namespace: String,
    name: String,
    uid: String,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Report {
    subject: Subject,
    component: &'static str,
    event_type: EventType,
    reason: &'static str,
    message: String,
}

impl Recorder {
    /// Starts the writer of events.
    pub fn start(
        tasks: &Tasks,
        client: &Client,
        clock: Clock,
        ids: &Ids,
        component: &'static str,
    ) -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let writer = Writer {
            client: client.clone(),
            clock,
            ids: ids.clone(),
            known: HashMap::new(),
            order: VecDeque::new(),
            buckets: HashMap::new(),
        };
        tasks.spawn_until_shutdown("events", writer.run(receiver));
        Self { sender, component }
    }

    /// The same queue under another component's name.
    pub fn named(&self, component: &'static str) -> Self {
        Self {
            sender: self.sender.clone(),
            component,
        }
    }

    /// Records that something happened to `object`, of which type and metadata are read.
    pub fn event(
        &self,
        object: &Value,
        event_type: EventType,
        reason: &'static str,
        message: impl Into<String>,
    ) {
        let meta = |field: &str| {
            let value = object["metadata"][field].as_str();
            value.unwrap_or_default().to_owned()
        };
        let top = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
        let report = Report {
            subject: Subject {
                api_version: top("apiVersion"),
                kind: top("kind"),
                namespace: meta("namespace"),
                name: meta("name"),
                uid: meta("uid"),
            },
            component: self.component,
            event_type,
            reason,
            message: message.into(),
        };
        if self.sender.try_send(report).is_err() {
            tracing::debug!(reason, "dropped an event");
        }
    }
}

struct Known {
    name: String,
    count: i64,
}

struct Writer {
    client: Client,
    clock: Clock,
    ids: Ids,
    known: HashMap<Report, Known>,
    order: VecDeque<Report>,
    buckets: HashMap<Subject, TokenBucket>,
}

impl Writer {
    async fn run(mut self, mut reports: mpsc::Receiver<Report>) {
        while let Some(report) = reports.recv().await {
            if !self.permitted(&report.subject) {
                continue;
            }
            if let Err(error) = self.write(&report).await {
                tracing::debug!(%error, reason = report.reason, "could not write an event");
            }
        }
    }

    /// Whether the object has not used up its share of events.
    fn permitted(&mut self, subject: &Subject) -> bool {
        if self.buckets.len() > REMEMBERED {
            self.buckets.clear();
        }
        let bucket = self
            .buckets
            .entry(subject.clone())
            .or_insert_with(|| TokenBucket::new(REFILL_PER_SECOND, BURST));
        let mut trial = bucket.clone();
        if trial.reserve() > Duration::ZERO {
            return false;
        }
        *bucket = trial;
        true
    }

    async fn write(&mut self, report: &Report) -> kube::Result<()> {
        let namespace = event_namespace(&report.subject);
        let events = Objects::new(&self.client, &events_resource(), namespace);
        let now = format!("{:.0}", self.clock.now());
        if let Some(known) = self.known.get_mut(report) {
            known.count += 1;
            let patch = json!({"count": known.count, "lastTimestamp": now});
            match events.merge_patch(&known.name, &patch).await {
                Ok(_patched) => return Ok(()),
                Err(error) if flybridge_client::is_not_found(&error) => {}
                Err(error) => return Err(error),
            }
        }
        let event = self.document(report, namespace, &now);
        let name = event["metadata"]["name"].as_str().unwrap_or_default();
        self.remember(report, name.to_owned());
        events.create(&event).await.map(|_created| ())
    }

    fn document(&self, report: &Report, namespace: &str, now: &str) -> Value {
        let subject = &report.subject;
        let suffix: String = self
            .ids
            .uid()
            .chars()
            .filter(|c| *c != '-')
            .take(16)
            .collect();
        json!({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": format!("{}.{suffix}", subject.name), "namespace": namespace},
            "involvedObject": {
                "apiVersion": subject.api_version, "kind": subject.kind,
                "namespace": subject.namespace, "name": subject.name, "uid": subject.uid,
            },
            "type": report.event_type.text(),
            "reason": report.reason,
            "message": report.message,
            "source": {"component": report.component},
            "reportingComponent": report.component,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        })
    }

    fn remember(&mut self, report: &Report, name: String) {
        if self
            .known
            .insert(report.clone(), Known { name, count: 1 })
            .is_none()
        {
            self.order.push_back(report.clone());
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

fn events_resource() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("", "v1", "Event"), "events")
}

/// Events about cluster-scoped objects live in the default namespace.
fn event_namespace(subject: &Subject) -> &str {
    if subject.namespace.is_empty() {
        "default"
    } else {
        &subject.namespace
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flybridge_client::in_process;
    use http::{Request, Response};
    use http_body_util::BodyExt;
    use kube::client::Body;
    use parking_lot::Mutex;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_same_event_again_is_counted_and_bursts_are_capped() {
        let written: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let sink = Arc::clone(&written);
        let client = in_process(tower::service_fn(move |request: Request<Body>| {
            let sink = Arc::clone(&sink);
            async move {
                let method = request.method().to_string();
                let body = request.into_body().collect().await?.to_bytes();
                sink.lock().push((method, serde_json::from_slice(&body)?));
                Ok::<_, tower::BoxError>(Response::new(Body::from(body.to_vec())))
            }
        }));
        let tasks = Tasks::new();
        let clock = Clock::starting_at("2026-01-01T00:00:00Z".parse().unwrap());
        let recorder = Recorder::start(&tasks, &client, clock, &Ids::seeded(1), "test");
        let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}});
        for _ in 0..40 {
            recorder.event(&object, EventType::Warning, "Failed", "why");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        let written = written.lock();
        assert_eq!(written.len(), 25);
        let (method, event) = &written[0];
        assert_eq!((method.as_str(), &event["count"]), ("POST", &json!(1)));
        assert_eq!(event["metadata"]["namespace"], "default");
        assert_eq!(event["firstTimestamp"], "2026-01-01T00:00:00Z");
        assert_eq!(written[24].1["count"], 25);
    }
}
