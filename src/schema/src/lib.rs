//! Structural schemas, defaulting, pruning, validation, protobuf bodies, OpenAPI.
//!
//! Pure: no I/O, no clock. Built-in kinds and custom resources are described by the same graph of
//! nodes ([`Schema`], [`Node`]), so every operation here is written once. [`Catalog`] knows the
//! built-in kinds and the endpoints that serve them.

pub mod catalog;
pub mod decode;
mod defaulting;
mod error;
mod fields;
pub mod graph;
mod normalize;
pub mod openapi;
mod path;
mod structural;
mod types;
mod validate;

pub use catalog::{Catalog, FieldSelectorPath, ResourceInfo, SubresourceInfo};
pub use decode::{Decoded, Format, decode};
pub use error::{DecodeError, SchemaError, TypeError};
pub use graph::{ListType, MapType, Node, Scalar, Schema, Type};
