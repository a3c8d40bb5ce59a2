//! One scenario, step by step, against a server of its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use flybridge_apiserver::ApiServer;
use flybridge_base::{Clock, Ids, Tasks};
use flybridge_store::Store;
use http_body_util::BodyExt;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::compare::Bindings;
use crate::exchange::{self, Answered, Variables, substitute};
use crate::pointer;

/// When every scenario begins.
pub(crate) const ORIGIN: &str = "2026-07-01T12:00:00Z";
const POLL: Duration = Duration::from_millis(50);

type Lines = Arc<Mutex<Vec<u8>>>;

struct Player {
    server: ApiServer,
    store: Store,
    tasks: Tasks,
    variables: Variables,
    bindings: Bindings,
    watches: BTreeMap<String, Lines>,
}

/// Replays a scenario.
pub(crate) async fn play(scenario: &Value) -> Result<(), String> {
    let store = Store::memory();
    let server = ApiServer::builder(store.clone())
        .clock(Clock::starting_at(ORIGIN.parse().unwrap()))
        .ids(Ids::seeded(7))
        .runs_workloads()
        .root_certificate("pem")
        .build();
    server
        .bootstrap()
        .await
        .map_err(|error| error.to_string())?;
    let tasks = Tasks::new();
    let required = scenario["requires"].as_array().into_iter().flatten();
    if required.into_iter().any(|what| what == "controllers") {
        server.run_controllers(&tasks);
    } else {
        server.run_custom_resource_cleanup(&tasks);
    }
    let namespace = format!("vec-{}", scenario["id"].as_str().unwrap().to_lowercase());
    let mut player = Player {
        server,
        store,
        tasks,
        variables: Variables::from([("NS".to_owned(), namespace.clone())]),
        bindings: Bindings::default(),
        watches: BTreeMap::new(),
    };
    player.prepare(&namespace).await?;
    let mut outcome = Ok(());
    for (index, step) in scenario["steps"].as_array().unwrap().iter().enumerate() {
        outcome = player
            .step(step)
            .await
            .map_err(|text| format!("step {index}: {text}"));
        if outcome.is_err() {
            break;
        }
    }
    player.tasks.stop(Duration::from_secs(5)).await;
    outcome
}

