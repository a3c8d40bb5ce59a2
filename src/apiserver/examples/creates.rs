//! How fast objects are created, read and watched in process.
//!
//! `cargo run --release -p flybridge-apiserver --example creates [COUNT]`

use std::time::{Duration, Instant};

use flybridge_apiserver::{ApiBody, ApiServer, User};
use flybridge_store::Store;
use futures::StreamExt;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};

const PATH: &str = "/api/v1/namespaces/default/configmaps";

fn config_map(index: usize) -> Vec<u8> {
    let labels = json!({"app": format!("app-{}", index % 100)});
    let data = json!({"text": "x".repeat(900)});
    let metadata = json!({"name": format!("object-{index:06}"), "labels": labels});
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
        .to_string()
        .into_bytes()
}

async fn ask(
    server: &ApiServer,
    method: &str,
    path: &str,
    body: Vec<u8>,
    accept: &str,
) -> (u16, usize) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("Accept", accept);
    let request = request
        .header("Content-Type", "application/json")
        .body(ApiBody::full(body));
    let Ok(request) = request else { return (0, 0) };
    let response = server.answer(User::admin(), request).await;
    let code = response.status().as_u16();
    let bytes = response
        .into_body()
        .collect()
        .await
        .map(|body| body.to_bytes().len());
    (code, bytes.unwrap_or(0))
}

#[expect(clippy::print_stdout, reason = "a program that reports figures")]
fn report(what: &str, count: usize, took: Duration) {
    let each = took / u32::try_from(count.max(1)).unwrap_or(u32::MAX);
    println!(
        "{what:<34} {count:>7} in {took:>10.2?}  {each:>10.2?} each  {:>8.0}/s",
        1.0 / each.as_secs_f64()
    );
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: usize = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(10_000);
    let server = ApiServer::builder(Store::memory()).build();
    server.bootstrap().await?;
    let json = "application/json";
    let started = Instant::now();
    for index in 0..count / 2 {
        ask(&server, "POST", PATH, config_map(index), json).await;
    }
    report("create, one after the other", count / 2, started.elapsed());
    let started = Instant::now();
    let rest = futures::stream::iter(count / 2..count);
    rest.map(|index| ask(&server, "POST", PATH, config_map(index), json))
        .buffer_unordered(16)
        .count()
        .await;
    report("create, 16 at a time", count - count / 2, started.elapsed());
    let started = Instant::now();
    for index in 0..count.min(1000) {
        ask(
            &server,
            "GET",
            &format!("{PATH}/object-{index:06}"),
            Vec::new(),
            json,
        )
        .await;
    }
    report("get", count.min(1000), started.elapsed());
    let patch: Vec<u8> = json!({"data": {"more": "y"}}).to_string().into_bytes();
    let started = Instant::now();
    for index in 0..count.min(1000) {
        let request = Request::builder()
            .method("PATCH")
            .uri(format!("{PATH}/object-{index:06}"))
            .header("Content-Type", "application/merge-patch+json")
            .body(ApiBody::full(patch.clone()))?;
        let body = server.answer(User::admin(), request).await.into_body();
        body.collect().await.map_err(|error| error.to_string())?;
    }
    report("merge patch", count.min(1000), started.elapsed());
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    for (what, path, accept) in [
        ("list all, JSON", PATH.to_owned(), json),
        ("list all, Table", PATH.to_owned(), table),
        ("list limit=500", format!("{PATH}?limit=500"), json),
        (
            "list by label",
            format!("{PATH}?labelSelector=app%3Dapp-7"),
            json,
        ),
    ] {
        ask(&server, "GET", &path, Vec::new(), accept).await;
        let started = Instant::now();
        for _ in 0..5 {
            let (code, bytes) = ask(&server, "GET", &path, Vec::new(), accept).await;
            assert!(code == 200 && bytes > 0, "{what}: {code}");
        }
        report(what, 5, started.elapsed());
    }
    fan_out(&server).await?;
    Ok(())
}

/// From a write to the last of many watchers.
async fn fan_out(server: &ApiServer) -> Result<(), Box<dyn std::error::Error>> {
    for watchers in [1_usize, 100, 1000] {
        let mut streams = Vec::new();
        for _ in 0..watchers {
            let path = format!(
                "{PATH}?watch=true&resourceVersion={}",
                server.store().revision()
            );
            let request = Request::builder().uri(path).body(ApiBody::empty())?;
            streams.push(
                server
                    .answer(User::admin(), request)
                    .await
                    .into_body()
                    .into_data_stream(),
            );
        }
        let started = Instant::now();
        let rounds = 20;
        for round in 0..rounds {
            let body: Value = json!({"data": {"round": format!("{watchers}-{round}")}});
            let request = Request::builder()
                .method("PATCH")
                .uri(format!("{PATH}/object-000000"))
                .header("Content-Type", "application/merge-patch+json")
                .body(ApiBody::full(body.to_string()))?;
            server.answer(User::admin(), request).await;
            for stream in &mut streams {
                stream.next().await;
            }
        }
        report(
            &format!("write to last of {watchers} watchers"),
            rounds,
            started.elapsed(),
        );
    }
    Ok(())
}
