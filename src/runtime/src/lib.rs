//! The controller toolkit: informers with indexed stores, work queues, workers, events, status writes.
//!
//! Everything waits on tokio time only, so whole fleets of controllers run on paused time.

pub mod events;
pub mod informer;
pub mod key;
pub mod object;
pub mod pool;
pub mod queue;
pub mod status;
pub mod store;
pub mod worker;

pub use events::{EventType, Recorder};
pub use informer::{Informer, Scope};
pub use key::ObjectKey;
pub use object::{Object, Stored};
pub use pool::InformerPool;
pub use queue::{LOW_PRIORITY, WorkQueue};
pub use status::{retry_on_conflict, write_status};
pub use store::{Change, Store};
pub use worker::{Action, run_workers};
