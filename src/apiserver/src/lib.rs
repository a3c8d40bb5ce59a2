//! The embedded Kubernetes API server: one schema-driven engine over JSON, in front of the store.
//!
//! ```text
//! request -> route -> rest (verbs) -> pipeline (defaults, admission, validation) -> store
//!                \-> discovery, reviews, connect hooks
//! ```
//!
//! A handler never blocks and never holds a lock across an await; what a client sees as done is
//! durable and visible to every later read.

pub mod admission;
pub mod body;
mod bootstrap;
pub mod connect;
pub mod defaults;
mod discovery;
mod housekeeping;
mod http;
pub mod options;
pub mod printers;
pub mod record;
pub mod registry;
pub mod request;
mod rest;
mod reviews;
mod serve;
pub mod server;
pub mod service;
pub mod tls;
pub mod validation;

pub use admission::{Admission, Attributes};
pub use body::ApiBody;
pub use connect::{Connect, ConnectFuture, ConnectRequest};
pub use registry::Definition;
pub use request::User;
pub use server::{ApiServer, Builder};
pub use service::ApiService;
