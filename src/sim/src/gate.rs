//! A door in front of a member's API server: closed, it looks like a cut network.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use tokio::sync::watch;
use tower::{BoxError, Service};

/// The network between a member and everybody else was cut.
#[derive(Debug, thiserror::Error)]
#[error("connection refused: the network to this member is partitioned")]
pub struct Partitioned;

/// The switch of a door.
#[derive(Clone, Debug)]
pub(crate) struct Gate(watch::Sender<bool>);

impl Gate {
    /// An open door.
    pub(crate) fn open() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Closes or opens the door. Requests and streams on their way break when it closes.
    pub(crate) fn set_closed(&self, closed: bool) {
        self.0.send_replace(closed);
    }

    /// Whether the door is closed.
    pub(crate) fn is_closed(&self) -> bool {
        *self.0.borrow()
    }

    /// Puts the door in front of a service.
    pub(crate) fn guard<S>(&self, service: S) -> Guarded<S> {
        Guarded {
            service,
            gate: self.clone(),
        }
    }

    /// Resolves when the door is or gets closed.
    fn closing(&self) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let mut state = self.0.subscribe();
        Box::pin(async move {
            // The sender lives in the gate the receiver came from; without it nothing closes.
            if state.wait_for(|closed| *closed).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

/// A service behind a door.
#[derive(Clone, Debug)]
pub(crate) struct Guarded<S> {
    service: S,
    gate: Gate,
}

impl<S, R, B> Service<Request<R>> for Guarded<S>
where
    S: Service<Request<R>, Response = Response<B>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: Send + 'static,
{
    type Response = Response<Cut<B>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.service.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<R>) -> Self::Future {
        if self.gate.is_closed() {
            return Box::pin(async { Err(Partitioned.into()) });
        }
        let answer = self.service.call(request);
        let (closing, later) = (self.gate.closing(), self.gate.closing());
        Box::pin(async move {
            tokio::select! {
                biased;
                () = closing => Err(Partitioned.into()),
                answer = answer => {
                    let answer = answer.map_err(Into::into)?;
                    Ok(answer.map(|body| Cut { body, closing: Some(later) }))
                }
            }
        })
    }
}

/// A body that breaks off when the door closes.
pub(crate) struct Cut<B> {
    body: B,
    /// `None` once it has broken off.
    closing: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl<B> Body for Cut<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some(closing) = &mut self.closing else {
            return Poll::Ready(None);
        };
        if closing.as_mut().poll(cx).is_ready() {
            self.closing = None;
            return Poll::Ready(Some(Err(Partitioned.into())));
        }
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        frame.map(|frame| frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.closing.is_none() || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, StreamExt, stream};
    use http_body_util::{BodyExt, StreamBody};
    use tower::ServiceExt;

    use super::*;

    fn endless(
        _request: Request<()>,
    ) -> impl Future<Output = Result<Response<impl Body<Data = Bytes, Error = BoxError>>, BoxError>> + Send
    {
        let first = stream::iter([Ok(Frame::data(Bytes::from_static(b"one")))]);
        let body = StreamBody::new(first.chain(stream::pending()).boxed());
        async move { Ok(Response::new(body)) }
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_gate_refuses_and_breaks_streams_and_opens_again() {
        let gate = Gate::open();
        let service = gate.guard(tower::service_fn(endless));
        let answer = service.clone().oneshot(Request::new(())).await.unwrap();
        let mut body = answer.into_body();
        assert!(body.frame().await.unwrap().is_ok());
        assert!(body.frame().now_or_never().is_none(), "the stream goes on");
        gate.set_closed(true);
        assert!(body.frame().await.unwrap().is_err());
        assert!(body.frame().await.is_none());
        assert!(service.clone().oneshot(Request::new(())).await.is_err());
        gate.set_closed(false);
        assert!(service.oneshot(Request::new(())).await.is_ok());
    }
}
