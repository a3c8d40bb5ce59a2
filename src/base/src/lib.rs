//! The bottom layer: time, randomness, tasks and retry arithmetic.
//!
//! Everything above takes these as values, so a whole fleet can run on paused time from one seed.

pub mod backoff;
pub mod bucket;
pub mod clock;
pub mod ids;
pub mod report;
pub mod tasks;

pub use backoff::Backoff;
pub use bucket::TokenBucket;
pub use clock::Clock;
pub use ids::Ids;
pub use report::report;
pub use tasks::{Shutdown, Tasks};
