//! The server as a tower service: in process, without a socket.

use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use flybridge_machinery::Status;
use futures::FutureExt;
use http::{Request, Response};
use http_body::Body;

use crate::body::{ApiBody, BodyError};
use crate::http::{respond, route};
use crate::request::User;
use crate::server::ApiServer;

/// The server as one user sees it.
#[derive(Clone, Debug)]
pub struct ApiService {
    server: ApiServer,
    user: User,
}

impl ApiServer {
    /// A service that answers every request as `user`.
    pub fn service(&self, user: User) -> ApiService {
        ApiService {
            server: self.clone(),
            user,
        }
    }

    /// Answers one request; a panic becomes a 500.
    pub async fn answer(&self, user: User, request: Request<ApiBody>) -> Response<ApiBody> {
        let future = route::answer(self.clone(), user, request);
        match AssertUnwindSafe(future).catch_unwind().await {
            Ok(response) => response,
            Err(_panic) => {
                tracing::error!("a request panicked");
                respond::failure(&Status::internal_error(
                    "the request could not be completed",
                ))
            }
        }
    }
}

impl<B> tower::Service<Request<B>> for ApiService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BodyError>,
{
    type Response = Response<ApiBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<ApiBody>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (server, user) = (self.server.clone(), self.user.clone());
        let request = request.map(ApiBody::wrap);
        Box::pin(async move { Ok(server.answer(user, request).await) })
    }
}
