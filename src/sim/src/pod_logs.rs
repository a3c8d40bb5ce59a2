//! `pods/log` of a member's API server.

use std::sync::Arc;

use flybridge_apiserver::body::ApiBody;
use flybridge_apiserver::connect::{Connect, ConnectFuture, ConnectRequest};
use flybridge_apiserver::request::Answer;
use flybridge_base::Clock;
use flybridge_machinery::Status;
use http::{Response, header};

use crate::logs::{self, LogOptions, Lookup, Source};
use crate::object::Name;
use crate::observed::SharedPods;
use crate::seed::Seed;

/// Answers requests for logs from what the member's controllers know of its pods.
pub(crate) struct PodLogs {
    pods: SharedPods,
    clock: Clock,
    seed: Seed,
}

impl PodLogs {
    pub(crate) const fn new(pods: SharedPods, clock: Clock, seed: Seed) -> Self {
        Self { pods, clock, seed }
    }

    fn answer(&self, request: &ConnectRequest) -> Answer<Response<ApiBody>> {
        let refuse = |refused: logs::Refused| Box::new(Status::bad_request(refused.to_string()));
        let options = LogOptions::read(&request.query).map_err(refuse)?;
        let name = Name::new(&request.target.namespace, &request.target.name);
        let Some(pod) = self.pods.lock().get(&name).map(Arc::clone) else {
            return Err(Box::new(Status::not_found(&request.target.gvr, &name.name)));
        };
        let source = Source::of(&pod, &options, self.seed).map_err(refuse)?;
        let pods = Arc::clone(&self.pods);
        let lookup: Lookup = Arc::new(move || pods.lock().get(&name).map(Arc::clone));
        let body = ApiBody::stream(logs::stream(source, &options, self.clock, lookup));
        let mut answer = Response::new(body);
        let text = header::HeaderValue::from_static("text/plain");
        answer.headers_mut().insert(header::CONTENT_TYPE, text);
        Ok(answer)
    }
}

impl Connect for PodLogs {
    fn connect(&self, request: ConnectRequest) -> ConnectFuture {
        let answer = self.answer(&request);
        Box::pin(std::future::ready(answer))
    }
}
