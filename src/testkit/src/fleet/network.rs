//! The network between the engine and everything it talks to: delays and losses by chance.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use flybridge_base::Ids;
use flybridge_client::in_process;
use http::{Method, Request, Response};
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use tower::BoxError;

/// Delays every request and loses some; clones are the same network.
#[derive(Clone, Debug)]
pub struct Network {
    ids: Ids,
    delay: Duration,
    loss: f64,
    calm: Arc<AtomicBool>,
}

/// One way through the network that remembers the writes it was asked for.
pub(super) struct Link {
    client: Client,
    writes: Arc<Mutex<Vec<String>>>,
}

impl Network {
    pub(super) fn new(ids: Ids, delay: Duration, loss: f64) -> Self {
        Self {
            ids,
            delay,
            loss,
            calm: Arc::default(),
        }
    }

    /// Stops losing anything, or begins again.
    pub fn set_calm(&self, calm: bool) {
        self.calm.store(calm, Ordering::Relaxed);
    }

    /// A way to where `client` leads.
    pub(super) fn link(&self, client: Client) -> Link {
        let writes = Arc::new(Mutex::new(Vec::new()));
        let (network, log) = (self.clone(), Arc::clone(&writes));
        let service = tower::service_fn(move |request: Request<Body>| {
            if request.method() != Method::GET {
                log.lock()
                    .push(format!("{} {}", request.method(), request.uri()));
            }
            network.clone().carry(client.clone(), request)
        });
        Link {
            client: in_process(service),
            writes,
        }
    }

    async fn carry(
        self,
        client: Client,
        request: Request<Body>,
    ) -> Result<Response<Body>, BoxError> {
        let safe = is_discovery(request.uri().path());
        tokio::time::sleep(self.lag()).await;
        if !safe && self.loses() {
            return Err("the request got lost".into());
        }
        let answer = client.send(request).await?;
        tokio::time::sleep(self.lag()).await;
        if !safe && self.loses() {
            return Err("the answer got lost".into());
        }
        Ok(answer)
    }

    fn lag(&self) -> Duration {
        self.delay.mul_f64(self.ids.fraction() / 2.0)
    }

    fn loses(&self) -> bool {
        let unlucky = self.ids.fraction() < self.loss / 2.0;
        unlucky && !self.calm.load(Ordering::Relaxed)
    }
}

/// Whether a server is asked what it serves.
///
/// A member known in part only is passed over, rightly, and no scenario could say what to expect.
fn is_discovery(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    matches!(
        segments.as_slice(),
        ["api"] | ["api", _] | ["apis"] | ["apis", _] | ["apis", _, _]
    )
}

impl Link {
    pub(super) fn client(&self) -> Client {
        self.client.clone()
    }

    pub(super) fn take_writes(&self) -> Vec<String> {
        std::mem::take(&mut self.writes.lock())
    }
}
