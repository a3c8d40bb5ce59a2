//! Who acts on effects.

use tokio::sync::mpsc;

use crate::effect::Effect;
use crate::event::Event;

/// Acts on effects; what comes of them returns as events through the channel it was made with.
pub(crate) trait Runner {
    /// Acts on one effect. Does not wait.
    fn run(&mut self, effect: Effect);
}

/// Answers effects from sample data.
pub(crate) struct SampleRunner {
    pub(crate) events: mpsc::Sender<Event>,
    pub(crate) clock: flybridge_base::Clock,
}

impl Runner for SampleRunner {
    fn run(&mut self, effect: Effect) {
        for event in crate::sample::answer(&effect, self.clock.now()) {
            if self.events.try_send(event).is_err() {
                tracing::warn!("a sample was dropped: the console is behind");
            }
        }
    }
}
