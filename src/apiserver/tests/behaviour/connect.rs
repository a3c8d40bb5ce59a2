//! Subresources that the embedding program answers.

use std::sync::Arc;

use flybridge_apiserver::{ApiBody, Connect, ConnectFuture, ConnectRequest};
use http::Response;
use http_body_util::BodyExt;

use crate::rig::{Rig, builder};

/// Answers with what it was asked, and the body it was sent.
struct Echo;

impl Connect for Echo {
    fn connect(&self, request: ConnectRequest) -> ConnectFuture {
        Box::pin(async move {
            let (parts, body) = request.request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            let target = &request.target;
            let text = serde_json::json!({
                "user": request.user.name, "method": parts.method.as_str(), "rest": target.rest,
                "place": format!("{}/{}", target.namespace, target.name),
                "query": request.query.get("q"), "body": String::from_utf8_lossy(&body),
            });
            Ok(Response::new(ApiBody::full(text.to_string())))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_gets_the_whole_request() {
    let server = builder()
        .connect("", "pods", "log", Arc::new(Echo))
        .connect("", "nodes", "proxy", Arc::new(Echo))
        .build();
    let rig = Rig {
        server,
        tasks: flybridge_base::Tasks::new(),
    };
    let log = rig
        .get("/api/v1/namespaces/team/pods/web/log?q=5")
        .await
        .unwrap();
    assert_eq!(
        (log["place"].as_str(), log["query"].as_str()),
        (Some("team/web"), Some("5"))
    );
    let (code, proxied) = rig
        .ask(
            "PUT",
            "/api/v1/nodes/n1/proxy/metrics/cadvisor",
            serde_json::json!({"a": 1}),
        )
        .await;
    assert_eq!(code, 200);
    assert_eq!(
        (proxied["method"].as_str(), proxied["rest"].as_str()),
        (Some("PUT"), Some("metrics/cadvisor"))
    );
    assert_eq!(proxied["body"].as_str(), Some("{\"a\":1}"));
}
