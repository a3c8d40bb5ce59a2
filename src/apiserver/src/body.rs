//! The one body type of requests and answers.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::Stream;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full, StreamBody};

/// What can break while a body is read.
pub type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// A request or answer body.
pub struct ApiBody(UnsyncBoxBody<Bytes, BodyError>);

impl std::fmt::Debug for ApiBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ApiBody").field(&self.0.size_hint()).finish()
    }
}

impl ApiBody {
    /// No bytes.
    pub fn empty() -> Self {
        Self(Empty::new().map_err(never).boxed_unsync())
    }

    /// These bytes.
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        Self(Full::new(bytes.into()).map_err(never).boxed_unsync())
    }

    /// Another body.
    pub fn wrap<B>(body: B) -> Self
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BodyError>,
    {
        Self(body.map_err(Into::into).boxed_unsync())
    }

    /// Bytes as they come.
    pub fn stream<S>(stream: S) -> Self
    where
        S: Stream<Item = Bytes> + Send + 'static,
    {
        use futures::StreamExt;
        let frames = stream.map(|bytes| Ok::<_, BodyError>(Frame::data(bytes)));
        Self(StreamBody::new(frames).boxed_unsync())
    }
}

impl Default for ApiBody {
    fn default() -> Self {
        Self::empty()
    }
}

fn never(error: Infallible) -> BodyError {
    match error {}
}

impl Body for ApiBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        Pin::new(&mut self.0).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