impl Player {
    async fn prepare(&self, namespace: &str) -> Result<(), String> {
        let objects = [
            ("/api/v1/namespaces".to_owned(), "Namespace", namespace),
            (
                format!("/api/v1/namespaces/{namespace}/serviceaccounts"),
                "ServiceAccount",
                "default",
            ),
        ];
        for (path, kind, name) in objects {
            let body = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}});
            let request = json!({"method": "POST", "path": path, "body": body});
            let answered = exchange::send(&self.server, &request).await?;
            if answered.status != 201 && answered.status != 409 {
                return Err(format!("{kind} {name}: {}", answered.status));
            }
        }
        Ok(())
    }

    async fn step(&mut self, step: &Value) -> Result<(), String> {
        match step["kind"].as_str().unwrap_or("request") {
            "request" | "watch-finite" => {
                let answered = self.send(&step["request"]).await?;
                self.capture(step, &answered);
                self.judge(step, &answered)
            }
            "poll" => self.poll(step).await,
            "watch-open" => self.open_watch(step).await,
            "watch-collect" => self.collect_watch(step).await,
            "parallel" => self.parallel(step).await,
            "sleep" => {
                sleep(Duration::from_millis(step["ms"].as_u64().unwrap_or(0))).await;
                Ok(())
            }
            "control" if step["what"] == "compact" => {
                self.store.compact(self.store.revision() + 1);
                Ok(())
            }
            "setup" => self.set_up().await,
            other => Err(format!("steps of kind {other} are not replayed")),
        }
    }

    async fn send(&self, request: &Value) -> Result<Answered, String> {
        exchange::send(&self.server, &substitute(request, &self.variables)).await
    }

    fn capture(&mut self, step: &Value, answered: &Answered) {
        for (name, from) in step["capture"].as_object().into_iter().flatten() {
            let from = substitute(from, &self.variables);
            let from = from.as_str().unwrap_or_default();
            let text = match from.strip_prefix("header:") {
                Some(header) => answered
                    .headers
                    .get(header)
                    .and_then(|value| value.to_str().ok())
                    .unwrap_or_default()
                    .to_owned(),
                None => match pointer::at(&answered.json(), from) {
                    Value::String(text) => text,
                    other => other.to_string(),
                },
            };
            self.variables.insert(name.clone(), text);
        }
    }

    fn judge(&mut self, step: &Value, answered: &Answered) -> Result<(), String> {
        let wanted = substitute(&step["response"], &self.variables);
        let result = self.check(step, &wanted, answered);
        result.map_err(|text| {
            let request = substitute(&step["request"], &self.variables);
            let body = String::from_utf8_lossy(&answered.body)
                .chars()
                .take(300)
                .collect::<String>();
            format!(
                "{} {}: {text}\n      answer {} {body}",
                request["method"], request["path"], answered.status
            )
        })
    }

    fn check(&mut self, step: &Value, wanted: &Value, answered: &Answered) -> Result<(), String> {
        if wanted["status"] != json!(answered.status) {
            return Err(format!("wanted status {}", wanted["status"]));
        }
        self.check_headers(&wanted["headers"], answered)?;
        match step["compare"].as_str().unwrap_or("full") {
            "status" => Ok(()),
            "pointers" => self.check_pointers(&wanted["pointers"], &answered.json()),
            "names" => check_names(step, answered),
            _ => self.check_body(step, wanted, answered),
        }
    }

    fn check_headers(&mut self, wanted: &Value, answered: &Answered) -> Result<(), String> {
        for (name, value) in wanted.as_object().into_iter().flatten() {
            let found = answered.headers.get_all(name).iter();
            let mut found: Vec<Value> = found
                .map(|value| json!(String::from_utf8_lossy(value.as_bytes())))
                .collect();
            if name == "warning" {
                let mut texts: Vec<Value> = value.as_array().cloned().unwrap_or_default();
                texts.sort_by_key(Value::to_string);
                found.sort_by_key(Value::to_string);
                self.bindings
                    .same("warnings", &json!(texts), &json!(found))?;
            } else {
                self.bindings.same(name, &json!([value]), &json!(found))?;
            }
        }
        if wanted.get("warning").is_none() && answered.headers.contains_key("warning") {
            return Err(format!(
                "unexpected warning {:?}",
                answered.headers.get("warning")
            ));
        }
        Ok(())
    }

    fn check_pointers(&mut self, wanted: &Value, body: &Value) -> Result<(), String> {
        let wanted = wanted.as_object().into_iter().flatten();
        for (path, value) in wanted.filter(|(path, _)| !path.contains("/managedFields")) {
            self.bindings.same(path, value, &pointer::at(body, path))?;
        }
        Ok(())
    }

    fn check_body(
        &mut self,
        step: &Value,
        wanted: &Value,
        answered: &Answered,
    ) -> Result<(), String> {
        if let Some(events) = wanted["events"].as_array() {
            return self.check_events(events, &exchange::events(&answered.body));
        }
        if let Some(text) = wanted["bodyText"].as_str() {
            let found = String::from_utf8_lossy(&answered.body);
            return self.bindings.same("body", &json!(text), &json!(found));
        }
        let Some(body) = wanted.get("body") else {
            return Ok(());
        };
        let (mut body, mut found) = (body.clone(), answered.json());
        let ignored = step["ignore"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let unstable = step["unstable"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let unstable = unstable.filter_map(|path| path.strip_prefix("/response/body"));
        for path in ignored.chain(unstable) {
            pointer::remove(&mut body, path);
            pointer::remove(&mut found, path);
        }
        self.bindings.same("", &body, &found)
    }

    fn check_events(&mut self, wanted: &[Value], found: &[Value]) -> Result<(), String> {
        let is_optional = |event: &Value| {
            let end = &event["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"];
            event["type"] == "BOOKMARK" && end.is_null()
        };
        let trim = |events: &[Value]| {
            let mut events = events.to_vec();
            while events.last().is_some_and(is_optional) {
                events.pop();
            }
            Value::Array(events)
        };
        self.bindings.same("events", &trim(wanted), &trim(found))
    }

    async fn poll(&mut self, step: &Value) -> Result<(), String> {
        let limit = Duration::from_millis(step["timeoutMs"].as_u64().unwrap_or(10_000));
        let deadline = Instant::now() + limit;
        let until = substitute(&step["until"], &self.variables);
        loop {
            let answered = self.send(&step["request"]).await?;
            let reached = match until["pointer"].as_str() {
                Some(path) => pointer::at(&answered.json(), path) == until["equals"],
                None => until["status"] == json!(answered.status),
            };
            if reached || Instant::now() >= deadline {
                self.capture(step, &answered);
                return self.judge(step, &answered);
            }
            sleep(POLL).await;
        }
    }

    async fn open_watch(&mut self, step: &Value) -> Result<(), String> {
        let request = substitute(&step["request"], &self.variables);
        let response = exchange::open(&self.server, &request).await?;
        let lines = Lines::default();
        self.watches
            .insert(step["id"].to_string(), Arc::clone(&lines));
        let mut body = response.into_body();
        self.tasks.spawn_until_shutdown("watch", async move {
            while let Some(Ok(frame)) = body.frame().await {
                if let Ok(data) = frame.into_data() {
                    lines.lock().extend_from_slice(&data);
                }
            }
        });
        Ok(())
    }

    async fn collect_watch(&mut self, step: &Value) -> Result<(), String> {
        let lines = Arc::clone(
            self.watches
                .get(&step["id"].to_string())
                .ok_or("no such watch")?,
        );
        let read = || exchange::events(&lines.lock().clone());
        let wanted = substitute(&step["events"], &self.variables);
        let names = step["names"].as_array().cloned();
        let count = names.as_ref().or(wanted.as_array()).map_or(0, Vec::len);
        let deadline =
            Instant::now() + Duration::from_millis(step["maxWaitMs"].as_u64().unwrap_or(1000));
        while read().len() < count && Instant::now() < deadline {
            sleep(POLL).await;
        }
        sleep(Duration::from_millis(
            step["settleMs"].as_u64().unwrap_or(0),
        ))
        .await;
        match names {
            Some(names) => {
                let found: Vec<Value> = read()
                    .iter()
                    .map(|event| event["object"]["metadata"]["name"].clone())
                    .collect();
                if found == names {
                    Ok(())
                } else {
                    Err(format!("wanted {names:?} found {found:?}"))
                }
            }
            None => self.check_events(wanted.as_array().map_or(&[], Vec::as_slice), &read()),
        }
    }

    async fn parallel(&self, step: &Value) -> Result<(), String> {
        let requests = step["requests"].as_array().into_iter().flatten();
        let answers = futures::future::join_all(requests.map(|request| self.send(request))).await;
        let mut statuses = Vec::new();
        for answered in answers {
            statuses.push(json!(answered?.status));
        }
        statuses.sort_by_key(Value::to_string);
        if step["statusesSorted"] == json!(statuses) {
            Ok(())
        } else {
            Err(format!(
                "wanted {} found {statuses:?}",
                step["statusesSorted"]
            ))
        }
    }

    /// The one set-up there is: three large ConfigMaps.
    async fn set_up(&self) -> Result<(), String> {
        for index in 0..3 {
            let body = json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("big{index}")},
                "data": {"d": "x".repeat(60_000)},
            });
            let request = json!({"method": "POST", "path": "/api/v1/namespaces/${NS}/configmaps", "body": body});
            self.send(&request).await?;
        }
        Ok(())
    }
}

fn check_names(step: &Value, answered: &Answered) -> Result<(), String> {
    let body = answered.json();
    let names: Vec<Value> = if body["items"].is_array() {
        let items = body["items"].as_array().into_iter().flatten();
        items.map(|item| item["metadata"]["name"].clone()).collect()
    } else {
        let events = exchange::events(&answered.body);
        events
            .iter()
            .map(|event| event["object"]["metadata"]["name"].clone())
            .collect()
    };
    if step["names"] == json!(names) {
        Ok(())
    } else {
        Err(format!("wanted {} found {names:?}", step["names"]))
    }
}
