//! The hook for subresources whose answer is a stream: logs of simulated pods, the cluster proxy.

use std::future::Future;
use std::pin::Pin;

use http::{Request, Response};

use crate::body::ApiBody;
use crate::options::Query;
use crate::request::{Answer, Target, User};

/// A request for a connected subresource.
#[derive(Debug)]
pub struct ConnectRequest {
    /// What the path names.
    pub target: Target,
    /// The query.
    pub query: Query,
    /// Who asks.
    pub user: User,
    /// The request as it came, with its body.
    pub request: Request<ApiBody>,
}

/// The future of a connected answer.
pub type ConnectFuture = Pin<Box<dyn Future<Output = Answer<Response<ApiBody>>> + Send>>;

/// Answers requests for one subresource.
pub trait Connect: Send + Sync {
    /// Answers one request; the answer's body may stream for as long as it likes.
    fn connect(&self, request: ConnectRequest) -> ConnectFuture;
}
