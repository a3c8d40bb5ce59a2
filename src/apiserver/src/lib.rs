//! HTTP front, authentication, REST over the store, watch, discovery, CRDs, OpenAPI.

pub mod defaults;
pub mod printers;
