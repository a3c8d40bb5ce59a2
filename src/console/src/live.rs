//! Data from a control plane.

use flybridge_base::{Clock, Tasks};
use tokio::sync::mpsc;

use crate::effect::Effect;
use crate::event::Event;
use crate::runner::Runner;

/// Acts on effects with a client of the control plane.
pub(crate) struct LiveRunner {
    client: kube::Client,
    tasks: Tasks,
    events: mpsc::Sender<Event>,
    clock: Clock,
}

impl LiveRunner {
    pub(crate) fn new(
        client: kube::Client,
        tasks: Tasks,
        events: mpsc::Sender<Event>,
        clock: Clock,
    ) -> Self {
        Self { client, tasks, events, clock }
    }
}

impl Runner for LiveRunner {
    fn run(&mut self, _effect: Effect) {}
}
