//! Fixtures for tests: real processes, kubectl, pseudo-terminals, in-memory planes on paused time.
//!
//! For tests and developer commands only; nothing that ships depends on it.

pub mod fleet;
pub mod kubectl;
pub mod process;
pub mod pty;
pub mod vectors;

pub use fleet::Fleet;
