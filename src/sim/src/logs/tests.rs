//! Reading generated logs.

use std::sync::Arc;
use std::time::Duration;

use flybridge_apiserver::options::Query;
use flybridge_base::Clock;
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{LogOptions, Lookup, Source, stream};
use crate::seed::Seed;
use crate::testing::{at, decode, pod};

fn pod_in(state: Value, restarts: i32, last: Value) -> Pod {
    let mut pod = pod("web")
        .on("n1")
        .phase("Running")
        .annotate("flybridge.dev/log-rate", "2")
        .build();
    pod.status = Some(decode(json!({
        "phase": "Running",
        "containerStatuses": [{
            "name": "web", "image": "nginx:1.27", "imageID": "", "ready": true,
            "restartCount": restarts, "state": state, "lastState": last,
        }],
    })));
    pod
}

fn running() -> Pod {
    pod_in(
        json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}}),
        0,
        json!({}),
    )
}

fn crashed() -> Value {
    json!({"terminated": {
        "exitCode": 1, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:10Z",
    }})
}

async fn read(pod: Pod, query: &str, after: Duration) -> String {
    let clock = Clock::starting_at(at(0));
    tokio::time::advance(after).await;
    let options = LogOptions::read(&Query::parse(query)).unwrap();
    let source = Source::of(&pod, &options, Seed::new(1)).unwrap();
    let pod = Arc::new(pod);
    let lookup: Lookup = Arc::new(move || Some(Arc::clone(&pod)));
    let chunks: Vec<_> = stream(source, &options, clock, lookup).collect().await;
    String::from_utf8(chunks.concat()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_same_window_reads_the_same_and_grows_with_time() {
    let minute = Duration::from_secs(60);
    let first = read(running(), "", minute).await;
    assert_eq!(first, read(running(), "", minute).await);
    assert!(
        (115..130).contains(&first.lines().count()),
        "{}",
        first.lines().count()
    );
    assert!(first.contains("start worker processes"));
    assert!(first.lines().last().unwrap().contains("HTTP/1.1\""));
    let later = read(running(), "", minute * 2).await;
    assert!(later.starts_with(&first) && later.len() > first.len());
}

#[tokio::test(start_paused = true)]
async fn tail_since_limit_and_timestamps_cut_the_window() {
    let minute = Duration::from_secs(60);
    let all = read(running(), "", minute).await;
    let tail = read(running(), "tailLines=5", minute).await;
    assert_eq!(tail.lines().count(), 5);
    assert!(all.ends_with(&tail));
    assert_eq!(read(running(), "tailLines=0", minute).await, "");
    let since = read(running(), "sinceSeconds=10", minute).await;
    assert!((15..25).contains(&since.lines().count()), "{since}");
    let limited = read(running(), "limitBytes=100", minute).await;
    assert_eq!(limited.len(), 100);
    assert!(all.starts_with(&limited));
    let stamped = read(running(), "timestamps=true", minute).await;
    let stamps: Vec<jiff::Timestamp> = stamped
        .lines()
        .map(|line| line.split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(stamps.is_sorted());
    assert!(*stamps.last().unwrap() <= at(60));
}

#[tokio::test(start_paused = true)]
async fn follow_waits_for_lines_and_ends_with_the_pod() {
    let clock = Clock::starting_at(at(0));
    let present = Arc::new(Mutex::new(Some(Arc::new(running()))));
    let options = LogOptions::read(&Query::parse("follow=true&tailLines=0")).unwrap();
    let source = Source::of(&running(), &options, Seed::new(1)).unwrap();
    let seen = Arc::clone(&present);
    let lookup: Lookup = Arc::new(move || seen.lock().clone());
    let mut lines = stream(source, &options, clock, lookup).boxed();
    for _ in 0..20 {
        let chunk = lines.next().await.unwrap();
        assert_eq!(chunk.iter().filter(|byte| **byte == b'\n').count(), 1);
    }
    assert!(
        clock.now() > at(5) && clock.now() < at(20),
        "{}",
        clock.now()
    );
    assert!(
        lines.next().now_or_never().is_none(),
        "the next line is not due"
    );
    *present.lock() = None;
    let rest: Vec<_> = lines.collect().await;
    assert!(rest.len() <= 1, "only what was written before the pod went");
}

#[tokio::test(start_paused = true)]
async fn following_a_container_that_ends_shows_its_last_words() {
    let clock = Clock::starting_at(at(0));
    let present = Arc::new(Mutex::new(Some(Arc::new(running()))));
    let options = LogOptions::read(&Query::parse("follow=true")).unwrap();
    let source = Source::of(&running(), &options, Seed::new(1)).unwrap();
    let seen = Arc::clone(&present);
    let lookup: Lookup = Arc::new(move || seen.lock().clone());
    let lines = stream(source, &options, clock, lookup);
    tokio::time::advance(Duration::from_secs(11)).await;
    *present.lock() = Some(Arc::new(pod_in(crashed(), 0, json!({}))));
    let text: Vec<_> = lines.collect().await;
    let text = String::from_utf8(text.concat()).unwrap();
    assert!(text.lines().last().unwrap().contains("[emerg]"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn previous_reads_the_run_before_the_restart() {
    let state = json!({"running": {"startedAt": "2026-01-01T00:00:20Z"}});
    let restarted = pod_in(state, 1, crashed());
    let minute = Duration::from_secs(60);
    let previous = read(restarted.clone(), "previous=true", minute).await;
    assert!(previous.lines().last().unwrap().contains("[emerg]"));
    let present = read(restarted, "", minute).await;
    assert_ne!(previous, present);
    assert!(!present.contains("[emerg]"));
}

#[test]
fn refusals_say_what_the_kubelet_says() {
    let refusal = |pod: &Pod, query: &str| {
        let options = LogOptions::read(&Query::parse(query)).unwrap();
        Source::of(pod, &options, Seed::new(1)).unwrap_err().0
    };
    assert_eq!(
        refusal(&running(), "container=db"),
        "container db is not valid for pod web"
    );
    assert_eq!(
        refusal(&running(), "previous=true"),
        "previous terminated container \"web\" in pod \"web\" not found"
    );
    let waiting = pod_in(
        json!({"waiting": {"reason": "ContainerCreating"}}),
        0,
        json!({}),
    );
    assert_eq!(
        refusal(&waiting, ""),
        "container \"web\" in pod \"web\" is waiting to start: ContainerCreating"
    );
    let mut two = running();
    let containers = &mut two.spec.as_mut().unwrap().containers;
    let mut second = containers[0].clone();
    second.name = "sidecar".to_owned();
    containers.push(second);
    assert_eq!(
        refusal(&two, ""),
        "a container name must be specified for pod web, choose one of: [web sidecar]"
    );
}

#[tokio::test(start_paused = true)]
async fn java_services_write_stack_traces_and_others_json() {
    let mut java = running();
    java.spec.as_mut().unwrap().containers[0].image = Some("shop/orders-java:2".to_owned());
    let text = read(java, "", Duration::from_secs(600)).await;
    assert!(text.contains("TimeoutException") && text.contains("\tat com.example"));
    let mut json = running();
    json.spec.as_mut().unwrap().containers[0].image = Some("shop/cart:2".to_owned());
    let text = read(json, "", Duration::from_secs(60)).await;
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert!(value["msg"].is_string());
    }
}
